package lspclient_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

// TestGoplsHearsOfOtherFolders: modules outside the workspace belong to its build
// where go.mod or go.work says so. gopls does not ask to be told of them, and
// looks at their files once.
func TestGoplsHearsOfOtherFolders(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	base := t.TempDir()
	write := func(files map[string]string) {
		t.Helper()
		lsptest.WriteFiles(t, base, files)
	}
	const lib = "package lib\n\nfunc L() int { return 1 }\n"
	user := func(name string) string { return "package " + name + "\n\nimport \"lib\"\n\nvar X = lib.L()\n" }
	write(map[string]string{
		"lib/go.mod": "module lib\n\ngo 1.26\n", "lib/l.go": lib,
		"other/go.mod": "module other\n\ngo 1.26\n", "other/o.go": user("other"),
		"ws/go.mod": "module m\n\ngo 1.26\n\nrequire lib v0.0.0\n\nreplace lib => ../lib\n", "ws/a.go": user("m"),
	})
	b := openReal(t, filepath.Join(base, "ws"), "gopls", gopls)
	expect := func(when string, want ...string) {
		t.Helper()
		got, err := b.references(t, "a.go", "L()")
		if err != nil {
			t.Fatalf("%s: %v", when, err)
		}
		var places []string
		for i, p := range b.places(got) {
			start, _, _ := strings.Cut(p, "-")
			if outside := got.Items[i].Path; outside != "" {
				start = filepath.Base(outside) + strings.TrimPrefix(start, "outside")
			}
			places = append(places, start)
		}
		if diff := cmp.Diff(want, places); diff != "" || got.Completeness.State != lspclient.Complete {
			t.Errorf("%s: %+v, (-want +got):\n%s", when, got.Completeness, diff)
		}
	}
	expect("at first", "a.go:5:13", "l.go:3:6")
	write(map[string]string{"lib/l.go": "package lib\n\n\n\n" + strings.TrimPrefix(lib, "package lib\n\n")})
	expect("a file of a module that another is replaced by changes", "a.go:5:13", "l.go:5:6")
	if err := os.Rename(filepath.Join(base, "lib", "l.go"), filepath.Join(base, "lib", "k.go")); err != nil {
		t.Fatal(err)
	}
	expect("it gets another name", "a.go:5:13", "k.go:5:6")
	write(map[string]string{"go.work": "go 1.26\n\nuse (\n\t./ws\n\t./lib\n\t./other\n)\n"})
	expect("a go.work above joins a module", "a.go:5:13", "k.go:5:6", "o.go:5:13")
	write(map[string]string{"other/p.go": strings.Replace(user("other"), "X", "Y", 1)})
	expect("a file is added to that", "a.go:5:13", "k.go:5:6", "o.go:5:13", "p.go:5:13")
	if err := os.Remove(filepath.Join(base, "go.work")); err != nil {
		t.Fatal(err)
	}
	expect("the go.work goes", "a.go:5:13", "k.go:5:6")
}
