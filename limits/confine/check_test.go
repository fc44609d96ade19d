package confine_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"lspbridge/limits/confine"
)

// A folder that took the place of the opened one is another workspace.
func TestCheck(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+"2") },
		"replaced": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"2"), os.Mkdir(dir, 0o700))
		},
		"replaced by a file": func(dir string) error {
			return errors.Join(os.Rename(dir, dir+"2"), os.WriteFile(dir, nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "ws")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			ws, err := confine.Open([]string{dir}, confine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			if err := ws.Check(); err != nil {
				t.Errorf("unchanged: %v", err)
			}
			if err := os.WriteFile(filepath.Join(dir, "a.go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := ws.Check(); err != nil {
				t.Errorf("with a new file: %v", err)
			}
			if err := change(dir); err != nil {
				t.Skip(err) // an opened folder stays where it is on some systems
			}
			var refused *confine.Error
			if err := ws.Check(); !errors.As(err, &refused) || refused.Reason != confine.Replaced {
				t.Errorf("error %v, want %q", err, confine.Replaced)
			}
		})
	}
}
