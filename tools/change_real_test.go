package tools_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/lsptest"
	"lspbridge/tools"
)

// A previewed is the structured answer of a preview.
type previewed struct {
	Files []struct {
		Path, Ref, Display, From, Diff string
		Edits                          int
		Flags                          []string
	}
	Operations []struct {
		Kind, Path string
		NewPath    string `json:"new_path"`
		Folder     bool
	}
	Flags        []string
	NothingToDo  bool `json:"nothing_to_do"`
	Completeness struct{ State string }
}

func previewedOf(t *testing.T, r tools.Result) (p previewed) {
	t.Helper()
	if r.Err != nil {
		t.Fatal(r.Err.Text())
	}
	if err := json.Unmarshal(r.Structured, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// applied copies a workspace, applies the diffs of a preview to the copy as a
// person would, and returns the copy.
func applied(t *testing.T, dir string, p previewed) string {
	t.Helper()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	var patch strings.Builder
	for _, f := range p.Files {
		patch.WriteString(f.Diff)
	}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: ", err)
	}
	cmd := exec.CommandContext(t.Context(), git, "apply", "-")
	cmd.Dir = copied
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(copied), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C")
	cmd.Stdin = strings.NewReader(patch.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, patch.String())
	}
	return copied
}

// compiles runs a compiler on a copy.
func compiles(t *testing.T, dir string, command ...string) {
	t.Helper()
	path, err := exec.LookPath(command[0])
	if err != nil {
		t.Skip(err)
	}
	cmd := exec.CommandContext(t.Context(), path, command[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", command, err, out)
	}
}

const emojiGo = `
-- go.mod --
module example.com/m

go 1.26
-- a.go --
package main

func main() { println("😀é", shout("😀"), shout("é")) /* 😀 */ }
-- b.go --
package main

func shout(s string) string { return s + "!" }
`

const emojiCPP = `
-- a.cpp --
#include "b.h"
#include <cstdio>
int main() { std::puts(shout("😀é")); return *"😀" + *shout("é"); /* 😀 */ }
-- b.cpp --
#include "b.h"
const char *shout(const char *s) { return s; }
-- b.h --
#pragma once
const char *shout(const char *s);
`

// The same rename through documentChanges (gopls) and changes (clangd) has one
// form; behind wide characters the diffs are right: git applies them, and the
// result compiles.
func TestRenameOnRealServers(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"gopls", "clangd-22", "clangd-19"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			executable := lsptest.Require(t, program)
			archive, want := emojiGo, []string{"a.go 2", "b.go 1"}
			compiler := []string{"go", "build", "-o", os.DevNull, "./..."}
			if program != "gopls" {
				archive, want = emojiCPP, []string{"a.cpp 2", "b.cpp 1", "b.h 1"}
				compiler = []string{"g++", "-fsyntax-only", "a.cpp", "b.cpp"}
			}
			dir := lsptest.Workspace(t, archive)
			if program != "gopls" {
				write(t, filepath.Join(dir, "compile_commands.json"), lsptest.CompileCommands(t, dir, map[string]string{"a.cpp": "", "b.cpp": ""}))
			}
			before := treeHash(t, dir)
			r := startReal(t, dir, strings.TrimRight(program, "-0123456789"), executable)
			p := previewedOf(t, r.ask(t, "preview_rename", `{"symbol":"shout","new_name":"whisper"}`))
			var got []string
			for _, f := range p.Files {
				got = append(got, f.Path+" "+string(rune('0'+f.Edits)))
			}
			if diff := cmp.Diff(want, got); diff != "" || len(p.Operations) != 0 || p.NothingToDo || p.Completeness.State != "complete" {
				t.Errorf("%+v (-want +got):\n%s", p, diff)
			}
			if checks := slices.ContainsFunc(p.Flags, func(f string) bool { return strings.Contains(f, "checks little") }); checks != (program != "gopls") {
				t.Errorf("flags %v", p.Flags)
			}
			compiles(t, applied(t, dir, p), compiler...)
			for _, refused := range []string{`{"symbol":"shout","new_name":"2 words"}`, `{"symbol":"shout","new_name":"return"}`} {
				if e := r.ask(t, "preview_rename", refused).Err; e == nil || e.Class != tools.ClassUsage || len(e.Text()) > 1000 || !strings.Contains(e.Message, strings.TrimRight(program, "-0123456789")) {
					t.Errorf("%s: %v", refused, e)
				}
			}
			if treeHash(t, dir) != before {
				t.Error("the workspace was changed")
			}
		})
	}
}

// A rename that reaches outside the workspace flags it, and shows no path of it.
func TestRenameOutside(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	top := lsptest.Workspace(t, `
-- lib/go.mod --
module example.com/lib

go 1.26
-- lib/lib.go --
package lib

func Shared() int { return 1 }
-- app/go.mod --
module example.com/app

go 1.26

require example.com/lib v0.0.0

replace example.com/lib => ../lib
-- app/app.go --
package main

import (
	"fmt"

	"example.com/lib"
)

func main() { fmt.Println(lib.Shared()) }
-- app/gen.go --
// Code generated by hand. DO NOT EDIT.

package main

import "example.com/lib"

var generated = lib.Shared()
`)
	before := treeHash(t, top)
	r := startReal(t, filepath.Join(top, "app"), "gopls", gopls)
	result := r.ask(t, "preview_rename", `{"file":"app.go","line":9,"name":"Shared","new_name":"Common"}`)
	p := previewedOf(t, result)
	outside, generated := 0, 0
	for _, f := range p.Files {
		if f.Path == "" {
			outside++
			if f.Ref == "" || f.Diff != "" || !slices.ContainsFunc(f.Flags, func(s string) bool { return strings.Contains(s, "outside the workspace") }) {
				t.Errorf("outside: %+v", f)
			}
		}
		if f.Path == "gen.go" && slices.ContainsFunc(f.Flags, func(s string) bool { return strings.Contains(s, "generated") }) {
			generated++
		}
	}
	if outside != 1 || generated != 1 {
		t.Errorf("%d outside, %d generated\n%s", outside, generated, result.Text)
	}
	if all := result.Text + string(result.Structured); strings.Contains(all, top) || strings.Contains(all, "../lib") {
		t.Errorf("a path outside the workspace:\n%s", result.Text)
	}
	if standard := r.ask(t, "preview_rename", `{"file":"app.go","line":9,"name":"Println","new_name":"Print2"}`); standard.Err == nil {
		p := previewedOf(t, standard)
		if !slices.ContainsFunc(p.Files, func(f struct {
			Path, Ref, Display, From, Diff string
			Edits                          int
			Flags                          []string
		}) bool {
			return f.Path == "" && len(f.Flags) > 0
		}) {
			t.Errorf("the standard library is not flagged:\n%s", standard.Text)
		}
	} else if standard.Err.Class != tools.ClassUsage {
		t.Errorf("%v", standard.Err)
	}
	if treeHash(t, top) != before {
		t.Error("something was changed")
	}
}

// A package is renamed by edits, moves of its files and the end of its folder, in
// this order.
func TestRenameOfAPackage(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	dir := lsptest.Workspace(t, `
-- go.mod --
module example.com/m

go 1.26
-- old/a.go --
package old

func F() int { return g() }
-- old/b.go --
package old

func g() int { return 1 }
-- main.go --
package main

import "example.com/m/old"

func main() { println(old.F()) }
`)
	before := treeHash(t, dir)
	r := startReal(t, dir, "gopls", gopls)
	result := r.ask(t, "preview_rename", `{"file":"old/a.go","line":1,"name":"old","new_name":"fresh"}`)
	p := previewedOf(t, result)
	var ops []string
	for _, o := range p.Operations {
		ops = append(ops, strings.TrimSpace(o.Kind+" "+o.Path+" "+o.NewPath))
	}
	if diff := cmp.Diff([]string{"rename old/a.go fresh/a.go", "rename old/b.go fresh/b.go", "delete old"}, ops); diff != "" {
		t.Errorf("operations (-want +got):\n%s\n%s", diff, result.Text)
	}
	if treeHash(t, dir) != before {
		t.Error("the workspace was changed")
	}
	compiles(t, applied(t, dir, p), "go", "build", "-o", os.DevNull, "./...")
}

// Fixes carry diffs, refactorings that are commands are named, none is run.
func TestCodeActionsOnRealServers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ program, archive, file, args, title, added string }{
		{"gopls", "-- go.mod --\nmodule example.com/m\n\ngo 1.26\n-- a.go --\npackage m\n\nimport \"os\"\n\nvar X = strings.ToUpper(\"😀\")\n", "a.go", `{"file":"a.go","only":["source.organizeImports"]}`, "Organize Imports", "+import \"strings\""},
		{"clangd-22", "-- a.cpp --\nint f() { int count = 1; return countt; }\n", "a.cpp", `{"file":"a.cpp","start_line":1,"only":["quickfix"]}`, "change 'countt' to 'count'", "return count;"},
		{"clangd-19", "-- a.cpp --\nint f() { int count = 1; return countt; }\n", "a.cpp", `{"file":"a.cpp","start_line":1,"only":["quickfix"]}`, "change 'countt' to 'count'", "return count;"},
	} {
		t.Run(tt.program, func(t *testing.T) {
			t.Parallel()
			executable := lsptest.Require(t, tt.program)
			dir := lsptest.Workspace(t, tt.archive)
			if tt.program != "gopls" {
				write(t, filepath.Join(dir, "compile_commands.json"), lsptest.CompileCommands(t, dir, map[string]string{"a.cpp": ""}))
			}
			before := treeHash(t, dir)
			r := startReal(t, dir, strings.TrimRight(tt.program, "-0123456789"), executable)
			result := r.ask(t, "preview_code_actions", tt.args)
			if result.Err != nil {
				t.Fatal(result.Err.Text())
			}
			if !strings.Contains(result.Text, tt.title) || !strings.Contains(result.Text, tt.added) {
				t.Errorf("%s", result.Text)
			}
			if treeHash(t, dir) != before {
				t.Error("the workspace was changed")
			}
		})
	}
}

// clangd renames nothing in the body of a macro; the preview says where the name
// still stands.
func TestRenameNamesWhatIsLeft(t *testing.T) {
	t.Parallel()
	clangd := lsptest.Require(t, "clangd-22")
	dir := lsptest.Workspace(t, "-- a.h --\n#pragma once\n#define TWICE(x) shout(x), shout(x)\nint shout(int);\n-- a.cpp --\n#include \"a.h\"\nint shout(int n) { return n; }\nint f() { return TWICE(1); }\n-- b.cpp --\n#include \"a.h\"\nint g() { return shout(2); } // shouting\n")
	write(t, filepath.Join(dir, "compile_commands.json"), lsptest.CompileCommands(t, dir, map[string]string{"a.cpp": "", "b.cpp": ""}))
	r := startReal(t, dir, "clangd", clangd)
	p := previewedOf(t, r.ask(t, "preview_rename", `{"symbol":"shout","new_name":"whisper"}`))
	if !slices.ContainsFunc(p.Flags, func(f string) bool { return strings.HasPrefix(f, `"shout" still stands in a.h after it`) }) {
		t.Errorf("flags %q", p.Flags)
	}
}
