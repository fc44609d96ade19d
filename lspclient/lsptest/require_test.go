package lsptest

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestRequired(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		list, name string
		want       bool
	}{
		{"", "gopls", false},
		{"gopls", "gopls", true},
		{"clangd-19,gopls", "gopls", true},
		{"clangd-19, gopls", "gopls", true},
		{"clangd-19 clangd-22", "clangd-22", true},
		{"gopls-next", "gopls", false},
		{"clangd-22", "clangd", false},
	} {
		if got := required(c.list, c.name); got != c.want {
			t.Errorf("required(%q, %q) = %v", c.list, c.name, got)
		}
	}
}

// TestFindVersion takes a program only at the version that was asked for.
func TestFindVersion(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs shell scripts")
	}
	dir := t.TempDir()
	for name, says := range map[string]string{
		"clangd-19": "Debian clangd version 19.1.7 (3)",
		"clangd-22": "Debian clangd version 21.0.0",
		"gopls":     "golang.org/x/tools/gopls v0.23.01",
		"git":       "anything",
	} {
		script := "#!/bin/sh\necho '" + says + "'\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
	t.Setenv("GOBIN", "")
	t.Setenv("HOME", dir) // no install of the user's
	t.Setenv("XDG_CACHE_HOME", dir)
	for _, c := range []struct{ name, wrong string }{
		{"clangd-19", ""},
		{"clangd-22", "another version"},
		{"git", ""},
		{"missing", "not found"},
	} {
		path, err := find(t.Context(), c.name)
		switch {
		case c.wrong == "" && (err != nil || path != filepath.Join(dir, c.name)):
			t.Errorf("find(%q) = %q, %v", c.name, path, err)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("find(%q) = %q, %v; want an error with %q", c.name, path, err, c.wrong)
		}
	}
	if err := checkVersion(t.Context(), "gopls", filepath.Join(dir, "gopls")); err == nil {
		t.Error("gopls v0.23.01 passes for " + GoplsVersion)
	}
}
