package lspclient

import (
	"encoding/json"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"

	"lspbridge/lspclient/lsptest"
)

// dialProcess starts a program and dials it over pipes of the operating system.
func dialProcess(t *testing.T, cmd *exec.Cmd, events serverEvents, o wireOptions) wire {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := dial(in, out, events, o)
	t.Cleanup(func() {
		cmd.Process.Kill() // nothing when it is gone
		w.close()
		cmd.Wait()
	})
	return w
}

// TestRealServers shakes hands with each real server, asks about a file of its
// language, and says goodbye.
func TestRealServers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		args     []string
		archive  string
		file     string
		language string
	}{
		{"gopls", nil, "-- go.mod --\nmodule m\n\ngo 1.24\n-- a.go --\npackage m\n\nfunc F() {}\n", "a.go", "go"},
		{"clangd-19", nil, "-- a.cpp --\nvoid F() {}\n", "a.cpp", "cpp"},
		{"clangd-22", nil, "-- a.cpp --\nvoid F() {}\n", "a.cpp", "cpp"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			program := lsptest.Require(t, c.name)
			dir := lsptest.Workspace(t, c.archive)
			_, text, _ := strings.Cut(c.archive, "-- "+c.file+" --\n")
			cmd := exec.Command(program, c.args...)
			cmd.Dir = dir
			w := dialProcess(t, cmd, &testEvents{}, testOptions())
			root, uri := "file://"+dir, "file://"+dir+"/"+c.file
			hello, err := w.call(t.Context(), "initialize", map[string]any{
				"processId": nil, "rootUri": root,
				"workspaceFolders": []workspaceFolder{{URI: root, Name: "w"}},
				"capabilities": map[string]any{
					"window":       map[string]any{"workDoneProgress": true},
					"workspace":    map[string]any{"configuration": true, "workspaceFolders": true},
					"textDocument": map[string]any{"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true}},
				},
			})
			var result struct{ Capabilities map[string]json.RawMessage }
			if err != nil || json.Unmarshal(hello, &result) != nil || len(result.Capabilities) == 0 {
				t.Fatalf("initialize: %s, %v", hello, err)
			}
			if err := errors.Join(
				w.notify("initialized", struct{}{}),
				w.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
					"uri": uri, "languageId": c.language, "version": 1, "text": text,
				}}),
			); err != nil {
				t.Fatal(err)
			}
			document := map[string]any{"textDocument": map[string]string{"uri": uri}}
			raw, err := w.call(t.Context(), "textDocument/documentSymbol", document)
			var symbols []struct{ Name string }
			if err != nil || json.Unmarshal(raw, &symbols) != nil || len(symbols) != 1 || symbols[0].Name != "F" {
				t.Errorf("symbols: %s, %v", raw, err)
			}
			var refused *responseError
			if _, err := w.call(t.Context(), "no/such", nil); !errors.As(err, &refused) || refused.Code != -32601 {
				t.Errorf("an unknown method gives %v", err)
			}
			if _, err := w.call(t.Context(), "shutdown", nil); err != nil {
				t.Error(err)
			}
			if err := w.notify("exit", nil); err != nil {
				t.Error(err)
			}
			<-w.done()
			if !errors.Is(w.err(), errOutputClosed) {
				t.Error(w.err())
			}
		})
	}
}

// TestDeafProcess: over a pipe with a buffer, too, a server that stops reading is
// noticed, and close waits for nobody.
func TestDeafProcess(t *testing.T) {
	t.Parallel()
	p := lsptest.NewProcess(t, lsptest.Script{Start: []lsptest.Action{{StopReading: true}}})
	cmd := exec.Command(p.Path)
	cmd.Env = append(cmd.Environ(), p.Env...)
	o := testOptions()
	o.Stall = 300 * time.Millisecond
	stalled := make(chan struct{})
	o.Stalled = func() { close(stalled) }
	w := dialProcess(t, cmd, &testEvents{}, o)
	if err := w.notify("tell", strings.Repeat("x", 500<<10)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.call(t.Context(), "ask", nil); !errors.Is(err, errStalled) {
		t.Errorf("call returned %v", err)
	}
	<-stalled
	w.close()
}

// TestCrashedProcess: every call in flight learns of a crash.
func TestCrashedProcess(t *testing.T) {
	t.Parallel()
	p := lsptest.NewProcess(t, lsptest.Script{On: map[string][]lsptest.Reaction{
		"ask":   {{Never: true}},
		"crash": {{Never: true, After: []lsptest.Action{lsptest.Exit(-1)}}},
	}})
	cmd := exec.Command(p.Path)
	cmd.Env = append(cmd.Environ(), p.Env...)
	w := dialProcess(t, cmd, &testEvents{}, testOptions())
	failed := make(chan error)
	for range 5 {
		go func() {
			_, err := w.call(t.Context(), "ask", nil)
			failed <- err
		}()
	}
	p.Await(t, "ask", 5)
	if err := w.notify("crash", nil); err != nil {
		t.Fatal(err)
	}
	for range 5 {
		if err := <-failed; !errors.Is(err, errConnClosed) || !errors.Is(err, errOutputClosed) {
			t.Errorf("call returned %v", err)
		}
	}
}
