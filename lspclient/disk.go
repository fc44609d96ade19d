package lspclient

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"lspbridge/limits/confine"
)

const (
	// clockTick is more than the granularity of a kernel's file times: a file
	// younger than this may change again without a change of its stamp.
	clockTick = 50 * time.Millisecond
	// maxTracked bounds the files one workspace may hold of known languages.
	maxTracked = 1_000_000
	// maxTrackedNames bounds the names of interest that other files name.
	maxTrackedNames = 100_000
)

// A disk knows the workspace's files of interest as they were at the last sweep,
// and in which order they changed. It is the bridge's idea of the truth; servers
// are told the difference.
type disk struct {
	ws      *confine.Workspace
	known   func(name string) bool // names of interest by themselves
	fileCap int64
	now     func() time.Time
	walks   sync.WaitGroup // sweeps under way

	watch    *folderWatch          // used by the one round under way; nil sweeps
	mostDirs int                   // that watch may grow to
	swept    time.Time             // when the last sweep began, if it was whole
	deaf     bool                  // the last barrier heard nothing
	linked   bool                  // a file got a second name, as far as was looked
	links    map[confine.File]bool // names that are symbolic links, also to nothing
	doubtful []confine.File        // looked at each time: events do not tell, or not yet, of all their changes

	mu        sync.Mutex
	closed    bool   // no further sweep begins
	unwatched string // why there is no watch; "" while there is one
	watched   int    // folders
	sweeping  *sweepRound
	files     map[confine.File]diskFile
	log       []logged // ascending seq; of a file the last entry counts
	inodes    inodes
	sums      map[confine.File]textSum
	floor     uint64 // what happened up to this seq may be missing from log
	seq       uint64
	notes     map[string]bool // folders that could not be read, by answer path
	named     map[string]bool // names of interest since other files name them
	renamed   bool            // named grew since the last sweep
}

// A diskFile is what the last sweep saw of one file.
type diskFile struct {
	stamp confine.Stamp
	// young holds the hash of a file that was younger than clockTick when it
	// was seen; its stamp alone proves nothing yet.
	young   bool
	hash    [sha256.Size]byte
	changed uint64 // seq of its last change; 0 when unchanged since the first sweep
	born    uint64 // seq of its creation; 0 when it was there at the first sweep
	veiled  uint64 // seq of its last veiled change; see change
	shared  bool   // its text may change through another name: a link
}

// A sweepRound is one walk of the workspace that several callers wait for.
type sweepRound struct {
	done chan struct{}
	err  error
	next *sweepRound // the round of those who came after this one started
}

func newDisk(ws *confine.Workspace, known func(string) bool, fileCap int64, watches int) *disk {
	return &disk{mostDirs: watches, unwatched: "this system is not watched", ws: ws, known: known, named: map[string]bool{}, fileCap: fileCap, now: time.Now, files: map[confine.File]diskFile{}, links: map[confine.File]bool{}, inodes: inodes{}, sums: map[confine.File]textSum{}, notes: map[string]bool{}}
}

// sync returns when every change made on disk before the call is known, and the
// sequence number of that state. Callers that arrive while a walk is under way
// share the next one: the running one may already have passed their file.
func (d *disk) sync(ctx context.Context) (uint64, error) {
	d.mu.Lock()
	if d.closed {
		d.mu.Unlock()
		return 0, &Error{Code: CodeClosed, Msg: "the bridge is ending"}
	}
	round := d.sweeping
	switch {
	case round == nil:
		round = &sweepRound{done: make(chan struct{})}
		d.sweeping = round
		// The walk outlives the caller that began it: others wait for it.
		d.walks.Go(func() { d.lead(round) })
	case round.next == nil:
		round.next = &sweepRound{done: make(chan struct{})}
		round = round.next
	default:
		round = round.next
	}
	d.mu.Unlock()
	select {
	case <-round.done:
		return d.current(), round.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// lead walks for round and for those that queued up behind it.
func (d *disk) lead(round *sweepRound) {
	for {
		round.err = d.update()
		d.mu.Lock()
		next := round.next
		d.sweeping = next
		d.mu.Unlock()
		close(round.done)
		if next == nil {
			return
		}
		round = next
	}
}

// close lets no sweep begin any more and waits for one under way.
func (d *disk) close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.walks.Wait()
	if d.watch != nil {
		d.watch.close()
	}
}

func (d *disk) current() uint64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.seq
}

// sweep walks every root and records what changed.
func (d *disk) sweep() error {
	d.mu.Lock()
	old := d.files
	d.renamed = false
	d.mu.Unlock()
	began := time.Now()
	d.swept = time.Time{} // one that fails is made again
	clear(d.links)
	if d.watch != nil {
		// Each is watched anew, which is cheap where nothing changed: what was
		// mounted over a folder, or came with one above the roots, raises no event.
		clear(d.watch.folders)
	}
	seen := make(map[confine.File]diskFile, len(old)+16)
	notes := map[string]bool{}
	for i, root := range d.ws.Roots() {
		if err := d.walk(i, root.Canonical, "", old, seen, notes); err != nil {
			return err
		}
	}
	d.commit(seen, notes)
	d.swept = began
	return nil
}

// commit makes seen the state of the disk and records how it differs from the
// one before.
func (d *disk) commit(seen map[confine.File]diskFile, notes map[string]bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	first, old := d.seq == 0, d.files
	d.seq++
	d.doubtful = d.doubtful[:0]
	for f, now := range seen {
		was, known := old[f]
		switch {
		case !known:
			if !first {
				now.changed, now.born = d.seq, d.seq
				if d.veils(f, now.stamp, seen) {
					now.veiled = d.seq
				}
				d.record(f, false)
			}
		case now.differs(was):
			now.changed, now.born, now.veiled = d.seq, was.born, was.veiled
			if d.veils(f, now.stamp, seen) {
				now.veiled = d.seq
			}
			d.record(f, false)
		default:
			now.changed, now.born, now.veiled = was.changed, was.born, was.veiled
		}
		seen[f] = now
		if now.young || now.shared && !d.links[f] {
			d.doubtful = append(d.doubtful, f)
		}
	}
	for f := range old {
		if _, still := seen[f]; !still {
			delete(d.sums, f)
			d.record(f, true)
		}
	}
	d.files, d.notes = seen, notes
	d.watched = 0
	if d.watch != nil {
		d.watched = len(d.watch.folders)
	}
	if d.inodes.add(seen) {
		d.floor = d.seq
	}
}

func (f diskFile) differs(was diskFile) bool {
	if f.stamp != was.stamp {
		return true
	}
	return was.young && f.hash != was.hash
}

// walk visits the folder rel of a root. Folders that hold no sources of the
// workspace itself are passed over.
func (d *disk) walk(root int, dir, rel string, old, seen map[confine.File]diskFile, notes map[string]bool) error {
	if d.watch != nil {
		if err := d.watch.add(dir); err != nil {
			d.unwatch(err)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && rel != "" {
			return nil // deleted while the walk went on
		}
		if rel == "" {
			return fmt.Errorf("the workspace folder cannot be read: %w", err)
		}
		notes[d.ws.Shown(confine.File{Root: root, Rel: rel})] = true
		return nil
	}
	for _, e := range entries {
		name := e.Name()
		child := name
		if rel != "" {
			child = rel + "/" + name
		}
		if e.IsDir() {
			if !skippedDir(name) {
				if err := d.walk(root, filepath.Join(dir, name), child, old, seen, notes); err != nil {
					return err
				}
			}
			continue
		}
		if !d.tracked(name) {
			continue
		}
		f := confine.File{Root: root, Rel: child}
		if len(seen) >= maxTracked {
			return fmt.Errorf("more than %d source files in the workspace", maxTracked)
		}
		info, err := e.Info()
		if err == nil {
			d.observe(f, info, old, seen)
		}
	}
	return nil
}

// observe puts what is at the name of f into seen, if it is a file; info is that
// of the name itself. A symbolic link is what it leads to, if that is inside the
// workspace.
func (d *disk) observe(f confine.File, info fs.FileInfo, old, seen map[confine.File]diskFile) {
	link := info.Mode()&fs.ModeSymlink != 0
	if link {
		d.links[f] = true // what it leads to may come and go elsewhere
		var err error
		if info, err = d.ws.Stat(f); err != nil {
			return
		}
	}
	if !info.Mode().IsRegular() {
		return
	}
	now := d.look(f, confine.StampOf(info), info, old[f])
	now.shared = link || confine.Names(info) > 1
	if now.shared && !link && !old[f].shared {
		d.linked = true
	}
	seen[f] = now
}

// look makes the record of one file, hashing it when its times prove nothing.
func (d *disk) look(f confine.File, stamp confine.Stamp, info fs.FileInfo, was diskFile) diskFile {
	now := diskFile{stamp: stamp, young: d.isYoung(stamp, info)}
	if now.young || (was.young && was.stamp == stamp) {
		if text, _, err := d.ws.Read(f, d.fileCap); err == nil {
			now.hash = sha256.Sum256(text)
		}
	}
	return now
}

func (d *disk) isYoung(stamp confine.Stamp, info fs.FileInfo) bool {
	tick := clockTick
	if info.ModTime().Nanosecond() == 0 && stamp.CTime%int64(time.Second) == 0 {
		tick = 2 * time.Second // a file system that keeps whole seconds
	}
	latest := max(stamp.MTime, stamp.CTime)
	return d.now().UnixNano()-latest < int64(tick)
}

// skippedDir reports whether a folder of this name holds no sources of the
// workspace itself.
func skippedDir(name string) bool {
	switch name {
	case ".git", ".hg", ".svn", ".jj", "node_modules":
		return true
	}
	return false
}

// state returns what the last sweep saw of f.
func (d *disk) state(f confine.File) (diskFile, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	s, ok := d.files[f]
	return s, ok
}

// each calls visit for every known file until it returns false. visit must not
// call back into d.
func (d *disk) each(visit func(confine.File) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for f := range d.files {
		if !visit(f) {
			return
		}
	}
}

// visit is each with what the last sweep saw.
func (d *disk) visit(visit func(confine.File, diskFile) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for f, s := range d.files {
		if !visit(f, s) {
			return
		}
	}
}

// unreadable lists the folders that could not be read, by answer path.
func (d *disk) unreadable() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return sortedKeys(d.notes)
}
