package lspclient_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

// problems asks about a file, and writes the answer as "state line:col severity message".
func (b *bench) problems(t *testing.T, name string) []string {
	t.Helper()
	d, err := b.Diagnostics(t.Context(), b.file(t, name), 300*time.Millisecond)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	out := []string{string(d.State)}
	if d.State == lspclient.FileUnknown {
		out[0] += " " + d.Why
	}
	for _, i := range d.Items {
		out = append(out, fmt.Sprintf("%d:%d %s %s", i.Place.Start.Line, i.Place.Start.Column, i.Severity, i.Message))
	}
	return out
}

func (b *bench) wantProblems(t *testing.T, name string, want ...string) {
	t.Helper()
	got := b.problems(t, name)
	if len(got) != len(want) {
		t.Errorf("%s: (-want +got):\n%s", name, cmp.Diff(want, got))
		return
	}
	for i := range want {
		if !strings.Contains(got[i], want[i]) {
			t.Errorf("%s: %q, want %q in it", name, got[i], want[i])
		}
	}
}

// A broken file is never clean: not in the first question of all, and not right
// after the change that broke it, here or in what it uses; nor is a file clean
// that no build reads.
func TestDiagnosticsGopls(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod":     "module example.com/m\n\ngo 1.26\n",
		"bad.go":     "package m\n\nvar é = \"é😀\" + nope\n",
		"a.go":       "package m\n\nfunc A() int { return B() }\n",
		"b.go":       "package m\n\nfunc B() int { return 1 }\n",
		"tagged.go":  "//go:build special\n\npackage m\n\nvar x int = \"\"\n",
		"sub/sub.go": "package sub\n\nimport \"fmt\"\n\nfunc F(err error) error { return fmt.Errorf(\"%d\", err) }\n",
	})
	b := openReal(t, dir, "gopls", gopls)
	b.wantProblems(t, "bad.go", "problems", "3:21 error undefined: nope")
	b.wantProblems(t, "a.go", "clean")
	for i := range 3 {
		b.write(t, "b.go", "package m\n\nfunc B() string { return \"\" }\n")
		b.wantProblems(t, "a.go", "problems", "3:23 error cannot use B()")
		b.write(t, "b.go", fmt.Sprintf("package m\n\nfunc B() int { return %d }\n", i))
		b.wantProblems(t, "a.go", "clean")
		b.write(t, "a.go", "package m\n\nfunc A() int { return B( }\n")
		b.wantProblems(t, "a.go", "problems", "error")
		b.write(t, "a.go", "package m\n\nfunc A() int { return B() }\n")
		b.wantProblems(t, "a.go", "clean")
	}
	b.write(t, "new.go", "package m\n\nvar y int = A\n")
	b.wantProblems(t, "new.go", "problems", "3:13 error")
	b.wantProblems(t, "tagged.go", "unknown gopls: no package metadata for file")
	b.wantProblems(t, "go.mod", "clean")
	b.write(t, "go.mod", "module example.com/m\n\ngo 1.26\n\nnonsense here\n")
	b.wantProblems(t, "go.mod", "problems", "5:1 error unknown directive: nonsense")
	b.wantProblems(t, "a.go", "unknown gopls: no package metadata")
}

func TestDiagnosticsClangd(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"clangd-22", "clangd-19"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clangd := lsptest.Require(t, name)
			dir := t.TempDir()
			many := "#pragma once\n"
			for i := range 50 {
				many = strings.TrimPrefix(many, "#pragma once\n") + fmt.Sprintf("int f%d() { return nope%d; }\n", i, i)
			}
			files := map[string]string{
				"h.h":      "#pragma once\nint twice(int);\n",
				"a.cpp":    "#include \"h.h\"\nint a() { return twice(1); }\n",
				"bad.cpp":  "const char *é = \"é😀\" + nope;\n",
				"many.cpp": many,
			}
			lsptest.WriteFiles(t, dir, files)
			lsptest.WriteFiles(t, dir, map[string]string{"compile_commands.json": lsptest.CompileCommands(t, dir, files)})
			b := openReal(t, dir, "clangd", clangd)
			b.wantProblems(t, "bad.cpp", "problems", "1:29 error Use of undeclared identifier 'nope'")
			b.wantProblems(t, "a.cpp", "clean")
			for range 3 {
				b.write(t, "h.h", "#pragma once\nint twice(const char *);\n")
				b.wantProblems(t, "a.cpp", "problems", "2:18 error No matching function for call to 'twice'")
				b.write(t, "h.h", "#pragma once\nint twice(int);\n")
				b.wantProblems(t, "a.cpp", "clean")
				b.write(t, "a.cpp", "#include <vector>\n#include \"h.h\"\nint a() { std::vector<int> v; return nope(v); }\n")
				b.wantProblems(t, "a.cpp", "problems", "2:1 warning", "3:38 error")
				b.write(t, "a.cpp", "#include \"h.h\"\nint a() { return twice(1); }\n")
				b.wantProblems(t, "a.cpp", "clean")
			}
			b.write(t, "alone.cpp", "int z;\n")
			b.wantProblems(t, "alone.cpp", "unknown outside compile_commands.json: alone.cpp")
			d, err := b.Diagnostics(t.Context(), b.file(t, "many.cpp"), 0)
			if err != nil || d.State != lspclient.FileProblems || d.Completeness.State != lspclient.Partial || !strings.Contains(strings.Join(d.Completeness.Reasons, ";"), "clangd stops at 20 errors") {
				t.Errorf("many: %s, %d items, %+v, error %v", d.State, len(d.Items), d.Completeness, err)
			}
		})
	}
}

// A server that publishes by itself.
func TestDiagnosticsPublished(t *testing.T) {
	publish := func(version, items string) lsptest.Action {
		if version != "" {
			version = `,"version":` + version
		}
		return lsptest.Action{Notify: "textDocument/publishDiagnostics", Params: `{"uri":"$URI"` + version + `,"diagnostics":` + items + `}`}
	}
	const oops = `[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"message":"oops","severity":2}]`
	for _, tt := range []struct {
		name    string
		actions []lsptest.Action
		want    []string
	}{
		{"of the version", []lsptest.Action{publish("$VERSION", oops)}, []string{"problems", "1:1 warning oops"}},
		{"clean", []lsptest.Action{publish("$VERSION", "[]")}, []string{"clean"}},
		{"in two steps", []lsptest.Action{publish("$VERSION", "[]"), publish("$VERSION", oops)}, []string{"problems", "1:1 warning oops"}},
		{"an older version comes late", []lsptest.Action{publish("$VERSION", oops), publish("-7", "[]")}, []string{"problems", "1:1 warning oops"}},
		{"an older version alone", []lsptest.Action{publish("-7", "[]")}, []string{"unknown fakels published nothing about this text within"}},
		{"nothing", nil, []string{"unknown fakels published nothing about this text within"}},
		{"no version, problems", []lsptest.Action{publish("", oops)}, []string{"problems", "1:1 warning oops"}},
		{"no version, none", []lsptest.Action{publish("", "[]")}, []string{"unknown fakels published no problem, and does not say of which text"}},
		{"unreadable items", []lsptest.Action{publish("$VERSION", `[{"message":"x"}]`)}, []string{"unknown"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			script := lsptest.Script{On: map[string][]lsptest.Reaction{"textDocument/didOpen": {{After: tt.actions}}}}
			b, _ := openFake(t, script, fakeServer(), map[string]string{"a.fake": "x"}, func(l *limits.Budget) { l.CallTimeout = time.Second })
			b.wantProblems(t, "a.fake", tt.want...)
		})
	}
}

// A server that is asked.
func TestDiagnosticsPulled(t *testing.T) {
	const item = `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"message":"oops","code":7,"source":"s"}`
	for _, tt := range []struct{ name, result, want string }{
		{"full", `{"kind":"full","items":[` + item + `]}`, "problems"},
		{"no kind", `{"kind":"","items":[` + item + `]}`, "problems"},
		{"clean", `{"kind":"full","items":[]}`, "clean"},
		{"one cannot be read", `{"kind":"full","items":[5]}`, "unknown"},
		{"unchanged since never", `{"kind":"unchanged","resultId":"1"}`, ""},
		{"null", `null`, ""},
		{"no items", `{"kind":"full"}`, ""},
	} {
		for _, dynamic := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/dynamic=%v", tt.name, dynamic), func(t *testing.T) {
				t.Parallel()
				script := lsptest.Script{Capabilities: `{"diagnosticProvider":{"interFileDependencies":false,"workspaceDiagnostics":false}}`, On: answers("textDocument/diagnostic", tt.result)}
				if dynamic {
					script.Capabilities = `{}`
					script.On["initialized"] = []lsptest.Reaction{{After: []lsptest.Action{{Request: "client/registerCapability", Params: `{"registrations":[{"id":"d","method":"textDocument/diagnostic"}]}`}}}}
				}
				b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": "x"}, nil)
				if dynamic {
					b.Warm()
					fake.AwaitReplies(t, "client/registerCapability", 1)
				}
				d, err := b.Diagnostics(t.Context(), b.file(t, "a.fake"), 0)
				switch {
				case tt.want == "" && code(t, err) != lspclient.CodeFailed:
					t.Errorf("%+v, error %v, want that the answer cannot be read", d, err)
				case tt.want != "" && (err != nil || string(d.State) != tt.want):
					t.Errorf("%+v, error %v, want %s", d, err, tt.want)
				case tt.want == "problems" && (d.Items[0].Code != "7" || d.Items[0].Severity != "error" || d.Items[0].Source != "s"):
					t.Errorf("%+v", d.Items[0])
				}
			})
		}
	}
}
