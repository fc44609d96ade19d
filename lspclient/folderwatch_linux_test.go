package lspclient

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// TestWatchesUsedUp: where the system has no watches left each question looks
// through all folders, and says why. A user namespace has a limit of its own, so
// that the machine's stays as it is.
func TestWatchesUsedUp(t *testing.T) {
	const inside = "LSPBRIDGE_TEST_NAMESPACE"
	if os.Getenv(inside) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestWatchesUsedUp$", "-test.v")
		cmd.Env = append(os.Environ(), inside+"=1")
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) || strings.Contains(string(out), "--- SKIP") {
			t.Skipf("no user namespace can be made here: %v %s", err, out)
		} else if err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("in a user namespace: %v\n%s", err, out)
		}
		return
	}
	if err := os.WriteFile("/proc/sys/user/max_inotify_watches", []byte("5"), 0); err != nil {
		t.Skip(err)
	}
	d, dir := openDisk(t)
	put(t, dir, "a/a.go", "1")
	seq := d.mustSync(t)
	d.mustWatch(t) // as long as there are enough
	for _, name := range []string{"b/b.go", "c/c.go", "d/d.go", "e/e.go", "f/f.go"} {
		put(t, dir, name, "1")
	}
	d.mustSync(t)
	if n, why := d.watching(); n != 0 || !strings.Contains(why, "max_user_watches") {
		t.Errorf("%d folders watched, %q", n, why)
	}
	put(t, dir, "f/g.go", "1")
	d.mustSync(t)
	want := []string{"+b/b.go", "+c/c.go", "+d/d.go", "+e/e.go", "+f/f.go", "+f/g.go"}
	got := said(d.mustSince(t, seq))
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("told of %v, want %v", got, want)
	}
}
