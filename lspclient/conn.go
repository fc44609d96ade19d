package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// errConnClosed is wrapped by every error of a connection that has ended.
var errConnClosed = errors.New("connection closed")

var errClosedHere = errors.New("closed by the bridge")

// requestsAtOnce bounds the requests of a server that are in hand; the reader
// waits for one of them to be done before it goes on.
const requestsAtOnce = 32

// A conn is a wire. It correlates replies with calls itself: jsonrpc2.Conn takes
// a full queue for the end of the connection, has no bound on the replies that
// wait to be written, and may drop an answer that came just before the end.
//
// Goroutines: the reader, which also handles notifications; at most
// requestsAtOnce that answer a request; the queue's writer and stall clock.
type conn struct {
	in      *stream
	out     *queue
	handler *handler
	log     func(msg string, args ...any)

	// life ends with the connection; its cause wraps errConnClosed.
	life    context.Context
	endLife context.CancelCauseFunc
	closers []func() error

	requests chan struct{}  // one for each request in hand
	wg       sync.WaitGroup // the reader and the requests in hand

	mu     sync.Mutex
	lastID int64
	calls  map[int64]chan<- reply // in flight, each with room for its reply; nil after the end
}

// A reply is the end of a call.
type reply struct {
	result json.RawMessage
	err    error
}

// dial starts a connection over the pipes of a server. Closing in and out must
// end a Write and a Read that are under way.
func dial(in io.WriteCloser, out io.ReadCloser, events serverEvents, o wireOptions) wire {
	c := &conn{
		in:       newStream(out, o),
		handler:  &handler{events: events, log: o.log},
		log:      o.log,
		closers:  []func() error{sync.OnceValue(in.Close), sync.OnceValue(out.Close)},
		requests: make(chan struct{}, requestsAtOnce),
		calls:    map[int64]chan<- reply{},
	}
	c.life, c.endLife = context.WithCancelCause(context.Background())
	c.out = newQueue(c.life, in, c.end, o)
	c.out.start()
	c.wg.Go(func() { c.end(c.read()) })
	return c
}

// end ends the connection and every call in flight; the first cause counts.
func (c *conn) end(cause error) {
	c.endLife(fmt.Errorf("%w: %w", errConnClosed, cause))
	c.mu.Lock()
	for _, answered := range c.calls {
		answered <- reply{err: c.err()}
	}
	c.calls = nil
	c.mu.Unlock()
	for _, closePipe := range c.closers {
		_ = closePipe()
	}
}

// read hands out what the server sends, until it cannot be read any more.
func (c *conn) read() error {
	for {
		msg, err := c.in.next()
		if err != nil {
			return err
		}
		switch m := msg.(type) {
		case *jsonrpc2.Response:
			c.deliver(m)
		case *jsonrpc2.Notification:
			c.handler.notification(m.Method(), json.RawMessage(m.Params()))
		case *jsonrpc2.Call:
			if err := c.request(m); err != nil {
				return err
			}
		}
	}
}

// deliver gives a reply to its call, if that still waits.
func (c *conn) deliver(m *jsonrpc2.Response) {
	r := reply{result: json.RawMessage(m.Result())}
	if m.Err() != nil {
		r = reply{err: toResponseError(m.Err())}
	}
	id, ok := m.ID().Number()
	if !ok {
		c.log("reply without an id of ours dropped", "err", r.err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if answered, ok := c.calls[id]; ok {
		answered <- r
		delete(c.calls, id)
	}
}

func toResponseError(err error) error {
	var wire *jsonrpc2.Error
	if !errors.As(err, &wire) {
		return err
	}
	return &responseError{Code: int(wire.Code), Message: wire.Message}
}

// request answers a request beside whatever else goes on. Registrations alone are
// noted before the next message is read, since a registration and its withdrawal
// do not commute.
func (c *conn) request(m *jsonrpc2.Call) error {
	select {
	case c.requests <- struct{}{}:
	case <-c.life.Done():
		return c.err()
	}
	answer := func() []byte { return c.handler.request(m) }
	if method := m.Method(); method == methodRegister || method == methodUnregister {
		answer = sync.OnceValue(answer)
		answer()
	}
	c.wg.Go(func() {
		defer func() { <-c.requests }()
		if err := c.out.put(c.life, answer()); err != nil {
			c.log("request left unanswered", "method", clip(m.Method(), 200), "err", err)
		}
	})
	return nil
}

func (c *conn) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw, err := encode(params)
	if err != nil {
		return nil, err
	}
	answered := make(chan reply, 1)
	id, err := c.begin(answered)
	if err != nil {
		return nil, err
	}
	defer c.forget(id)
	if err := c.out.put(ctx, frame(func(dst []byte) []byte {
		return jsonrpc2.AppendCall(dst, jsonrpc2.NewNumberID(id), method, jsonrpc2.RawMessage(raw))
	})); err != nil {
		return nil, err
	}
	select {
	case r := <-answered:
		return r.result, r.err
	case <-ctx.Done():
		// LSP 3.17 §Cancellation Support.
		if err := c.notify(protocol.MethodCancelRequest, map[string]int64{"id": id}); err != nil {
			c.log("call not cancelled", "method", method, "err", err)
		}
		return nil, ctx.Err()
	}
}

// begin enters a call into the table.
func (c *conn) begin(answered chan<- reply) (id int64, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls == nil {
		return 0, c.err()
	}
	c.lastID++
	c.calls[c.lastID] = answered
	return c.lastID, nil
}

// forget takes a call off the table; a later reply is dropped.
func (c *conn) forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

func (c *conn) notify(method string, params any) error {
	raw, err := encode(params)
	if err != nil {
		return err
	}
	return c.out.tryPut(frame(func(dst []byte) []byte {
		return jsonrpc2.AppendNotification(dst, method, jsonrpc2.RawMessage(raw))
	}))
}

func (c *conn) close() {
	c.end(errClosedHere)
	c.wg.Wait()
	c.out.wait()
}

func (c *conn) done() <-chan struct{} { return c.life.Done() }

func (c *conn) err() error { return context.Cause(c.life) }
