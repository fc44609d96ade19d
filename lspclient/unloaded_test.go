package lspclient_test

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/textpos"
)

// TestGoplsNamesWhatItCannotRead: what gopls cannot load or parse, and says
// nothing of, makes an answer partial that names it.
func TestGoplsNamesWhatItCannotRead(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	const good = "package m\n\nfunc Old() int { return 1 }\n"
	for _, tt := range []struct {
		name    string
		files   map[string]string
		symbols bool
		reason  string
	}{
		{"module of a newer Go", map[string]string{"go.mod": "module m\n\ngo 1.99\n", "a.go": good}, true, "a.go"},
		{"broken go.mod", map[string]string{"go.mod": "modul m\n", "a.go": good}, true, "a.go"},
		{"syntax error", map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": good, "b.go": "package m\n\nfunc Broken( {\n\nvar Y = Old()\n"}, false, "does not parse, and 1 holds \"Old\": b.go"},
		{"broken package clause", map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": good, "b.go": "packag m\n\nvar Y = Old()\n"}, false, "b.go"},
		{"no module", map[string]string{"a.go": good, "sub/u.go": "package sub\n\nimport \"m\"\n\nvar U = m.Old()\n"}, false, "no go.mod"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			lsptest.WriteFiles(t, dir, tt.files)
			b := openReal(t, dir, "gopls", gopls)
			var answer lspclient.Answer
			if tt.symbols {
				got, err := b.WorkspaceSymbols(t.Context(), "gopls", "Old")
				if err != nil {
					t.Fatal(err)
				}
				answer = got.Answer
			} else {
				got, err := b.references(t, "a.go", "Old")
				if err != nil {
					t.Fatal(err)
				}
				answer = got.Answer
			}
			if c := answer.Completeness; c.State != lspclient.Partial || !strings.Contains(strings.Join(c.Reasons, "; "), tt.reason) {
				t.Errorf("completeness %+v, want partial, naming %q", c, tt.reason)
			}
		})
	}
	// A file of the same word that parses is no reason.
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": good, "b.go": "package m\n\n// Old is mentioned.\n", "c.go": "package m\n\nfunc Broken( {\n"})
	openReal(t, dir, "gopls", gopls).expect(t, "others", "a.go", "Old", "a.go:3:6")
}

// TestClangdHoverOfNothing: nothing to say about a name in a file without a
// command is no whole answer.
func TestClangdHoverOfNothing(t *testing.T) {
	clangd := lsptest.Require(t, "clangd-22")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"a.cpp": "#include \"none.h\"\nint x = missing(1);\nint y = x;\n"})
	b := openReal(t, dir, "clangd", clangd)
	got, err := b.Hover(t.Context(), b.file(t, "a.cpp"), on("missing"))
	if err != nil {
		t.Fatal(err)
	}
	if got.Text != "" || got.Completeness.State != lspclient.Partial || !strings.Contains(strings.Join(got.Completeness.Reasons, ";"), "compile_commands.json") {
		t.Errorf("hover %q, %+v; want nothing, and partial", got.Text, got.Completeness)
	}
	if got, err := b.Hover(t.Context(), b.file(t, "a.cpp"), on("x;")); err != nil || got.Text == "" || got.Completeness.State != lspclient.Complete {
		t.Errorf("hover of a variable: %q, %+v, error %v", got.Text, got.Completeness, err)
	}
}

// TestGoplsHintsAtTheBuild: the error about a file that is not built says so.
func TestGoplsHintsAtTheBuild(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n", "t.go": "//go:build never\n\npackage m\n\nfunc Old() {}\n"})
	b := openReal(t, dir, "gopls", gopls)
	_, err := b.Hover(t.Context(), b.file(t, "t.go"), on("Old"))
	var e *lspclient.Error
	if !errors.As(err, &e) || !strings.Contains(e.Hint, "not built for") || !strings.Contains(e.Hint, "buildFlags") {
		t.Errorf("error %v, want a hint at the build", err)
	}
}

// TestGoplsIsHealed: a request about a new file of a package that gopls knows,
// before it was told of the file, makes it miss the file for good. Nobody has to
// know, whether that file is asked about or another one.
func TestGoplsIsHealed(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	for _, asked := range []string{"n.go", "a.go"} {
		dir := t.TempDir()
		lsptest.WriteFiles(t, dir, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n"})
		b := openReal(t, dir, "gopls", gopls)
		b.expect(t, "at first", "a.go", "Shared", "a.go:3:6")
		b.write(t, "n.go", "package m\n\nvar N = Shared()\n")
		uri, err := textpos.PathURI(filepath.Join(dir, "n.go"))
		if err != nil {
			t.Fatal(err)
		}
		poison := map[string]any{"textDocument": map[string]string{"uri": uri}, "position": map[string]int{"line": 2, "character": 4}}
		if _, err := b.Raw(t.Context(), "gopls", "textDocument/hover", poison); err == nil || !strings.Contains(err.Error(), "no package metadata") {
			t.Fatalf("gopls answered about a file it was not told of, error %v: there is nothing to heal", err)
		}
		b.expect(t, "after the poison, asked in "+asked, asked, "Shared", "a.go:3:6", "n.go:3:9")
	}
}
