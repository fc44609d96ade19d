package output_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/cmd/internal/output"
	"lspbridge/tools"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var references = output.Question{
	Command: "references", Tool: "find_references",
	Arguments: json.RawMessage(`{"symbol":"Budget"}`),
}

// listed is an answer in the form that tools documents: a place inside, one
// outside, and text that tries to steer the reader.
const listed = `{
	"items": [
		{"path": "limits/a.go", "line": 3, "column": 6, "end_line": 3, "end_column": 12, "text": "type Budget struct{} // <&> \u001b[31mred", "in": "Budget"},
		{"ref": "r-7", "display": "fmt/print.go (outside the workspace)", "line": 9, "column": 2, "end_line": 9, "end_column": 8, "text": ""},
		{"path": "odd\nname.go", "line": 1, "column": 1, "end_line": 1, "end_column": 2, "text": "x\ry ` + "\u202e\u009b" + `"}
	],
	"total": 5, "at_least": true,
	"completeness": {"state": "partial", "reasons": ["server limit 3 reached"], "waited_ms": 0, "generation": 1},
	"next_cursor": "c1"
}`

const symbols = `{
	"items": [
		{"name": "Budget", "kind": "struct", "path": "a.go", "line": 3, "column": 6, "children": [
			{"name": "Max", "kind": "field", "path": "a.go", "line": 4, "column": 2, "children": []}
		]},
		{"name": "Default", "kind": "function", "path": "a.go", "line": 9, "column": 6, "text": "func Default() Budget {"}
	],
	"total": 3, "completeness": {"state": "complete", "reasons": []}
}`

const preview = `{
	"files": [{"path": "a.go", "diff": "--- a/a.go\n+++ b/a.go\n@@ -1,4 +1,4 @@\n package a\n \n-var  x int\n+var x int\n \n@@ -9,0 +10 @@\n+// end\n", "edits": 2, "flags": []}],
	"nothing_to_do": false, "completeness": {"state": "complete", "reasons": []}
}`

// graph has a call beside its caller, one in another file, one outside the
// workspace, and a caller outside.
const graph = `{
	"roots": ["n1"],
	"nodes": [
		{"id": "n1", "name": "a", "kind": "function", "path": "base.h", "line": 2, "column": 5},
		{"id": "n2", "name": "b", "kind": "function", "path": "b.cpp", "line": 2, "column": 5},
		{"id": "n3", "name": "o", "kind": "function", "display": "x.h (outside the workspace)", "line": 7, "column": 1}
	],
	"edges": [
		{"from": "n2", "to": "n1", "sites": [{"line": 2, "column": 23}, {"display": "y.h (outside the workspace)", "line": 8, "column": 1}]},
		{"from": "n1", "to": "n2", "sites": [{"path": "a.cpp", "line": 2, "column": 27}]},
		{"from": "n3", "to": "n1", "sites": [{"line": 9, "column": 1}]}
	],
	"cut": [], "completeness": {"state": "complete", "reasons": []}
}`

func TestWrite(t *testing.T) {
	tests := []struct {
		name       string
		format     output.Format
		structured string
		style      output.Style
		notes      []string
	}{
		{name: "list.text", format: output.Text, structured: listed},
		{name: "list-terminal.text", format: output.Text, structured: listed, style: output.Style{Terminal: true}},
		{name: "list-color.text", format: output.Text, structured: listed, style: output.Style{Terminal: true, Color: true}},
		{
			name: "list.vimgrep", format: output.Vimgrep, structured: listed,
			notes: []string{"1 place outside the workspace not shown", "3 of 5 are on this page"},
		},
		{
			name: "list-terminal.vimgrep", format: output.Vimgrep, structured: listed, style: output.Style{Terminal: true},
			notes: []string{"1 place outside the workspace not shown", "3 of 5 are on this page"},
		},
		{name: "list.json", format: output.JSON, structured: listed},
		{name: "list-terminal.json", format: output.JSON, structured: listed, style: output.Style{Terminal: true}},
		{name: "list.jsonl", format: output.JSONL, structured: listed},
		{name: "symbols.vimgrep", format: output.Vimgrep, structured: symbols},
		{name: "symbols.jsonl", format: output.JSONL, structured: symbols},
		{name: "graph.vimgrep", format: output.Vimgrep, structured: graph, notes: []string{"2 places outside the workspace not shown"}},
		{name: "preview.vimgrep", format: output.Vimgrep, structured: preview},
		{name: "preview.jsonl", format: output.JSONL, structured: preview},
		{name: "empty.vimgrep", format: output.Vimgrep, structured: `{"items":[],"total":0}`},
		{name: "empty.jsonl", format: output.JSONL, structured: `{"items":[],"total":0}`},
		{name: "hover.json", format: output.JSON, structured: `{"text":"func F()"}`},
		{name: "hover.jsonl", format: output.JSONL, structured: `{"text":"func F()"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			answer := decode(t, tt.structured)
			notes, err := output.Write(&out, tt.format, references, answer, tt.style)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.notes, notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			golden(t, tt.name, out.Bytes())
			if tt.format.Machine() {
				for line := range bytes.Lines(jsonLines(tt.format, out.Bytes())) {
					if !json.Valid(line) {
						t.Errorf("not JSON: %s", line)
					}
				}
			}
		})
	}
}

// TestTerminalBytes: on a terminal no format lets a byte through that steers it.
func TestTerminalBytes(t *testing.T) {
	for _, format := range []output.Format{output.Text, output.Vimgrep, output.JSON, output.JSONL} {
		var out bytes.Buffer
		if _, err := output.Write(&out, format, references, decode(t, listed), output.Style{Terminal: true}); err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(out.String(), "\x1b\r\u202e") {
			t.Errorf("%s: %q", format, out.String())
		}
	}
}

func TestPreviewText(t *testing.T) {
	var diffs, colored, names bytes.Buffer
	answer := decode(t, preview)
	if err := errors.Join(
		output.WriteDiffs(&diffs, answer, output.Style{}),
		output.WriteDiffs(&colored, answer, output.Style{Color: true}),
		output.WriteNames(&names, answer, output.Style{}),
	); err != nil {
		t.Fatal(err)
	}
	golden(t, "preview.diff", diffs.Bytes())
	golden(t, "preview-color.diff", colored.Bytes())
	if got := names.String(); got != "a.go\n" {
		t.Errorf("names %q", got)
	}
}

// TestMergePreviews: several files are told as one is, member by member.
func TestMergePreviews(t *testing.T) {
	one := `{"files":[{"path":"a.go","diff":"@@","edits":1,"flags":[]}],"operations":[],"digest":"d","nothing_to_do":false,` +
		`"completeness":{"state":"partial","reasons":["indexing"],"waited_ms":5,"generation":2}}`
	two := `{"files":[],"operations":[],"digest":"e","nothing_to_do":true,"completeness":{"state":"complete","reasons":[],"waited_ms":7,"generation":1}}`
	merged, err := output.MergePreviews([]*output.Answer{decode(t, one), decode(t, two)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := output.Write(&out, output.JSONL, references, merged, output.Style{}); err != nil {
		t.Fatal(err)
	}
	want := `{"path":"a.go","diff":"@@","edits":1,"flags":[]}` + "\n" +
		`{"schema_version":1,"question":{"command":"references","tool":"find_references","arguments":{"symbol":"Budget"}},"operations":[],"nothing_to_do":false,` +
		`"completeness":{"state":"partial","reasons":["indexing"],"waited_ms":12,"generation":2}}` + "\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestFound(t *testing.T) {
	tests := map[string]int{
		listed:                   5, // those on other pages count
		symbols:                  3, // those inside others count
		preview:                  1,
		`{"items":[],"total":0}`: 0,
		`{"text":""}`:            0,
		`{"text":"x"}`:           1,
		`{"files":[{"path":"a","diff":""}],"nothing_to_do":true}`: 0,
	}
	for structured, want := range tests {
		if got := decode(t, structured).Found(); got != want {
			t.Errorf("Found(%s) = %d, want %d", structured, got, want)
		}
	}
}

// TestAppend: the pages of an answer, put together, are the answer.
func TestAppend(t *testing.T) {
	page := func(items, cursor string) *output.Answer {
		return decode(t, `{"items":[`+items+`],"total":3,"at_least":false,"completeness":{"state":"complete","reasons":[]}`+cursor+`}`)
	}
	first := `{"path":"a.go","line":1,"column":1},{"path":"a.go","line":2,"column":1}`
	last := `{"path":"b.go","line":1,"column":1}`
	got := page(first, `,"next_cursor":"c"`)
	if got.NextCursor() != "c" {
		t.Errorf("cursor %q, want c", got.NextCursor())
	}
	if err := got.Append(page(last, "")); err != nil {
		t.Fatal(err)
	}
	if got.NextCursor() != "" || got.Found() != 3 {
		t.Errorf("cursor %q and %d found; want none and 3", got.NextCursor(), got.Found())
	}
	for _, format := range []output.Format{output.JSON, output.JSONL, output.Vimgrep} {
		var pages, whole bytes.Buffer
		notes, err := output.Write(&pages, format, references, got, output.Style{})
		if err != nil || notes != nil {
			t.Errorf("%s: notes %v, error %v", format, notes, err)
		}
		if _, err := output.Write(&whole, format, references, page(first+","+last, ""), output.Style{}); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole.String(), pages.String()); diff != "" {
			t.Errorf("%s (-whole +pages):\n%s", format, diff)
		}
	}
}

func TestBadStructured(t *testing.T) {
	for _, s := range []string{"", "[]", "{", `{"items":5}`, `{"items":[],"total":"x"}`} {
		if _, err := output.NewAnswer(tools.Result{Structured: json.RawMessage(s)}); err == nil {
			t.Errorf("NewAnswer(%q): no error", s)
		}
	}
}

func TestVimgrepOfNoPlaces(t *testing.T) {
	if _, err := output.Write(&bytes.Buffer{}, output.Vimgrep, references, decode(t, `{"text":"x"}`), output.Style{}); err == nil {
		t.Error("a hover has no vimgrep")
	}
}

func TestWriteError(t *testing.T) {
	e := &tools.Error{
		Class: tools.ClassUsage, Code: "ambiguous", Message: "Close names 2 things",
		Hint: "write one of them", Candidates: []string{"a.go:3:6 A.Close", "b.go:4:6 B.Close"},
	}
	for _, format := range []output.Format{output.JSON, output.JSONL} {
		var out bytes.Buffer
		if err := output.WriteError(&out, format, references, e, output.Style{}); err != nil {
			t.Fatal(err)
		}
		golden(t, "error."+string(format), out.Bytes())
	}
}

// TestWriterFails: an answer that could not be written whole is an error.
func TestWriterFails(t *testing.T) {
	for _, format := range []output.Format{output.Text, output.Vimgrep, output.JSON, output.JSONL} {
		if _, err := output.Write(full{}, format, references, decode(t, listed), output.Style{}); !errors.Is(err, errFull) {
			t.Errorf("%s: error %v", format, err)
		}
	}
}

var errFull = errors.New("no space left")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

func decode(t *testing.T, structured string) *output.Answer {
	t.Helper()
	text := "Budget (struct): 5 references, partial\nlimits/a.go\n  3:6  type Budget struct{} \x1b[31mred\n"
	a, err := output.NewAnswer(tools.Result{Text: text, Structured: json.RawMessage(structured)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// jsonLines is what holds one JSON value a line: all of json is one value.
func jsonLines(f output.Format, data []byte) []byte {
	if f == output.JSONL {
		return data
	}
	return bytes.ReplaceAll(data, []byte("\n"), []byte(" "))
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
