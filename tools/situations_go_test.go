package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"lspbridge/lspclient/lsptest"
)

// TestSituationsGo: what gopls leaves out, it leaves out without a word.
func TestSituationsGo(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	const mod = "module m\n\ngo 1.26\n"
	module := map[string]string{"go.mod": mod, "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "b.go": "package m\n\nvar B = Shared()\n"}
	with := func(more map[string]string) map[string]string { return join(module, more) }
	// user is a package in a folder of its own that uses Shared.
	user := func(name string) string {
		return "package " + name + "\n\nimport \"m\"\n\nvar X = m.Shared()\n"
	}
	own := []string{"a.go:3:6", "b.go:3:9"}
	and := func(more ...string) []string { return append(more, own...) }
	var many strings.Builder
	many.WriteString("package m\n\n")
	var symbols []string
	for i := range 150 {
		fmt.Fprintf(&many, "func Shared%03d() {}\n", i)
		if i < 100 {
			symbols = append(symbols, fmt.Sprintf("a.go:%d:6", 3+i))
		}
	}
	second := map[string]string{"mod2/go.mod": "module m2\n\ngo 1.26\n\nrequire m v0.0.0\n\nreplace m => ../\n", "mod2/x.go": user("m2")}
	for _, s := range []situation{
		{name: "an ordinary repository", files: with(map[string]string{"x_windows.go": "package m\n\nvar other = 1\n", "testdata/t/t.go": user("t"), "_old/o.go": user("o")}), want: own},
		{name: "two modules without go.work", files: with(second), want: own, why: `2 modules without go.work; 1 holds "Shared" outside the asked one: mod2`},
		{name: "two modules of which one does not hold the name", files: with(map[string]string{"mod2/go.mod": "module m2\n", "mod2/x.go": "package m2\n"}), want: own},
		{name: "two modules with go.work", files: join(module, second, map[string]string{"go.work": "go 1.26\n\nuse (\n\t.\n\t./mod2\n)\n"}), want: and("mod2/x.go:5:11")},
		{name: "a file of another system", files: with(map[string]string{"x_windows.go": "package m\n\nvar W = Shared()\n"}), want: own, why: `1 holds "Shared": x_windows.go`},
		{name: "a file behind a tag", files: with(map[string]string{"t/t.go": "//go:build integration\n\n" + user("t")}), want: own, why: `1 holds "Shared": t/t.go`},
		{name: "a file without Go", files: with(map[string]string{"t/t.go": user("t") + "func broken( {\n"}), want: and("t/t.go:5:11"), why: `does not parse, and 1 holds "Shared": t/t.go`},
		{name: "a folder with files of two packages", files: with(map[string]string{"c/c.go": user("c"), "c/d.go": user("d")}), want: and("c/c.go:5:11"), why: `2 hold "Shared": c/c.go, c/d.go`},
		{name: "a folder whose name no import path can hold", files: with(map[string]string{"grö ße/g.go": user("g")}), want: own, why: `1 holds "Shared": grö ße/g.go`},
		{name: "a folder that go.mod ignores", files: with(map[string]string{"go.mod": mod + "\nignore ./old\n", "old/o.go": user("old")}), want: own, why: `ignore, and 1 holds "Shared": old/o.go`},
		{name: "an ignored folder that is imported", files: with(map[string]string{"go.mod": mod + "\nignore old\n", "a/old/o.go": user("old"), "c/c.go": "package c\n\nimport _ \"m/a/old\"\n"}), want: and("a/old/o.go:5:11")},
		{name: "a use in assembly", files: with(map[string]string{"k.go": "package m\n\nfunc K()\n", "k.s": "TEXT ·K(SB),$0-0\n\tCALL ·Shared(SB)\n\tRET\n"}), want: own, why: `in assembly, which gopls does not read, and 1 holds "Shared": k.s`},
		{name: "a body in assembly", files: map[string]string{"go.mod": mod, "a.go": "package m\n\nfunc Shared() int\n", "a.s": "TEXT ·Shared(SB),$0-8\n\tRET\n"}, want: []string{"a.go:3:6"}},
		{name: "a large file of another system", files: with(map[string]string{"x_windows.go": "package m\n\nvar W = Shared()\n" + strings.Repeat("// x\n", 1<<20)}), want: own, why: `1 holds "Shared": x_windows.go`},
		{name: "a newer Go", files: with(map[string]string{"go.mod": "module m\n\ngo 1.99\n"}), err: "go.mod:1: go: go.mod requires go >= 1.99"},
		{name: "a broken go.mod", files: with(map[string]string{"go.mod": mod + "requir x\n"}), err: "go.mod:4: unknown directive: requir"},
		{name: "a broken go.work", files: with(map[string]string{"go.work": "go 1.26\n\nuse (\n\t.\n\t./gone\n)\n"}), err: "go.work:5: directory ./gone does not contain a module"},
		{name: "a broken module beside it", files: with(map[string]string{"go.work": "go 1.26\n\nuse (\n\t.\n\t./x\n)\n", "x/go.mod": "module x\n\ngo 1.99\n"}), err: "module x listed in go.work file requires go >= 1.99"},
		{name: "a vendor folder of other modules", files: with(map[string]string{"go.mod": mod + "\nrequire example.com/none v1.0.0\n", "vendor/modules.txt": "# example.com/other v1.0.0\n"}), err: "Inconsistent vendoring"},
		{name: "symbols of a module that does not load", files: map[string]string{"go.mod": "module m\n\ngo 1.99\n", "a.go": module["a.go"]}, word: "Shared", why: "a.go holds \"Shared\" and is in no package that could be loaded: go.mod:1: go: go.mod requires go >= 1.99"},
		{name: "a module that cannot be had", files: with(map[string]string{"go.mod": mod + "\nrequire example.com/none v1.0.0\n\nreplace example.com/none => ../gone\n", "c/c.go": "package c\n\nimport (\n\t\"example.com/none\"\n\t\"m\"\n)\n\nvar C = none.F(m.Shared())\n"}), want: and("c/c.go:8:18")},
		{name: "an import cycle", files: with(map[string]string{"c/c.go": "package c\n\nimport (\n\t\"m\"\n\t\"m/d\"\n)\n\nvar C = m.Shared() + d.D\n", "d/d.go": "package d\n\nimport \"m/c\"\n\nvar D = c.C\n"}), want: and("c/c.go:8:11")},
		{name: "more symbols than gopls tells", files: map[string]string{"go.mod": mod, "a.go": many.String()}, word: "Shared", want: symbols, why: "server limit 100 reached"},
		{name: "a module that is mended", files: with(map[string]string{"go.mod": "module m\n\ngo 1.99\n"}), then: func(t *testing.T, dir string) {
			lsptest.WriteFiles(t, dir, map[string]string{"go.mod": mod})
		}, want: own},
		{name: "a file that leaves the build", files: with(map[string]string{"c/c.go": user("c")}), then: func(t *testing.T, dir string) {
			lsptest.WriteFiles(t, dir, map[string]string{"c/c.go": "//go:build never\n\n" + user("c")})
		}, want: own, why: `1 holds "Shared": c/c.go`},
		{name: "a change between two runs", files: module, anew: true, then: func(t *testing.T, dir string) {
			lsptest.WriteFiles(t, dir, map[string]string{"b.go": "package m\n\n\nvar B = Shared()\n", "c/c.go": user("c")})
		}, want: []string{"a.go:3:6", "b.go:4:9", "c/c.go:5:11"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			if s.word == "" {
				s.file, s.word = "a.go", "Shared"
			}
			s.run(t, "gopls", gopls)
		})
	}
}
