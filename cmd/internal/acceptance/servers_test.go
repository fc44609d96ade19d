package acceptance_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// only returns a folder that holds a link to one program and nothing else.
func only(t *testing.T, program string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Symlink(program, filepath.Join(dir, filepath.Base(program))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// clangdAlone writes a servers.json in which clangd is started by this name and
// no other, whichever versions the machine has.
func clangdAlone(t *testing.T, name string) string {
	t.Helper()
	return serversFile(t, map[string]any{"clangd": map[string]any{"command": name}})
}

func serversFile(t *testing.T, entries map[string]any) string {
	t.Helper()
	text, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "servers.json")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
