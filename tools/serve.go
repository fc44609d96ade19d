package tools

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errEnding is why calls end when the bridge does.
var errEnding = errors.New("the bridge is ending")

// stdioOwner owns the calls of the one session over stdin and stdout.
const stdioOwner = "stdio"

// afterEnd is how long calls have to say that they were ended.
const afterEnd = 500 * time.Millisecond

// ServeStdio serves one MCP client over in and out, newline-delimited JSON, until
// in ends: answers in flight are then still written for limits.Drain, and those
// calls that have none by then get an error. A line that is not JSON is dropped
// and logged. It returns nil at the end of in, and ctx's error when ctx ends
// first. A read of in that never returns is left behind.
func (b *Bridge) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(errEnding)
	server := b.newServer(stdioOwner)
	server.AddReceivingMiddleware(endsWith(life))
	transport := &stdio{in: in, out: out, most: b.limits.MCPMessageBytes, drain: b.limits.Drain, log: b.log}
	session, err := server.Connect(life, transport, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	select {
	case err := <-ended:
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	case <-ctx.Done():
	}
	end(errEnding)
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = session.Close() // waits for the calls; ctx's error says more than its own
	}()
	timer := time.NewTimer(afterEnd)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
	}
	return context.Cause(ctx)
}

// endsWith ends every request when life ends.
func endsWith(life context.Context) mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			stop := context.AfterFunc(life, func() { cancel(context.Cause(life)) })
			defer stop()
			return next(ctx, method, req)
		}
	}
}
