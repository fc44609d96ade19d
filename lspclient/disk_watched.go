package lspclient

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lspbridge/limits/confine"
)

// sweepEvery is how often a watched workspace is swept all the same: a write
// through a memory map, or through a name outside the workspace, raises no event.
const sweepEvery = time.Minute

// update brings what is known up to the moment of the call: by the events of the
// watch, or by a sweep where there is none, or they do not tell all.
func (d *disk) update() error {
	d.mu.Lock()
	first, uneasy := d.seq == 0, len(d.notes) > 0 || d.renamed
	d.mu.Unlock()
	if first && watchesFolders && d.mostDirs > 0 {
		d.startWatch()
	}
	if d.watch == nil {
		return d.sweep()
	}
	dirty, err := d.watch.barrier()
	again := d.deaf
	d.deaf = err != nil && !errors.Is(err, errLost)
	switch {
	case err != nil:
		// Names may have moved unheard: all watches are made anew. A watch that
		// hears nothing a second time would make each question wait.
		d.unwatch(err)
		if !(d.deaf && again) {
			d.startWatch()
		}
		return d.sweep()
	case first, uneasy, time.Since(d.swept) > sweepEvery:
		// Uneasy: a folder that cannot be read cannot be watched; or there are
		// names that nobody looked for yet.
		d.watch.forget(dirty)
		return d.sweep()
	}
	return d.revisit(dirty)
}

// startWatch begins a watch that the next sweep fills with folders.
func (d *disk) startWatch() {
	w, err := newFolderWatch(d.mostDirs)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.unwatched = err.Error()
		return
	}
	d.watch, d.unwatched = w, ""
}

// unwatch gives the watch up; every question sweeps from then on.
func (d *disk) unwatch(why error) {
	d.watch.close()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watch, d.unwatched = nil, why.Error()
}

// watching returns how many folders are watched, and where none is, why.
func (d *disk) watching() (folders int, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.watched, d.unwatched
}

// revisit looks at what is at the dirty paths now, and at the doubtful files.
func (d *disk) revisit(dirty map[string]bool) error {
	d.mu.Lock()
	old, notes := d.files, maps.Clone(d.notes)
	d.mu.Unlock()
	d.linked = false
	var seen map[confine.File]diskFile // a copy once something may differ
	change := func() map[confine.File]diskFile {
		if seen == nil {
			seen = maps.Clone(old)
		}
		return seen
	}
	// Old names go first: a folder that moved is watched under its old one, and
	// cannot be watched under the new one before that is given up.
	gone := map[confine.File]bool{}
	for p := range d.watch.forget(dirty) {
		f, ok := d.fileAt(p)
		if !ok {
			return d.sweep() // a root itself
		}
		gone[f] = true
	}
	if len(gone) > 0 {
		d.drop(change(), gone)
	}
	for p := range dirty {
		f, ok := d.fileAt(p)
		if !ok {
			return d.sweep() // a name that is no UTF-8
		}
		if _, known := old[f]; known {
			delete(change(), f)
		}
		delete(d.links, f)
		info, err := os.Lstat(p)
		if err == nil && info.IsDir() {
			if !skippedDir(filepath.Base(p)) {
				if err := d.walk(f.Root, p, f.Rel, old, change(), notes); err != nil {
					d.swept = time.Time{} // nobody remembers what was dirty
					return err
				}
			}
			continue
		}
		if !d.tracked(filepath.Base(p)) {
			continue
		}
		if err == nil {
			d.observe(f, info, old, change())
		}
	}
	for _, f := range slices.AppendSeq(d.doubtful, maps.Keys(d.links)) {
		at := map[confine.File]diskFile{}
		if info, err := os.Lstat(d.ws.Abs(f)); err == nil {
			d.observe(f, info, old, at)
		}
		now, there := at[f]
		switch was, known := old[f]; {
		case !there && known:
			delete(change(), f)
		case there && (!known || now.differs(was) || now.young != was.young):
			change()[f] = now
		}
	}
	switch {
	case seen == nil:
		return nil
	case d.linked: // other names of a file were not told of
		return d.sweep()
	case len(seen) > maxTracked:
		return d.sweep() // which says what is wrong
	}
	d.commit(seen, notes)
	return nil
}

// tracked reports whether files of this base name are of interest.
func (d *disk) tracked(name string) bool { return d.known(name) || d.isNamed(name) }

// isNamed reports whether files of this base name are of interest since others
// name them, though their ending says nothing.
func (d *disk) isNamed(name string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.named[name]
}

// track makes files of these base names be of interest, and reports whether some
// were not: then the next sync looks for them everywhere.
func (d *disk) track(names []string) (more bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, name := range names {
		if !d.named[name] && !d.known(name) && len(d.named) < maxTrackedNames {
			d.named[name], d.renamed, more = true, true, true
		}
	}
	return more
}

// fileAt returns the file that an absolute path below a root names; false for a
// root itself, and for a name that is no UTF-8. Its folders are watched, so that no
// link is among them.
func (d *disk) fileAt(name string) (confine.File, bool) {
	for i, r := range d.ws.Roots() {
		if rel, ok := strings.CutPrefix(name, strings.TrimSuffix(r.Canonical, "/")+"/"); ok && fs.ValidPath(rel) {
			return confine.File{Root: i, Rel: rel}, true
		}
	}
	return confine.File{}, false
}

// drop deletes from files what is below folders.
func (d *disk) drop(files map[confine.File]diskFile, folders map[confine.File]bool) {
	below := func(f confine.File) bool {
		for dir := path.Dir(f.Rel); dir != "."; dir = path.Dir(dir) {
			if folders[confine.File{Root: f.Root, Rel: dir}] {
				return true
			}
		}
		return false
	}
	maps.DeleteFunc(files, func(f confine.File, _ diskFile) bool { return below(f) })
	maps.DeleteFunc(d.links, func(f confine.File, _ bool) bool { return below(f) })
}
