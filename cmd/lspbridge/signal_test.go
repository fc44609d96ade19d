package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspbridge/lspclient/lsptest"
)

// endWithin is the longest that the program may take to end once it is asked to.
const endWithin = 5 * time.Second

// TestInterrupted: a signal ends the program within its time, with the exit code
// that shells give to an interruption, and leaves no language server.
func TestInterrupted(t *testing.T) {
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		for _, args := range [][]string{{"references", "--trust", "a.go:3:6"}, {"serve", "--trust"}, {"batch", "--trust"}, {"index", "--trust"}} {
			t.Run(signal.String()+" "+args[0], func(t *testing.T) {
				t.Parallel()
				// The server takes a question and never answers it.
				server := lsptest.NewProcess(t, lsptest.Script{
					IgnoreTERM: true, Grandchild: true,
					On: map[string][]lsptest.Reaction{"initialize": {{Never: true}}},
				})
				cmd, stderr := start(t, server, args)
				_, ended := server.AwaitStart(t, 0)
				_, grandchildEnded := server.AwaitGrandchild(t)
				server.Await(t, "initialize", 1)
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
				asked := time.Now()
				err := cmd.Wait()
				if took := time.Since(asked); took > endWithin {
					t.Errorf("took %v to end", took)
				}
				var exit *exec.ExitError
				if !errors.As(err, &exit) || exit.ExitCode() != 130 {
					t.Errorf("ended with %v, want exit code 130; standard error:\n%s", err, stderr)
				}
				for _, c := range []<-chan struct{}{ended, grandchildEnded} {
					select {
					case <-c:
					case <-time.After(endWithin):
						t.Error("a process of the language server is left")
					}
				}
			})
		}
	}
}

// start starts the program in a workspace of Go with server as its gopls.
func start(t *testing.T, server *lsptest.Process, args []string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	dir := lsptest.Workspace(t, "-- go.mod --\nmodule m\n-- a.go --\npackage m\n\nfunc F() {}\n")
	bin := t.TempDir()
	server.Program(t, bin, "gopls", "golang.org/x/tools/gopls "+lsptest.GoplsVersion)
	program, err := exec.LookPath(programName)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	home := t.TempDir()
	cmd.Env = []string{"HOME=" + home, "PATH=" + strings.Join([]string{bin, "/usr/bin", "/bin"}, string(filepath.ListSeparator))}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it has ended already, unless the test failed
		_ = stdin.Close()
	})
	first := map[string]string{ // what makes it start the server
		"serve": `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`,
		"batch": `{"tool":"find_references","arguments":{"file":"a.go","line":3,"column":6}}`,
	}[args[0]]
	if first != "" {
		if _, err := stdin.Write([]byte(first + "\n")); err != nil {
			t.Fatal(err)
		}
	}
	return cmd, &stderr
}

// TestFullDisk: an answer that could not be written is not exit code 0.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here:", err)
	}
	defer full.Close()
	program, err := exec.LookPath(programName)
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"version"}, {"tools", "--format", "json"}, {"--help"}} {
		cmd := exec.Command(program, args...)
		var stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = full, &stderr
		var exit *exec.ExitError
		if err := cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != 4 {
			t.Errorf("%v: %v, want exit code 4", args, err)
		}
		if !strings.Contains(stderr.String(), "no space left") {
			t.Errorf("%v: standard error %q", args, stderr.String())
		}
	}
}
