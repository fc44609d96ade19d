package lsptest

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Message is what the fake server received.
type Message struct {
	Start  int             // which start of the server received it, from 0
	Method string          // of a call or a notification; of the request for a reply
	Reply  bool            // it answers a request of the server
	ID     json.RawMessage `json:",omitempty"`
	Params json.RawMessage `json:",omitempty"`
	Result json.RawMessage `json:",omitempty"`
	Error  json.RawMessage `json:",omitempty"`
}

// errExit is a scripted end.
type errExit struct{ status int }

func (e errExit) Error() string { return fmt.Sprintf("exit %d", e.status) }

// A server plays a script over one connection.
type server struct {
	script  Script
	start   int
	stderr  io.Writer
	record  func(Message)
	release <-chan struct{}
	exit    func(status int) // ends a process at once; nil in process

	ctx context.Context // ends with the connection
	end context.CancelCauseFunc
	wg  sync.WaitGroup // reactions that wait

	outMu sync.Mutex
	out   io.Writer

	mu      sync.Mutex
	seen    map[string]int    // reactions taken, by method
	sent    map[string]string // method of a request of ours, by id
	replied chan struct{}     // closed and replaced at each reply
	nextID  int
	root    string
	deaf    bool
}

// serve plays a script until its input ends, the client says exit, or the script
// ends it; that is an errExit. It returns when no goroutine of it is left. Closing in
// must end a Read that is under way.
func (s *server) serve(in io.ReadCloser) error {
	s.ctx, s.end = context.WithCancelCause(context.Background())
	s.seen, s.sent = map[string]int{}, map[string]string{}
	s.replied = make(chan struct{})
	defer s.wg.Wait()
	defer s.end(nil)
	defer context.AfterFunc(s.ctx, func() { in.Close() })()

	if err := s.do(s.script.Start, Message{}); err != nil {
		return err
	}
	r := bufio.NewReader(in)
	for {
		if s.isDeaf() {
			<-s.ctx.Done()
			return context.Cause(s.ctx)
		}
		body, err := readFrame(r)
		if cause := context.Cause(s.ctx); cause != nil {
			return cause
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := s.receive(body); err != nil {
			return err
		}
	}
}

// readFrame reads one message of the client, which is held to the letter of the
// base protocol.
func readFrame(r *bufio.Reader) ([]byte, error) {
	header, err := r.ReadString('\n')
	if err != nil {
		return nil, err
	}
	digits, ok := strings.CutPrefix(header, "Content-Length: ")
	digits, crlf := strings.CutSuffix(digits, "\r\n")
	n, err := strconv.Atoi(digits)
	if !ok || !crlf || err != nil || n <= 0 {
		return nil, fmt.Errorf("bad header %q", header)
	}
	if blank, err := r.ReadString('\n'); err != nil || blank != "\r\n" {
		return nil, fmt.Errorf("bad end of header %q: %v", blank, err)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return body, err
}

func (s *server) receive(body []byte) error {
	var m Message
	var wire struct{ Jsonrpc string }
	if err := errors.Join(json.Unmarshal(body, &m), json.Unmarshal(body, &wire)); err != nil || wire.Jsonrpc != "2.0" {
		return fmt.Errorf("bad message %.200s: %v", body, err)
	}
	m.Start, m.Reply = s.start, false
	if m.Method == "" {
		s.noteReply(&m)
		s.record(m)
		return nil
	}
	if m.Method == "initialize" {
		var p struct{ RootURI string }
		if json.Unmarshal(m.Params, &p) == nil {
			s.mu.Lock()
			s.root = p.RootURI
			s.mu.Unlock()
		}
	}
	s.record(m)
	reaction := s.reaction(m)
	if !waits(reaction.Before) && !waits(reaction.After) {
		return s.react(reaction, m)
	}
	s.wg.Go(func() {
		if err := s.react(reaction, m); err != nil {
			s.end(err)
		}
	})
	return nil
}

// waits reports whether actions hold up what comes after them.
func waits(actions []Action) bool {
	for _, a := range actions {
		if a.Sleep > 0 || a.Hold || a.Await != "" {
			return true
		}
	}
	return false
}

// reaction returns the next scripted reaction to a message, or the default one.
func (s *server) reaction(m Message) Reaction {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.seen[m.Method]
	s.seen[m.Method]++
	if list := s.script.On[m.Method]; len(list) > 0 {
		return list[min(n, len(list)-1)]
	}
	switch {
	case m.Method == "initialize" || m.Method == "shutdown":
		return Reaction{}
	case m.Method == "exit":
		return Reaction{After: []Action{Exit(0)}}
	}
	return Reaction{Error: &Error{Code: -32601, Message: "method not found: " + m.Method}}
}

func (s *server) react(r Reaction, m Message) error {
	if err := s.do(r.Before, m); err != nil {
		return err
	}
	if len(m.ID) > 0 && !r.Never {
		if err := s.answer(r, m); err != nil {
			return err
		}
	}
	return s.do(r.After, m)
}

func (s *server) answer(r Reaction, m Message) error {
	switch {
	case r.Reply != "":
		return s.write(s.fill(r.Reply, m))
	case r.Error != nil:
		text, err := json.Marshal(map[string]any{"code": r.Error.Code, "message": r.Error.Message})
		if err != nil {
			return err
		}
		return s.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":` + string(text) + `}`)
	}
	result := s.fill(r.Result, m)
	if result == "" && m.Method == "initialize" {
		var err error
		if result, err = s.script.hello(); err != nil {
			return err
		}
	}
	return s.send(`{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + cmp.Or(result, "null") + `}`)
}

// hello is the result of initialize.
func (s Script) hello() (string, error) {
	var capabilities map[string]any
	if err := json.Unmarshal([]byte(cmp.Or(s.Capabilities, DefaultCapabilities)), &capabilities); err != nil {
		return "", fmt.Errorf("capabilities: %w", err)
	}
	if s.Encoding != "" {
		capabilities = maps.Clone(capabilities)
		capabilities["positionEncoding"] = s.Encoding
	}
	result := map[string]any{"capabilities": capabilities, "serverInfo": map[string]any{"name": "lsptest", "version": "1"}}
	if s.OffsetEncoding != "" {
		result["offsetEncoding"] = s.OffsetEncoding
	}
	text, err := json.Marshal(result)
	return string(text), err
}

// fill replaces the variables of a script.
func (s *server) fill(text string, m Message) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var p struct {
		TextDocument struct {
			URI     string
			Version int32
		}
	}
	_ = json.Unmarshal(m.Params, &p)
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.NewReplacer("$ROOT", s.root, "$URI", p.TextDocument.URI, "$VERSION", strconv.Itoa(int(p.TextDocument.Version)), "$ID", string(m.ID)).Replace(text)
}

// send frames and writes one message, on one line.
func (s *server) send(body string) error {
	var line bytes.Buffer
	if err := json.Compact(&line, []byte(body)); err != nil {
		return fmt.Errorf("script: %w in %.200s", err, body)
	}
	return s.write(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", line.Len(), line.Bytes()))
}

func (s *server) write(text string) error {
	s.outMu.Lock()
	defer s.outMu.Unlock()
	_, err := io.WriteString(s.out, text)
	return err
}

// noteReply gives a reply the method of its request, and wakes who waits for it.
func (s *server) noteReply(m *Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m.Method, m.Reply = s.sent[string(m.ID)], true
	delete(s.sent, string(m.ID))
	close(s.replied)
	s.replied = make(chan struct{})
}

func (s *server) isDeaf() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.deaf
}

// pause waits for one of the ends of a wait.
func (s *server) pause(d time.Duration, until <-chan struct{}) error {
	var clock <-chan time.Time
	if d > 0 {
		timer := time.NewTimer(d)
		defer timer.Stop()
		clock = timer.C
	}
	select {
	case <-clock:
	case <-until:
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
	return nil
}
