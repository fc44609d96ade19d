package tools_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/servers"
	"lspbridge/tools"
)

// TestSeveralServers: each file is answered for by the server of its language, and
// one that fails takes nothing from what the others say.
func TestSeveralServers(t *testing.T) {
	t.Parallel()
	gopls, clangd := lsptest.Require(t, "gopls"), lsptest.Require(t, "clangd-22")
	files := map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc run_both() int { return 1 }\n\nvar V = run_both()\n",
		"a.cpp": "int run_both() { return 1; }\nint v = run_both();\n", "b.cpp": "int none;\n", "compile_commands.json": relativeCommands("a.cpp", "b.cpp"),
	}
	inGo, inCPP := []string{"a.go:3:6-14", "a.go:5:9-17"}, []string{"a.cpp:1:5-13", "a.cpp:2:9-17"}
	broken := builtin(t, "clangd", clangd)
	broken.Args = []string{"--no-such-flag"}
	for _, c := range []struct {
		name   string
		change map[string]string
		clangd servers.Server
		cpp    string // part of the error about C++; "" for none
		both   []string
		reason string
	}{
		{"both", nil, builtin(t, "clangd", clangd), "", []string{"a.cpp:1:5-13", "a.go:3:6-14"}, ""},
		{"one is missing", nil, builtin(t, "clangd", filepath.Join(t.TempDir(), "clangd")), "clangd", []string{"a.go:3:6-14"}, "clangd: "},
		{"one ends at once", nil, broken, "clangd", []string{"a.go:3:6-14"}, "clangd: "},
		{"one knows too little", map[string]string{"compile_commands.json": "[]"}, builtin(t, "clangd", clangd), "", []string{"a.cpp:1:5-13", "a.go:3:6-14"}, "clangd: "},
		{"the other knows too little", map[string]string{"go.mod": "module m\n\ngo 1.99\n"}, builtin(t, "clangd", clangd), "", []string{"a.cpp:1:5-13"}, "gopls: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			lsptest.WriteFiles(t, dir, join(files, c.change))
			bridge := startBridgeOf(t, []string{dir}, t.TempDir(), servers.Catalog{Servers: []servers.Server{builtin(t, "gopls", gopls), c.clangd}}, limits.Default())
			if c.change["go.mod"] == "" {
				got := bridge.call(t.Context(), t, referencesTool, map[string]any{"file": "a.go", "line": 3, "name": "run_both"})
				if got.err != "" || got.state != "complete" || !slices.Equal(got.places, inGo) {
					t.Errorf("in Go: %+v, want %q, complete", got, inGo)
				}
			}
			got := bridge.call(t.Context(), t, referencesTool, map[string]any{"file": "a.cpp", "line": 1, "name": "run_both"})
			if c.cpp != "" {
				if !strings.Contains(got.err, c.cpp) {
					t.Errorf("in C++: %+v, want an error that names %s", got, c.cpp)
				}
			} else if got.err != "" || !slices.Equal(got.places, inCPP) {
				t.Errorf("in C++: %+v, want %q", got, inCPP)
			}
			got = bridge.call(t.Context(), t, "workspace_symbols", map[string]any{"query": "run_both"})
			if got.err != "" || !slices.Equal(got.places, c.both) {
				t.Errorf("symbols: %+v, want %q", got, c.both)
			}
			if complete := got.state == "complete"; complete != (c.reason == "") || len(got.reasons) > 1 || !strings.HasPrefix(strings.Join(got.reasons, ""), c.reason) {
				t.Errorf("symbols: %s %q, want one reason of %q", got.state, got.reasons, c.reason)
			}
		})
	}
}

// TestServersKeepToTheirFiles: a change of what one server takes its settings from
// starts no other one anew.
func TestServersKeepToTheirFiles(t *testing.T) {
	t.Parallel()
	gopls, clangd := lsptest.Require(t, "gopls"), lsptest.Require(t, "clangd-22")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc F() {}\n", "a.cpp": "int f() { return 1; }\n", "compile_commands.json": relativeCommands("a.cpp"), "package.json": "{}",
	})
	bridge := startBridgeOf(t, []string{dir}, t.TempDir(), servers.Catalog{Servers: []servers.Server{builtin(t, "gopls", gopls), builtin(t, "clangd", clangd)}}, limits.Default())
	starts := func() map[string]int {
		t.Helper()
		for _, target := range []map[string]any{{"file": "a.go", "line": 3, "name": "F"}, {"file": "a.cpp", "line": 1, "name": "f"}} {
			if got := bridge.call(t.Context(), t, referencesTool, target); got.err != "" || got.state != "complete" || len(got.places) != 1 {
				t.Errorf("%v: %+v", target, got)
			}
		}
		all, err := bridge.pool.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		n := map[string]int{}
		for _, s := range all {
			n[s.Name] = s.Generation
		}
		return n
	}
	if got := starts(); got["gopls"] != 1 || got["clangd"] != 1 {
		t.Fatalf("starts at first: %v", got)
	}
	lsptest.WriteFiles(t, dir, map[string]string{"package.json": "{\"a\": 1}", "go.mod": "module m\n\ngo 1.25\n"})
	if got := starts(); got["gopls"] != 1 || got["clangd"] != 1 {
		t.Errorf("starts after go.mod and package.json changed: %v", got)
	}
	lsptest.WriteFiles(t, dir, map[string]string{"compile_commands.json": relativeCommands("a.cpp") + "\n"})
	if got := starts(); got["gopls"] != 1 || got["clangd"] != 2 {
		t.Errorf("starts after compile_commands.json changed: %v", got)
	}
}

// TestSeveralRoots: a path begins with the name of its root, and what is known of
// one root does not make answers about the other doubtful.
func TestSeveralRoots(t *testing.T) {
	t.Parallel()
	gopls, clangd := lsptest.Require(t, "gopls"), lsptest.Require(t, "clangd-22")
	base := t.TempDir()
	module := func(name string) map[string]string {
		return map[string]string{"go.mod": "module " + name + "\n\ngo 1.26\n", "a.go": "package p\n\nfunc Only" + name + "() int { return 1 }\n", "sub/b.go": "package sub\n\nimport p \"" + name + "\"\n\nvar B = p.Only" + name + "()\n"}
	}
	lsptest.WriteFiles(t, filepath.Join(base, "one"), module("one"))
	lsptest.WriteFiles(t, filepath.Join(base, "two", "one"), module("two"))
	lsptest.WriteFiles(t, filepath.Join(base, "cpp"), map[string]string{"a.cpp": "int only() { return 1; }\nint v = only();\n", "compile_commands.json": relativeCommands("a.cpp")})
	dirs := []string{filepath.Join(base, "one"), filepath.Join(base, "two", "one"), filepath.Join(base, "cpp")}
	catalog := servers.Catalog{Servers: []servers.Server{builtin(t, "gopls", gopls), builtin(t, "clangd", clangd)}}
	bridge := startBridgeOf(t, dirs, t.TempDir(), catalog, limits.Default())
	for _, c := range []struct {
		file, name string
		line       int
		want       []string
	}{
		{"one/a.go", "Onlyone", 3, []string{"one/a.go:3:6-13", "one/sub/b.go:5:11-18"}},
		{"one-2/a.go", "Onlytwo", 3, []string{"one-2/a.go:3:6-13", "one-2/sub/b.go:5:11-18"}},
		{"cpp/a.cpp", "only", 1, []string{"cpp/a.cpp:1:5-9", "cpp/a.cpp:2:9-13"}},
	} {
		got := bridge.call(t.Context(), t, referencesTool, map[string]any{"file": c.file, "line": c.line, "name": c.name})
		if got.err != "" || got.state != "complete" || !slices.Equal(got.places, c.want) {
			t.Errorf("%s: %+v, want %q, complete", c.file, got, c.want)
		}
	}
	got := bridge.call(t.Context(), t, "workspace_symbols", map[string]any{"query": "Only"})
	if want := []string{"cpp/a.cpp:1:5-9", "one-2/a.go:3:6-13", "one/a.go:3:6-13"}; got.err != "" || got.state != "complete" || !slices.Equal(got.places, want) {
		t.Errorf("symbols: %+v, want %q, complete", got, want)
	}
}

// TestCursorsOutliveOtherChanges: a cursor is refused when the answer it divides
// changed, and only then, whatever else changes, and whether or not the server is
// the same process.
func TestCursorsOutliveOtherChanges(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	files := map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n"}
	for i := range 30 {
		files[fmt.Sprintf("u%02d/u.go", i)] = "package u\n\nimport \"m\"\n\nvar X = m.Shared()\n"
	}
	lsptest.WriteFiles(t, dir, files)
	bridge := startBridge(t, dir, "gopls", gopls, limits.Default())
	page := func(cursor string) (paths []string, next, code string, generation int) {
		t.Helper()
		arguments := map[string]any{"file": "a.go", "line": 3, "name": "Shared", "max_items": 10}
		if cursor != "" {
			arguments["cursor"] = cursor
		}
		raw, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		r := bridge.Call(t.Context(), tools.Call{Tool: referencesTool, Args: raw})
		if r.Err != nil {
			return nil, "", r.Err.Code, 0
		}
		var s struct {
			Items        []struct{ Path string }
			NextCursor   string `json:"next_cursor"`
			Completeness struct{ Generation int }
		}
		if err := json.Unmarshal(r.Structured, &s); err != nil {
			t.Fatal(err)
		}
		for _, i := range s.Items {
			paths = append(paths, i.Path)
		}
		return paths, s.NextCursor, "", s.Completeness.Generation
	}
	all, cursor, _, first := page("")
	lsptest.WriteFiles(t, dir, map[string]string{"other/o.go": "package other\n\nfunc Other() {}\n", "u05/u.go": files["u05/u.go"] + "\n// More.\n"})
	more, cursor2, code, _ := page(cursor)
	if code != "" {
		t.Fatalf("after another change: %s", code)
	}
	all = append(all, more...)
	for i := range 30 { // more than gopls is told of one by one
		lsptest.WriteFiles(t, dir, map[string]string{fmt.Sprintf("n%02d/n.go", i): "package n\n"})
	}
	more, cursor3, code, later := page(cursor2)
	if code != "" || later == first {
		t.Fatalf("after a restart: %q, generation %d, was %d", code, later, first)
	}
	all = append(all, more...)
	more, end, code, _ := page(cursor3)
	if all = append(all, more...); code != "" || end != "" {
		t.Errorf("the last page: %q, cursor %q", code, end)
	}
	want := []string{"a.go"}
	for i := range 30 {
		want = append(want, fmt.Sprintf("u%02d/u.go", i))
	}
	if !slices.Equal(all, want) {
		t.Errorf("pages together: %q, want %q", all, want)
	}
	lsptest.WriteFiles(t, dir, map[string]string{"u29/u.go": files["u29/u.go"] + "var Y = m.Shared()\n"})
	if _, _, code, _ := page(cursor2); code != "changed_answer" {
		t.Errorf("after the answer changed: %q", code)
	}
}
