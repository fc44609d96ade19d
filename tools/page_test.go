package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
	"lspbridge/tools"
)

// uses returns an archive with n uses of Name beside its declaration, in files
// of 100.
func uses(n int) string {
	var b strings.Builder
	b.WriteString("-- decl.go --\nvar Name int\n")
	for i := range n {
		if i%100 == 0 {
			fmt.Fprintf(&b, "-- use%03d.go --\n", i/100)
		}
		b.WriteString("\tuse(Name) // of many\n")
	}
	return b.String()
}

func TestPagesOf5000References(t *testing.T) {
	t.Parallel()
	const n = 5000
	f := newFixture(t, uses(n), nil)
	var places []string
	cursor := ""
	for {
		args := `{"symbol":"Name","max_items":700,"max_chars":40000` + cursor + `}`
		l, r := f.list(t, "find_references", args)
		if l.Total != n+1 || l.AtLeast || l.Completeness.State != "complete" {
			t.Fatalf("total %d, at_least %t, %+v; want %d, complete", l.Total, l.AtLeast, l.Completeness, n+1)
		}
		if len(l.Items) == 0 || len(l.Items) > 700 {
			t.Fatalf("a page of %d items", len(l.Items))
		}
		if c := utf8.RuneCountInString(r.Text); c > 40000 {
			t.Errorf("a page has %d characters of text", c)
		}
		if c := utf8.RuneCount(r.Structured); c > 40000 {
			t.Errorf("a page has %d characters of structure", c)
		}
		places = append(places, l.places()...)
		if l.NextCursor == "" {
			if strings.Contains(r.Text, "cursor=") {
				t.Error("the last page names a cursor")
			}
			break
		}
		first, _, _ := strings.Cut(r.Text, "\n")
		last := r.Text[strings.LastIndex(r.Text, "\n")+1:]
		for _, line := range []string{first, last} {
			if !strings.Contains(line, "cursor="+l.NextCursor) || !strings.Contains(line, "cut by max_") {
				t.Fatalf("%q does not say that the page is cut, why, and where the rest is", line)
			}
		}
		cursor = `,"cursor":"` + l.NextCursor + `"`
	}
	want := []string{"decl.go:1:5"}
	for i := range n {
		want = append(want, fmt.Sprintf("use%03d.go:%d:6", i/100, i%100+1))
	}
	if d := gocmp.Diff(want, places); d != "" {
		t.Errorf("pages together (-want +got):\n%.2000s", d)
	}
	// The command line gets the same places in one answer.
	r := f.Call(t.Context(), tools.Call{Tool: "find_references", Args: json.RawMessage(`{"symbol":"Name"}`), Unpaged: true})
	var whole listed
	if r.Err != nil || json.Unmarshal(r.Structured, &whole) != nil {
		t.Fatalf("unpaged: %v", r.Err)
	}
	if d := gocmp.Diff(want, whole.places()); d != "" || whole.NextCursor != "" {
		t.Errorf("unpaged (-want +got):\n%.2000s", d)
	}
}

func TestPageOfOneHugeItemMovesOn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 3000)
	f := newFixture(t, "-- a.go --\nvar Name int\nvar A"+long+" = Name\nvar B = Name\n", func(o *tools.Options, _ *textual) {
		o.Limits.LineChars = 10_000
	})
	var lines []int
	cursor := ""
	for range 10 {
		l, _ := f.list(t, "find_references", `{"symbol":"Name","max_chars":1000`+cursor+`}`)
		for _, it := range l.Items {
			lines = append(lines, it.Line)
		}
		if l.NextCursor == "" {
			break
		}
		cursor = `,"cursor":"` + l.NextCursor + `"`
	}
	if d := gocmp.Diff([]int{1, 2, 3}, lines); d != "" {
		t.Errorf("lines (-want +got):\n%s", d)
	}
}

func TestCursors(t *testing.T) {
	t.Parallel()
	f := newFixture(t, uses(300), nil)
	l, _ := f.list(t, "find_references", `{"symbol":"Name"}`)
	if l.NextCursor == "" || len(l.Items) == 0 || len(l.Items) > 100 {
		t.Fatalf("%d items, cursor %q", len(l.Items), l.NextCursor)
	}
	with := func(more, cursor string) string { return `{` + more + `"cursor":"` + cursor + `"}` }
	code := func(b *fixture, args string) string {
		if r := b.ask(t, "find_references", args); r.Err != nil {
			return r.Err.Code
		}
		return ""
	}
	same := `"symbol":"Name",`
	if c := code(f, with(same, l.NextCursor)); c != "" {
		t.Fatalf("the cursor is refused: %s", c)
	}
	if c := code(f, with(same+`"max_items":7,`, l.NextCursor)); c != "" {
		t.Errorf("another page size is refused: %s", c)
	}
	if c := code(f, with(same+`"exclude_tests":true,`, l.NextCursor)); c != "foreign_cursor" {
		t.Errorf("other arguments: %q", c)
	}
	if r := f.ask(t, "find_definition", with(same, l.NextCursor)); r.Err == nil || r.Err.Code != "foreign_cursor" {
		t.Errorf("another tool: %+v", r.Err)
	}
	// Every flip of one character is noticed.
	for i := range l.NextCursor {
		flipped := []byte(l.NextCursor)
		flipped[i] ^= 1
		if c := code(f, with(same, string(flipped))); c != "bad_cursor" && c != "bad_arguments" {
			t.Errorf("character %d flipped: %q", i, c)
		}
	}
	for _, bad := range []string{"", "x", strings.Repeat("A", 44), strings.Repeat("x", 5000), l.NextCursor + "A"} {
		if c := code(f, with(same, bad)); c != "bad_cursor" {
			t.Errorf("cursor %.20q: %q", bad, c)
		}
	}
	// Another bridge of the same workspace knows it: it holds no state. So does
	// the same one after a change that leaves the answer as it is.
	restarted := &fixture{pool: f.pool, dir: f.dir, ws: f.ws}
	var err error
	restarted.Bridge, err = tools.New(tools.Options{Workspace: f.ws, Pool: f.pool, Limits: limits.Default(), Refs: newRefs()})
	if err != nil {
		t.Fatal(err)
	}
	write(t, f.dir+"/unrelated.go", "var Other int\n")
	if c := code(restarted, with(same, l.NextCursor)); c != "" {
		t.Errorf("after a restart and an unrelated change: %s", c)
	}
	other := newFixture(t, uses(300), nil)
	if c := code(other, with(same, l.NextCursor)); c != "foreign_cursor" {
		t.Errorf("another workspace: %q", c)
	}
	write(t, f.dir+"/use000.go", "use(Name)\n")
	if c := code(f, with(same, l.NextCursor)); c != "changed_answer" {
		t.Errorf("a changed answer: %q", c)
	}
}

func TestEmptyAnswers(t *testing.T) {
	t.Parallel()
	archive := "-- a.go --\nvar Name int\n"
	f := newFixture(t, archive, nil)
	_, r := f.list(t, "find_references", `{"symbol":"Name","path_glob":"none/**"}`)
	if first, rest, _ := strings.Cut(r.Text, "\n"); first != "references to Name (a.go:1:5): no references, complete" || !strings.Contains(rest, "1 more left out") {
		t.Errorf("text %q", r.Text)
	}
	if !strings.Contains(string(r.Structured), `"items":[]`) {
		t.Errorf("structure %s: items are no empty list", r.Structured)
	}
	f = newFixture(t, archive, func(_ *tools.Options, pool *textual) {
		pool.completeness = lspclient.Completeness{State: lspclient.Partial, Reasons: []string{"indexing 1/9 files", "building /srv/secret/x.cc"}, WaitedMS: 5}
	})
	l, r := f.list(t, "workspace_symbols", `{"query":"Nothing"}`)
	first, _, _ := strings.Cut(r.Text, "\n")
	if !strings.Contains(first, "not the whole answer") || !strings.Contains(first, "building …/x.cc; indexing 1/9 files") {
		t.Errorf("first line %q does not say that the answer is not whole", first)
	}
	if l.Completeness.State != "partial" || r.State != lspclient.Partial {
		t.Errorf("state %+v and %s, want partial", l.Completeness, r.State)
	}
}

func TestReferencesContextAndFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t, `
-- a.go --
package a

func Name() {
}

func user() {
	one()
	Name()
	two()
}
-- a_test.go --
var t = Name
-- sub/b.go --
var b = Name
-- testdata/c.go --
var c = Name
`, nil)
	l, r := f.list(t, "find_references", `{"symbol":"Name","context_lines":1,"path_glob":"a.go"}`)
	if d := gocmp.Diff([]string{"a.go:3:6", "a.go:8:2"}, l.places()); d != "" {
		t.Errorf("places (-want +got):\n%s", d)
	}
	if l.Items[1].In != "user" || l.Items[0].In != "" {
		t.Errorf("in %q and %q, want none and user", l.Items[0].In, l.Items[1].In)
	}
	if d := gocmp.Diff([]string{"\tone()", "\tName()", "\ttwo()"}, l.Items[1].Context); d != "" || l.Items[1].FirstLine != 7 {
		t.Errorf("context from line %d (-want +got):\n%s", l.Items[1].FirstLine, d)
	}
	if !strings.Contains(r.Text, "  7-  \tone()\n  8:2  \tName()  (in user)\n  9-  \ttwo()") {
		t.Errorf("text %q", r.Text)
	}
	l, _ = f.list(t, "find_references", `{"symbol":"Name","exclude_tests":true}`)
	if d := gocmp.Diff([]string{"a.go:3:6", "a.go:8:2", "sub/b.go:1:9"}, l.places()); d != "" {
		t.Errorf("without tests (-want +got):\n%s", d)
	}
	l, _ = f.list(t, "find_references", `{"symbol":"Name","path_glob":"**/*.go"}`)
	if l.Total != 5 {
		t.Errorf("**/*.go gives %d places, want all 5", l.Total)
	}
	if r := f.ask(t, "find_references", `{"symbol":"Name","path_glob":"[a"}`); r.Err == nil || r.Err.Code != "bad_value" {
		t.Errorf("a broken pattern: %+v", r)
	}
}

func TestPlacesOutsideAndDoubles(t *testing.T) {
	t.Parallel()
	outside := func(line int) lspclient.Location {
		return lspclient.Location{
			URI: "file:///usr/include/stdio.h", Path: "/usr/include/stdio.h",
			Start: textpos.Point{Line: line, Column: 2}, End: textpos.Point{Line: line, Column: 6},
		}
	}
	f := newFixture(t, "-- z.go --\nvar Name int\n-- a.go --\nvar x = Name\n", func(_ *tools.Options, pool *textual) {
		pool.extra = []lspclient.Location{outside(9), outside(3), outside(9)}
	})
	f.pool.extra = append(f.pool.extra, f.pool.occurrences("Name")...)
	l, r := f.list(t, "find_references", `{"symbol":"Name"}`)
	want := []string{"a.go:1:9", "z.go:1:5", "stdio.h (outside the workspace):3:2", "stdio.h (outside the workspace):9:2"}
	if d := gocmp.Diff(want, l.places()); d != "" {
		t.Errorf("places (-want +got):\n%s", d)
	}
	if strings.Contains(r.Text+string(r.Structured), "/usr") {
		t.Errorf("a path outside the workspace is shown: %s\n%s", r.Text, r.Structured)
	}
	if l.Items[2].Ref == "" || l.Items[2].Ref != l.Items[3].Ref || !strings.Contains(r.Text, l.Items[2].Ref) {
		t.Errorf("refs %q and %q, want one, in the text too", l.Items[2].Ref, l.Items[3].Ref)
	}
	// The same question on the same files: the same bytes.
	_, again := f.list(t, "find_references", `{"symbol":"Name"}`)
	if again.Text != r.Text || string(again.Structured) != string(r.Structured) {
		t.Errorf("asked again:\n%s\n%s", r.Text, again.Text)
	}
}

func TestStalePlacesAreSaid(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-- a.go --\nvar Name int\nvar Moved int\n", nil)
	l, _ := f.ws.File("a.go")
	f.pool.extra = []lspclient.Location{{
		Inside: true, File: l, Stale: true, Line: "var Moved int",
		Start: textpos.Point{Line: 2, Column: 5}, End: textpos.Point{Line: 2, Column: 9},
	}}
	got, r := f.list(t, "find_references", `{"symbol":"Name"}`)
	if !got.Items[1].Stale || got.Completeness.State != "partial" || !strings.Contains(r.Text, "(stale)") {
		t.Errorf("a stale place passes as true: %s", r.Text)
	}
}

func TestDefinitionBody(t *testing.T) {
	t.Parallel()
	var long strings.Builder
	for i := range 300 {
		fmt.Fprintf(&long, "\tline(%d)\n", i)
	}
	f := newFixture(t, "-- a.go --\nvar x = Short\nfunc Short() {\n\tone()\n}\nfunc Long() {\n"+long.String()+"}\n", nil)
	l, r := f.list(t, "find_definition", `{"symbol":"Short","body":true}`)
	if want := "func Short() {\n\tone()\n}"; l.Items[0].Body != want || !strings.Contains(r.Text, "    func Short() {\n    \tone()\n    }") {
		t.Errorf("body %q, text %q; want %q in both", l.Items[0].Body, r.Text, want)
	}
	l, _ = f.list(t, "find_definition", `{"symbol":"Long","body":true}`)
	lines := strings.Split(l.Items[0].Body, "\n")
	if len(lines) != 201 || !strings.Contains(lines[200], "102 more lines") {
		t.Errorf("%d lines, the last %q; want body_lines = 200 and what is left", len(lines), lines[len(lines)-1])
	}
	if l, _ := f.list(t, "find_definition", `{"symbol":"Short"}`); l.Items[0].Body != "" {
		t.Error("a body nobody asked for")
	}
}

func TestOutlinePages(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-- a.go --\n"+strings.Repeat("func A() {\n}\n", 250), nil)
	total := 0
	cursor := ""
	for {
		l, _ := f.list(t, "document_symbols", `{"file":"a.go"`+cursor+`}`)
		total += len(l.Items)
		if l.Total != 250 {
			t.Fatalf("total %d", l.Total)
		}
		if l.NextCursor == "" {
			break
		}
		cursor = `,"cursor":"` + l.NextCursor + `"`
	}
	if total != 250 {
		t.Errorf("%d symbols on all pages", total)
	}
}

// An outline is cut in depth only when that is asked for, and a name of two
// lines makes no further line of text.
func TestOutlineDepth(t *testing.T) {
	t.Parallel()
	const deep = 14
	nested := []lspclient.Symbol(nil)
	for range deep {
		nested = []lspclient.Symbol{{
			Name: "a\nb", Kind: "namespace", Children: nested,
			Place: lspclient.Location{Inside: true, File: confine.File{Rel: "a.go"}, Start: textpos.Point{Line: 1, Column: 1}, End: textpos.Point{Line: 1, Column: 2}},
		}}
	}
	f := newFixture(t, "-- a.go --\nx\n", func(_ *tools.Options, pool *textual) { pool.outline = nested })
	for args, want := range map[string]int{`{"file":"a.go"}`: deep, `{"file":"a.go","depth":10}`: 10, `{"file":"a.go","depth":1}`: 1} {
		l, r := f.list(t, "document_symbols", args)
		if l.Total != want {
			t.Errorf("%s: %d symbols, want %d", args, l.Total, want)
		}
		if n := strings.Count(r.Text, "\n"); n != want {
			t.Errorf("%s: %d lines behind the header, want %d:\n%s", args, n, want, r.Text)
		}
	}
}
