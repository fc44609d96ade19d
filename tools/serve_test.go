package tools_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"lspbridge/tools"
)

func TestStdioSurvivesBadLines(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(o *tools.Options, _ *textual) { o.Limits.MCPMessageBytes = 4096 })
	w := f.serve(t)
	w.send(initialize("2025-11-25"))
	w.receive()
	go func() { // the refusals are read while it writes
		_, _ = io.WriteString(w.in, "this is no JSON\n\x00\xff\n{}\n[1,2]\n"+`{"jsonrpc":"2.0","method":"no/such/notification"}`+"\n"+
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"hover","arguments":{"symbol":"`+strings.Repeat("x", 10_000)+`"}}}`+"\n"+
			`{"jsonrpc":"2.0","id":4,"method":"ping"}`+"\n")
	}()
	for {
		m := w.message()
		if m.ID == float64(4) {
			break
		}
		if m.Error == nil {
			t.Errorf("%+v, want nothing but refusals before the answer to the ping", m)
		}
	}
}

func TestEndOfInputStillAnswers(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	gate := make(chan struct{})
	f := newFixture(t, small, func(_ *tools.Options, pool *textual) {
		pool.before = func(ctx context.Context) {
			asked <- struct{}{}
			select {
			case <-gate:
			case <-ctx.Done():
			}
		}
	})
	w := f.serve(t)
	w.send(initialize("2025-11-25"))
	w.receive()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hover","arguments":{"file":"a/client.go","line":11,"name":"Dial"}}}`)
	<-asked
	_ = w.in.Close()
	close(gate)
	if m := w.message(); m.ID != float64(1) || m.Error != nil || !strings.Contains(string(m.Result), "hover of Dial") {
		t.Errorf("%+v, want the answer in flight", m)
	}
	if err := <-w.end; err != nil {
		t.Error(err)
	}
}

func TestEndOfInputEndsHangingCalls(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	f := newFixture(t, small, func(o *tools.Options, pool *textual) {
		o.Limits.Drain = 30 * time.Millisecond
		pool.before = func(ctx context.Context) { asked <- struct{}{}; <-ctx.Done() }
	})
	w := f.serve(t)
	w.send(initialize("2025-11-25"))
	w.receive()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hover","arguments":{"file":"a/client.go","line":11,"name":"Dial"}}}`)
	<-asked
	_ = w.in.Close()
	m := w.message()
	if m.ID != float64(1) || m.Error == nil && !strings.Contains(string(m.Result), `"isError":true`) {
		t.Errorf("%+v, want an error for the call in flight", m)
	}
	select {
	case err := <-w.end:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("still serving after 5 s")
	}
}

func TestServeStdioEndsWithItsContext(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	f := newFixture(t, small, func(_ *tools.Options, pool *textual) {
		pool.before = func(ctx context.Context) { asked <- struct{}{}; <-ctx.Done() }
	})
	ctx, cancel := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	defer inW.Close()
	end := make(chan error, 1)
	go func() { end <- f.ServeStdio(ctx, inR, io.Discard) }()
	fmt.Fprintln(inW, initialize("2025-11-25"))
	fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hover","arguments":{"file":"a/client.go","line":11,"name":"Dial"}}}`)
	<-asked
	cancel()
	select {
	case err := <-end:
		if err != context.Canceled {
			t.Errorf("error %v, want the context's", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("still serving after 5 s")
	}
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	asked, ended := make(chan struct{}), make(chan error, 1)
	f := newFixture(t, small, func(_ *tools.Options, pool *textual) {
		pool.before = func(ctx context.Context) {
			close(asked)
			<-ctx.Done()
			ended <- ctx.Err()
		}
	})
	w := f.serve(t)
	w.send(initialize("2025-11-25"))
	w.receive()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hover","arguments":{"file":"a/client.go","line":11,"name":"Dial"}}}`)
	<-asked
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if err := <-ended; err != context.Canceled {
		t.Errorf("the call ended with %v", err)
	}
}

func TestWarmsOnceAndOnlyTrusted(t *testing.T) {
	t.Parallel()
	var untrusted error = fmt.Errorf("not yet")
	f := newFixture(t, small, func(o *tools.Options, _ *textual) { o.Trusted = func() error { return untrusted } })
	w := f.serve(t)
	w.send(initialize("2025-11-25"))
	w.receive()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if m := w.message(); m.Error != nil {
		t.Errorf("an untrusted workspace lists no tools: %+v", m)
	}
	w.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	w.receive()
	if n := f.pool.warmed.Load(); n != 0 {
		t.Errorf("warmed %d times without trust", n)
	}
	untrusted = nil // the bridge is idle: the pings before and after order this
	for range 3 {
		w.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		w.receive()
	}
	_ = w.in.Close()
	<-w.end
	if n := f.pool.warmed.Load(); n != 1 {
		t.Errorf("warmed %d times, want once", n)
	}
}

// A client that stops reading does not keep the bridge from ending.
func TestEndsThoughNobodyReads(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(o *tools.Options, _ *textual) { o.Limits.Drain = 10 * time.Millisecond })
	inR, inW := io.Pipe()
	outR, outW := io.Pipe() // never read
	defer outR.Close()
	end := make(chan error, 1)
	go func() { end <- f.ServeStdio(t.Context(), inR, outW) }()
	fmt.Fprintln(inW, initialize("2025-11-25"))
	_ = inW.Close()
	select {
	case err := <-end:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("still serving after 5 s")
	}
}
