package lspclient_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/servers"
)

// TestReadyWaits: a server that says nothing of its progress is ready once it
// answers a question across files, and not before.
func TestReadyWaits(t *testing.T) {
	b, fake := openFake(t, lsptest.Script{
		Capabilities: `{"workspaceSymbolProvider": true}`,
		On:           map[string][]lsptest.Reaction{"workspace/symbol": {{Before: []lsptest.Action{{Hold: true}}, Result: "[]"}}},
	}, fakeServer(), map[string]string{"a.fake": "x", "b.fake": "y"}, nil)
	done := make(chan []lspclient.Readiness, 1)
	go func() {
		list, err := b.Ready(t.Context())
		if err != nil {
			t.Error(err)
		}
		done <- list
	}()
	fake.Await(t, "workspace/symbol", 1)
	select {
	case <-done:
		t.Fatal("ready before the server answered")
	default:
	}
	fake.Release()
	list := <-done
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	r := list[0]
	if r.Err != nil || r.Server != "fakels" || r.Files != 2 || r.Version == "" || r.Completeness.State != lspclient.Complete {
		t.Errorf("%+v", r)
	}
}

// TestReadyStates: what keeps a server from being ready is said, and the wait
// ends in its time.
func TestReadyStates(t *testing.T) {
	token := servers.Quirks{Readiness: servers.ReadyByToken, ReadyToken: "tok"}
	for _, tt := range []struct {
		name   string
		script lsptest.Script
		quirks servers.Quirks
		state  lspclient.State
		reason string
		code   lspclient.Code
	}{
		{name: "nothing to ask", script: lsptest.Script{Capabilities: `{}`}, quirks: servers.Quirks{Readiness: servers.ReadyBlocks}, state: lspclient.Complete},
		{name: "never indexes", script: lsptest.Script{Capabilities: `{}`}, quirks: token, state: lspclient.Partial, reason: "indexing has not begun"},
		{
			name: "refuses to start", quirks: token, code: lspclient.CodeFailed,
			script: lsptest.Script{On: map[string][]lsptest.Reaction{"initialize": {{Error: &lsptest.Error{Code: -32603, Message: "no"}}}}},
		},
		{
			name: "refuses the question", quirks: servers.Quirks{Readiness: servers.ReadyBlocks}, code: lspclient.CodeRefused,
			script: lsptest.Script{
				Capabilities: `{"workspaceSymbolProvider": true}`,
				On:           map[string][]lsptest.Reaction{"workspace/symbol": {{Error: &lsptest.Error{Code: 0, Message: "no views"}}}},
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			entry := fakeServer()
			entry.Quirks = tt.quirks
			b, _ := openFake(t, tt.script, entry, map[string]string{"a.fake": "x"}, func(l *limits.Budget) { l.ReadyWait = 300 * time.Millisecond })
			list, err := b.Ready(t.Context())
			if err != nil || len(list) != 1 {
				t.Fatal(list, err)
			}
			r := list[0]
			if tt.code != "" {
				var e *lspclient.Error
				if !errors.As(r.Err, &e) || e.Code != tt.code {
					t.Errorf("error %v, want code %s", r.Err, tt.code)
				}
				return
			}
			if r.Err != nil || r.Completeness.State != tt.state || strings.Join(r.Completeness.Reasons, "; ") != tt.reason {
				t.Errorf("%+v, want %s %q", r, tt.state, tt.reason)
			}
		})
	}
}

// TestReadyAll: servers start side by side, what each is waited for stands in one
// line, and one that is missing does not keep the others.
func TestReadyAll(t *testing.T) {
	bin := t.TempDir()
	// Neither answers before both were asked.
	script := lsptest.Script{
		Capabilities: `{"workspaceSymbolProvider": true}`,
		On:           map[string][]lsptest.Reaction{"workspace/symbol": {{Before: []lsptest.Action{{Hold: true}}, Result: "[]"}}},
	}
	var catalog servers.Catalog
	var fakes []*lsptest.Process
	for _, name := range []string{"one", "two", "gone"} {
		entry := fakeServer()
		entry.Name, entry.Commands, entry.Extensions = name, []string{name}, map[string]string{"." + name: name}
		catalog.Servers = append(catalog.Servers, entry)
		if name != "gone" {
			fake := lsptest.NewProcess(t, script)
			fake.Program(t, bin, name, name+" 1.0.0")
			fakes = append(fakes, fake)
		}
	}
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"a.one": "", "b.two": "", "c.gone": ""})
	b := openAll(t, dir, bin, catalog, confine.Options{}, t.TempDir(), nil)
	var once sync.Once
	both := make(chan struct{})
	ctx := lspclient.WithProgress(t.Context(), func(text string, _, _ int) {
		if strings.Contains(text, "one: ") && strings.Contains(text, "; two: ") {
			once.Do(func() { close(both) })
		}
	})
	done := make(chan []lspclient.Readiness, 1)
	go func() {
		list, err := b.Ready(ctx)
		if err != nil {
			t.Error(err)
		}
		done <- list
	}()
	for _, f := range fakes {
		f.Await(t, "workspace/symbol", 1)
	}
	select {
	case <-both:
	case <-time.After(time.Minute):
		t.Fatal("no line says what both are waited for")
	}
	for _, f := range fakes {
		f.Release()
	}
	ready := map[string]error{}
	for _, r := range <-done {
		ready[r.Server] = r.Err
	}
	var e *lspclient.Error
	if len(ready) != 3 || ready["one"] != nil || ready["two"] != nil || !errors.As(ready["gone"], &e) || e.Code != lspclient.CodeMissing {
		t.Errorf("%v", ready)
	}
}
