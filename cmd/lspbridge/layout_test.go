package main_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const maxLines = 400

func TestTopLevel(t *testing.T) {
	want := []string{"README.md", "cmd", "edits", "go.mod", "go.sum", "limits", "lspclient", "tools", "vdocs"}
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !ignored(e.Name()) {
			got = append(got, e.Name())
		}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("visible top level (-want +got):\n%s", d)
	}
}

// Each package states its contract where it is looked for, and is named for
// what it is.
func TestPackages(t *testing.T) {
	files := tree(t)
	packages := make(map[string]bool)
	for _, name := range sources(files) {
		packages[path.Dir(name)] = true
	}
	for pkg := range packages {
		if slices.Contains([]string{"util", "utils", "common", "helper", "helpers", "misc", "base", "shared"}, path.Base(pkg)) {
			t.Errorf("%s: the name says nothing", pkg)
		}
		name := pkg + "/doc.go"
		file, err := parser.ParseFile(token.NewFileSet(), name, files[name], parser.ParseComments)
		if err != nil || file.Doc == nil {
			t.Errorf("%s: no package documentation in it: %v", name, err)
			continue
		}
		begin := "Package " + file.Name.Name + " "
		if file.Name.Name == "main" {
			begin = "Command " + path.Base(pkg) + " "
		}
		if !strings.HasPrefix(file.Doc.Text(), begin) {
			t.Errorf("%s: documentation does not begin with %q", name, begin)
		}
	}
}

func TestFileLength(t *testing.T) {
	files := tree(t)
	for _, name := range sources(files) {
		if n := bytes.Count(files[name], []byte("\n")); n > maxLines {
			t.Errorf("%s: %d lines, at most %d: one file, one concept", name, n, maxLines)
		}
	}
}
