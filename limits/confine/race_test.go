//go:build unix

package confine_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"lspbridge/limits/confine"
)

// A folder is swapped for a link that leads out, again and again, while files
// below it are read. The naive way (resolve, compare, open) must be caught by
// it, or the test proves nothing; Read never.
//
// LSPBRIDGE_FULL=1 makes ten million tries.
func TestSwapRace(t *testing.T) {
	const secret = "outside/secret.go"
	p := newPlace(t)
	write(t, p.base+"/outside/f.go", secret)
	write(t, p.ws+"/real/f.go", "inside")
	write(t, p.ws+"/dir/f.go", "inside")

	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() { // the link "swap" leads in and out
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			dest := "real"
			if i%2 == 1 {
				dest = p.base + "/outside"
			}
			if err := os.Symlink(dest, p.ws+"/swap.new"); err != nil {
				t.Error(err)
				return
			}
			if err := os.Rename(p.ws+"/swap.new", p.ws+"/swap"); err != nil {
				t.Error(err)
				return
			}
		}
	})
	swapping.Go(func() { // "dir" is a folder and a link out by turns
		if err := os.Symlink("../outside", p.ws+"/dir.link"); err != nil {
			t.Error(err)
			return
		}
		for {
			select {
			case <-stop:
				return
			default:
			}
			for _, mv := range [][2]string{{"dir", "dir.real"}, {"dir.link", "dir"}, {"dir", "dir.link"}, {"dir.real", "dir"}} {
				if err := os.Rename(p.ws+"/"+mv[0], p.ws+"/"+mv[1]); err != nil {
					t.Error(err)
					return
				}
			}
		}
	})
	defer swapping.Wait()
	defer close(stop)

	paths := []string{p.ws + "/swap/f.go", p.ws + "/dir/f.go"}
	deadline := time.Now().Add(time.Minute)
	tries := 0
	for caught := false; !caught; tries++ {
		if time.Now().After(deadline) {
			t.Fatalf("the naive way was not caught in %d tries: the race does not run", tries)
		}
		caught = naive(p.ws, paths[tries%len(paths)]) == secret
	}
	t.Logf("the naive way was caught after %d tries", tries)

	w := open(t, confine.Options{}, p.ws)
	rounds := int64(20_000)
	if os.Getenv("LSPBRIDGE_FULL") == "1" {
		rounds = 10_000_000
	}
	var left, inside atomic.Int64
	left.Store(rounds)
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for n := left.Add(-1); n >= 0 && !t.Failed(); n = left.Add(-1) {
				path := paths[n%2]
				rel, _ := strings.CutPrefix(path, p.ws+"/")
				f := confine.File{Rel: rel} // as if named before the swap
				if n%4 < 2 {
					var err error
					if f, err = w.File(path); err != nil {
						continue
					}
				}
				text, _, err := w.Read(f, 100)
				switch {
				case err == nil && string(text) == "inside":
					inside.Add(1)
				case err == nil:
					t.Errorf("Read(%q) = %q", f.Rel, text)
				}
				if info, err := w.Stat(f); err == nil && info.Size() == int64(len(secret)) {
					t.Errorf("Stat(%q) describes the file outside", f.Rel)
				}
			}
		})
	}
	readers.Wait()
	if inside.Load() == 0 {
		t.Error("no try read the file inside: the race leaves nothing to read")
	}
	t.Logf("%d tries, %d read the file inside", rounds, inside.Load())
}

// naive is how not to do it; it is the control of the test above.
func naive(root, path string) string {
	dest, err := filepath.EvalSymlinks(path)
	if err != nil || !strings.HasPrefix(dest, root+"/") {
		return ""
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return string(text)
}
