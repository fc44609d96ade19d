package main_test

import (
	"bytes"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

const root = "../.." // of the module, from this package

// tree returns the text files of the module by their paths, without what git
// ignores or keeps for itself.
func tree(t *testing.T) map[string][]byte {
	t.Helper()
	module := os.DirFS(root)
	files := make(map[string][]byte)
	err := fs.WalkDir(module, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name == ".git":
			return fs.SkipDir
		case ignored(name) || !d.Type().IsRegular(): // .git is a file in a worktree
			return nil
		}
		text, err := fs.ReadFile(module, name)
		if err != nil {
			return err
		}
		files[name] = text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files["go.mod"]) == 0 {
		t.Fatalf("%s is not the module", root)
	}
	return files
}

// ignored are the names in .gitignore.
func ignored(name string) bool {
	return name == ".git" || name == "lspbridge" || slices.Contains([]string{".test", ".out", ".prof"}, path.Ext(name))
}

// sources are the Go files in which the rules hold: not those of testdata.
func sources(files map[string][]byte) []string {
	var names []string
	for name := range files {
		if path.Ext(name) == ".go" && !strings.Contains("/"+name, "/testdata/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func TestImports(t *testing.T) {
	files := tree(t)
	for _, name := range sources(files) {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		vs, err := checkSource(name, files[name])
		if err != nil {
			t.Error(err)
		}
		for _, v := range vs {
			t.Error(v)
		}
	}
}

// Nothing in the repository depends on, or tells of, the machine it was made
// on. The names are put together here, so that this file is not one of them.
func TestNoMachinePaths(t *testing.T) {
	for name, text := range tree(t) {
		for _, p := range machinePaths(text) {
			t.Errorf("%s: names %s", name, p)
		}
	}
}

func machinePaths(text []byte) []string {
	var found []string
	for _, p := range [][2]string{{"/wo", "rk/"}, {"/tmp/", "wt/"}, {"/tmp/", "brief"}, {"/root/", "go/"}, {"/root/", ".cache"}, {"/tmp/bash", "_jobs"}} {
		if name := p[0] + p[1]; bytes.Contains(text, []byte(name)) {
			found = append(found, name)
		}
	}
	return found
}
