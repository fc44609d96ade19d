package lspclient_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

// TestGoplsNeverShortAndComplete: what gopls leaves out, by build constraints,
// without cgo, or in a module of its own, it leaves out without a word.
func TestGoplsNeverShortAndComplete(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	module2 := map[string]string{
		"mod2/go.mod": "module m2\n\ngo 1.26\n\nrequire m v0.0.0\n\nreplace m => ../\n",
		"mod2/x.go":   "package m2\n\nimport \"m\"\n\nvar X = m.Shared()\n",
	}
	with := func(files map[string]string, more ...map[string]string) map[string]string {
		for _, m := range more {
			maps.Copy(files, m)
		}
		return files
	}
	for _, tt := range []struct {
		name   string
		files  map[string]string
		asked  string // "a.go" when ""
		reason string // part of the only reason; "" wants a complete answer
		cgo    string // CGO_ENABLED
		more   []string
	}{
		{name: "plain", files: nil},
		{name: "a file name of another system", files: map[string]string{"w_plan9.go": "package m\n\nvar W = Shared()\n"}, reason: "1 holds \"Shared\": w_plan9.go"},
		{name: "another name in it", files: map[string]string{"w_plan9.go": "package m\n\nvar W = other()\n"}},
		{name: "a tag", files: map[string]string{"t.go": "//go:build integration\n\npackage m\n\nvar T = Shared()\n"}, reason: "1 holds \"Shared\": t.go"},
		{name: "asked in a file that is not built", asked: "w_plan9.go", files: map[string]string{"w_plan9.go": "package m\n\nvar W = Shared()\n"}, reason: "w_plan9.go is not built"},
		{name: "cgo", files: map[string]string{"c.go": "package m\n\n// int f(int);\nimport \"C\"\n\nvar V = C.f(C.int(Shared()))\n"}, cgo: "0", reason: "1 holds \"Shared\": c.go"},
		{name: "two modules", files: module2, reason: "2 modules without go.work; 1 holds \"Shared\" outside the asked one: mod2"},
		{name: "go.work joins them", files: with(map[string]string{"go.work": "go 1.26\n\nuse (\n\t. // here\n\t\"./mod2\"\n)\n"}, module2), more: []string{"mod2/x.go:5:11"}},
		{name: "go.work leaves one out", files: with(map[string]string{"go.work": "go 1.26\n\nuse .\n"}, module2), reason: "2 modules not joined by go.work; 1 holds \"Shared\" outside the asked one: mod2"},
		{name: "go.work leaves the asked one out", files: with(map[string]string{"go.work": "go 1.26\n\nuse ./mod2\n"}, module2), reason: "2 modules not joined by go.work"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("CGO_ENABLED", tt.cgo)
			dir := t.TempDir()
			lsptest.WriteFiles(t, dir, map[string]string{
				"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "b.go": "package m\n\nvar B = Shared()\n",
			})
			lsptest.WriteFiles(t, dir, tt.files)
			b := openReal(t, dir, "gopls", gopls)
			asked := "a.go"
			if tt.asked != "" {
				asked = tt.asked
			}
			if tt.reason == "" {
				b.expect(t, "asked", asked, "Shared", append([]string{"a.go:3:6", "b.go:3:9"}, tt.more...)...)
				return
			}
			got, err := b.references(t, asked, "Shared")
			if err != nil {
				t.Fatal(err)
			}
			if c := got.Completeness; c.State != lspclient.Partial || len(c.Reasons) != 1 || !strings.Contains(c.Reasons[0], tt.reason) {
				t.Errorf("completeness %s %q, want partial with %q; places %v", c.State, c.Reasons, tt.reason, b.places(got))
			}
		})
	}
}

// TestGoplsUnexportedStaysInItsFolder: what is not exported cannot be meant in
// other folders, unless it names the package.
func TestGoplsUnexportedStaysInItsFolder(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod":           "module m\n\ngo 1.26\n",
		"lib/a.go":         "package lib\n\nfunc Shared(count int) int { return count + near }\n\nvar near = 1\n",
		"lib/w_plan9.go":   "package lib\n\nvar W = near\n",
		"other/w_plan9.go": "package other\n\nimport \"m/lib\"\n\nvar count, near = 1, lib.Shared(2)\n",
	})
	b := openReal(t, dir, "gopls", gopls)
	for word, reason := range map[string]string{
		"count":  "",
		"near":   `1 holds "near": lib/w_plan9.go`,
		"Shared": `1 holds "Shared": other/w_plan9.go`,
		"lib":    `2 hold "lib": lib/w_plan9.go, other/w_plan9.go`,
	} {
		got, err := b.references(t, "lib/a.go", word)
		if err != nil {
			t.Fatal(err)
		}
		if c := got.Completeness; (c.State == lspclient.Complete) != (reason == "") || !strings.Contains(strings.Join(c.Reasons, ";"), reason) {
			t.Errorf("%s: %+v, want the reason %q", word, c, reason)
		}
	}
}

// TestReasonsNameNoExcludedFile: a reason is part of the answer too.
func TestReasonsNameNoExcludedFile(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n",
		"secret_plan9.go": "package m\n\nvar W = Shared()\n",
	})
	b := openRealWith(t, dir, "gopls", gopls, confine.Options{Excluded: func(path string) bool { return strings.HasPrefix(path, "secret") }}, t.TempDir())
	b.expect(t, "asked", "a.go", "Shared", "a.go:3:6")
}

// TestClangdNeverShortAndComplete: clangd indexes what it can of a unit that does
// not compile, and says so in its log alone.
func TestClangdNeverShortAndComplete(t *testing.T) {
	for _, name := range []string{"clangd-22", "clangd-19"} {
		clangd := lsptest.Require(t, name)
		for _, tt := range []struct {
			name   string
			files  map[string]string
			reason string
		}{
			{"all well", nil, ""},
			{"a syntax error", map[string]string{"use.cpp": "#include \"a.h\"\nint broken( {\nint u() { return shared(); }\n"}, `does not compile, and 1 holds "shared": use.cpp`},
			{"an error without the name", map[string]string{"use.cpp": "int broken( {\n"}, ""},
			{"a header that nothing includes", map[string]string{"lone.h": "#include \"a.h\"\ninline int l() { return shared(); }\n"}, `included by no file of compile_commands.json, and 1 holds "shared": lone.h`},
			{"a header included through another", map[string]string{
				"use.cpp": "#include \"b.h\"\n", "b.h": "#include \"c.h\"\n", "c.h": "#include \"a.h\"\ninline int l() { return shared(); }\n",
			}, ""},
		} {
			t.Run(name+"/"+tt.name, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				units := map[string]string{"def.cpp": "#include \"a.h\"\nint shared() { return 1; }\n", "use.cpp": "#include \"a.h\"\nint u() { return shared(); }\n"}
				lsptest.WriteFiles(t, dir, units)
				lsptest.WriteFiles(t, dir, map[string]string{"a.h": "#pragma once\nint shared();\n", "compile_commands.json": lsptest.CompileCommands(t, dir, units)})
				lsptest.WriteFiles(t, dir, tt.files)
				cache := t.TempDir()
				check := func(when string) {
					b := openRealWith(t, dir, "clangd", clangd, confine.Options{}, cache)
					defer b.Close()
					got, err := b.references(t, "def.cpp", "shared")
					if err != nil {
						t.Fatal(err)
					}
					if reasons := strings.Join(got.Completeness.Reasons, ";"); reasons != tt.reason || (got.Completeness.State == lspclient.Complete) != (tt.reason == "") {
						t.Errorf("%s: completeness %+v, want the reason %q", when, got.Completeness, tt.reason)
					}
				}
				check("first start")
				check("second start, from the stored index")
				if tt.reason == "" || tt.files["use.cpp"] == "" {
					return
				}
				b := openRealWith(t, dir, "clangd", clangd, confine.Options{}, cache)
				if _, err := b.references(t, "def.cpp", "shared"); err != nil {
					t.Fatal(err)
				}
				lsptest.WriteFiles(t, dir, units)
				b.expect(t, "mended", "def.cpp", "shared", "a.h:2:5", "def.cpp:2:5", "use.cpp:2:18")
			})
		}
	}
}

// TestClangdHeaderThatNeedsOthers: a header that does not compile by itself is
// whole in clangd's index of the units that include it, until it is opened.
func TestClangdHeaderThatNeedsOthers(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"clangd-22", "clangd-19"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clangd := lsptest.Require(t, name)
			dir := t.TempDir()
			units := map[string]string{"a.cpp": "#include \"a.h\"\n#include \"part.h\"\nint shared(int n) { return n; }\nint k(T t) { return part(t); }\n"}
			lsptest.WriteFiles(t, dir, units)
			lsptest.WriteFiles(t, dir, map[string]string{
				"a.h": "#pragma once\nint shared(int);\nint other(int);\nstruct T { int x; };\n", "part.h": "inline int part(T t) { return shared(t.x); }\n",
				"compile_commands.json": lsptest.CompileCommands(t, dir, units),
			})
			b := openReal(t, dir, "clangd", clangd)
			b.expect(t, "at first", "a.h", "shared", "a.cpp:3:5", "a.h:2:5", "part.h:1:31")
			for range 3 {
				for _, q := range [][2]string{{"part.h", "part"}, {"a.h", "shared"}} {
					asked, word := q[0], q[1]
					got, err := b.references(t, asked, word)
					if err != nil {
						t.Fatal(err)
					}
					want := fmt.Sprintf("was opened and does not compile by itself, and 1 holds %q: part.h", word)
					if c := got.Completeness; c.State != lspclient.Partial || !slices.Equal(c.Reasons, []string{want}) {
						t.Errorf("%s: %q, completeness %+v; want the reason %q", word, b.places(got), c, want)
					}
				}
				b.expect(t, "a name that is not in the header", "a.h", "other", "a.h:3:5")
			}
		})
	}
}
