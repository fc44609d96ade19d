package lspclient

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// barrierWait is how long the event of the bridge's own write may take; the
	// kernel queues it at once, so that more means that something is wrong.
	barrierWait = 2 * time.Second
	// maxDirty bounds the paths remembered between two questions; over it a sweep
	// is cheaper.
	maxDirty = 4096
)

// errLost says that a watch goes on, but did not hear or remember every event.
var errLost = errors.New("events were lost")

// A folderWatch hears from the system what changes in folders, so that a walk
// through all of them is not needed. It only ever says where to look.
type folderWatch struct {
	notify *fsnotify.Watcher
	most   int
	// cookie is a file without a name. A write to it makes the last event of the
	// queue: when that arrives, all that came before it has.
	cookie *os.File
	name   string        // under which events of the cookie come
	passed chan struct{} // gets one value for each event of the cookie
	ended  chan struct{} // closed when no event comes any more

	folders map[string]bool // absolute; used by the one goroutine that walks

	mu    sync.Mutex
	dirty map[string]bool // absolute paths that something happened to
	lost  error           // why not every event is in dirty
}

// newFolderWatch returns a watch of no folder yet that may grow to most folders.
func newFolderWatch(most int) (*folderWatch, error) {
	cookie, err := os.CreateTemp("", "lspbridge-")
	if err != nil {
		return nil, err
	}
	w := &folderWatch{
		most: most, cookie: cookie, name: cookie.Name(), passed: make(chan struct{}, 1), ended: make(chan struct{}),
		folders: map[string]bool{}, dirty: map[string]bool{},
	}
	if w.notify, err = fsnotify.NewWatcher(); err == nil {
		err = w.notify.Add(w.name)
	}
	// Watched by its inode, it needs no name, and none is left behind.
	if err := errors.Join(err, os.Remove(w.name)); err != nil {
		cookie.Close()
		if w.notify != nil {
			w.notify.Close()
		}
		return nil, err
	}
	go w.listen()
	return w, nil
}

// listen sorts events until the watch is closed.
func (w *folderWatch) listen() {
	defer close(w.ended)
	for {
		select {
		case e, ok := <-w.notify.Events:
			if !ok {
				return
			}
			if e.Name == w.name {
				if e.Has(fsnotify.Write) {
					select {
					case w.passed <- struct{}{}:
					default: // nobody waits: the barrier gave up
					}
				}
				continue
			}
			w.mu.Lock()
			if len(w.dirty) < maxDirty {
				w.dirty[e.Name] = true
			} else if w.lost == nil {
				w.lost = fmt.Errorf("%w: very many files changed", errLost)
			}
			w.mu.Unlock()
		case err, ok := <-w.notify.Errors:
			if !ok {
				return
			}
			w.mu.Lock()
			w.lost = fmt.Errorf("%w: %w", errLost, err)
			w.mu.Unlock()
		}
	}
}

// add watches a folder; it is added before its entries are read, so that what
// happens in between is heard. A folder that is gone, or that may not be read,
// is for the reader to notice.
func (w *folderWatch) add(dir string) error {
	if w.folders[dir] {
		return nil
	}
	if len(w.folders) >= w.most {
		return fmt.Errorf("more than %d folders (watches)", w.most)
	}
	if err := localFolder(dir); err != nil {
		return err
	}
	err := w.notify.Add(dir)
	switch {
	case err == nil:
		w.folders[dir] = true
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR):
		return nil
	case errors.Is(err, syscall.ENOSPC):
		return errors.New("the system's watches are used up (fs.inotify.max_user_watches)")
	}
	return err
}

// forget ends the watches of those of paths that are folders, and of all below
// them, and returns those folders. Watches of a folder that was moved would go on
// under its old name.
func (w *folderWatch) forget(paths map[string]bool) (folders map[string]bool) {
	folders = map[string]bool{}
	for p := range paths {
		if w.folders[p] {
			folders[p] = true
		}
	}
	if len(folders) == 0 {
		return folders
	}
	for d := range w.folders {
		p := d
		for !folders[p] && p != filepath.Dir(p) {
			p = filepath.Dir(p)
		}
		if folders[p] {
			delete(w.folders, d)
			// It fails for what the kernel has ended already.
			_ = w.notify.Remove(d)
		}
	}
	return folders
}

// barrier returns the paths that something happened to since the last barrier, of
// all that happened before the call. An error means that they are not all known;
// unless it is an errLost, no event comes through.
func (w *folderWatch) barrier() (dirty map[string]bool, err error) {
	select {
	case <-w.passed: // of a barrier that gave up
	default:
	}
	if _, err := w.cookie.WriteAt([]byte{0}, 0); err != nil {
		return nil, err
	}
	timer := time.NewTimer(barrierWait)
	defer timer.Stop()
	select {
	case <-w.passed:
	case <-w.ended:
		return nil, errors.New("the watch ended")
	case <-timer.C:
		return nil, fmt.Errorf("no event within %s", barrierWait)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost != nil {
		return nil, w.lost
	}
	dirty, w.dirty = w.dirty, map[string]bool{}
	return dirty, nil
}

// close ends the watch and waits for its goroutine.
func (w *folderWatch) close() {
	// What can fail is only the end of something that has ended.
	_ = w.notify.Close()
	<-w.ended
	_ = w.cookie.Close()
}
