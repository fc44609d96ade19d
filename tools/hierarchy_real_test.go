package tools_test

import (
	"encoding/json"
	"strings"
	"testing"

	"lspbridge/lspclient/lsptest"
)

// A recursion asked about at its declaration comes back to a node that stands in
// the header, while its calls stand in the source file: they name that file.
func TestCallSitesNameTheirFile(t *testing.T) {
	t.Parallel()
	for _, program := range clangds {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			clangd, dir := lsptest.Require(t, program), t.TempDir()
			files := map[string]string{
				"base.h": "#pragma once\nint a(int);\nint b(int);\n",
				"a.cpp":  "#include \"base.h\"\nint a(int n) { return n ? b(n) + b(n - 1) : 0; }\n",
				"b.cpp":  "#include \"base.h\"\nint b(int n) { return a(n); }\n",
			}
			lsptest.WriteFiles(t, dir, files)
			lsptest.WriteFiles(t, dir, map[string]string{"compile_commands.json": lsptest.CompileCommands(t, dir, files)})
			r := startReal(t, dir, "clangd", clangd).ask(t, "call_hierarchy", `{"file":"base.h","line":2,"name":"a"}`)
			if r.Err != nil {
				t.Fatal(r.Err.Text())
			}
			var g struct {
				Nodes []struct{ ID, Path string }
				Edges []struct {
					From  string
					Sites []struct {
						Path         string
						Line, Column int
					}
				}
			}
			if err := json.Unmarshal(r.Structured, &g); err != nil {
				t.Fatal(err)
			}
			path, sites := map[string]string{}, 0
			for _, n := range g.Nodes {
				path[n.ID] = n.Path
			}
			for _, e := range g.Edges {
				for _, s := range e.Sites {
					in := path[e.From]
					if s.Path != "" {
						in = s.Path
					}
					line := strings.Split(files[in], "\n")[s.Line-1]
					if rest := line[min(s.Column-1, len(line)):]; !strings.HasPrefix(rest, "b(n") && !strings.HasPrefix(rest, "a(n") {
						t.Errorf("%s:%d:%d is no call: %q", in, s.Line, s.Column, rest)
					}
					sites++
				}
			}
			if sites != 3 {
				t.Errorf("%d call sites: %s", sites, r.Structured)
			}
			if want := "calls at a.cpp:2:27, a.cpp:2:34 (recursion)"; !strings.Contains(r.Text, want) {
				t.Errorf("no %q in\n%s", want, r.Text)
			}
		})
	}
}
