package lspclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"

	"go.lsp.dev/jsonrpc2"
)

// A handler takes what a server sends by itself. Nothing in it fails the
// connection: what cannot be read is logged and dropped, or refused.
type handler struct {
	events serverEvents
	log    func(msg string, args ...any)
}

// notification takes one notification.
func (h *handler) notification(method string, params json.RawMessage) {
	defer func() {
		if p := recover(); p != nil {
			h.logPanic(method, p)
		}
	}()
	if err := h.note(method, params); err != nil {
		h.log("notification dropped", "method", clip(method, 200), "err", clip(err.Error(), 200))
	}
}

// request returns the frame that answers a request.
func (h *handler) request(m *jsonrpc2.Call) []byte {
	result, err := h.result(m)
	return frame(func(dst []byte) []byte {
		return jsonrpc2.AppendResponse(dst, m.ID(), jsonrpc2.RawMessage(result), err)
	})
}

// result is the result of a request, or a *jsonrpc2.Error.
func (h *handler) result(m *jsonrpc2.Call) (result json.RawMessage, err error) {
	defer func() {
		if p := recover(); p != nil {
			h.logPanic(m.Method(), p)
			result, err = nil, jsonrpc2.NewError(jsonrpc2.InternalError, "internal error")
		}
	}()
	if !m.ID().IsValid() {
		return nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the id is neither a number nor a string")
	}
	answer, err := h.answer(m.Method(), json.RawMessage(m.Params()))
	if err == nil {
		result, err = encode(answer)
	}
	if wire := (*jsonrpc2.Error)(nil); err != nil && !errors.As(err, &wire) {
		h.log("request failed", "method", clip(m.Method(), 200), "err", err)
		err = jsonrpc2.NewError(jsonrpc2.InternalError, "internal error")
	}
	return result, err
}

func (h *handler) logPanic(method string, value any) {
	h.log("panic", "method", clip(method, 200), "value", value, "stack", string(debug.Stack()))
}

// invalidParams is the answer to a request whose parameters have the wrong shape.
func invalidParams(format string, args ...any) error {
	return jsonrpc2.NewError(jsonrpc2.InvalidParams, clip(fmt.Sprintf(format, args...), 200))
}
