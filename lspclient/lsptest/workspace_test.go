package lsptest_test

import (
	"os"
	"path/filepath"
	"testing"

	"lspbridge/lspclient/lsptest"
)

func TestMain(m *testing.M) { lsptest.Main(m) }

func TestWorkspace(t *testing.T) {
	t.Parallel()
	dir := lsptest.Workspace(t, "-- go.mod --\nmodule m\n-- a/b/c.go --\npackage b // é\n")
	for name, want := range map[string]string{"go.mod": "module m\n", "a/b/c.go": "package b // é\n"} {
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v; want %q", name, got, err, want)
		}
	}
	if real, err := filepath.EvalSymlinks(dir); err != nil || real != dir {
		t.Errorf("%s is not canonical: %s, %v", dir, real, err)
	}
}
