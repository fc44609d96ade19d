//go:build unix

package confine_test

import (
	"bytes"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"lspbridge/limits/confine"
)

// Nothing that is not a regular file is read, waited for or told apart late:
// each refusal comes at once and costs no memory.
func TestReadRefuses(t *testing.T) {
	p := newPlace(t)
	w := open(t, confine.Options{}, p.ws)
	const limit = 4 << 20
	if err := syscall.Mkfifo(p.ws+"/fifo", 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(p.ws+"/fifo", p.ws+"/fifo-link"); err != nil {
		t.Fatal(err)
	}
	socket(t, p.ws, "sock")
	sparse := filepath.Join(p.ws, "sparse")
	write(t, sparse, "")
	if err := os.Truncate(sparse, 1<<40); err != nil {
		t.Fatal(err)
	}
	write(t, p.ws+"/over", strings.Repeat("x", limit+1))
	tests := []struct {
		rel    string
		reason confine.Reason
		is     error
	}{
		{"fifo", confine.IsPipe, nil},
		{"fifo-link", confine.IsPipe, nil},
		{"sock", confine.IsSocket, nil},
		{"sub", confine.IsFolder, nil},
		{"in-rel", confine.IsFolder, nil},
		{"in-self", confine.IsFolder, nil},
		{"", confine.IsFolder, nil},
		{"sparse", confine.TooLarge, nil},
		{"over", confine.TooLarge, nil},
		{"new.go", confine.NotExist, fs.ErrNotExist},
		{"dead.go", confine.NotExist, fs.ErrNotExist},
		{"a.go/x", confine.Unreadable, syscall.ENOTDIR},
		{"loop", confine.Unreadable, nil},
		{strings.Repeat("n", 300), confine.Unreadable, syscall.ENAMETOOLONG},
		// Names that File would not have given out: the open refuses too.
		{"lo-rel.go", confine.LeadsOut, nil},
		{"lo-abs.go", confine.LeadsOut, nil},
		{"lo-passwd", confine.LeadsOut, nil},
		{"out-abs/secret.go", confine.LeadsOut, nil},
		{"out-proc/etc/passwd", confine.LeadsOut, nil},
		{"../outside/secret.go", confine.LeadsOut, nil},
		{"/etc/passwd", confine.LeadsOut, nil},
	}
	if err := syscall.Mknod(p.ws+"/zero", syscall.S_IFCHR|0o644, 1<<8|5); err == nil {
		tests = append(tests, struct {
			rel    string
			reason confine.Reason
			is     error
		}{"zero", confine.IsDevice, nil})
	} else {
		t.Logf("devices are not tested: %v", err)
	}
	for _, tt := range tests {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		text, stamp, err := w.Read(confine.File{Rel: tt.rel}, limit)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		if e, ok := errors.AsType[*confine.Error](err); !ok || e.Reason != tt.reason || text != nil || stamp != (confine.Stamp{}) {
			t.Errorf("Read(%q) = %d bytes, %v, want %q", tt.rel, len(text), err, tt.reason)
			continue
		}
		if tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("Read(%q): %v is no %v", tt.rel, err, tt.is)
		}
		checkSilent(t, p, tt.rel, err)
		// A second stands for "at once" on a machine that is busy.
		if took > time.Second {
			t.Errorf("Read(%q) was refused after %v", tt.rel, took)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("Read(%q) allocated %d bytes to refuse", tt.rel, used)
		}
	}
}

// socket makes a Unix socket; its path may be too long for an address.
func socket(t *testing.T, dir, name string) {
	t.Helper()
	short, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(short) })
	l, err := net.Listen("unix", short+"/s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if err := os.Rename(short+"/s", filepath.Join(dir, name)); err != nil {
		t.Skipf("a socket cannot be moved into the workspace: %v", err)
	}
}

func TestReadBounds(t *testing.T) {
	p := newPlace(t)
	w := open(t, confine.Options{}, p.ws)
	write(t, p.ws+"/ten", "0123456789")
	write(t, p.ws+"/empty", "")
	for _, tt := range []struct {
		rel  string
		max  int64
		want string
		ok   bool
	}{
		{"ten", 10, "0123456789", true},
		{"ten", 11, "0123456789", true},
		{"ten", 9, "", false},
		{"ten", 0, "", false},
		{"ten", -1, "", false},
		{"empty", 0, "", true},
		{"empty", 1, "", true},
	} {
		text, stamp, err := w.Read(confine.File{Rel: tt.rel}, tt.max)
		if string(text) != tt.want || (err == nil) != tt.ok {
			t.Errorf("Read(%s, %d) = %q, %v, want %q, %v", tt.rel, tt.max, text, err, tt.want, tt.ok)
		}
		if err == nil && stamp.Size != int64(len(text)) {
			t.Errorf("Read(%s, %d): stamp %v of %d bytes", tt.rel, tt.max, stamp, len(text))
		}
	}
}

// While a file grows and is cut again, Read gives one state of it or says that
// there is none to give.
func TestReadGrowing(t *testing.T) {
	p := newPlace(t)
	w := open(t, confine.Options{}, p.ws)
	f := confine.File{Rel: "log"}
	out, err := os.Create(p.ws + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	stop := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		line := bytes.Repeat([]byte("x"), 100)
		for n := int64(0); ; n += int64(len(line)) {
			select {
			case <-stop:
				return
			default:
			}
			if n > 1<<18 {
				n = 0
				if err := out.Truncate(0); err != nil {
					t.Error(err)
					return
				}
			}
			if _, err := out.WriteAt(line, n); err != nil {
				t.Error(err)
				return
			}
		}
	})
	defer writer.Wait()
	defer close(stop)
	// Both outcomes must be met, or the test has not seen a file that grows.
	whole, changing := 0, 0
	for deadline := time.Now().Add(time.Minute); whole == 0 || changing == 0 || whole+changing < 500; {
		text, stamp, err := w.Read(f, 1<<20)
		switch e, _ := errors.AsType[*confine.Error](err); {
		case err == nil:
			whole++
			if int64(len(text)) != stamp.Size {
				t.Fatalf("%d bytes with a stamp of %d", len(text), stamp.Size)
			}
		case e != nil && e.Reason == confine.Changing:
			changing++
		default:
			t.Fatal(err)
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute %d reads of a state and %d refused as changing", whole, changing)
		}
	}
}

// A stamp changes with the text even when size and modification time are the
// same as before.
func TestStamp(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("no ctime is read on this system")
	}
	p := newPlace(t)
	w := open(t, confine.Options{}, p.ws)
	f := confine.File{Rel: "a.go"}
	old := time.Now().Add(-time.Hour)
	set := func(text string) confine.Stamp {
		t.Helper()
		write(t, w.Abs(f), text)
		if err := os.Chtimes(w.Abs(f), old, old); err != nil {
			t.Fatal(err)
		}
		got, stamp, err := w.Read(f, 100)
		if err != nil || string(got) != text {
			t.Fatalf("Read = %q, %v", got, err)
		}
		return stamp
	}
	first := set("aaaa")
	if again := func() confine.Stamp { _, s, _ := w.Read(f, 100); return s }(); again != first {
		t.Errorf("reading changed the stamp from %v to %v", first, again)
	}
	// The clock of the file system ticks every few milliseconds.
	second := set("bbbb")
	for deadline := time.Now().Add(10 * time.Second); second == first; second = set("bbbb") {
		if time.Now().After(deadline) {
			t.Fatalf("the stamp stays %v", first)
		}
	}
	if second.MTime != first.MTime || second.Size != first.Size || second.CTime == first.CTime || second.Inode != first.Inode {
		t.Errorf("stamps %v and %v should differ by ctime alone", first, second)
	}
	if err := os.Chmod(w.Abs(f), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, third, err := w.Read(f, 100); err != nil || third.Mode == second.Mode {
		t.Errorf("mode in the stamp stays %v after a chmod: %v", third.Mode, err)
	}
}

func TestClosed(t *testing.T) {
	p := newPlace(t)
	w, err := confine.Open([]string{p.ws}, confine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text, _, err := w.Read(confine.File{Rel: "a.go"}, 100); err == nil {
		t.Errorf("a closed workspace reads %q", text)
	}
}
