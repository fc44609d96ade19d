package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"lspbridge/lspclient"
	"lspbridge/tools"
)

func TestUntrustedIsRefusedOnEachCall(t *testing.T) {
	t.Parallel()
	var trusted error
	f := newFixture(t, small, func(o *tools.Options, _ *textual) { o.Trusted = func() error { return trusted } })
	for _, test := range []struct {
		err       error
		code, has string
	}{
		{errors.New("nobody trusts it; see /root/state"), "untrusted", "lspbridge trust DIR"},
		{&tools.Error{Class: tools.ClassRefused, Code: "replaced", Hint: "run this"}, "replaced", "run this"},
	} {
		trusted = test.err
		for _, d := range tools.Catalogue() {
			r := f.ask(t, d.Name, `{"symbol":"Dial"}`)
			if r.Err == nil || r.Err.Class != tools.ClassRefused || r.Err.Code != test.code || r.Err.Hint == "" ||
				!strings.Contains(r.Err.Text(), test.has) || strings.Contains(r.Err.Text(), "/root") {
				t.Errorf("%s: %+v, want the refusal %s", d.Name, r, test.code)
			}
		}
	}
	trusted = nil
	if r := f.ask(t, "hover", `{"symbol":"Dial"}`); r.Err != nil {
		t.Errorf("trusted: %s", r.Err.Text())
	}
}

func TestPanicIsAnError(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(_ *tools.Options, pool *textual) {
		pool.before = func(context.Context) { panic("at /secret/file") }
	})
	for _, args := range []string{`{"symbol":"Dial"}`, `{"file":"a/client.go","line":11,"name":"Dial"}`} {
		if r := f.ask(t, "hover", args); r.Err == nil || r.Err.Code != "internal" || strings.Contains(r.Err.Text(), "secret") {
			t.Errorf("%s: %+v, want an error without internals", args, r)
		}
	}
}

func TestServersErrorsAreClassed(t *testing.T) {
	t.Parallel()
	for code, class := range map[lspclient.Code]tools.Class{
		lspclient.CodeNoServer: tools.ClassServer, lspclient.CodeMissing: tools.ClassServer, lspclient.CodeFailed: tools.ClassServer,
		lspclient.CodeStarting: tools.ClassIncomplete, lspclient.CodeTimeout: tools.ClassIncomplete, lspclient.CodeBusy: tools.ClassIncomplete,
		lspclient.CodeUnsupported: tools.ClassServer, lspclient.CodeRefused: tools.ClassUsage, lspclient.CodeUnloaded: tools.ClassServer, lspclient.CodeBadFile: tools.ClassUsage,
		lspclient.CodeChanged: tools.ClassIncomplete, lspclient.CodeClosed: tools.ClassIncomplete,
	} {
		f := newFixture(t, small, nil)
		f.pool.errs = map[string]error{"gopls": fmt.Errorf("asked: %w", &lspclient.Error{
			Code: code, Msg: "gopls: cannot\nread " + f.dir + "/a/client.go or /srv/secret/key", Hint: "look into " + f.dir,
		})}
		r := f.ask(t, "hover", `{"file":"a/client.go","line":11,"name":"Dial"}`)
		if r.Err == nil || r.Err.Class != class || r.Err.Code != string(code) {
			t.Errorf("%s: %+v, want class %d", code, r.Err, class)
			continue
		}
		if r.Err.Message != "gopls: cannot read a/client.go or …/key" {
			t.Errorf("%s: message %q", code, r.Err.Message)
		}
	}
}

func TestCallEndsAtCallTotal(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(o *tools.Options, pool *textual) {
		o.Limits.CallTotal = 50 * time.Millisecond
		pool.before = func(ctx context.Context) { <-ctx.Done() }
	})
	r := f.ask(t, "hover", `{"file":"a/client.go","line":11,"name":"Dial"}`)
	if r.Err == nil || r.Err.Code != "timeout" || r.Err.Class != tools.ClassIncomplete || !strings.Contains(r.Err.Message, "call_total") {
		t.Errorf("%+v, want the end of call_total", r)
	}
}

func TestSlotsQueueAndBelongToAnOwner(t *testing.T) {
	t.Parallel()
	gate, running := make(chan struct{}), make(chan struct{}, 10)
	f := newFixture(t, small, func(o *tools.Options, pool *textual) {
		o.Limits.SessionCalls = 1
		pool.before = func(ctx context.Context) {
			running <- struct{}{}
			select {
			case <-gate:
			case <-ctx.Done():
			}
		}
	})
	hover := func(ctx context.Context, owner string) tools.Result {
		return f.Call(ctx, tools.Call{Tool: "hover", Args: json.RawMessage(`{"file":"a/client.go","line":11,"name":"Dial"}`), Owner: owner})
	}
	var wg sync.WaitGroup
	results := make(chan tools.Result, 2)
	for _, owner := range []string{"one", "two"} {
		wg.Go(func() { results <- hover(t.Context(), owner) })
	}
	// Both run: a slot of one owner is none of the other.
	<-running
	<-running
	short, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if r := hover(short, "one"); r.Err == nil || r.Err.Code != "busy" || !strings.Contains(r.Err.Message, "session_calls") {
		t.Errorf("%+v, want busy", r)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if r := hover(gone, "one"); r.Err == nil || r.Err.Code != "cancelled" {
		t.Errorf("%+v, want cancelled", r)
	}
	wg.Go(func() { results <- hover(t.Context(), "one") })
	close(gate)
	for range 3 {
		if r := <-results; r.Err != nil {
			t.Errorf("queued: %s", r.Err.Text())
		}
	}
	wg.Wait()
}

func TestResponseCharsBoundsAnyAnswer(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(o *tools.Options, _ *textual) { o.Limits.ResponseChars = 1000 })
	if r := f.ask(t, "server_status", `{}`); r.Err == nil || r.Err.Code != "answer_too_large" {
		t.Errorf("%+v, want a refusal", r)
	}
}

func TestHoverShowsNoMachinePath(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, nil)
	r := f.ask(t, "hover", `{"symbol":"Dial"}`)
	if r.Err != nil {
		t.Fatal(r.Err.Text())
	}
	if strings.Contains(r.Text+string(r.Structured), f.dir) || strings.Contains(r.Text, "file:") {
		t.Errorf("text %q", r.Text)
	}
	if !strings.HasSuffix(r.Text, "see docs and a/client.go") {
		t.Errorf("text %q, want the words of the link and the relative path", r.Text)
	}
}

func TestNewNeedsItsParts(t *testing.T) {
	t.Parallel()
	if _, err := tools.New(tools.Options{}); err == nil {
		t.Error("a bridge over nothing")
	}
}

func TestQueueOfAnOwnerIsBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(o *tools.Options, pool *textual) {
		o.Limits.SessionCalls = 1
		pool.before = func(ctx context.Context) { <-ctx.Done() }
	})
	ctx, cancel := context.WithCancel(t.Context())
	const calls = 200
	results := make(chan tools.Result, calls)
	for range calls {
		go func() {
			results <- f.Call(ctx, tools.Call{Tool: "hover", Args: json.RawMessage(`{"file":"a/client.go","line":11,"name":"Dial"}`), Owner: "one"})
		}()
	}
	// All but one under way and 63 in the queue are refused at once.
	for range calls - 64 {
		if r := <-results; r.Err == nil || r.Err.Code != "busy" {
			t.Fatalf("%+v, want busy", r)
		}
	}
	cancel()
	for range 64 {
		if r := <-results; r.Err == nil || r.Err.Code != "cancelled" {
			t.Errorf("%+v, want cancelled", r)
		}
	}
}

// The servers go by the path of a folder: one that took its place is not the one
// that was opened, and is not what was trusted.
func TestWorkspaceGoneIsSaid(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, nil)
	if r := f.ask(t, "hover", `{"symbol":"Dial"}`); r.Err != nil {
		t.Fatal(r.Err.Text())
	}
	if err := os.Rename(f.dir, f.dir+"-moved"); err != nil {
		t.Skip(err)
	}
	for _, when := range []string{"gone", "replaced"} {
		for _, d := range tools.Catalogue() {
			r := f.ask(t, d.Name, `{"symbol":"Dial"}`)
			if r.Err == nil || r.Err.Code != "workspace_gone" || r.Err.Hint == "" {
				t.Errorf("%s, %s: %+v, want an error that says so", when, d.Name, r)
			}
		}
		if when == "gone" {
			if err := os.Mkdir(f.dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
	}
}
