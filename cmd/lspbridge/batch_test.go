package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspbridge/lspclient/lsptest"
)

// TestBatchAgainstCommands: a batch gives the answers that the commands give,
// each in a process of its own. The long form asks 200 questions.
func TestBatchAgainstCommands(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	n := 10
	if os.Getenv("LSPBRIDGE_FULL") != "" {
		n = 200
	}
	dir, bin := t.TempDir(), t.TempDir()
	link(t, gopls, filepath.Join(bin, "gopls"))
	files := map[string]string{"go.mod": "module example.com/m\n\ngo 1.26\n"}
	var questions bytes.Buffer
	var commands [][]string
	for i := range n {
		k := i / 5
		files[fmt.Sprintf("f%d.go", k)] = fmt.Sprintf("package m\n\n// F%[1]d counts.\nfunc F%[1]d(n int) int {\n\tif n > 9 {\n\t\treturn F%[1]d(n - 1)\n\t}\n\treturn T%[1]d{n}.N\n}\n\ntype T%[1]d struct{ N int }\n", k)
		kind := []struct {
			tool, arguments string
			command         []string
		}{
			{"find_references", `{"symbol":"F%d"}`, []string{"references", "F%d"}},
			{"find_definition", `{"symbol":"T%d","kind":"definition","body":true}`, []string{"definition", "--body", "T%d"}},
			{"hover", `{"file":"f%d.go","line":6,"column":10}`, []string{"hover", "f%d.go:6:10"}},
			{"document_symbols", `{"file":"f%d.go"}`, []string{"outline", "f%d.go"}},
			{"find_references", `{"symbol":"Nothing%d"}`, []string{"references", "Nothing%d"}},
		}[i%5]
		fmt.Fprintf(&questions, `{"tool":%q,"arguments":%s}`+"\n", kind.tool, fmt.Sprintf(kind.arguments, k))
		last := len(kind.command) - 1
		commands = append(commands, append(kind.command[:last:last], "--trust", "--format", "json", fmt.Sprintf(kind.command[last], k)))
	}
	lsptest.WriteFiles(t, dir, files)
	environ := []string{"HOME=" + t.TempDir(), "PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "GOTOOLCHAIN=local", "GOPROXY=off"}
	for name, path := range goCaches() {
		environ = append(environ, name+"="+path)
	}
	run := func(stdin string, args ...string) []byte {
		t.Helper()
		cmd := exec.Command(programName, args...)
		cmd.Dir, cmd.Env, cmd.Stdin = dir, environ, strings.NewReader(stdin)
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		var exit *exec.ExitError
		if errors.As(err, &exit) && exit.ExitCode() == 2 { // of the questions about nothing
			return out
		}
		if err != nil {
			t.Fatalf("%v: %v; standard error:\n%s", args, err, &stderr)
		}
		return out
	}
	lines := bytes.Split(bytes.TrimSpace(run(questions.String(), "batch", "--trust")), []byte("\n"))
	if len(lines) != n {
		t.Fatalf("%d answers to %d questions", len(lines), n)
	}
	for i, args := range commands {
		if got, want := comparable(t, lines[i]), comparable(t, run("", args...)); got != want {
			t.Errorf("%v:\nin the batch %s\nby itself    %s", args, got, want)
		}
	}
}

// comparable is an answer without what names the way it was asked for, and
// without what may differ from one run to the next.
func comparable(t *testing.T, answer []byte) string {
	t.Helper()
	var members map[string]any
	if err := json.Unmarshal(answer, &members); err != nil {
		t.Fatal(err)
	}
	delete(members, "question")
	if c, ok := members["completeness"].(map[string]any); ok {
		delete(c, "waited_ms")
		delete(c, "generation")
	}
	out, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestBatchReaderGone: when nobody reads the answers any more the batch ends,
// with an error and with its language server.
func TestBatchReaderGone(t *testing.T) {
	server := lsptest.NewProcess(t, lsptest.Script{
		Capabilities: `{"hoverProvider": true, "textDocumentSync": 1}`,
		On:           map[string][]lsptest.Reaction{"textDocument/hover": {{Result: `{"contents":"here"}`}}},
	})
	dir, bin := lsptest.Workspace(t, "-- go.mod --\nmodule m\n-- a.go --\npackage m\n\nfunc F() {}\n"), t.TempDir()
	server.Program(t, bin, "gopls", "golang.org/x/tools/gopls "+lsptest.GoplsVersion)
	cmd := exec.Command(programName, "batch", "--trust")
	cmd.Dir = dir
	cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + bin + string(filepath.ListSeparator) + "/usr/bin:/bin"}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close() // it stays open: the end of the input is not what ends the batch
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = write
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() }) // it has ended already, unless the test failed
	write.Close()
	const question = `{"tool":"hover","arguments":{"file":"a.go","line":3,"name":"F"}}` + "\n"
	if _, err := stdin.Write([]byte(question)); err != nil {
		t.Fatal(err)
	}
	var answer struct{ Text string }
	if err := json.NewDecoder(read).Decode(&answer); err != nil || answer.Text != "here" {
		t.Fatal(answer, err)
	}
	_, ended := server.AwaitStart(t, 0)
	read.Close()
	if _, err := stdin.Write([]byte(question)); err != nil {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 4 {
		t.Errorf("ended with %v, want exit code 4", err)
	}
	if !strings.Contains(stderr.String(), "the answer could not be written") {
		t.Errorf("standard error %q", &stderr)
	}
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the language server is left")
	}
}
