package tools_test

import (
	"context"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"lspbridge/lspclient"
	"lspbridge/tools"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, nil)
	const dial = "Dial (a/client.go:11:6)"
	for _, test := range []struct{ args, subject string }{
		{`{"file":"a/client.go","line":11,"column":6}`, dial},
		{`{"file":"a/client.go","line":11,"column":8}`, dial},
		{`{"file":"a/client.go","line":11,"column":10}`, dial}, // right behind it
		{`{"file":"a/client.go","line":3,"column":1}`, "Client (a/client.go:3:6)"},
		{`{"file":"a/client.go","line":3,"column":900}`, "Client (a/client.go:3:6)"},
		{`{"file":"a/client.go","line":11,"name":"Dial"}`, dial},
		{`{"file":"a/client.go","line":8,"name":"Dial","occurrence":2}`, "Dial (a/client.go:8:7)"},
		{`{"file":"b/pool.go","line":7,"column":6}`, "é (b/pool.go:7:6)"},
		{`{"file":"b/pool.go","line":7,"column":10}`, "x (b/pool.go:7:10)"}, // é is two bytes
		{`{"file":"b/pool.go","line":7,"name":"Dial"}`, "Dial (b/pool.go:7:14)"},
		{`{"file":"a/client.go","line":8,"name":"Close"}`, "Close (a/client.go:8:16)"}, // only in the comment
		{`{"symbol":"Dial"}`, dial},
		{`{"symbol":"a.Dial"}`, dial},
		{`{"symbol":"example.com/m/a.Dial"}`, dial},
		{`{"symbol":"Client.Close"}`, "Close (a/client.go:7:15)"},
		{`{"symbol":"(*Client).Close"}`, "Close (a/client.go:7:15)"},
		{`{"symbol":"b.Pool.Close()"}`, "Close (b/pool.go:6:13)"},
		{`{"symbol":"Close","file":"b/pool.go"}`, "Close (b/pool.go:6:13)"},
		{`{"symbol":"Pool.Close","file":"b/pool.go"}`, "Close (b/pool.go:6:13)"},
		{`{"symbol":"b.Pool","file":"b/pool.go"}`, "Pool (b/pool.go:3:6)"},
		{`{"symbol":"Native","language":"c++"}`, "Native (c/native.cpp:1:8)"},
		{`{"symbol":"Native","language":"clangd"}`, "Native (c/native.cpp:1:8)"},
		{`{"symbol":"Client","symbol_kind":"type"}`, "Client (a/client.go:3:6)"},
	} {
		r := f.ask(t, "hover", test.args)
		if r.Err != nil {
			t.Errorf("%s: %s", test.args, r.Err.Text())
			continue
		}
		if header, _, _ := strings.Cut(r.Text, "\n"); header != "hover of "+test.subject+": complete" {
			t.Errorf("%s: %q, want the subject %s", test.args, header, test.subject)
		}
	}
}

func TestTargetErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, nil)
	for _, test := range []struct {
		args, code string
		class      tools.Class
		says       []string // of the text
	}{
		{`{}`, "bad_target", tools.ClassUsage, []string{"no target", "file+line+column"}},
		{`{"file":"a/client.go"}`, "bad_target", tools.ClassUsage, []string{"lacks", "line"}},
		{`{"file":"a/client.go","line":1}`, "bad_target", tools.ClassUsage, []string{"lacks", "column"}},
		{`{"line":1,"column":1}`, "bad_target", tools.ClassUsage, []string{"lacks", "file"}},
		{`{"file":"","line":1,"column":1}`, "bad_target", tools.ClassUsage, []string{"file is empty"}},
		{`{"symbol":" "}`, "bad_target", tools.ClassUsage, []string{"symbol is empty"}},
		{`{"symbol":"()"}`, "bad_target", tools.ClassUsage, []string{"no name"}},
		{`{"symbol":"X","line":1}`, "bad_target", tools.ClassUsage, []string{"line", "exactly one form"}},
		{`{"file":"a/client.go","line":1,"column":1,"name":"x"}`, "bad_target", tools.ClassUsage, []string{"column"}},
		{`{"file":"a/client.go","line":1,"column":1,"occurrence":1}`, "bad_target", tools.ClassUsage, []string{"occurrence"}},
		{`{"ref":"abc","line":1,"column":1}`, "outside_workspace", tools.ClassRefused, []string{"outside the workspace"}},
		{`{"file":"a/client.go","line":0,"column":1}`, "out_of_range", tools.ClassUsage, []string{"line", "count from 1"}},
		{`{"file":"a/client.go","line":999,"column":1}`, "bad_line", tools.ClassUsage, []string{"13 lines, not 999"}},
		{`{"file":"a/client.go","line":2,"column":1}`, "no_identifier", tools.ClassUsage, []string{"a/client.go:2 has no identifier"}},
		{`{"file":"a/client.go","line":7,"column":1}`, "no_identifier", tools.ClassUsage, []string{"7:7 Client", "7:15 Close"}},
		{`{"file":"a/client.go","line":11,"name":"Close"}`, "not_on_line", tools.ClassUsage, []string{"func Dial(n int) {", "line 8, 7"}},
		{`{"file":"a/client.go","line":11,"name":"Nowhere"}`, "not_on_line", tools.ClassUsage, []string{"not stand anywhere"}},
		{`{"file":"a/client.go","line":8,"name":"Dial"}`, "ambiguous_name", tools.ClassUsage, []string{"8:2", "8:7", "occurrence"}},
		{`{"file":"a/client.go","line":8,"name":"Dial","occurrence":3}`, "bad_occurrence", tools.ClassUsage, []string{"2 times"}},
		{`{"symbol":"Close"}`, "ambiguous_symbol", tools.ClassUsage, []string{"2 symbols", "a/client.go:7:15 method Client.Close", "b/pool.go:6:13 method Pool.Close"}},
		{`{"symbol":"Client.Shut"}`, "unknown_symbol", tools.ClassUsage, []string{"no symbol Client.Shut"}},
		{`{"symbol":"Clinet"}`, "unknown_symbol", tools.ClassUsage, []string{"nearest", "Client"}},
		{`{"symbol":"Dail","file":"a/client.go"}`, "unknown_symbol", tools.ClassUsage, []string{"in a/client.go", "Dial"}},
		{`{"symbol":"dial"}`, "unknown_symbol", tools.ClassUsage, []string{"Dial"}},
		{`{"symbol":"Client","symbol_kind":"function"}`, "unknown_symbol", tools.ClassUsage, []string{"no function Client"}},
		{`{"symbol":"Client","symbol_kind":"methud"}`, "bad_value", tools.ClassUsage, []string{"method"}},
		{`{"symbol":"Client","language":"cobol"}`, "unknown_language", tools.ClassUsage, []string{"gopls", "clangd"}},
		{`{"symbol":"Client","language":"cpp"}`, "unknown_symbol", tools.ClassUsage, nil},
		{`{"symbol":"` + strings.Repeat("x", 1001) + `"}`, "query_too_long", tools.ClassUsage, []string{"query_chars"}},
		{`{"symbol":"` + strings.Repeat("é", 1001) + `"}`, "query_too_long", tools.ClassUsage, []string{"query_chars"}},
		{`{"symbol":"` + strings.Repeat("é", 1000) + `"}`, "unknown_symbol", tools.ClassUsage, nil}, // characters, not bytes
		{`{"file":"a","line":1,"column":1}`, "bad_path", tools.ClassUsage, []string{"folder"}},
		{`{"file":"no.go","line":1,"column":1}`, "no_such_file", tools.ClassUsage, []string{"no.go"}},
		{`{"file":"../x.go","line":1,"column":1}`, "outside_workspace", tools.ClassRefused, nil},
		{`{"file":"/etc/passwd","line":1,"column":1}`, "outside_workspace", tools.ClassRefused, nil},
		{`{"file":"notes.txt","line":1,"column":1}`, "no_server", tools.ClassServer, []string{"notes.txt"}},
	} {
		r := f.ask(t, "hover", test.args)
		if r.Err == nil {
			t.Errorf("%.80s: answered %q, want the error %s", test.args, r.Text, test.code)
			continue
		}
		if r.Err.Code != test.code || r.Err.Class != test.class {
			t.Errorf("%.80s: error %s of class %d, want %s of %d: %s", test.args, r.Err.Code, r.Err.Class, test.code, test.class, r.Err.Text())
		}
		for _, says := range test.says {
			if !strings.Contains(r.Err.Text(), says) {
				t.Errorf("%.80s: %q does not say %q", test.args, r.Err.Text(), says)
			}
		}
		if strings.Contains(r.Err.Message, "\n") || strings.Contains(r.Err.Hint, "\n") {
			t.Errorf("%.80s: more than a line: %q", test.args, r.Err.Text())
		}
	}
	if n := f.pool.asked.Load(); n != 0 {
		t.Errorf("%d questions were asked of a server for a target that is none", n)
	}
}

func TestCappedListProvesNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(_ *tools.Options, pool *textual) { pool.limit = 1 })
	// The server gives one Close of two: it may not be taken for the only one.
	r := f.ask(t, "hover", `{"symbol":"Close"}`)
	if r.Err == nil || r.Err.Code != "not_proven" || !strings.Contains(r.Err.Hint, "file") {
		t.Errorf("answer %+v, want an error that asks for a file", r)
	}
	if r := f.ask(t, "hover", `{"symbol":"Close","file":"b/pool.go"}`); r.Err != nil {
		t.Errorf("with a file: %s", r.Err.Text())
	}
}

func TestLookUpThatIsNotWholeIsSaid(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(_ *tools.Options, pool *textual) {
		pool.errs = map[string]error{"clangd": &lspclient.Error{Code: lspclient.CodeMissing, Server: "clangd", Msg: "clangd is not installed", Hint: "install it"}}
	})
	// No C++ file holds the name: clangd's absence hides nothing.
	if l, _ := f.list(t, "find_references", `{"symbol":"Dial"}`); l.Completeness.State != "complete" {
		t.Errorf("completeness %+v, want complete: no C++ file holds the name", l.Completeness)
	}
	write(t, f.dir+"/c/native.cpp", "struct Native {\n};\nvoid Dial();\n")
	l, r := f.list(t, "find_references", `{"symbol":"Dial"}`)
	if l.Completeness.State != "partial" || len(l.Completeness.Reasons) != 1 || !strings.Contains(l.Completeness.Reasons[0], "clangd") || r.State != lspclient.Partial {
		t.Errorf("completeness %+v, want partial because of clangd", l.Completeness)
	}
	// A name that only the missing server could know is that server's error.
	if r := f.ask(t, "hover", `{"symbol":"Native"}`); r.Err == nil || r.Err.Class != tools.ClassServer || r.Err.Code != "missing" {
		t.Errorf("answer %+v, want that clangd is missing", r)
	}
	// While a server still reads, an absent name is not known to be absent.
	g := newFixture(t, small, func(_ *tools.Options, pool *textual) {
		pool.completeness = lspclient.Completeness{State: lspclient.Partial, Reasons: []string{"indexing 1/2 files"}}
	})
	if r := g.ask(t, "hover", `{"symbol":"Nowhere"}`); r.Err == nil || r.Err.Class != tools.ClassIncomplete || !strings.Contains(r.Err.Message, "indexing 1/2 files") {
		t.Errorf("answer %+v, want that the look-up was not whole", r)
	}
}

func TestDestructorAndConstructor(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-- x.cpp --\nstruct Box {\n  ~Box();\n  bool operator==(const Box &o);\n};\n", nil)
	for args, want := range map[string]string{
		`{"file":"x.cpp","line":2,"column":3}`:           "~Box (x.cpp:2:3)",
		`{"file":"x.cpp","line":2,"name":"~Box"}`:        "~Box (x.cpp:2:3)",
		`{"file":"x.cpp","line":2,"name":"Box"}`:         "Box (x.cpp:2:4)",
		`{"file":"x.cpp","line":3,"name":"operator=="}`:  "operator== (x.cpp:3:8)",
		`{"file":"x.cpp","line":3,"name":"operator =="}`: "operator== (x.cpp:3:8)",
	} {
		r := f.ask(t, "hover", args)
		if r.Err != nil || !strings.HasPrefix(r.Text, "hover of "+want) {
			t.Errorf("%s: %q, error %v, want %s", args, r.Text, r.Err, want)
		}
	}
}

func TestArgumentErrors(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, nil)
	for _, test := range []struct{ args, code, says string }{
		{`[]`, "bad_arguments", "JSON object"},
		{`nonsense`, "bad_arguments", "JSON object"},
		{`{"query":"x"`, "bad_arguments", "too early"},
		{`{"query":"x"}{}`, "bad_arguments", "follows"},
		{`{"query":"x","query":"y"}`, "doubled_argument", "query"},
		{`{"qwery":"x"}`, "unknown_argument", "query"},
		{`{"Query":"x"}`, "unknown_argument", "query"}, // letters' case counts
		{`{}`, "missing_argument", "query"},
		{`{"query":""}`, "empty_query", "empty"},
		{`{"query":"  "}`, "empty_query", "empty"},
		{`{"query":5}`, "wrong_type", "a string, not a number"},
		{`{"query":null}`, "wrong_type", "leave an argument out"},
		{`{"query":["x"]}`, "wrong_type", "not a list"},
		{`{"query":{"x":1}}`, "wrong_type", "not an object"},
		{`{"query":"x","kinds":"method"}`, "wrong_type", "a list of strings"},
		{`{"query":"x","kinds":[1]}`, "wrong_type", "holds a number"},
		{`{"query":"x","kinds":["metod"]}`, "bad_value", "method"},
		{`{"query":"x","max_items":0}`, "out_of_range", "between 1 and 5000"},
		{`{"query":"x","max_items":1.5}`, "wrong_type", "integer"},
		{`{"query":"x","max_items":1e99}`, "wrong_type", "integer"},
		{`{"query":"x","max_items":"5"}`, "wrong_type", "not a string"},
		{`{"query":"x","scope":"galaxy"}`, "bad_value", "workspace, all"},
		{`{"query":"` + strings.Repeat("y", 1001) + `"}`, "query_too_long", "query_chars"},
		{`{"query":"` + strings.Repeat("y", 1<<20) + `"}`, "arguments_too_long", "argument_chars"},
		{`{"query":` + strings.Repeat("[", 10_000), "wrong_type", "not a list"},
		{`{"kinds":` + strings.Repeat("[", 10_000), "wrong_type", "holds a list"},
	} {
		r := f.ask(t, "workspace_symbols", test.args)
		if r.Err == nil || r.Err.Code != test.code || !strings.Contains(r.Err.Text(), test.says) {
			t.Errorf("%.60s: error %+v, want %s that says %q", test.args, r.Err, test.code, test.says)
		}
		if r.Err != nil && len(r.Err.Text()) > 2000 {
			t.Errorf("%.60s: the error has %d bytes", test.args, len(r.Err.Text()))
		}
	}
	// An integer with a zero fraction is one.
	if r := f.ask(t, "workspace_symbols", `{"query":"Dial","max_items":5.0}`); r.Err != nil {
		t.Errorf("5.0 is refused: %s", r.Err.Text())
	}
	if r := f.ask(t, "workspace_symbolz", `{}`); r.Err == nil || r.Err.Code != "unknown_tool" || !strings.Contains(r.Err.Hint, "workspace_symbols") {
		t.Errorf("unknown tool: %+v", r.Err)
	}
}

func TestSymbolSearchRanksAndFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-- a.go --\nfunc reDial() {\n}\nfunc Dialer() {\n}\ntype Dial struct {\n}\nfunc Dial() {\n}\n", nil)
	names := func(args string) []string {
		l, _ := f.list(t, "workspace_symbols", args)
		var out []string
		for _, it := range l.Items {
			out = append(out, it.Kind+" "+it.Name)
		}
		return out
	}
	want := []string{"struct Dial", "function Dial", "function Dialer", "function reDial"}
	if d := gocmp.Diff(want, names(`{"query":"Dial"}`)); d != "" {
		t.Errorf("exact, then prefix, then substring (-want +got):\n%s", d)
	}
	if d := gocmp.Diff([]string{"struct Dial"}, names(`{"query":"Dial","kinds":["type"]}`)); d != "" {
		t.Errorf("kinds (-want +got):\n%s", d)
	}
}

// What could not be asked, or was asked of a list that is not whole, is never
// said to be nowhere.
func TestUnknownIsNotNowhere(t *testing.T) {
	t.Parallel()
	outside := lspclient.Symbol{
		Name: "Elsewhere", Kind: "function",
		Place: lspclient.Location{URI: "file:///usr/include/e.h", Path: "/usr/include/e.h"},
	}
	for _, test := range []struct {
		name, args string
		change     func(*textual)
		code       string
	}{
		{"the second query fails", `{"symbol":"x.Nowhere","language":"go"}`, func(pool *textual) {
			asked := 0
			pool.before = func(context.Context) {
				if asked++; asked == 2 {
					pool.errs = map[string]error{"gopls": &lspclient.Error{Code: lspclient.CodeTimeout, Msg: "gopls: no answer"}}
				}
			}
		}, "timeout"},
		{"outside, and the list is whole", `{"symbol":"Elsewhere","language":"go"}`, func(pool *textual) {
			pool.libraries = []lspclient.Symbol{outside}
		}, "outside_workspace"},
		{"outside, and the list is cut", `{"symbol":"Elsewhere","language":"go"}`, func(pool *textual) {
			pool.libraries, pool.limit = []lspclient.Symbol{outside}, 1
		}, "not_proven"},
		{"outside, and the index is not whole", `{"symbol":"Elsewhere","language":"go"}`, func(pool *textual) {
			pool.libraries = []lspclient.Symbol{outside}
			pool.completeness = lspclient.Completeness{State: lspclient.Partial, Reasons: []string{"indexing 1/9 files"}}
		}, "not_found_yet"},
	} {
		f := newFixture(t, small, func(_ *tools.Options, pool *textual) { test.change(pool) })
		r := f.ask(t, "hover", test.args)
		if r.Err == nil || r.Err.Code != test.code {
			t.Errorf("%s: %+v, want %s", test.name, r.Err, test.code)
			continue
		}
		if test.code == "outside_workspace" && r.Err.Class != tools.ClassRefused {
			t.Errorf("%s: class %d, want that of what is refused", test.name, r.Err.Class)
		}
	}
}
