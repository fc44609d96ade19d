package lspclient

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits/confine"
)

// openDisk returns a disk over a fresh folder that tracks .go files.
func openDisk(t *testing.T) (d *disk, dir string) {
	t.Helper()
	dir = t.TempDir()
	ws, err := confine.Open([]string{dir}, confine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	d = newDisk(ws, func(name string) bool { return strings.HasSuffix(name, ".go") }, 1<<20, 1000)
	t.Cleanup(d.close)
	return d, dir
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// age makes a file older than any clock's tick, in its modification time.
func (d *disk) later() { d.now = func() time.Time { return time.Now().Add(time.Hour) } }

func (d *disk) mustSync(t *testing.T) uint64 {
	t.Helper()
	seq, err := d.sync(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func (d *disk) mustSince(t *testing.T, seq uint64) []change {
	t.Helper()
	changes, ok := d.since(seq)
	if !ok {
		t.Fatalf("what happened since %d is forgotten", seq)
	}
	return changes
}

// said turns changes into "+a.go", "~b.go", "-c.go".
func said(changes []change) []string {
	out := []string{}
	for _, c := range changes {
		out = append(out, map[changeKind]string{fileCreated: "+", fileChanged: "~", fileDeleted: "-"}[c.kind]+c.file.Rel)
	}
	slices.Sort(out)
	return out
}

func TestDiskTellsNetChanges(t *testing.T) {
	d, dir := openDisk(t)
	for _, name := range []string{"a.go", "b.go", "sub/c.go", "note.txt", ".git/x.go", "node_modules/m/y.go"} {
		put(t, dir, name, "1")
	}
	start := d.mustSync(t)
	if got := said(d.mustSince(t, 0)); len(got) != 0 {
		t.Errorf("the first sweep is no change, got %v", got)
	}
	put(t, dir, "a.go", "22")
	os.Remove(filepath.Join(dir, "b.go"))
	put(t, dir, "sub/new/d.go", "1")
	put(t, dir, "note.txt", "2")
	put(t, dir, ".git/x.go", "2")
	second := d.mustSync(t)
	if diff := cmp.Diff([]string{"+sub/new/d.go", "-b.go", "~a.go"}, said(d.mustSince(t, start))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	// From the start: net effects. From the second state: only what is new.
	put(t, dir, "b.go", "again")
	os.RemoveAll(filepath.Join(dir, "sub", "new"))
	put(t, dir, "sub/new/d.go", "another") // gone and back between two sweeps
	d.mustSync(t)
	if diff := cmp.Diff([]string{"+b.go", "+sub/new/d.go", "~a.go"}, said(d.mustSince(t, start))); diff != "" {
		t.Errorf("since the start (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"+b.go", "~sub/new/d.go"}, said(d.mustSince(t, second))); diff != "" {
		t.Errorf("since the second state (-want +got):\n%s", diff)
	}
}

func TestDiskSeesWhatTheStampHides(t *testing.T) {
	d, dir := openDisk(t)
	path := filepath.Join(dir, "a.go")
	put(t, dir, "a.go", "one")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	seq := d.mustSync(t)
	// The same size, inode and modification time. Where the change time did not
	// move either, only the hash tells.
	put(t, dir, "a.go", "two")
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	d.mustSync(t)
	if got := said(d.mustSince(t, seq)); !slices.Equal(got, []string{"~a.go"}) {
		t.Errorf("a change within one tick: got %v", got)
	}
}

func TestDiskHashesOnlyYoungFiles(t *testing.T) {
	d, dir := openDisk(t)
	put(t, dir, "a.go", "one")
	d.later()
	d.mustSync(t)
	state, ok := d.state(confine.File{Rel: "a.go"})
	if !ok || state.young || state.hash != [32]byte{} {
		t.Errorf("an old file is %+v, want no hash", state)
	}
}

func TestDiskSyncIsABarrier(t *testing.T) {
	d, dir := openDisk(t)
	for i := range 200 {
		put(t, dir, filepath.Join("d", string(rune('a'+i%26)), strings.Repeat("x", i)+".go"), "1")
	}
	d.mustSync(t)
	// Callers come while others' sweeps are under way; each must see its own file.
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			name := filepath.Join("n", strings.Repeat("y", i+1)+".go")
			put(t, dir, name, "1")
			if _, err := d.sync(context.Background()); err != nil {
				t.Error(err)
			}
			if _, ok := d.state(confine.File{Rel: filepath.ToSlash(name)}); !ok {
				t.Errorf("%s was written before the sync and is not known after it", name)
			}
		})
	}
	wg.Wait()
	d.close()
}

func TestDiskLogStaysBounded(t *testing.T) {
	d, dir := openDisk(t)
	put(t, dir, "a.go", "1")
	d.mustSync(t)
	f := confine.File{Rel: "a.go"}
	d.mu.Lock()
	for range 100_000 {
		d.seq++
		d.record(f, false)
	}
	n := len(d.log)
	d.mu.Unlock()
	if n > 2*len(d.files)+1024+1 {
		t.Errorf("the log has %d entries for one file", n)
	}
}

func TestDiskForgetsFilesThatWent(t *testing.T) {
	d, dir := openDisk(t)
	put(t, dir, "a.go", "1")
	first := d.mustSync(t)
	for i := range 50 {
		for j := range 100 {
			put(t, dir, fmt.Sprintf("x%d_%d.go", i, j), "1")
		}
		d.mustSync(t)
		for j := range 100 {
			os.Remove(filepath.Join(dir, fmt.Sprintf("x%d_%d.go", i, j)))
		}
		d.mustSync(t)
	}
	before := d.mustSync(t)
	put(t, dir, "a.go", "22")
	d.mustSync(t)
	if n, most := len(d.log), 2*101+1024+1; n > most {
		t.Errorf("the log has %d entries, want at most %d", n, most)
	}
	if _, ok := d.since(first); ok {
		t.Error("the log says that it knows all since the start, and it does not")
	}
	if got := said(d.mustSince(t, before)); !slices.Equal(got, []string{"~a.go"}) {
		t.Errorf("since the last state: %v", got)
	}
}
