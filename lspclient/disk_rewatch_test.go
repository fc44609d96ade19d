package lspclient

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSweepWatchesWhatIsThereNow: a sweep takes the place of the events before it,
// and the folders that it finds are heard from then on, also those that came under
// a name that was watched, or that were watched under another one.
func TestSweepWatchesWhatIsThereNow(t *testing.T) {
	for name, move := range map[string]func(t *testing.T, dir string){
		"a folder made anew": func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, "a")); err != nil {
				t.Fatal(err)
			}
			put(t, dir, "a/sub/x.go", "2")
		},
		"a folder moved": func(t *testing.T, dir string) {
			if err := os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "a")); err == nil {
				t.Fatal("a was not empty")
			}
			if err := errors.Join(os.RemoveAll(filepath.Join(dir, "a")), os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "a"))); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			d, dir := openDisk(t)
			put(t, dir, "a/sub/x.go", "1")
			put(t, dir, "b/sub/x.go", "1")
			d.mustSync(t)
			d.mustWatch(t)
			move(t, dir)
			d.swept = time.Time{} // as after a minute
			seq := d.mustSync(t)
			put(t, dir, "a/y.go", "1")
			put(t, dir, "a/sub/y.go", "1")
			d.mustSync(t)
			got := said(d.mustSince(t, seq))
			if slices.Sort(got); !slices.Equal(got, []string{"+a/sub/y.go", "+a/y.go"}) {
				t.Errorf("told of %v", got)
			}
		})
	}
}

// TestSweepRenewsWatches: what came under a watched name without an event, as what
// is mounted there does, is heard from the next sweep on.
func TestSweepRenewsWatches(t *testing.T) {
	d, dir := openDisk(t)
	put(t, dir, "a/x.go", "1")
	d.mustSync(t)
	d.mustWatch(t)
	if err := d.watch.notify.Remove(filepath.Join(dir, "a")); err != nil {
		t.Fatal(err)
	}
	d.swept = time.Time{}
	seq := d.mustSync(t)
	put(t, dir, "a/y.go", "1")
	d.mustSync(t)
	if got := said(d.mustSince(t, seq)); !slices.Equal(got, []string{"+a/y.go"}) {
		t.Errorf("told of %v", got)
	}
}

// TestFailedSweepIsMadeAgain: a root that could not be read is looked through as
// soon as it can be.
func TestFailedSweepIsMadeAgain(t *testing.T) {
	d, dir := openDisk(t)
	put(t, dir, "a.go", "1")
	seq := d.mustSync(t)
	d.mustWatch(t)
	aside := dir + "-aside"
	if err := os.Rename(dir, aside); err != nil {
		t.Fatal(err)
	}
	if _, err := d.sync(t.Context()); err == nil {
		t.Error("no error without the root")
	}
	put(t, aside, "b.go", "1")
	if err := os.Rename(aside, dir); err != nil {
		t.Fatal(err)
	}
	d.mustSync(t)
	if got := said(d.mustSince(t, seq)); !slices.Equal(got, []string{"+b.go"}) {
		t.Errorf("told of %v", got)
	}
}

// TestDeafWatchIsGivenUp: where the system tells nothing, not each question waits
// for that.
func TestDeafWatchIsGivenUp(t *testing.T) {
	d, dir := openDisk(t)
	put(t, dir, "a.go", "1")
	seq := d.mustSync(t)
	d.mustWatch(t)
	deafen := func() {
		t.Helper()
		if err := d.watch.notify.Remove(d.watch.name); err != nil {
			t.Fatal(err)
		}
	}
	deafen()
	put(t, dir, "b.go", "1")
	d.mustSync(t)
	d.mustWatch(t) // it may have been slow, once
	deafen()
	put(t, dir, "c.go", "1")
	d.mustSync(t)
	if n, why := d.watching(); n != 0 || !strings.Contains(why, "no event within") {
		t.Errorf("%d folders watched, %q", n, why)
	}
	got := said(d.mustSince(t, seq))
	if slices.Sort(got); !slices.Equal(got, []string{"+b.go", "+c.go"}) {
		t.Errorf("told of %v", got)
	}
}
