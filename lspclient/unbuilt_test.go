package lspclient_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
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
