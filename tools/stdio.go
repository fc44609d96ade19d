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
}

// Connect implements [mcp.Transport].
func (s *stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &stdioConn{
		stdio: s, lines: make(chan []byte), ended: make(chan struct{}), closed: make(chan struct{}),
		pending: map[jsonrpc.ID]bool{}, settled: make(chan struct{}),
	}
	go c.readLines()
	return c, nil
}

// A stdioConn is the one connection of a stdio transport.
type stdioConn struct {
	*stdio
	lines chan []byte   // lines read, one at a time
	ended chan struct{} // in has ended; closed by readLines

	closeOnce sync.Once
	closed    chan struct{}

	writing sync.Mutex // held while a line is written

	mu      sync.Mutex
	pending map[jsonrpc.ID]bool // calls read and not answered
	settled chan struct{}       // closed and replaced when a call is answered
	over    bool                // the time for answers is over: what comes late is dropped
}

// SessionID implements [mcp.Connection]: stdio has one session, without an id.
func (c *stdioConn) SessionID() string { return "" }

// Read returns the next message. After the end of the input it waits for the
// answers in flight, and then says io.EOF.
func (c *stdioConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case line := <-c.lines:
			if m := c.message(line); m != nil {
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

// message decodes a line, nil when it is none. A call is pending from here on.
func (c *stdioConn) message(line []byte) jsonrpc.Message {
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		// Its text may hold anything: only its length goes into the log.
		c.log.Warn("a line of the client is no message, and is dropped", "bytes", len(line))
		return nil
	}
	if r, ok := m.(*jsonrpc.Request); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch {
		case r.IsCall():
			c.pending[r.ID] = true
		case r.Method == "notifications/cancelled":
			// A cancelled call may stay without an answer (MCP §Cancellation).
			var p struct {
				RequestID any `json:"requestId"`
			}
			if json.Unmarshal(r.Params, &p) == nil {
				if id, err := jsonrpc.MakeID(p.RequestID); err == nil {
					delete(c.pending, id)
				}
			}
		}
	}
	return m
}

// Write writes one message as a line.
func (c *stdioConn) Write(ctx context.Context, m jsonrpc.Message) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	answer, isAnswer := m.(*jsonrpc.Response)
	if isAnswer {
		defer c.answered(answer.ID)
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	late := c.over
	c.mu.Unlock()
	if late {
		return nil
	}
	_, err = c.out.Write(append(data, '\n'))
	return err
}

// answered notes that a call has its answer.
func (c *stdioConn) answered(id jsonrpc.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.pending[id] {
		delete(c.pending, id)
		close(c.settled)
		c.settled = make(chan struct{})
	}
}

// settle waits until every call is answered, at most for drain; those that are
// not get an error then, and nothing is written after that.
func (c *stdioConn) settle(ctx context.Context) {
	timer := time.NewTimer(c.drain)
	defer timer.Stop()
	for {
		c.mu.Lock()
		left, settled := len(c.pending), c.settled
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
		line, err := c.readLine(r)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			select {
			case c.lines <- line:
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

// readLine returns the next line. One over the limit is passed over, at the cost
// of a buffer, and refused: its id is somewhere in it, so the refusal has none
// (JSON-RPC 2.0 §5).
func (c *stdioConn) readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	var size int64
	for {
		part, err := r.ReadSlice('\n')
		if size += int64(len(part)); size <= c.most {
			line = append(line, part...)
		} else {
			line = nil
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if size > c.most {
			c.log.Warn("a message of the client is too large, and is dropped", "bytes", size, "mcp_message_bytes", c.most)
			c.refuse("a message of more than mcp_message_bytes is not read")
		}
		return line, err
	}
}

// refuse tells the client of a message without an id that can be known.
func (c *stdioConn) refuse(why string) {
	c.writing.Lock()
	defer c.writing.Unlock()
	data, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": nil, "error": map[string]any{"code": jsonrpc.CodeInvalidRequest, "message": why},
	})
	if err == nil {
		_, _ = c.out.Write(append(data, '\n'))
	}
}
