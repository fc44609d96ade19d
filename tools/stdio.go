package tools

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// stdio is the transport of MCP over stdin and stdout: newline-delimited JSON
// (MCP §Transports, stdio). Unlike the SDK's own it survives a line that is no
// message, bounds a line before it is in memory, and answers what was asked
// before the end of its input.
type stdio struct {
	in    io.Reader
	out   io.Writer
	most  int64         // bytes of one line
	drain time.Duration // time for answers in flight after the end of in
	log   *slog.Logger

	// At most unread calls are read whose answers are not written. Where none of
	// them is written for stall the client does not read: deaf is closed.
	unread int
	stall  time.Duration
	deaf   chan struct{}
}

// Connect implements [mcp.Transport].
func (s *stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &stdioConn{
		stdio: s, lines: make(chan input), ended: make(chan struct{}), closed: make(chan struct{}),
		pending: map[jsonrpc.ID]bool{}, settled: make(chan struct{}),
	}
	go c.readLines()
	return c, nil
}

// A stdioConn is the one connection of a stdio transport.
type stdioConn struct {
	*stdio
	lines chan input    // lines read, one at a time
	ended chan struct{} // in has ended; closed by readLines

	closeOnce sync.Once
	closed    chan struct{}

	writing sync.Mutex // held while a line is written

	mu      sync.Mutex
	pending map[jsonrpc.ID]bool // calls read and not answered: whether the answer is on its way
	strays  int                 // answers being written to no pending call: refusals, cancelled calls
	settled chan struct{}       // closed and replaced when an answer is written
	over    bool                // the time for answers is over: what comes late is dropped
}

// An input is a line, or the refusal of one that was passed over.
type input struct {
	line    []byte
	refused *refusal
}

// SessionID implements [mcp.Connection]: stdio has one session, without an id.
func (c *stdioConn) SessionID() string { return "" }

// Read returns the next message. After the end of the input it waits for the
// answers in flight, and then says io.EOF.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		if err := c.room(ctx); err != nil {
			return nil, err
		}
		select {
		case in := <-c.lines:
			if in.refused != nil {
				c.refuse(in.refused)
			} else if m := c.message(in.line); m != nil {
				return m, nil
			}
		case <-c.ended:
			c.settle(ctx)
			return nil, io.EOF
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// errDeaf is why a connection ends whose client does not read.
var errDeaf = errors.New("the client does not read its answers")

// room waits until one more call may be read: a client that asks and never reads
// would fill the memory with answers.
func (c *stdioConn) room(ctx context.Context) error {
	for {
		c.mu.Lock()
		left, settled := len(c.pending)+c.strays, c.settled
		c.mu.Unlock()
		if left < c.unread {
			return nil
		}
		timer := time.NewTimer(c.stall)
		select {
		case <-settled:
			timer.Stop()
		case <-timer.C:
			close(c.deaf) // once: nothing is read after this
			return errDeaf
		case <-c.closed:
			timer.Stop()
			return io.EOF
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// message decodes a line, nil when it is none. A call is pending from here on.
func (c *stdioConn) message(line []byte) jsonrpc.Message {
	m, refused, err := decodeMessage(line)
	switch {
	case err != nil:
		// Its text may hold anything: only its length goes into the log.
		c.log.Warn("a line of the client is no message, and is dropped", "bytes", len(line))
		return nil
	case refused != nil:
		c.refuse(refused)
		return nil
	}
	if r, ok := m.(*jsonrpc.Request); ok && !c.note(r) {
		c.refuse(&refusal{why: "a call with this id is under way"})
		return nil
	}
	return m
}

// note keeps count of the calls, and reports whether r can be one of them.
func (c *stdioConn) note(r *jsonrpc.Request) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case r.IsCall():
		// An answer that is on its way may have been read already, and its id is
		// free then.
		if answering, known := c.pending[r.ID]; known && !answering {
			return false
		}
		c.pending[r.ID] = false
	case r.Method == "notifications/cancelled":
		// A cancelled call may stay without an answer (MCP §Cancellation).
		var p struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(r.Params, &p) == nil {
			if id, err := jsonrpc.MakeID(p.RequestID); err == nil && !c.pending[id] {
				delete(c.pending, id)
			}
		}
	}
	return true
}

// Write writes one message as a line.
func (c *stdioConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	answer, isAnswer := m.(*jsonrpc.Response)
	if isAnswer && answer.Error != nil {
		m = &jsonrpc.Response{ID: answer.ID, Error: plainError(answer.Error)}
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if isAnswer {
		defer c.answering(answer.ID)()
	}
	return c.writeLine(data)
}

// writeLine writes a line, unless the time for answers is over.
func (c *stdioConn) writeLine(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	late := c.over
	c.mu.Unlock()
	if late {
		return nil
	}
	_, err := c.out.Write(append(data, '\n'))
	return err
}

// answering counts an answer on its way until the function it returns is called.
func (c *stdioConn) answering(id jsonrpc.ID) (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, pending := c.pending[id]
	stray := !pending
	if stray {
		c.strays++
	} else {
		c.pending[id] = true
	}
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if stray {
			c.strays--
		} else if c.pending[id] { // not of a newer call
			delete(c.pending, id)
		}
		close(c.settled)
		c.settled = make(chan struct{})
	}
}

// refuse answers what was no message. It does not wait for a client that does
// not read, so that the end of the input is noticed.
func (c *stdioConn) refuse(r *refusal) {
	data, err := r.encode()
	if err != nil {
		return // an id that was decoded encodes
	}
	done := c.answering(jsonrpc.ID{})
	go func() {
		defer done()
		_ = c.writeLine(data) // a client that is gone is noticed elsewhere
	}()
}

// settle waits until every call is answered, at most for drain; those that are
// not get an error then, and nothing is written after that.
func (c *stdioConn) settle(ctx context.Context) {
	timer := time.NewTimer(c.drain)
	defer timer.Stop()
	for {
		c.mu.Lock()
		left, settled := len(c.pending)+c.strays, c.settled
		c.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-settled:
			continue
		case <-timer.C:
		case <-c.closed:
		case <-ctx.Done():
		}
		break
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.over = true
	for id := range c.pending {
		data, err := jsonrpc.EncodeMessage(&jsonrpc.Response{ID: id, Error: &jsonrpc.Error{
			Code: jsonrpc.CodeInternalError, Message: "the input ended before the answer was ready",
		}})
		if err == nil {
			_, _ = c.out.Write(append(data, '\n')) // nobody is left to tell of an error
		}
	}
	clear(c.pending)
}

// Close implements [mcp.Connection].
func (c *stdioConn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}

// readLines reads lines until the input ends or the connection is closed. It
// stays behind in a Read that never returns, as stdin's may; the process ends
// with it.
func (c *stdioConn) readLines() {
	defer close(c.ended)
	r := bufio.NewReaderSize(c.in, 64<<10)
	for {
		in, err := c.readLine(r)
		if in.line = bytes.TrimSpace(in.line); len(in.line) > 0 || in.refused != nil {
			select {
			case c.lines <- in:
			case <-c.closed:
				return
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.log.Warn("the input cannot be read any more", "err", err)
			}
			return
		}
	}
}

// readLine returns the next line. One over the limit is refused: its id is
// somewhere in it, so the refusal has none (JSON-RPC 2.0 §5).
func (c *stdioConn) readLine(r *bufio.Reader) (input, error) {
	line, size, err := ReadLine(r, c.most)
	if size > c.most {
		c.log.Warn("a message of the client is too large, and is dropped", "bytes", size, "mcp_message_bytes", c.most)
		return input{refused: &refusal{why: "a message of more than mcp_message_bytes is not read"}}, err
	}
	return input{line: line}, err
}

// ReadLine returns the next line of r, its end included where it has one, and its
// size in bytes. One of more than most bytes is passed over, at the cost of the
// reader's buffer, and is nil. At the end of the input what is left comes with
// io.EOF.
func ReadLine(r *bufio.Reader, most int64) (line []byte, size int64, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if size += int64(len(part)); size <= most {
			line = append(line, part...)
		} else {
			line = nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, size, err
		}
	}
}
