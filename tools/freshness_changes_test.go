package tools_test

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
)

// many is the number of files changed at once: more than a server that is deaf
// to the disk is told of one by one.
const many = 25

// commonChanges are the changes that make sense in every language. units matches
// the files that unit makes; other is a name of as many bytes as that of the
// project.
func commonChanges(units, other string, unit func(uses int) (name, text string)) []change {
	return []change{
		{"a file changes", func(p *project) {
			name := p.choose(units)
			p.write(name, p.shift(p.files[name]), p.how())
		}},
		{"the open file changes", func(p *project) {
			p.write(p.last, p.shift(p.files[p.last]), p.how())
		}},
		{"a file changes twice", func(p *project) {
			name := p.choose(units)
			p.write(name, p.shift(p.files[name]), p.how())
			p.write(name, p.swap(p.files[name], other), p.how())
		}},
		{"a call becomes another of the same size", func(p *project) {
			name := p.choose(units)
			p.write(name, p.swap(p.files[name], other), p.how())
		}},
		{"a file is added", func(p *project) {
			name, text := unit(2)
			p.write(name, text, inPlace)
			p.relist()
		}},
		{"a file is removed", func(p *project) {
			p.remove(p.choose(units))
			if p.rand.IntN(2) == 0 {
				p.relist() // the build may hear of it, or not
			}
		}},
		{"a file is renamed", func(p *project) {
			to, _ := unit(0)
			from := p.choose(units)
			text := p.files[from]
			p.remove(from)
			p.write(to, text, inPlace)
			p.relist()
		}},
		{"many files change", func(p *project) {
			how := p.how()
			for i, name := range p.matching(units) {
				if i < many {
					p.write(name, p.shift(p.files[name]), how)
				}
			}
		}},
		{"files come, go and change", func(p *project) {
			name, text := unit(1)
			p.write(name, text, inPlace)
			gone := p.choose(units)
			p.remove(gone)
			for range 3 {
				name := p.choose(units)
				p.write(name, p.swap(p.shift(p.files[name]), other), p.how())
			}
			p.relist()
		}},
	}
}

// TestFreshnessGo changes a module under gopls.
func TestFreshnessGo(t *testing.T) {
	t.Parallel()
	program := lsptest.Require(t, "gopls")
	files := map[string]string{
		"go.mod":        "module example.com/fresh\n\ngo 1.24\n",
		"lib/lib.go":    "package lib\n\nfunc Target(n int) int { return n }\nfunc Tarcat(n int) int { return n }\n",
		"lib/other.go":  "package lib\n\nfunc more(n int) int { return Target(n) }\n",
		"lib/a_test.go": "package lib\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { _ = Target(1) }\n",
	}
	serial := 0
	unit := func(uses int) (name, text string) {
		id := fmt.Sprintf("unit%03d", serial)
		serial++
		return id + "/" + id + ".go", "package " + id + "\n\nimport \"example.com/fresh/lib\"\n\nfunc Use(n int) int {\n" +
			strings.Repeat("\tn += lib.Target(n) + lib.Tarcat(n)\n", uses) + "\treturn lib.Tarcat(n)\n}\n"
	}
	for i := range many + 5 {
		name, text := unit(i % 3)
		files[name] = text
	}
	p := newProject(t, "Target", files, *seed)
	const declaration = "func Target("
	changes := append(commonChanges("unit*/unit*.go", "Tarcat", unit),
		change{"the declaration moves within its file", func(p *project) {
			file, _ := p.declares(declaration)
			p.write(file, p.shift(p.files[file]), p.how())
		}},
		change{"the declaration moves to another file", func(p *project) { p.move(declaration, "lib/lib.go", "lib/moved.go") }},
		change{"a file joins a package", func(p *project) {
			dir := path.Dir(p.choose("unit*/unit*.go"))
			pkg, _, _ := strings.Cut(strings.TrimPrefix(p.files[dir+"/"+dir+".go"], "package "), "\n")
			p.write(dir+"/joined.go", fmt.Sprintf("package %s\n\nimport \"example.com/fresh/lib\"\n\nvar Joined%d = lib.Target(1)\n", pkg, p.rand.IntN(1000)), p.how())
		}},
		change{"a test is added", func(p *project) {
			dir := path.Dir(p.choose("unit*/unit*.go"))
			pkg, _, _ := strings.Cut(strings.TrimPrefix(p.files[dir+"/"+dir+".go"], "package "), "\n")
			p.write(dir+"/u_test.go", fmt.Sprintf("package %s_test\n\nimport \"example.com/fresh/lib\"\n\nvar _ = lib.Target(%d)\n", pkg, p.rand.IntN(1000)), p.how())
		}},
		change{"the Go version of the module changes", func(p *project) {
			p.write("go.mod", fmt.Sprintf("module example.com/fresh\n\ngo 1.%d\n", 22+p.rand.IntN(4)), p.how())
			p.write("lib/other.go", p.shift(p.files["lib/other.go"]), p.how())
		}},
	)
	rounds := 3
	if full() {
		rounds = 30
	}
	bridge := startBridge(t, p.dir, "gopls", program, limits.Default())
	freshness(t, p, bridge, rounds, changes, func(p *project, _ stand) string {
		_, at := p.declares(declaration)
		return at
	})
}

// TestFreshnessCPP changes a project under each clangd.
func TestFreshnessCPP(t *testing.T) {
	t.Parallel()
	for _, version := range clangds {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			freshnessCPP(t, lsptest.Require(t, version))
		})
	}
}

func freshnessCPP(t *testing.T, program string) {
	t.Helper()
	files := map[string]string{
		"include/api.h":    "#pragma once\n\nint target(int n);\nint tarcat(int n);\n",
		"include/inline.h": "#pragma once\n#include \"api.h\"\ninline int via(int n) { return target(n); }\n",
		"src/impl.cpp":     "#include \"api.h\"\n\nint target(int n) { return n; }\nint tarcat(int n) { return n; }\n",
	}
	serial := 0
	unit := func(uses int) (name, text string) {
		id := fmt.Sprintf("unit%03d", serial)
		serial++
		return "src/" + id + ".cpp", "#include \"inline.h\"\n\nint " + id + "(int n) {\n" +
			strings.Repeat("  n += target(n) + tarcat(n);\n", uses) + "  return via(n);\n}\n"
	}
	for i := range many + 5 {
		name, text := unit(i % 3)
		files[name] = text
	}
	p := newProject(t, "target", files, *seed)
	p.list = func() {
		listed := map[string]string{}
		for name := range p.files {
			if !p.unlisted[name] {
				listed[name] = ""
			}
		}
		p.write("compile_commands.json", lsptest.CompileCommands(t, p.dir, listed), p.how())
	}
	p.relist()
	const definition, declaration = "int target(int n) {", "int target(int n);"
	changes := append(commonChanges("src/unit*.cpp", "tarcat", unit),
		change{"the definition moves within its file", func(p *project) {
			file, _ := p.declares(definition)
			p.write(file, p.shift(p.files[file]), p.how())
		}},
		change{"the definition moves to another file", func(p *project) {
			p.move(definition, "src/impl.cpp", "src/moved.cpp")
			p.relist()
		}},
		change{"the header that declares it changes", func(p *project) {
			p.write("include/api.h", p.shift(p.files["include/api.h"]), p.how())
		}},
		change{"a header that uses it changes", func(p *project) {
			p.write("include/inline.h", p.shift(p.files["include/inline.h"]), p.how())
		}},
		change{"a header uses it once more, or less", func(p *project) {
			const again = "inline int again(int n) { return target(n); }\n"
			text, found := strings.CutSuffix(p.files["include/inline.h"], again)
			if !found {
				text += again
			}
			p.write("include/inline.h", text, p.how())
		}},
		change{"a unit leaves the build, or comes back", func(p *project) {
			for _, name := range p.matching("src/unit*.cpp") {
				if p.unlisted[name] {
					delete(p.unlisted, name)
					p.relist()
					return
				}
			}
			p.unlisted[p.choose("src/unit*.cpp")] = true
			p.relist()
		}},
		change{"a file outside the build is added", func(p *project) {
			name, text := unit(1)
			p.unlisted[name] = true
			p.write(name, text, inPlace)
		}},
	)
	rounds := 1
	if full() {
		rounds = 10
	}
	bridge := startBridge(t, p.dir, "clangd", program, limits.Default())
	freshness(t, p, bridge, rounds, changes, func(p *project, asked stand) string {
		_, at := p.declares(definition)
		if strings.HasPrefix(at, fmt.Sprintf("%s:%d:", asked.file, asked.line)) {
			_, at = p.declares(declaration) // from the definition clangd leads back
		}
		return at
	})
	tidy(t, p.dir)
}

// move moves the file that holds the declaration to the other of two names.
func (p *project) move(declaration string, names ...string) {
	file, _ := p.declares(declaration)
	text := p.files[file]
	p.remove(file)
	p.write(names[1-slices.Index(names, file)], p.shift(text), inPlace)
}
