package lspclient

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits/confine"
)

// stamps is what a disk knows of its files.
func (d *disk) stamps() map[string]confine.Stamp {
	out := map[string]confine.Stamp{}
	d.visit(func(f confine.File, s diskFile) bool {
		out[f.Rel] = s.stamp
		return true
	})
	return out
}

// swept is what a walk through all folders finds.
func swept(t *testing.T, d *disk) map[string]confine.Stamp {
	t.Helper()
	other := newDisk(d.ws, d.tracked, d.fileCap, 0)
	defer other.close()
	other.mustSync(t)
	return other.stamps()
}

func (d *disk) mustWatch(t *testing.T) {
	t.Helper()
	if !watchesFolders {
		t.Skip("folders are not watched on this system")
	}
	if _, why := d.watching(); why != "" {
		t.Skip("not watched here: " + why)
	}
}

// TestWatchedAgreesWithASweep changes folders and files at random, and asks
// without a pause after each few changes: what the watch leads to is what a walk
// through everything finds, and what is told are the differences.
func TestWatchedAgreesWithASweep(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	d, dir := openDisk(t)
	outside := t.TempDir()
	d.mustSync(t)
	d.mustWatch(t)
	folder := func() string { // up to three levels of few names, so that they meet
		path := dir
		for range r.IntN(4) {
			path = filepath.Join(path, string(rune('p'+r.IntN(3))))
		}
		return path
	}
	inner := func() string { return filepath.Join(folder(), string(rune('p'+r.IntN(3)))) }
	file := func() string { return filepath.Join(folder(), string(rune('a'+r.IntN(4)))+".go") }
	ops := []func(){
		func() { os.MkdirAll(folder(), 0o755) },
		func() { os.WriteFile(file(), []byte(fmt.Sprint(r.IntN(10))), 0o644) },
		func() {
			name := file()
			os.MkdirAll(filepath.Dir(name), 0o755)
			os.WriteFile(name, []byte(fmt.Sprint(r.IntN(10))), 0o644)
		},
		func() { os.Remove(file()) },
		func() { os.Rename(file(), file()) },
		func() { os.Rename(inner(), inner()) },
		func() { os.Rename(inner(), filepath.Join(outside, "x")) },
		func() { os.Rename(filepath.Join(outside, "x"), inner()) },
		func() {
			if r.IntN(3) == 0 {
				os.RemoveAll(inner())
			}
		},
		func() { os.Symlink(file(), file()) },
		func() { os.Chmod(file(), fs.FileMode(0o600+r.IntN(2)*0o44)) },
		func() {
			name := file()
			os.Remove(name)
			os.Mkdir(name, 0o755)
		},
		func() { os.Chtimes(file(), time.Now(), time.Unix(int64(r.IntN(3)), 0)) },
	}
	rounds := 400
	if os.Getenv("LSPBRIDGE_FULL") != "" {
		rounds = 20_000
	}
	told, forgotten := map[string]bool{}, 0
	seq := d.current()
	for round := range rounds {
		for range r.IntN(5) {
			ops[r.IntN(len(ops))]()
		}
		if r.IntN(8) == 0 {
			// The last of its round: what happens to a file through a name that
			// came and went unseen is told by nobody.
			os.Link(file(), file())
		}
		now := d.mustSync(t)
		want := swept(t, d)
		if diff := cmp.Diff(want, d.stamps()); diff != "" {
			t.Fatalf("round %d (-swept +watched):\n%s", round, diff)
		}
		changes, ok := d.since(seq)
		if !ok {
			// Where inodes are hardly ever used again those remembered become too many
			// now and then, and all servers are started anew.
			forgotten++
			for name := range told {
				told[name] = false
			}
			for name := range want {
				told[name] = true
			}
		}
		for _, c := range changes {
			told[c.file.Rel] = c.kind != fileDeleted
		}
		seq = now
		maps.DeleteFunc(told, func(_ string, there bool) bool { return !there })
		if !maps.EqualFunc(told, want, func(bool, confine.Stamp) bool { return true }) {
			t.Fatalf("round %d: told of %v, there are %v", round, slices.Sorted(maps.Keys(told)), slices.Sorted(maps.Keys(want)))
		}
	}
	if forgotten > rounds/1000 {
		t.Errorf("all was forgotten %d times in %d rounds", forgotten, rounds)
	}
	d.mustWatch(t)
}

// TestWatchedSurvivesFloods: more events than anybody remembers end in a sweep,
// not in a gap.
func TestWatchedSurvivesFloods(t *testing.T) {
	d, dir := openDisk(t)
	put(t, dir, "a.go", "1")
	seq := d.mustSync(t)
	d.mustWatch(t)
	for i := range 3 * maxDirty {
		put(t, dir, fmt.Sprintf("f%d/x.go", i%7), fmt.Sprint(i))
		put(t, dir, fmt.Sprintf("n%d.txt", i), "")
	}
	put(t, dir, "b.go", "1")
	d.mustSync(t)
	if diff := cmp.Diff(swept(t, d), d.stamps()); diff != "" {
		t.Errorf("(-swept +watched):\n%s", diff)
	}
	if got := said(d.mustSince(t, seq)); !slices.Contains(got, "+b.go") || !slices.Contains(got, "+f3/x.go") {
		t.Errorf("told of %v", got)
	}
	d.mustWatch(t) // it goes on
	put(t, dir, "f3/y.go", "1")
	d.mustSync(t)
	if diff := cmp.Diff(swept(t, d), d.stamps()); diff != "" {
		t.Errorf("after the flood (-swept +watched):\n%s", diff)
	}
}

// TestWatchesAreBounded: with fewer watches than folders each question sweeps,
// and says so.
func TestWatchesAreBounded(t *testing.T) {
	d, dir := openDisk(t)
	d.mostDirs = 3
	for _, name := range []string{"a/x.go", "b/x.go", "c/x.go"} {
		put(t, dir, name, "1")
	}
	seq := d.mustSync(t)
	if n, why := d.watching(); n != 0 || !strings.Contains(why, "3 folders") && watchesFolders {
		t.Errorf("%d folders watched, %q", n, why)
	}
	put(t, dir, "c/y.go", "1")
	d.mustSync(t)
	if got := said(d.mustSince(t, seq)); !slices.Equal(got, []string{"+c/y.go"}) {
		t.Errorf("told of %v", got)
	}
}

// TestWatchOutlivesMoves: a folder that moved is heard under its new name alone.
func TestWatchOutlivesMoves(t *testing.T) {
	d, dir := openDisk(t)
	put(t, dir, "z/sub/deep/x.go", "1")
	put(t, dir, "m/x.go", "1")
	seq := d.mustSync(t)
	d.mustWatch(t)
	for _, to := range []string{"b", "zz", "m/in"} {
		from, _ := filepath.Glob(filepath.Join(dir, "*"))
		i := slices.IndexFunc(from, func(p string) bool { _, err := os.Stat(p + "/sub"); return err == nil })
		if err := os.Rename(from[i], filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
		d.mustSync(t)
		put(t, dir, to+"/sub/deep/y.go", to)
		now := d.mustSync(t)
		if got := said(d.mustSince(t, seq)); !slices.Contains(got, "+"+to+"/sub/deep/y.go") {
			t.Errorf("to %s: told of %v", to, got)
		}
		seq = now
		put(t, dir, to+"/sub/deep/y.go", to+" again, longer")
		now = d.mustSync(t)
		if got := said(d.mustSince(t, seq)); !slices.Equal(got, []string{"~" + to + "/sub/deep/y.go"}) {
			t.Errorf("in %s: told of %v", to, got)
		}
		seq = now
	}
}

// TestWatchLeavesNothing: neither descriptors nor files are left.
func TestWatchLeavesNothing(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	open := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("no /proc")
		}
		return len(list)
	}
	d, _ := openDisk(t)
	before := open()
	d.mustSync(t)
	d.mustWatch(t)
	if list, err := os.ReadDir(tmp); len(list) != 0 || err != nil {
		t.Errorf("files for temporary use: %v, error %v", list, err)
	}
	d.close()
	if after := open(); after > before {
		t.Errorf("%d descriptors, %d before", after, before)
	}
	d.watch = nil // the cleanup closes again
}

// BenchmarkDisk compares what a question costs with a watch and with a sweep, on
// a tree of 20,000 files in 2,000 folders, nothing changed and one file changed.
func BenchmarkDisk(b *testing.B) {
	dir := b.TempDir()
	for i := range 20_000 {
		name := filepath.Join(dir, fmt.Sprintf("d%d/e%d/f%d.go", i%40, i%2000, i))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("package p\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	ws, err := confine.Open([]string{dir}, confine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer ws.Close()
	for _, watches := range []int{16_384, 0} {
		for _, changes := range []bool{false, true} {
			b.Run(fmt.Sprintf("watches=%d/changes=%v", watches, changes), func(b *testing.B) {
				d := newDisk(ws, func(name string) bool { return strings.HasSuffix(name, ".go") }, 1<<20, watches)
				defer d.close()
				for b.Loop() {
					if changes {
						if err := os.WriteFile(filepath.Join(dir, "d0/e0/f0.go"), []byte("package p\n"), 0o644); err != nil {
							b.Fatal(err)
						}
					}
					if _, err := d.sync(b.Context()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// TestLinkLoops: links that lead to themselves, to each other or to a folder above
// are no files, until one leads to a file.
func TestLinkLoops(t *testing.T) {
	d, dir := openDisk(t)
	put(t, dir, "a.go", "1")
	link := func(to, name string) {
		t.Helper()
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	link("self.go", "self.go")
	link("to.go", "fro.go")
	link("fro.go", "to.go")
	link(".", "up")
	link("..", "out.go")
	d.mustSync(t)
	if got := slices.Sorted(maps.Keys(d.stamps())); !slices.Equal(got, []string{"a.go"}) {
		t.Errorf("files %v", got)
	}
	for _, target := range []string{"a.go", "to.go"} {
		if err := os.Remove(filepath.Join(dir, "to.go")); err != nil {
			t.Fatal(err)
		}
		link(target, "to.go")
		d.mustSync(t)
		want := map[string][]string{"a.go": {"a.go", "fro.go", "to.go"}, "to.go": {"a.go"}}[target]
		if got := slices.Sorted(maps.Keys(d.stamps())); !slices.Equal(got, want) {
			t.Errorf("to.go leads to %s: files %v, want %v", target, got, want)
		}
	}
	if diff := cmp.Diff(swept(t, d), d.stamps()); diff != "" {
		t.Errorf("(-swept +watched):\n%s", diff)
	}
}
