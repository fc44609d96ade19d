package confine_test

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"testing"

	"lspbridge/limits/confine"
)

// What may not be read is refused as such, and not taken for missing. For root
// everything may be read, so a thread gives up that right; it is not used for
// anything else afterwards.
func TestReadWithoutPermission(t *testing.T) {
	p := newPlace(t)
	w := open(t, confine.Options{}, p.ws)
	if err := errors.Join(os.Chmod(p.ws+"/a.go", 0), os.Chmod(p.ws+"/sub", 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(p.ws+"/sub", 0o700) })
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if os.Geteuid() == 0 {
			if err := syscall.Setfsuid(65534); err != nil {
				t.Error(err)
				return
			}
		}
		for _, rel := range []string{"a.go", "sub/b.go"} {
			f, err := w.File(rel)
			if err != nil || f.Rel != rel {
				t.Errorf("File(%q) = %v, %v", rel, f, err)
			}
			text, _, err := w.Read(f, 100)
			e, ok := errors.AsType[*confine.Error](err)
			if !ok || e.Reason != confine.NotPermitted || !errors.Is(err, fs.ErrPermission) {
				t.Errorf("Read(%q) = %q, %v, want %q", rel, text, err, confine.NotPermitted)
			}
		}
	}()
	<-done
}
