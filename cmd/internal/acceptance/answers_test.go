package acceptance_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"lspbridge/lspclient/lsptest"
)

func TestPagesOfFiveThousand(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	const references = 5000
	dir := lsptest.GoWorkspace(t, lsptest.GoProject{Seed: 1, Packages: 20, References: references})
	c := newHome(t, gopls).serve(t, dir, rev2025Nov, "--trust")
	args := map[string]any{"symbol": "Target", "file": "target/target.go"}
	var all []string
	pages := 0
	for {
		got, r := c.tool("find_references", args)
		pages++
		if got.Total != references+1 || got.AtLeast || got.Completeness.State != "complete" {
			t.Fatalf("page %d: total %d, at least %v, %+v; want %d", pages, got.Total, got.AtLeast, got.Completeness, references+1)
		}
		if n := len([]rune(r.text())); n > 10_000 {
			t.Errorf("page %d has %d characters of text", pages, n)
		}
		if n := len([]rune(string(r.StructuredContent))); n > 10_000 {
			t.Errorf("page %d has %d characters of structure", pages, n)
		}
		if len(got.Items) == 0 || len(got.Items) > 100 {
			t.Fatalf("page %d has %d items", pages, len(got.Items))
		}
		for _, i := range got.Items {
			all = append(all, fmt.Sprintf("%s:%09d:%09d", i.Path, i.Line, i.Column))
		}
		if got.NextCursor == "" {
			break
		}
		if !strings.Contains(r.text(), got.NextCursor) {
			t.Errorf("page %d: the text does not hold the cursor", pages)
		}
		args["cursor"] = got.NextCursor
	}
	if len(all) != references+1 {
		t.Errorf("%d places on %d pages, want %d", len(all), pages, references+1)
	}
	for i := 1; i < len(all); i++ {
		if all[i-1] >= all[i] {
			t.Fatalf("place %d, %s, is not behind %s", i, all[i], all[i-1])
		}
	}
	// A cursor belongs to its question.
	first, _ := c.tool("find_references", map[string]any{"symbol": "Target", "file": "target/target.go"})
	if r := c.try("find_references", map[string]any{"symbol": "Shape", "file": "target/target.go", "cursor": first.NextCursor}); !r.IsError {
		t.Error("a cursor of another question is taken")
	}
}

func TestAPageOfOneHugeItemMovesOn(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	long := "var V = []int{" + strings.Repeat("N, ", 1000) + "}"
	dir := lsptest.Workspace(t, "-- go.mod --\nmodule m\n\ngo 1.26\n-- a.go --\npackage m\n\nconst N = 1\n\n"+long+"\n")
	c := newHome(t, gopls).serve(t, dir, rev2025Nov, "--trust", "--limit", "line_chars=10000", "--limit", "max_chars=200")
	args := map[string]any{"file": "a.go", "line": 3, "name": "N"}
	seen := map[string]bool{}
	for range 20 {
		got, _ := c.tool("find_references", args)
		if got.Total != 1001 || len(got.Items) == 0 {
			t.Fatalf("total %d, %d items", got.Total, len(got.Items))
		}
		for _, p := range got.places() {
			if seen[p] {
				t.Fatalf("%s is on two pages", p)
			}
			seen[p] = true
		}
		args["cursor"] = got.NextCursor
	}
}

// TestColumnsAreBytes: whatever stands before a name on its line, its column is
// told in bytes, and taken in bytes.
func TestColumnsAreBytes(t *testing.T) {
	gopls, clangd := lsptest.Require(t, "gopls"), lsptest.Require(t, "clangd-22")
	dir := t.TempDir()
	lines := []string{"/* é */ ", "/* 😀 */ ", "\t", "/* \t😀é */\t", ""}
	goText, cppText := "\ufeffpackage m\r\n\r\nfunc Name() {}\r\n\r\nfunc uses() {\r\n", "\ufeffvoid Name() {}\r\nvoid uses() {\r\n"
	for _, before := range lines {
		goText += before + "Name()\r\n"
		cppText += before + "Name();\r\n"
	}
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a.go": goText + "}\r\n", "a.cpp": cppText + "}\r\n",
		"bom.go":                "\ufeffpackage m; var B = 1; var _ = B\n",
		"bom.cpp":               "\ufeffint B = 1; int C = B;\n",
		"compile_commands.json": lsptest.CompileCommands(t, dir, map[string]string{"a.cpp": "", "bom.cpp": ""}),
	})
	c := newHome(t, gopls, clangd).serve(t, dir, rev2025Nov, "--trust")
	for file, first := range map[string]int{"a.go": 6, "a.cpp": 3} {
		want := map[string]bool{}
		for i, before := range lines {
			want[fmt.Sprintf("%s:%d:%d", file, first+i, len(before)+1)] = true
		}
		for i, before := range lines {
			// Taken: every byte column of the name, and the one behind it.
			for _, column := range []int{len(before) + 1, len(before) + 3, len(before) + 5} {
				got, r := c.tool("find_references", map[string]any{"file": file, "line": first + i, "column": column, "include_declaration": false})
				if len(got.Items) != len(lines) {
					t.Errorf("%s:%d:%d: %d places, want %d: %s", file, first+i, column, len(got.Items), len(lines), r.text())
					continue
				}
				for j, p := range got.places() {
					if !want[p] {
						t.Errorf("%s:%d:%d: told %s, want one of %v", file, first+i, column, p, want)
					}
					if text := got.Items[j].Text; strings.ContainsAny(text, "\r\ufeff") {
						t.Errorf("the text of a place holds a line end or a BOM: %q", text)
					}
				}
			}
		}
	}
	for file, want := range map[string][]string{"bom.go": {"bom.go:1:16", "bom.go:1:31"}, "bom.cpp": {"bom.cpp:1:5", "bom.cpp:1:20"}} {
		got, _ := c.tool("find_references", map[string]any{"file": file, "line": 1, "column": func() int { n, _ := strconv.Atoi(strings.Split(want[0], ":")[2]); return n }()})
		if strings.Join(got.places(), " ") != strings.Join(want, " ") {
			t.Errorf("%s: told %v, want %v", file, got.places(), want)
		}
	}
}

// TestNeverAGuess: an ambiguous name is answered with the candidates, and no
// language server is asked on the strength of a guess.
func TestNeverAGuess(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	dir := lsptest.Workspace(t, `
-- go.mod --
module m

go 1.26
-- a.go --
package m

type A struct{}

func (A) Close() {}

type B struct{}

func (*B) Close() {}

func both(a A, b *B) { a.Close(); b.Close() }
`)
	c := newHome(t, gopls).serve(t, dir, rev2025Nov, "--trust")
	r := c.try("find_references", map[string]any{"symbol": "Close"})
	if !r.IsError || !strings.Contains(r.text(), "a.go:5:10") || !strings.Contains(r.text(), "a.go:9:11") {
		t.Errorf("an ambiguous name: %s", r.text())
	}
	for symbol, want := range map[string]string{"A.Close": "a.go:5:10 a.go:11:26", "(*B).Close": "a.go:9:11 a.go:11:37", "B.Close": "a.go:9:11 a.go:11:37", "m.A.Close": "a.go:5:10 a.go:11:26"} {
		if got, _ := c.tool("find_references", map[string]any{"symbol": symbol}); strings.Join(got.places(), " ") != want {
			t.Errorf("%s: %v, want %s", symbol, got.places(), want)
		}
	}
	// A column on blank space snaps to the only identifier of its line.
	if got, _ := c.tool("find_references", map[string]any{"file": "a.go", "line": 3, "column": 80}); strings.Join(got.places(), " ") != "a.go:3:6 a.go:5:7 a.go:11:13" {
		t.Errorf("past the end of a line with one identifier: %v", got.places())
	}
	r = c.try("find_references", map[string]any{"file": "a.go", "line": 2, "column": 1})
	if !r.IsError {
		t.Errorf("an empty line: %s", r.text())
	}
	r = c.try("find_references", map[string]any{"file": "a.go", "line": 7, "name": "Close"})
	if !r.IsError || !strings.Contains(r.text(), "type B struct{}") {
		t.Errorf("a wrong line does not say what is there: %s", r.text())
	}
	r = c.try("find_references", map[string]any{"file": "a.go", "line": 99, "name": "Close"})
	if !r.IsError {
		t.Errorf("a line past the end: %s", r.text())
	}
}
