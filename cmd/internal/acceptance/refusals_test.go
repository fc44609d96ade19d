package acceptance_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"lspbridge/lspclient/lsptest"
)

// TestBadInputOverMCP: whatever a client sends, it gets one clear line and what to
// do next, no place of this machine, and the next call is answered.
func TestBadInputOverMCP(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	dir := lsptest.Workspace(t, goProject)
	outside := t.TempDir()
	lsptest.WriteFiles(t, outside, map[string]string{"secret.go": "package secret\n"})
	lsptest.WriteFiles(t, dir, map[string]string{"big/big.go": "package big\n//" + strings.Repeat("x", 5<<20) + "\n", "note.xyz": "words\n", "testdata/ok.go": "package ok\n"})
	if err := exec.Command("mkfifo", filepath.Join(dir, "testdata", "pipe.go")).Run(); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	c := newHome(t, gopls).serve(t, dir, rev2025Nov, "--trust")
	first, _ := c.tool("find_references", map[string]any{"symbol": "Square"})
	at := func(file string) map[string]any { return map[string]any{"file": file, "line": 1, "column": 9} }
	// A URI and an absolute path inside are as good as a relative one.
	for _, inside := range []string{dir + "/shape.go", "file://" + dir + "/shape.go", "file://localhost" + dir + "/%73hape.go", "./sub/../shape.go"} {
		if got, _ := c.tool("find_references", map[string]any{"file": inside, "line": 11, "name": "Square"}); got.Total != first.Total {
			t.Errorf("%s: %d places, want %d", inside, got.Total, first.Total)
		}
	}
	for _, tt := range []struct {
		name, tool string
		args       map[string]any
		want       string // in the error
	}{
		{"parent", "find_references", at("../secret.go"), "leaves the workspace"},
		{"absolute outside", "find_references", at(filepath.Join(outside, "secret.go")), "outside"},
		{"URI outside", "find_references", at("file://" + outside + "/secret.go"), "outside"},
		{"URI with a host", "find_references", at("file://evil" + dir + "/shape.go"), "host"},
		{"other scheme", "find_references", at("untitled:Untitled-1"), ""},
		{"escaped URI", "find_references", at("file://" + dir + "/%2e%2e/secret.go"), "outside"},
		{"sibling with the same prefix", "find_references", at(dir + "-evil/a.go"), "outside"},
		{"through a link", "find_references", at("out/secret.go"), "link"},
		{"proc", "find_references", at("/proc/self/root/etc/passwd"), "outside"},
		{"NUL", "find_references", at("shape.go\x00.txt"), "NUL"},
		{"folder", "find_references", at("sub"), ""},
		{"missing", "find_references", at("none.go"), ""},
		{"FIFO", "find_references", at("testdata/pipe.go"), ""},
		{"too large", "find_references", at("big/big.go"), "file_bytes"},
		{"unknown language", "find_references", at("note.xyz"), "language server"},
		{"line 0", "find_references", map[string]any{"file": "shape.go", "line": 0, "column": 1}, "line"},
		{"column -1", "find_references", map[string]any{"file": "shape.go", "line": 1, "column": -1}, "column"},
		{"line as text", "find_references", map[string]any{"file": "shape.go", "line": "1", "column": 1}, "line"},
		{"no target", "find_references", map[string]any{}, ""},
		{"two targets", "find_references", map[string]any{"file": "shape.go", "line": 1, "column": 1, "symbol": "Shape"}, ""},
		{"unknown argument", "find_references", map[string]any{"symbol": "Shape", "inclde_declaration": true}, "include_declaration"},
		{"unknown symbol", "find_references", map[string]any{"symbol": "Sqare"}, "Square"},
		{"empty query", "workspace_symbols", map[string]any{"query": ""}, "query"},
		{"long query", "workspace_symbols", map[string]any{"query": strings.Repeat("q", 1001)}, "1000 characters"},
		{"foreign cursor", "find_references", map[string]any{"symbol": "Shape", "cursor": "abcd"}, "cursor"},
		{"megabyte", "find_references", map[string]any{"symbol": strings.Repeat("s", 1<<20)}, "32768 characters"},
		{"unknown reference", "hover", map[string]any{"ref": "aaaaa-0000000000000000", "line": 1, "column": 1}, "outside the workspace"},
		{"range backwards", "preview_format", map[string]any{"file": "shape.go", "start_line": 9, "end_line": 3}, "line"},
	} {
		r := c.try(tt.tool, tt.args)
		text := r.text()
		if !r.IsError {
			t.Errorf("%s: no error: %.200s", tt.name, text)
			continue
		}
		if line, _, _ := strings.Cut(text, "\n"); line == "" || len(line) > 1000 || !strings.Contains(strings.ToLower(text), strings.ToLower(tt.want)) {
			t.Errorf("%s: the error %.300q does not say %q", tt.name, text, tt.want)
		}
		spelled, _ := tt.args["file"].(string)
		for _, place := range []string{outside, dir, "/etc", "goroutine"} {
			if strings.Contains(text, place) && !strings.Contains(spelled, place) {
				t.Errorf("%s: the error shows %s: %.300q", tt.name, place, text)
			}
		}
	}
	if again, _ := c.tool("find_references", map[string]any{"symbol": "Square"}); again.Total != first.Total {
		t.Errorf("after all that: %d places, before it %d", again.Total, first.Total)
	}
}

// TestUntrusted: a folder that nobody trusted starts no server; the tools are
// listed all the same, and each call names the command that a person runs.
func TestUntrusted(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	h, dir := newHome(t, gopls), lsptest.Workspace(t, goProject)
	for _, revision := range revisions {
		c := h.serve(t, dir, revision)
		c.request("tools/list", map[string]any{})
		for _, tool := range []string{"find_references", "hover"} {
			if r := c.try(tool, map[string]any{"symbol": "Square"}); !r.IsError || !strings.Contains(r.text(), "lspbridge trust") {
				t.Errorf("%s: %s", tool, r.text())
			}
		}
	}
	if _, stderr, exit := h.run(t, dir, "references", "Square"); exit != 5 || !strings.Contains(stderr, "lspbridge trust") {
		t.Errorf("exit %d, stderr %s; want 5 and the command", exit, stderr)
	}
	if _, stderr, exit := h.run(t, dir, "trust"); exit != 0 {
		t.Fatalf("trust: exit %d, %s", exit, stderr)
	}
	stdout, stderr, exit := h.run(t, dir, "references", "--format", "vimgrep", "Square")
	if want := "shape.go:11:6:"; exit != 0 || !strings.HasPrefix(stdout, want) || strings.Count(stdout, "\n") != 3 {
		t.Errorf("exit %d, stdout %q, stderr %q", exit, stdout, stderr)
	}
}
