package tools_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"lspbridge/limits"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
	"lspbridge/tools"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s differs; run with -update after checking:\n%s", file, got)
	}
}

// A schema is what the policy looks at.
type schema struct {
	Type                 any
	Description          string
	Properties           map[string]schema
	AdditionalProperties any
	Required             []string
	Items                *schema
	Minimum, Maximum     *int
	MaxItems             *int
	Enum                 []string
}

// plainNames need no description: the instructions say what they are.
var plainNames = map[string]bool{"file": true, "line": true, "symbol_kind": true, "language": true, "ref": true, "max_items": true, "max_chars": true}

func TestCataloguePolicy(t *testing.T) {
	t.Parallel()
	var core []string
	for _, d := range tools.Core.Catalogue() {
		core = append(core, d.Name)
	}
	if !slices.IsSorted(core) || len(tools.Full.Catalogue()) <= len(core) {
		t.Errorf("core tools %v", core)
	}
	name := regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)
	last := ""
	for _, d := range tools.Full.Catalogue() {
		if !name.MatchString(d.Name) || len(d.Name) > 30 {
			t.Errorf("name %q", d.Name)
		}
		if d.Name <= last {
			t.Errorf("%s stands after %s: the order is that of the names, as in tools/list", d.Name, last)
		}
		last = d.Name
		if d.Title == "" || d.Description == "" || len(d.Description) > 2048 {
			t.Errorf("%s: title %q, description of %d bytes", d.Name, d.Title, len(d.Description))
		}
		if !d.ReadOnly {
			t.Errorf("%s is not read-only", d.Name)
		}
		for _, word := range []string{"$ref", "oneOf", "anyOf", "allOf", "$defs", "const", "pattern"} {
			if bytes.Contains(d.InputSchema, []byte(`"`+word+`"`)) || bytes.Contains(d.OutputSchema, []byte(`"`+word+`"`)) {
				t.Errorf("%s: the schema uses %s", d.Name, word)
			}
		}
		if !bytes.Contains(d.InputSchema, []byte(`"properties":{`)) {
			t.Errorf("%s: no properties", d.Name)
		}
		var in, out schema
		if err := json.Unmarshal(d.InputSchema, &in); err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		if err := json.Unmarshal(d.OutputSchema, &out); err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		if in.Type != "object" || in.AdditionalProperties != false || out.Type != "object" {
			t.Errorf("%s: input %v closed %v, output %v", d.Name, in.Type, in.AdditionalProperties, out.Type)
		}
		for arg, p := range in.Properties {
			switch p.Type {
			case "integer":
				if p.Minimum == nil || p.Maximum == nil {
					t.Errorf("%s %s is not bounded", d.Name, arg)
				}
			case "array":
				if p.Items == nil || p.Items.Type != "string" || p.MaxItems == nil {
					t.Errorf("%s %s: items %+v, maximum %v", d.Name, arg, p.Items, p.MaxItems)
				}
			case "string", "boolean":
			default:
				t.Errorf("%s %s has the type %v", d.Name, arg, p.Type)
			}
			if p.Description == "" && !plainNames[arg] || p.Properties != nil {
				t.Errorf("%s %s: described %q, nested %v", d.Name, arg, p.Description, p.Properties)
			}
		}
		out.plain(t, d.Name)
	}
}

// plain checks that a schema has one type at every level, so that an array is
// never null, and names the members that it requires.
func (s schema) plain(t *testing.T, where string) {
	t.Helper()
	typ, ok := s.Type.(string)
	if !ok || typ == "array" && s.Items == nil {
		t.Errorf("%s has the type %v, items %v", where, s.Type, s.Items)
	}
	for _, name := range s.Required {
		if _, ok := s.Properties[name]; !ok {
			t.Errorf("%s requires %s and does not describe it", where, name)
		}
	}
	for name, p := range s.Properties {
		p.plain(t, where+"."+name)
	}
	if s.Items != nil {
		s.Items.plain(t, where+"[]")
	}
}

func TestSchemasStay(t *testing.T) {
	t.Parallel()
	for _, d := range tools.Full.Catalogue() {
		var b bytes.Buffer
		for _, part := range []json.RawMessage{d.InputSchema, d.OutputSchema} {
			if err := json.Indent(&b, part, "", "  "); err != nil {
				t.Fatal(err)
			}
			b.WriteByte('\n')
		}
		golden(t, "schemas/"+d.Name+".json", append([]byte(d.Title+"\n"+d.Description+"\n"), b.Bytes()...))
	}
}

// A page's bounds in the schemas are the hard maxima of package limits.
func TestSchemaBoundsAreTheLimits(t *testing.T) {
	t.Parallel()
	maxima := map[string]int{}
	for _, r := range limits.Default().Rows() {
		n, err := strconv.Atoi(strings.ReplaceAll(r.Maximum, ",", ""))
		if err == nil {
			maxima[r.Name] = n
		}
	}
	for _, d := range tools.Full.Catalogue() {
		var in schema
		if err := json.Unmarshal(d.InputSchema, &in); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"max_items", "max_chars"} {
			if p, ok := in.Properties[name]; ok && *p.Maximum != maxima[name] {
				t.Errorf("%s: %s is at most %d, the limit %d", d.Name, name, *p.Maximum, maxima[name])
			}
		}
	}
}

// Every answer is what its output schema says, with items and without, and has
// no null.
func TestAnswersFitTheirSchemas(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small+"-- d/ugly.go --\nvar x int   \n-- e/todo.go --\n// FIXME\n", func(o *tools.Options, pool *textual) {
		o.Toolset = tools.Full
		pool.annotations = annotated(pool.ws)
		pool.completeness = lspclient.Completeness{State: lspclient.Partial, Reasons: []string{"indexing 1/9 files"}, WaitedMS: 12, Generation: 2}
		pool.extra = []lspclient.Location{{
			URI: "file:///usr/include/x.h", Path: "/usr/include/x.h", Start: textpos.Point{Line: 1, Column: 1}, End: textpos.Point{Line: 1, Column: 2},
		}, {
			URI: "vscode-secret:x", Start: textpos.Point{Line: 1, Column: 1}, End: textpos.Point{Line: 1, Column: 2},
		}}
	})
	resolved := map[string]*jsonschema.Resolved{}
	for _, d := range tools.Full.Catalogue() {
		var s jsonschema.Schema
		if err := json.Unmarshal(d.OutputSchema, &s); err != nil {
			t.Fatal(err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		resolved[d.Name] = r
	}
	asked := map[string]bool{}
	for _, q := range [][2]string{
		{"find_definition", `{"symbol":"Dial","body":true}`},
		{"find_implementations", `{"symbol":"Client"}`},
		{"find_references", `{"symbol":"Dial","context_lines":2,"max_items":2}`},
		{"find_references", `{"symbol":"Dial","path_glob":"nothing"}`},
		{"hover", `{"symbol":"Dial"}`},
		{"call_hierarchy", `{"symbol":"Dial","depth":100}`},
		{"type_hierarchy", `{"symbol":"Client","direction":"supertypes"}`},
		{"symbol_context", `{"symbol":"Dial"}`},
		{"symbol_context", `{"symbol":"Client","include":["references"],"max_chars":1000}`},
		{"diagnostics", `{}`},
		{"diagnostics", `{"file":"e/todo.go"}`},
		{"diagnostics", `{"file":"b/pool.go"}`},
		{"document_symbols", `{"file":"a/client.go"}`},
		{"document_symbols", `{"file":"a/client.go","kinds":["enum"]}`},
		{"workspace_symbols", `{"query":"Cl"}`},
		{"preview_rename", `{"symbol":"Dial","new_name":"Call"}`},
		{"preview_rename", `{"symbol":"Dial","new_name":"Dial"}`},
		{"preview_code_actions", `{"file":"a/client.go","start_line":1}`},
		{"preview_code_actions", `{"file":"b/pool.go","start_line":1,"only":["quickfix"]}`},
		{"preview_format", `{"file":"a/client.go"}`},
		{"preview_format", `{"file":"d/ugly.go"}`},
		{"server_status", `{}`},
		{"code_lens", `{"file":"a/client.go"}`},
		{"completion", `{"file":"a/client.go","line":7,"column":3}`},
		{"document_colors", `{"file":"a/client.go"}`},
		{"document_highlights", `{"symbol":"Dial"}`},
		{"document_links", `{"file":"a/client.go"}`},
		{"folding_ranges", `{"file":"a/client.go"}`},
		{"inlay_hints", `{"file":"a/client.go"}`},
		{"selection_ranges", `{"file":"a/client.go","line":1,"column":1}`},
		{"semantic_tokens", `{"file":"a/client.go"}`},
		{"signature_help", `{"file":"a/client.go","line":1,"column":1}`},
	} {
		asked[q[0]] = true
		r := f.ask(t, q[0], q[1])
		if r.Err != nil {
			t.Errorf("%v: %s", q, r.Err.Text())
			continue
		}
		var v any
		if err := json.Unmarshal(r.Structured, &v); err != nil {
			t.Fatalf("%v: %v", q, err)
		}
		if err := resolved[q[0]].Validate(v); err != nil {
			t.Errorf("%v: %v\n%s", q, err, r.Structured)
		}
		if bytes.Contains(r.Structured, []byte("null")) {
			t.Errorf("%v holds a null: %s", q, r.Structured)
		}
	}
	for _, d := range tools.Full.Catalogue() {
		if !asked[d.Name] {
			t.Errorf("%s is not asked", d.Name)
		}
	}
}

func TestPreviewFormat(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-- a.go --\nvar x int   \nvar y int\n-- tidy.go --\nvar z int\n", nil)
	r := f.ask(t, "preview_format", `{"file":"a.go"}`)
	if r.Err != nil {
		t.Fatal(r.Err.Text())
	}
	const diff = "--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@\n-var x int   \n+var x int\n var y int\n"
	var got struct {
		Files []struct {
			Path, Diff            string
			Edits, Added, Deleted int
		}
		NothingToDo bool `json:"nothing_to_do"`
		Digest      string
	}
	if err := json.Unmarshal(r.Structured, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Files) != 1 || !strings.HasSuffix(got.Files[0].Diff, diff) || got.Files[0].Edits != 1 || got.Files[0].Added != 1 || got.Files[0].Deleted != 1 ||
		got.NothingToDo || len(got.Digest) != 64 {
		t.Errorf("preview %+v, want the diff\n%s", got, diff)
	}
	if !strings.Contains(r.Text, strings.TrimRight(diff, "\n")) || !strings.Contains(r.Text, "1 edits, 1 lines added, 1 deleted") {
		t.Errorf("text %q", r.Text)
	}
	if text, err := os.ReadFile(f.dir + "/a.go"); err != nil || string(text) != "var x int   \nvar y int\n" {
		t.Errorf("the file is now %q, error %v", text, err)
	}
	if r := f.ask(t, "preview_format", `{"file":"tidy.go"}`); r.Err != nil || !strings.Contains(r.Text, "nothing to do") || !strings.Contains(string(r.Structured), `"nothing_to_do":true`) {
		t.Errorf("a tidy file: %+v", r)
	}
	for args, code := range map[string]string{
		`{"file":"a.go","start_line":1}`:                "missing_argument",
		`{"file":"a.go","start_line":2,"end_line":1}`:   "bad_range",
		`{"file":"a.go","start_line":1,"end_line":100}`: "bad_line",
		`{"file":"none.go"}`:                            "no_such_file",
	} {
		if r := f.ask(t, "preview_format", args); r.Err == nil || r.Err.Code != code {
			t.Errorf("%s: %+v, want %s", args, r.Err, code)
		}
	}
	tight := newFixture(t, "-- a.go --\nvar x int   \nvar y int   \n", func(o *tools.Options, _ *textual) { o.Limits.Edits = 1 })
	if r := tight.ask(t, "preview_format", `{"file":"a.go"}`); r.Err == nil || r.Err.Code != "too_many_edits" {
		t.Errorf("two edits under a limit of one: %+v", r)
	}
}

// A diff that max_chars cuts makes the answer partial, and neither form of it is
// longer.
func TestPreviewFormatIsCut(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-- a.go --\n"+strings.Repeat("\t\"x\" \t\n", 400), nil)
	const room = 2000
	r := f.ask(t, "preview_format", `{"file":"a.go","max_chars":`+strconv.Itoa(room)+`}`)
	if r.Err != nil {
		t.Fatal(r.Err.Text())
	}
	if text, structure := utf8.RuneCountInString(r.Text), utf8.RuneCount(r.Structured); text > room || structure > room || structure < room/2 {
		t.Errorf("%d characters of text, %d of structure; at most %d are asked for", text, structure, room)
	}
	first, rest, _ := strings.Cut(r.Text, "\n")
	if r.State != lspclient.Partial || !strings.Contains(first, "400 edits") || !strings.Contains(first, "partial: the diff of") || !strings.Contains(rest, "-\t\"x\" \t") {
		t.Errorf("state %s, text %.300q", r.State, r.Text)
	}
	whole := f.Call(t.Context(), tools.Call{Tool: "preview_format", Args: json.RawMessage(`{"file":"a.go"}`), Unpaged: true})
	if whole.State != lspclient.Complete || strings.Count(whole.Text, "\n-") != 401 { // and the old name
		t.Errorf("unpaged: state %s, %d lines removed", whole.State, strings.Count(whole.Text, "\n-"))
	}
}

func TestServerStatusShowsNoPath(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, nil)
	r := f.ask(t, "server_status", `{}`)
	if r.Err != nil {
		t.Fatal(r.Err.Text())
	}
	if strings.Contains(r.Text+string(r.Structured), "/secret") {
		t.Errorf("the program's path is shown: %s", r.Text)
	}
	for _, row := range limits.Default().Rows() {
		if !strings.Contains(r.Text, row.Name+"="+row.Value) || !strings.Contains(string(r.Structured), `"name":"`+row.Name+`"`) {
			t.Errorf("the limit %s is not shown", row.Name)
		}
	}
	if !strings.Contains(r.Text, "gopls v0.0.1: ready") {
		t.Errorf("text %q", r.Text)
	}
}
