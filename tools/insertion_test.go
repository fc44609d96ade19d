package tools_test

import (
	"strings"
	"testing"

	"lspbridge/tools"
)

// A place to insert at is taken exactly as it is, up to the end of its line.
func TestInsertionPlaces(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-- a.go --\nvar é = 1\n\n", func(o *tools.Options, _ *textual) { o.Toolset = tools.Full })
	for args, want := range map[string]string{
		`{"file":"a.go","line":1,"column":1}`:             "",
		`{"file":"a.go","line":1,"column":7}`:             "", // behind é
		`{"file":"a.go","line":1,"column":11}`:            "", // the end of the line
		`{"file":"a.go","line":2,"column":1}`:             "",
		`{"file":"a.go","line":1,"column":6}`:             "bad_column: the character begins at column 5",
		`{"file":"a.go","line":1,"column":12}`:            "bad_column: the end of the line is column 11",
		`{"file":"a.go","line":9,"column":1}`:             "bad_line: lines count from 1",
		`{"file":"a.go","line":0,"column":1}`:             "out_of_range: lines and columns count from 1",
		`{"file":"a.go","line":1}`:                        "missing_argument: ",
		`{"file":"none.go","line":1,"column":1}`:          "no_such_file: ",
		`{"file":"a.go","line":1,"column":1,"symbol":""}`: "unknown_argument: ",
	} {
		for _, tool := range []string{"completion", "signature_help", "selection_ranges"} {
			r := f.ask(t, tool, args)
			switch {
			case want == "" && r.Err != nil:
				t.Errorf("%s %s: %s", tool, args, r.Err.Text())
			case want != "" && (r.Err == nil || !strings.HasPrefix(r.Err.Code+": "+r.Err.Hint, want)):
				t.Errorf("%s %s: %+v, want %s", tool, args, r.Err, want)
			}
		}
	}
}

// A link out of the workspace has a reference and a display name, and never its
// path; pages of links go on though references are random.
func TestDocumentLinksOutside(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(o *tools.Options, pool *textual) {
		o.Toolset = tools.Full
		pool.annotations = annotated(pool.ws)
	})
	r := f.ask(t, "document_links", `{"file":"a/client.go"}`)
	if r.Err != nil {
		t.Fatal(r.Err.Text())
	}
	for _, says := range []string{"-> a/client.go\n", "-> x.h (outside the workspace) ref=", "-> https://example.com/a", "(the server does not say where to)"} {
		if !strings.Contains(r.Text+"\n", says) {
			t.Errorf("does not say %q:\n%s", says, r.Text)
		}
	}
	for _, secret := range []string{"/usr/include", "vscode-secret:x", f.dir} {
		if strings.Contains(r.Text+string(r.Structured), secret) {
			t.Errorf("shows %s:\n%s", secret, r.Text)
		}
	}
	l, _ := f.list(t, "document_links", `{"file":"a/client.go","max_items":2}`)
	if len(l.Items) != 2 || l.Total != 5 || l.NextCursor == "" {
		t.Fatalf("%d of %d, cursor %q", len(l.Items), l.Total, l.NextCursor)
	}
	if next, _ := f.list(t, "document_links", `{"file":"a/client.go","max_items":2,"cursor":"`+l.NextCursor+`"}`); len(next.Items) != 2 {
		t.Errorf("the next page has %d", len(next.Items))
	}
}

// What editors show is written into lines of text without control characters.
func TestAnnotationsAsText(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(o *tools.Options, pool *textual) {
		o.Toolset = tools.Full
		pool.annotations = annotated(pool.ws)
	})
	for q, says := range map[[2]string]string{
		{"code_lens", `{"file":"a/client.go"}`}:                            "1:1-8  run [31m  package a\n  1:1-8  (no title)  package a",
		{"completion", `{"file":"a/client.go","line":1,"column":1}`}:       `Dial  function  func() in a/client.go  inserts "Dial(${1:n})"; (a snippet); (deprecated); edit 1 of 1 at 1:1-8: "import \"net\"\n"` + "\n    Dials.",
		{"document_colors", `{"file":"a/client.go"}`}:                      "1:1-8  #ff8000ff  package a",
		{"document_highlights", `{"symbol":"Dial"}`}:                       "1:1-8  write  package a",
		{"folding_ranges", `{"file":"a/client.go"}`}:                       "1:1-8  comment  package a\n  1:1-8  package a",
		{"inlay_hints", `{"file":"a/client.go"}`}:                          "1:1-8  a:  parameter  package a",
		{"selection_ranges", `{"file":"a/client.go","line":1,"column":1}`}: "1:1-8  package a",
		{"semantic_tokens", `{"file":"a/client.go"}`}:                      "1:1-8  keyword declaration  package\n  1:1-8  (no type)  package",
		{"signature_help", `{"file":"a/client.go","line":1,"column":1}`}:   "f(a int)  (active)  at the parameter a int\n    see a/client.go",
	} {
		r := f.ask(t, q[0], q[1])
		if r.Err != nil {
			t.Errorf("%v: %s", q, r.Err.Text())
			continue
		}
		if !strings.Contains(r.Text, says) {
			t.Errorf("%s does not say %q:\n%s", q[0], says, r.Text)
		}
	}
	if r := f.ask(t, "completion", `{"file":"a/client.go","line":1,"column":1}`); !strings.Contains(r.Text, "at least 2") || !strings.Contains(string(r.Structured), `"at_least":true`) {
		t.Errorf("a list that the server cut: %s", r.Text)
	}
	if r := f.ask(t, "semantic_tokens", `{"file":"a/client.go","start_line":2,"end_line":3}`); r.Err != nil || !strings.Contains(r.Text, "no tokens, complete") {
		t.Errorf("tokens of lines without any: %+v", r)
	}
}
