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

// A conn is a wire over a jsonrpc2.Conn, which correlates replies with calls and
// hands requests out. The conn adds what that lacks: a write that cannot hang, a
// cancel for a call that is given up, an end that waits for nobody.
//
// Goroutines: the reader and one for each request in hand (jsonrpc2), the writer
// and its stall clock (queue), a waiting close.
type conn struct {
	rpc   jsonrpc2.Conn
	queue *queue
	codec codec
	log   func(msg string, args ...any)

	// life ends with the connection; its cause wraps errConnClosed.
	life    context.Context
	endLife context.CancelCauseFunc
	// giveUp ends when calls in flight are to return without their replies. It
	// stays open when the server closed its output: the replies before that are
	// still handed out, and jsonrpc2 fails the other calls.
	giveUp      context.Context
	endCalls    context.CancelFunc
	closeInput  func() error
	closeOutput func() error
}

// dial starts a connection over the pipes of a server. Closing in and out must
// end a Write and a Read that are under way.
func dial(in io.WriteCloser, out io.ReadCloser, events serverEvents, o wireOptions) wire {
	c := &conn{log: o.log, closeInput: sync.OnceValue(in.Close), closeOutput: sync.OnceValue(out.Close)}
	c.life, c.endLife = context.WithCancelCause(context.Background())
	c.giveUp, c.endCalls = context.WithCancel(context.Background())
	c.queue = newQueue(c.life, in, c.fail, o)
	c.rpc = jsonrpc2.NewConn(&stream{
		in:      newFrameReader(out, o),
		out:     c.queue,
		eof:     c.end,
		closing: c.closePipes,
		log:     o.log,
	}, jsonrpc2.WithCodec(c.codec))
	h := &handler{events: events, log: o.log, slots: make(chan struct{}, requestsAtOnce)}
	c.queue.start()
	c.rpc.Go(context.WithValue(c.life, slotsKey{}, h.slots), h.handle)
	return c
}

// end ends the connection with its cause; the first one counts.
func (c *conn) end(cause error) {
	c.endLife(fmt.Errorf("%w: %w", errConnClosed, cause))
	c.closePipes()
}

// fail ends the connection and every call in flight.
func (c *conn) fail(cause error) {
	c.end(cause)
	c.endCalls()
}

func (c *conn) closePipes() {
	_ = c.closeInput()
	_ = c.closeOutput()
}

func (c *conn) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	waiting, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.giveUp, cancel)()
	var result json.RawMessage
	id, err := c.rpc.Call(waiting, method, params, &result)
	if err == nil {
		return result, nil
	}
	var wrong *jsonrpc2.Error
	switch {
	case errors.As(err, &wrong):
		return nil, &responseError{Code: int(wrong.Code), Message: wrong.Message}
	case c.life.Err() != nil:
		return nil, c.err()
	case ctx.Err() != nil:
		c.cancel(id)
		return nil, ctx.Err()
	}
	return nil, err // params that cannot be encoded
}

// cancel tells the server that the answer to a call is no longer waited for
// (LSP 3.17 §Cancellation Support).
func (c *conn) cancel(id jsonrpc2.ID) {
	n, ok := id.Number()
	if !ok {
		return // its parameters could not be encoded
	}
	if err := c.notify(protocol.MethodCancelRequest, map[string]int64{"id": n}); err != nil {
		c.log("call not cancelled", "id", n, "err", err)
	}
}

func (c *conn) notify(method string, params any) error {
	var raw json.RawMessage
	if params != nil {
		var err error
		if raw, err = c.codec.Marshal(params); err != nil {
			return fmt.Errorf("encoding %s: %w", method, err)
		}
	}
	// Past jsonrpc2.Conn, for which a full queue would be the end.
	return c.queue.tryPut(frame(func(dst []byte) []byte {
		return jsonrpc2.AppendNotification(dst, method, jsonrpc2.RawMessage(raw))
	}))
}

func (c *conn) close() {
	c.fail(errClosedHere)
	_ = c.rpc.Close()
	c.queue.wait()
}

func (c *conn) done() <-chan struct{} { return c.life.Done() }

func (c *conn) err() error { return context.Cause(c.life) }
