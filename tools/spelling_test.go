package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
	"lspbridge/tools"
)

// oddNames are folder names that are not the same in a path and in a URI, or
// that servers spell in URIs in a way of their own.
var oddNames = []string{"a b", "a%20b", "a#b", "a@b+c", "a[b](c)", "größe 名前 😀", "a?b:c%d&e;f'g$=!,"}

// TestOneSpelling: a project gives the same answers whatever its folder is called,
// and by which link it is reached, with paths as the user spells them.
func TestOneSpelling(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server, program string
		files           map[string]string
		asks            []tools.Call
	}{
		{"gopls", "gopls", map[string]string{
			"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\ntype I interface{ F() int }\n\ntype T struct{}\n\nfunc (T) F() int { return Shared() }\n\nfunc Shared() int { return 1 }\n",
			"sub/x y.go": "package sub\n\nimport \"m\"\n\nvar X int = m.Shared() + none\n", "sub/x%20y.go": "package sub\n\nimport \"m\"\n\nfunc Y() int { return m.Shared() }\n",
		}, asksOf("a.go", 9, "Shared", 3, "sub/x y.go", "sub/x%20y.go")},
		{"clangd", "clangd-22", cppOdd, asksOf("src/a.cpp", 2, "shared", 3, "src/x y.cpp", "src/x%20y.cpp")},
		{"clangd", "clangd-19", cppOdd, asksOf("src/a.cpp", 2, "shared", 3, "src/x y.cpp", "src/x%20y.cpp")},
	} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			program := lsptest.Require(t, c.program)
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			want := spellings(t, filepath.Join(base, "plain"), filepath.Join(base, "plain"), c.server, program, c.files, c.asks)
			link := filepath.Join(base, "link")
			if err := os.Symlink(filepath.Join(base, "behind"), link); err != nil {
				t.Fatal(err)
			}
			odd := map[string][2]string{"through a link": {filepath.Join(base, "behind"), link}}
			for _, name := range oddNames {
				odd[name] = [2]string{filepath.Join(base, name), filepath.Join(base, name)}
			}
			for name, dirs := range odd {
				got := spellings(t, dirs[0], dirs[1], c.server, program, c.files, c.asks)
				for i := range want {
					if diff := cmp.Diff(want[i], got[i]); diff != "" {
						t.Errorf("%s: %s %s (-plain +odd):\n%s", name, c.asks[i].Tool, c.asks[i].Args, diff)
					}
				}
			}
		})
	}
}

var cppOdd = map[string]string{
	"src/a.h": "#pragma once\nint shared();\nstruct I { virtual int f() = 0; };\n", "src/a.cpp": "#include \"a.h\"\nint shared() { return 1; }\nstruct T : I { int f() override { return shared(); } };\n",
	"src/x y.cpp": "#include \"a.h\"\nint x() { return shared() + none; }\n", "src/x%20y.cpp": "#include \"a.h\"\nint y() { return shared(); }\n",
	"compile_commands.json": relativeCommands("src/a.cpp", "src/x y.cpp", "src/x%20y.cpp"),
}

func asksOf(file string, line int, name string, typeLine int, others ...string) []tools.Call {
	target := map[string]any{"file": file, "line": line, "name": name}
	with := func(more ...any) map[string]any {
		all := map[string]any{"file": file, "line": line, "name": name}
		for i := 0; i < len(more); i += 2 {
			all[more[i].(string)] = more[i+1]
		}
		return all
	}
	ask := func(tool string, arguments map[string]any) tools.Call {
		raw, _ := json.Marshal(arguments)
		return tools.Call{Tool: tool, Args: raw}
	}
	calls := []tools.Call{
		ask("find_references", target), ask("find_references", with("context_lines", 1)), ask("find_definition", with("body", true)), ask("hover", target),
		ask("call_hierarchy", with("direction", "incoming")), ask("symbol_context", target), ask("preview_rename", with("new_name", strings.ToUpper(name[:1])+"enamed")),
		ask("find_references", map[string]any{"symbol": name}), ask("workspace_symbols", map[string]any{"query": name}), ask("document_symbols", map[string]any{"file": file}),
		ask("find_implementations", map[string]any{"file": file, "line": typeLine, "name": "I"}), ask("diagnostics", map[string]any{}),
	}
	for _, o := range others {
		calls = append(calls, ask("document_symbols", map[string]any{"file": o}), ask("diagnostics", map[string]any{"file": o}), ask("find_references", map[string]any{"file": o, "line": len(strings.Split(file, "\n")) + 1, "name": name}))
	}
	return calls
}

var changing = regexp.MustCompile(`"(waited_ms|generation)":\d+`)

// spellings asks the questions about a project that lies in the folder real and is
// opened as dir.
func spellings(t *testing.T, real, dir, server, program string, files map[string]string, asks []tools.Call) []string {
	t.Helper()
	lsptest.WriteFiles(t, real, files)
	bridge := startBridge(t, dir, server, program, limits.Default())
	defer bridge.pool.Close()
	var out []string
	for _, a := range asks {
		r := bridge.Call(t.Context(), a)
		said := string(changing.ReplaceAll(r.Structured, nil)) + "\n" + r.Text
		if r.Err != nil {
			said = r.Err.Message + "\n" + r.Err.Hint
		}
		if strings.Contains(said, filepath.Dir(real)) || strings.Contains(said, filepath.Base(real)) {
			t.Errorf("%s: %s %s names the folder:\n%s", dir, a.Tool, a.Args, said)
		}
		out = append(out, said)
	}
	return out
}

// TestNamesWithoutUTF8: a URI cannot carry such a name. The answer is right
// without the file, or says that it is missing, or is an error with what to do.
func TestNamesWithoutUTF8(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server, program string
		files           map[string]string
		asked           map[string]any
		want            string // in the answer, or the error and its hint
	}{
		{"gopls", "gopls", map[string]string{
			"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "d\xfe/b\xff.go": "package d\n\nimport \"m\"\n\nvar N = m.Shared()\n",
		}, map[string]any{"file": "a.go", "line": 3, "name": "Shared"}, "1 holds \"Shared\": d\ufffd/b\ufffd.go"},
		{"gopls", "gopls", map[string]string{
			"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "b\xff.go": "package m\n\nvar N = Shared()\n",
		}, map[string]any{"file": "a.go", "line": 3, "name": "Shared"}, "give it another name"},
		{"clangd", "clangd-22", map[string]string{
			"a.h": "int shared();\n", "a.cpp": "#include \"a.h\"\nint shared() { return 1; }\n", "b\xff.cpp": "#include \"a.h\"\nint u() { return shared(); }\n",
			"compile_commands.json": relativeCommands("a.cpp", "b\xff.cpp"),
		}, map[string]any{"file": "a.cpp", "line": 2, "name": "shared"}, "1 holds \"shared\": b\ufffd.cpp"},
	} {
		program := lsptest.Require(t, c.program)
		dir := t.TempDir()
		lsptest.WriteFiles(t, dir, c.files)
		bridge := startBridge(t, dir, c.server, program, limits.Default())
		for _, tool := range []string{referencesTool, "diagnostics", "workspace_symbols"} {
			arguments := map[string]any{}
			switch tool {
			case referencesTool:
				arguments = c.asked
			case "workspace_symbols":
				arguments["query"] = c.asked["name"]
			}
			raw, err := json.Marshal(arguments)
			if err != nil {
				t.Fatal(err)
			}
			r := bridge.Call(t.Context(), tools.Call{Tool: tool, Args: raw})
			said := r.Text + string(r.Structured)
			if r.Err != nil {
				said = r.Err.Message + "\n" + r.Err.Hint
			}
			if !utf8.ValidString(said) || strings.Contains(said, filepath.Dir(dir)) {
				t.Errorf("%s, %s: %q", c.program, tool, said)
			}
			if tool == referencesTool && !strings.Contains(said, c.want) {
				t.Errorf("%s, %s: %q, want %q in it", c.program, tool, said, c.want)
			}
		}
	}
}
