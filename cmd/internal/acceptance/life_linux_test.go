package acceptance_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"lspbridge/lspclient/lsptest"
)

// left lists the processes that carry the home in their environment: the
// bridge, its helpers, the servers and what those started.
func (h home) left() []string {
	mark := []byte("\x00HOME=" + h.dir + "\x00")
	var out []string
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		env, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(append([]byte{0}, env...), mark) {
			continue
		}
		cmdline, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		out = append(out, filepath.Base(dir)+" "+string(bytes.ReplaceAll(cmdline, []byte{0}, []byte{' '})))
	}
	return out
}

// gone fails the test unless every process of the home ends within bound.
func (h home) gone(t *testing.T, bound time.Duration) {
	t.Helper()
	deadline := time.Now().Add(bound)
	for {
		left := h.left()
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("left after %v:\n%s", bound, strings.Join(left, "\n"))
			return
		}
		time.Sleep(10 * time.Millisecond) // /proc has no event to wait for
	}
}

// fakeHome is a home whose only language server is a fake one for .fake files.
func fakeHome(t *testing.T, script lsptest.Script) (h home, fake *lsptest.Process, serversJSON string) {
	t.Helper()
	fake = lsptest.NewProcess(t, script)
	bin := t.TempDir()
	fake.Program(t, bin, "fakels", "fakels 1.0.0")
	h = newHome(t)
	h.path = bin + string(os.PathListSeparator) + h.path
	serversJSON = serversFile(t, map[string]any{"fakels": map[string]any{
		"command": "fakels", "extensionToLanguage": map[string]string{".fake": "fake"},
		"lspbridge": map[string]any{"quirks": map[string]any{"readiness": "block"}},
	}})
	return h, fake, serversJSON
}

const onePlace = `[{"uri":"$URI","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":4}}}]`

// TestListsToolsWhileAServerStarts: the client is never kept waiting for a
// language server that is slow to start, and a call says what it waits for.
func TestListsToolsWhileAServerStarts(t *testing.T) {
	script := lsptest.Script{On: map[string][]lsptest.Reaction{"initialize": {{Before: []lsptest.Action{{Sleep: 90 * time.Second}}}}}}
	h, fake, file := fakeHome(t, script)
	dir := lsptest.Workspace(t, "-- a.fake --\nname\n")
	var took []time.Duration
	for _, revision := range revisions {
		c := h.serve(t, dir, revision, "--trust", "--servers", file, "--limit", "server_start=120s", "--limit", "call_total=2s")
		c.request("tools/list", map[string]any{})
		took = append(took, time.Since(c.began))
		r := c.try("find_references", map[string]any{"file": "a.fake", "line": 1, "column": 1})
		if !r.IsError || !strings.Contains(r.text(), "starting") || !strings.Contains(r.text(), " s") {
			t.Errorf("%s: the answer %q does not say that the server is starting, and for how long", revision, r.text())
		}
		c.stdin.Close()
		<-c.exited
	}
	// What waits for the server waits each time; what a busy machine makes slow is
	// slow now and then.
	if slices.Min(took) > time.Second {
		t.Errorf("handshake and tools/list took %v from the start of the process", took)
	}
	if fake.Starts() != len(revisions) {
		t.Errorf("%d starts for %d bridges", fake.Starts(), len(revisions))
	}
	h.gone(t, 5*time.Second)
}

// states are the moments at which a bridge is ended.
var states = []struct {
	name   string
	script lsptest.Script
	busy   bool // a call is under way
	wait   string
}{
	{"idle", lsptest.Script{On: map[string][]lsptest.Reaction{"textDocument/references": {{Result: onePlace}}}}, false, "textDocument/references"},
	{"during a call", lsptest.Script{On: map[string][]lsptest.Reaction{"textDocument/references": {{Never: true}}}}, true, "textDocument/references"},
	{"while the server starts", lsptest.Script{On: map[string][]lsptest.Reaction{"initialize": {{Never: true}}}}, true, "initialize"},
	{"with a stubborn server", lsptest.Script{IgnoreTERM: true, Grandchild: true, On: map[string][]lsptest.Reaction{"textDocument/references": {{Never: true}}, "shutdown": {{Never: true}}}}, true, "textDocument/references"},
}

func TestNothingIsLeft(t *testing.T) {
	dir := lsptest.Workspace(t, "-- a.fake --\nname\n")
	for _, s := range states {
		for _, way := range []string{"stdin ends", "killed"} {
			t.Run(s.name+"/"+way, func(t *testing.T) {
				t.Parallel()
				h, fake, file := fakeHome(t, s.script)
				c := h.serve(t, dir, rev2025Nov, "--trust", "--servers", file)
				answered := c.start("tools/call", map[string]any{"name": "find_references", "arguments": map[string]any{"file": "a.fake", "line": 1, "column": 1}})
				fake.Await(t, s.wait, 1)
				if !s.busy {
					<-answered
				}
				if way == "killed" {
					if err := c.cmd.Process.Kill(); err != nil {
						t.Fatal(err)
					}
					<-c.exited
					h.gone(t, 5*time.Second)
					return
				}
				began := time.Now()
				c.stdin.Close()
				<-c.exited
				if d := time.Since(began); d > 5*time.Second {
					t.Errorf("ended %v after its stdin", d)
				}
				h.gone(t, 5*time.Second-min(time.Since(began), 5*time.Second)+100*time.Millisecond)
				if s.busy {
					if m, ok := <-answered; !ok || m.Error == nil && !strings.Contains(string(m.Result), `"isError":true`) {
						t.Errorf("the call under way got no error answer: %s", m.Result)
					}
				}
			})
		}
	}
}

// TestAnswersInFlightAreWritten: what was asked before stdin ended is answered.
func TestAnswersInFlightAreWritten(t *testing.T) {
	script := lsptest.Script{On: map[string][]lsptest.Reaction{"textDocument/references": {{Before: []lsptest.Action{{Sleep: time.Second}}, Result: onePlace}}}}
	h, fake, file := fakeHome(t, script)
	dir := lsptest.Workspace(t, "-- a.fake --\nname\n")
	for _, revision := range revisions {
		c := h.serve(t, dir, revision, "--trust", "--servers", file)
		var answers []<-chan message
		for range 5 {
			answers = append(answers, c.start("tools/call", map[string]any{"name": "find_references", "arguments": map[string]any{"file": "a.fake", "line": 1, "column": 1}}))
		}
		c.stdin.Close()
		for i, a := range answers {
			m, ok := <-a
			if !ok || m.Error != nil || !strings.Contains(string(m.Result), `"total":1`) {
				t.Errorf("%s: answer %d: %v %s", revision, i, ok, m.Result)
			}
		}
		<-c.exited
	}
	_ = fake
	h.gone(t, 5*time.Second)
}

func TestRealServersAreEnded(t *testing.T) {
	gopls, clangd := lsptest.Require(t, "gopls"), lsptest.Require(t, "clangd-22")
	for _, way := range []string{"stdin ends", "killed"} {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			h := newHome(t, gopls, clangd)
			dir := cppWorkspace(t, cppProject+goProject, "shape.cpp", "use.cpp")
			c := h.serve(t, dir, rev2026, "--trust")
			c.tool("find_references", map[string]any{"file": "shape.go", "line": 11, "name": "Square"})
			c.tool("find_references", map[string]any{"file": "shape.h", "line": 6, "name": "Square"})
			if n := len(h.left()); n < 3 {
				t.Fatalf("only %d processes carry the mark: the test would see nothing", n)
			}
			if way == "killed" {
				_ = c.cmd.Process.Kill()
			} else {
				c.stdin.Close()
			}
			<-c.exited
			h.gone(t, 5*time.Second)
			// The supervisors, whose environment is empty, go last: after they
			// removed the private folders.
			deadline := time.Now().Add(5 * time.Second)
			for left := h.left(); ; {
				dirs, err := os.ReadDir(h.tmp())
				if err == nil && len(dirs) == 0 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("left in the folder for temporary files: %v, error %v; processes %v", dirs, err, left)
				}
				time.Sleep(10 * time.Millisecond) // a folder that another process empties
			}
		})
	}
}
