package lspclient

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"go.lsp.dev/jsonrpc2"
)

// requestsAtOnce bounds the requests of a server that are in hand; the reader
// waits for a free slot before it goes on.
const requestsAtOnce = 32

// slotsKey is the context key under which a request carries the slots of its
// handler; the reply's write gives the slot back.
type slotsKey struct{}

// A handler takes what a server sends by itself. Notifications run on the
// reader's goroutine, in wire order. Requests run beside each other, so that one
// whose reply has to wait does not hold up the others or a reply to a call; only
// registrations are noted in wire order, since register and unregister do not
// commute.
type handler struct {
	events serverEvents
	log    func(msg string, args ...any)
	slots  chan struct{}
}

// handle is the jsonrpc2.Handler. It returns no error for a notification, and
// does not panic: both would end the connection.
func (h *handler) handle(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.log("panic", "method", req.Method(), "value", p, "stack", string(debug.Stack()))
			result, err = nil, nil
			if req.IsCall() {
				err = jsonrpc2.NewError(jsonrpc2.InternalError, "internal error")
			}
		}
	}()
	if !req.IsCall() {
		if err := h.note(req.Method(), json.RawMessage(req.Params())); err != nil {
			h.log("notification dropped", "method", clip(req.Method(), 200), "err", clip(err.Error(), 200))
		}
		return nil, nil
	}
	select {
	case h.slots <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err() // the connection has ended
	}
	if !req.ID().IsValid() {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the id is neither a number nor a string")
	}
	if m := req.Method(); m == methodRegister || m == methodUnregister {
		result, err = h.answer(m, json.RawMessage(req.Params()))
		jsonrpc2.Async(ctx) // the reply may have to wait
		return result, err
	}
	jsonrpc2.Async(ctx)
	return h.answer(req.Method(), json.RawMessage(req.Params()))
}

// invalidParams is the answer to a request whose parameters have the wrong shape.
func invalidParams(format string, args ...any) error {
	return jsonrpc2.NewError(jsonrpc2.InvalidParams, clip(fmt.Sprintf(format, args...), 200))
}
