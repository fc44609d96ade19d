package confine_test

import (
	"os"
	"path/filepath"
	"testing"

	"lspbridge/limits/confine"
)

func TestReadDir(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), t.TempDir()
	for _, name := range []string{"d/a", "d/b", "d/c/x"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(out, filepath.Join(dir, "out")); err != nil {
		t.Skip(err)
	}
	ws, err := confine.Open([]string{dir}, confine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer ws.Close()
	for _, tt := range []struct {
		rel  string
		max  int
		want int
		more bool
		fail bool
	}{
		{"d", 10, 3, false, false}, {"d", 3, 3, false, false}, {"d", 2, 2, true, false}, {"", 10, 2, false, false},
		{"d/c", 10, 1, false, false}, {"d/a", 10, 0, false, true}, {"none", 10, 0, false, true}, {"out", 10, 0, false, true},
	} {
		got, more, err := ws.ReadDir(confine.File{Rel: tt.rel}, tt.max)
		if len(got) != tt.want || more != tt.more || (err != nil) != tt.fail {
			t.Errorf("ReadDir(%q, %d) = %d entries, more %t, error %v", tt.rel, tt.max, len(got), more, err)
		}
	}
}
