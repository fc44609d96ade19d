package lspclient_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/servers"
)

// TestGoplsSymbolsOfTheBuild: while a file is open that the build leaves out, gopls
// searches what another system builds as well.
func TestGoplsSymbolsOfTheBuild(t *testing.T) {
	t.Parallel()
	gopls, dir := lsptest.Require(t, "gopls"), t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod":      "module m\n\ngo 1.26\n",
		"a.go":        "package m\n\nfunc Common() {}\n",
		"b_plan9.go":  "package m\n\nfunc CommonNine() { Common() }\n",
		"c_plan9.go":  "package m\n\nfunc commonOther() {}\n",
		"d_js.go":     "package m\n\nfunc CommonScript() {}\n",
		"a_test.go":   "package m\n\nfunc helpCommon() {}\n",
		"sub/e_js.go": "package sub\n\nfunc Common() {}\n",
	})
	b := openReal(t, dir, "gopls", gopls)
	symbols := func() (names []string) {
		t.Helper()
		found, err := b.WorkspaceSymbols(t.Context(), "gopls", "Common")
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range found.Items {
			if s.Place.Inside {
				names = append(names, s.Name)
			}
		}
		return names
	}
	want := []string{"Common", "helpCommon"}
	if diff := cmp.Diff(want, symbols()); diff != "" {
		t.Errorf("at first (-want +got):\n%s", diff)
	}
	for _, file := range []string{"b_plan9.go", "d_js.go", "b_plan9.go"} {
		got, err := b.Definition(t.Context(), b.file(t, file), on("Common"), lspclient.KindDefinition)
		if err != nil || len(got.Items) != 1 {
			t.Fatalf("%s: %v, error %v", file, got.Items, err)
		}
		if diff := cmp.Diff(want, symbols()); diff != "" {
			t.Errorf("after a question about %s (-want +got):\n%s", file, diff)
		}
	}
}

// TestGoWorkOfTheEnvironment: the go.work that the environment names counts, not
// the one in the folder; folders that the settings filter out are named.
func TestGoWorkOfTheEnvironment(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	files := map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "go.work": "go 1.26\n\nuse (\n\t.\n\t./two\n)\n",
		"two/go.mod": "module two\n\ngo 1.26\n", "two/t.go": "package two\n\nimport \"m\"\n\nvar T = m.Shared()\n",
	}
	for name, c := range map[string]struct {
		settings string
		why      string
	}{
		"as it is": {`{}`, ""},
		"none":     {`{"env": {"GOWORK": "off"}}`, `2 modules without go.work; 1 holds "Shared" outside the asked one: two`},
		"another":  {`{"env": {"GOWORK": "FOLDER/go.work"}}`, `2 modules not joined by go.work; 1 holds "Shared" outside the asked one: two`},
		"filtered": {`{"directoryFilters": ["-two"]}`, `in a folder that go.mod or the settings of gopls ignore, and 1 holds "Shared": two/t.go`},
	} {
		t.Run(name, func(t *testing.T) {
			dir, other := t.TempDir(), t.TempDir()
			lsptest.WriteFiles(t, dir, files)
			lsptest.WriteFiles(t, other, map[string]string{"go.work": "go 1.26\n\nuse " + dir + "\n"})
			entry, _ := servers.Builtin().Server("gopls")
			entry.Commands, entry.InitializationOptions = []string{filepath.Base(gopls)}, json.RawMessage(strings.ReplaceAll(c.settings, "FOLDER", other))
			b := openWith(t, dir, filepath.Dir(gopls), entry, confine.Options{}, t.TempDir(), nil)
			got, err := b.references(t, "a.go", "Shared")
			if err != nil {
				t.Fatal(err)
			}
			if why := strings.Join(got.Completeness.Reasons, "; "); why != c.why {
				t.Errorf("%s %q, want %q", got.Completeness.State, why, c.why)
			}
		})
	}
}
