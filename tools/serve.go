package tools

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// errEnding is why calls end when the bridge does.
var errEnding = errors.New("the bridge is ending")

// stdioOwner owns the calls of the one session over stdin and stdout.
const stdioOwner = "stdio"

// afterEnd is how long calls have to say that they were ended.
const afterEnd = 500 * time.Millisecond

// unreadCalls is how many calls for each of session_calls are read ahead: they
// wait for their turn, or for the client to read their answers.
const unreadCalls = 64

// ServeStdio serves one MCP client over in and out, newline-delimited JSON, until
// in ends: answers in flight are then still written for limits.Drain, and those
// calls that have none by then get an error. A line that is not JSON is dropped
// and logged. It returns nil at the end of in, or when the client asks on
// and reads no answer for limits.CallTotal, and ctx's error when ctx ends first. A read of in that never returns is left behind.
func (b *Bridge) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	life, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(errEnding)
	server := b.newServer(stdioOwner)
	server.AddReceivingMiddleware(endsWith(life))
	input := &endNoted{in: in, ended: make(chan struct{})}
	transport := &stdio{
		in: input, out: out, most: b.limits.MCPMessageBytes, drain: b.limits.Drain, log: b.log,
		unread: unreadCalls * max(1, b.limits.SessionCalls), stall: b.limits.CallTotal, deaf: make(chan struct{}),
	}
	session, err := server.Connect(life, transport, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	over := (<-chan struct{})(input.ended)
	var late <-chan time.Time // when a client that does not read is waited for no longer
	for {
		select {
		case err := <-ended:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case <-over:
			over = nil
			timer := time.NewTimer(b.limits.Drain + afterEnd)
			defer timer.Stop()
			late = timer.C
		case <-late:
			b.log.Warn("the client does not read its answers; they are dropped")
			return nil
		case <-transport.deaf:
			b.log.Warn("the client does not read its answers; the session is ended")
			return nil
		case <-ctx.Done():
			end(errEnding)
			hangUp(session)
			return context.Cause(ctx)
		}
	}
}

// hangUp closes a session whose calls were ended; one that does not let them say
// so is left behind.
func hangUp(session *mcp.ServerSession) {
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = session.Close() // waits for the calls; the caller knows why it ends
	}()
	timer := time.NewTimer(afterEnd)
	defer timer.Stop()
	select {
	case <-closed:
	case <-timer.C:
	}
}

// An endNoted is a reader that tells when its input has ended.
type endNoted struct {
	in    io.Reader
	once  sync.Once
	ended chan struct{} // closed at the end
}

func (r *endNoted) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	if err != nil {
		r.once.Do(func() { close(r.ended) })
	}
	return n, err
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
