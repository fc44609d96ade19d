package lspclient

// This file is the seam between the wire (stream.go, codec.go, queue.go,
// conn.go, handler.go) and what is asked over it (server.go and up).

import (
	"context"
	"encoding/json"
	"time"
)

// wireOptions bounds a connection.
type wireOptions struct {
	MessageBytes int64         // one message from the server; over it the connection ends
	HeaderBytes  int           // one header block
	Queue        int           // messages waiting to be written
	Stall        time.Duration // a write that makes no progress for this long ends the connection
	// Stalled is called once when that happens: it kills the process.
	Stalled func()
	Log     func(msg string, args ...any) // debug log; nil logs nothing
}

// log logs for debugging.
func (o *wireOptions) log(msg string, args ...any) {
	if o.Log != nil {
		o.Log(msg, args...)
	}
}

// A serverEvents receives what a server sends by itself. Notifications arrive in
// wire order on one goroutine; requests may arrive beside each other and are
// answered at once, never behind an own call. Raw JSON is owned by the callee.
// No method may wait for anything: the reader would wait with it, and close for
// both.
type serverEvents interface {
	// progress is $/progress: kind is begin, report or end.
	progress(token, kind, title, message string, percentage *uint32)
	// diagnostics is textDocument/publishDiagnostics, raw.
	diagnostics(params json.RawMessage)
	// message is window/logMessage and window/showMessage; level 1 (error) to 5.
	message(level int, text string)
	// register and unregister are client/(un)registerCapability.
	register(id, method string, options json.RawMessage)
	unregister(id, method string)
	// configuration answers one item of workspace/configuration; scope is a URI
	// or "". The result is JSON; nil means null.
	configuration(section, scope string) json.RawMessage
	// folders answers workspace/workspaceFolders.
	folders() []workspaceFolder
	// refresh is workspace/*/refresh; method is the whole name.
	refresh(method string)
}

type workspaceFolder struct {
	URI  string `json:"uri"`
	Name string `json:"name"`
}

// A wire is one connection to a language server.
type wire interface {
	// call sends a request and returns the raw result, owned by the caller. When
	// ctx ends first it sends $/cancelRequest, drops the late reply and returns
	// ctx.Err(). A server's error comes as a *responseError; a connection that
	// ended as errConnClosed wrapped with the cause.
	call(ctx context.Context, method string, params any) (json.RawMessage, error)
	// notify queues a notification; it fails only when the connection ended or
	// the queue is full.
	notify(method string, params any) error
	// close ends the connection, answers calls in flight with errConnClosed, and
	// returns when no goroutine of it is left. It does not say goodbye.
	close()
	// done is closed when the connection has ended for whatever reason; err says
	// which, and is nil before that.
	done() <-chan struct{}
	err() error
}

// A responseError is an error that the server answered with (JSON-RPC 2.0 §5.1).
type responseError struct {
	Code    int
	Message string // bounded
}

func (e *responseError) Error() string { return e.Message }
