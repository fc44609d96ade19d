//go:build unix

package confine_test

import (
	"path/filepath"
	"strings"
	"testing"

	"lspbridge/limits/confine"
)

// Whatever the path: it is refused, or what it names is inside, by the file
// system's own account.
func FuzzFile(f *testing.F) {
	p := newPlace(f)
	w, err := confine.Open([]string{p.link}, confine.Options{Excluded: hidden})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { w.Close() })
	for _, v := range below {
		f.Add(v.path, false)
		f.Add(v.path, true)
	}
	f.Fuzz(func(t *testing.T, path string, absolute bool) {
		if absolute {
			path = p.ws + "/" + path
		}
		file, err := w.File(path)
		at, ok := w.Locate(path)
		if ok && (err != nil || at != file) {
			t.Fatalf("Locate(%q) = %v, and File = %v, %v", path, at, file, err)
		}
		if err != nil {
			checkSilent(t, p, path, err)
			return
		}
		if !filepath.IsLocal(file.Rel) || filepath.Clean(file.Rel) != file.Rel || file.Rel == "." || hidden(file.Rel) {
			t.Fatalf("File(%q) = %q, which is not clean, not local or excluded", path, file.Rel)
		}
		if real, err := filepath.EvalSymlinks(w.Abs(file)); err == nil && !strings.HasPrefix(real, p.ws+"/") {
			t.Fatalf("File(%q) = %q leads to %q", path, file.Rel, real)
		}
		if again, err := w.File(w.Shown(file)); err != nil || again != file {
			t.Fatalf("File(%q) = %q, and File of that = %q, %v", path, file.Rel, again.Rel, err)
		}
		if text, _, err := w.Read(file, 1000); err == nil && (!strings.HasPrefix(string(text), "ws/") || strings.Contains(string(text), "secret")) {
			t.Fatalf("Read(%q) = %q", path, text)
		}
	})
}
