package lspclient

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"testing"
)

// TestDiskNamesUnreadableFolders: a folder that may not be read is named. Root may
// read every one, so a thread gives up that right; it is not used for anything
// else afterwards.
func TestDiskNamesUnreadableFolders(t *testing.T) {
	d, dir := openDisk(t)
	put(t, dir, "open/a.go", "1")
	put(t, dir, "secret/a.go", "1")
	for path, mode := range map[string]os.FileMode{filepath.Dir(dir): 0o755, dir: 0o755, filepath.Join(dir, "secret"): 0} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "secret"), 0o755) })
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if os.Geteuid() == 0 {
			if err := syscall.Setfsuid(65534); err != nil {
				done <- err
				return
			}
		}
		done <- d.sweep()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := d.unreadable(); !slices.Equal(got, []string{"secret"}) {
		t.Errorf("unreadable folders: %v, want the one", got)
	}
}
