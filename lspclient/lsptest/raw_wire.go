package lsptest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
)

type rawMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *RawError       `json:"error"`
}

func (r *Raw) send(message map[string]any) error {
	message["jsonrpc"] = "2.0"
	body, err := json.Marshal(message)
	if err != nil {
		return err
	}
	r.writing.Lock()
	defer r.writing.Unlock()
	_, err = fmt.Fprintf(r.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// read handles messages until the server ends; then the calls under way fail.
func (r *Raw) read(out *bufio.Reader) {
	for {
		m, err := readRaw(out)
		if err != nil {
			r.mu.Lock()
			r.ended = fmt.Errorf("the server ended: %w", err)
			for id, reply := range r.waiting {
				close(reply)
				delete(r.waiting, id)
			}
			r.mu.Unlock()
			return
		}
		r.handle(m)
	}
}

func readRaw(out *bufio.Reader) (m rawMessage, err error) {
	header, err := textproto.NewReader(out).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil || n < 0 || n > 1<<28 {
		return m, errors.New("no usable Content-Length")
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(out, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

func (r *Raw) handle(m rawMessage) {
	switch {
	case m.Method == "":
		id, err := strconv.Atoi(string(m.ID))
		r.mu.Lock()
		defer r.mu.Unlock()
		if reply := r.waiting[id]; err == nil && reply != nil {
			reply <- m
			delete(r.waiting, id)
		}
	case m.Method == "$/progress":
		var p struct {
			Token any
			Value struct{ Kind string }
		}
		if json.Unmarshal(m.Params, &p) == nil && p.Value.Kind == "end" {
			token := r.token(fmt.Sprint(p.Token))
			if !token.done {
				token.done = true
				close(token.ended)
			}
		}
	case m.ID == nil:
	case m.Method == "workspace/configuration":
		var p struct{ Items []json.RawMessage }
		_ = json.Unmarshal(m.Params, &p)
		answer := make([]json.RawMessage, len(p.Items)) // nil is null
		for i := range answer {
			answer[i] = r.options
		}
		r.reply(m.ID, answer)
	default:
		r.reply(m.ID, nil)
	}
}

// reply answers a request of the server. It does not wait for the pipe: a server
// that is busy writing reads nothing until it is read.
func (r *Raw) reply(id json.RawMessage, result any) {
	go func() { _ = r.send(map[string]any{"id": id, "result": result}) }()
}
