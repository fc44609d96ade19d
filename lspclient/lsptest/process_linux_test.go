package lsptest_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspbridge/lspclient/lsptest"
)

// A run is a started fake server and its pipes.
type run struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	stderr bytes.Buffer
}

func start(t *testing.T, p *lsptest.Process, path string) *run {
	t.Helper()
	r := &run{cmd: exec.Command(path)}
	r.cmd.Env = append(os.Environ(), p.Env...)
	r.cmd.Stderr = &r.stderr
	var err error
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if r.out, err = r.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.cmd.Process.Kill() // nothing when it is gone
		r.cmd.Wait()
	})
	return r
}

func (r *run) send(t *testing.T, body string) {
	t.Helper()
	if _, err := fmt.Fprintf(r.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		t.Fatal(err)
	}
}

// expect reads exactly the message that want is.
func (r *run) expect(t *testing.T, want string) {
	t.Helper()
	want = fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(want), want)
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r.out, got); err != nil || string(got) != want {
		t.Fatalf("the fake server wrote %q, %v; want %q", got, err, want)
	}
}

// gone waits for a process to end, for 10 s at most.
func gone(t *testing.T, what string, ended <-chan struct{}) {
	t.Helper()
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Errorf("%s is still there", what)
	}
}

func TestProcess(t *testing.T) {
	t.Parallel()
	p := lsptest.NewProcess(t, lsptest.Script{
		Encoding: "utf-8", OffsetEncoding: "utf-32", Capabilities: `{"hoverProvider":true}`,
		On: map[string][]lsptest.Reaction{
			"held": {{Before: []lsptest.Action{{Hold: true}}, Result: `"$ROOT"`}},
			"bye":  {{Result: `1`, After: []lsptest.Action{lsptest.Exit(3)}}},
		},
		Next: &lsptest.Script{On: map[string][]lsptest.Reaction{"die": {{Reply: "Content-Length: 9\r\n\r\n{", After: []lsptest.Action{lsptest.Exit(-1)}}}}},
	})
	dir := t.TempDir()
	program := p.Program(t, dir, "it's a server", "fake 1.0")
	if out, err := exec.Command(program, "--version").Output(); err != nil || string(out) != "fake 1.0\n" {
		t.Errorf("--version says %q, %v", out, err)
	}

	r := start(t, p, program)
	r.send(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"rootUri":"file:///w"}}`)
	r.expect(t, `{"jsonrpc":"2.0","id":1,"result":{"capabilities":{"hoverProvider":true,"positionEncoding":"utf-8"},"offsetEncoding":"utf-32","serverInfo":{"name":"lsptest","version":"1"}}}`)
	pid, ended := p.AwaitStart(t, 0)
	if pid != r.cmd.Process.Pid {
		t.Errorf("process %d says it is %d", r.cmd.Process.Pid, pid)
	}
	r.send(t, `{"jsonrpc":"2.0","id":2,"method":"held"}`)
	r.send(t, `{"jsonrpc":"2.0","id":3,"method":"other"}`)
	r.expect(t, `{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"method not found: other"}}`)
	p.Release()
	r.expect(t, `{"jsonrpc":"2.0","id":2,"result":"file:///w"}`)
	r.send(t, `{"jsonrpc":"2.0","id":4,"method":"bye"}`)
	r.expect(t, `{"jsonrpc":"2.0","id":4,"result":1}`)
	gone(t, "the server", ended)
	if err := r.cmd.Wait(); err == nil || err.Error() != "exit status 3" {
		t.Errorf("the server ended with %v", err)
	}

	r = start(t, p, p.Path)
	r.send(t, `{"jsonrpc":"2.0","id":1,"method":"die"}`)
	rest, err := io.ReadAll(r.out)
	if string(rest) != "Content-Length: 9\r\n\r\n{" {
		t.Errorf("the second start wrote %q, %v", rest, err)
	}
	if err := r.cmd.Wait(); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the server ended with %v", err)
	}
	if got := p.Await(t, "die", 1)[0].Start; got != 1 || p.Starts() != 2 {
		t.Errorf("received at start %d of %d", got, p.Starts())
	}
}

// TestProcessStubborn: a stubborn server and its grandchild are left alone by
// TERM and by the end of the input, and do not outlive the test.
func TestProcessStubborn(t *testing.T) {
	t.Parallel()
	var ended []<-chan struct{}
	t.Run("alive", func(t *testing.T) {
		p := lsptest.NewProcess(t, lsptest.Script{IgnoreTERM: true, Grandchild: true})
		r := start(t, p, p.Path)
		r.send(t, `{"jsonrpc":"2.0","id":1,"method":"shutdown"}`)
		r.expect(t, `{"jsonrpc":"2.0","id":1,"result":null}`)
		pid, server := p.AwaitStart(t, 0)
		child, grandchild := p.AwaitGrandchild(t)
		ended = append(ended, server, grandchild)
		if session, err := getsid(child); err != nil || session != child {
			t.Errorf("the grandchild %d is in session %d, %v", child, session, err)
		}
		for _, pid := range []int{pid, child} {
			if !ignoresTERM(t, pid) {
				t.Errorf("process %d does not ignore TERM", pid)
			}
		}
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			t.Error(err)
		}
		r.send(t, `{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
		r.expect(t, `{"jsonrpc":"2.0","id":2,"result":null}`)
	})
	for _, e := range ended {
		gone(t, "a stubborn process", e)
	}
}

// getsid returns the session of a process, field 6 of proc(5)'s stat.
func getsid(pid int) (session int, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	_, err = fmt.Sscanf(rest, "%s %d %d %d", new(string), new(int), new(int), &session)
	return session, err
}

// ignoresTERM reads the set of ignored signals of a process (proc(5)).
func ignoresTERM(t *testing.T, pid int) bool {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "SigIgn:")
	var ignored uint64
	if _, err := fmt.Sscanf(rest, "%x", &ignored); err != nil {
		t.Fatal(err)
	}
	return ignored&(1<<(syscall.SIGTERM-1)) != 0
}

func TestProcessFloods(t *testing.T) {
	t.Parallel()
	const flood = 1 << 20
	p := lsptest.NewProcess(t, lsptest.Script{
		Start: []lsptest.Action{{Stderr: flood}, {Raw: "no frame\n"}},
		On:    map[string][]lsptest.Reaction{"x": {{After: lsptest.Progress("t", "Indexing", "1/2", "…")}}},
	})
	r := start(t, p, p.Path)
	line := make([]byte, len("no frame\n"))
	if _, err := io.ReadFull(r.out, line); err != nil || string(line) != "no frame\n" {
		t.Fatalf("%q, %v", line, err)
	}
	r.send(t, `{"jsonrpc":"2.0","method":"x"}`)
	r.expect(t, `{"jsonrpc":"2.0","id":1,"method":"window/workDoneProgress/create","params":{"token":"t"}}`)
	r.send(t, `{"jsonrpc":"2.0","id":1,"result":null}`)
	r.expect(t, `{"jsonrpc":"2.0","method":"$/progress","params":{"token":"t","value":{"kind":"begin","title":"Indexing"}}}`)
	r.expect(t, `{"jsonrpc":"2.0","method":"$/progress","params":{"token":"t","value":{"kind":"report","message":"1/2"}}}`)
	if got := p.AwaitReplies(t, "window/workDoneProgress/create", 1)[0]; string(got.Result) != "null" {
		t.Errorf("recorded %v", got)
	}
	r.in.Close()
	if rest, err := io.ReadAll(r.out); len(rest) > 0 {
		t.Errorf("more output: %q, %v", rest, err)
	}
	if err := r.cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if got := r.stderr.Len(); got < flood {
		t.Errorf("%d bytes of stderr; want %d", got, flood)
	}
}
