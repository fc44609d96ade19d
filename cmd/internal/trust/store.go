package trust

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"lspbridge/edits"
	"lspbridge/limits/confine"
)

// A Record is the trust in one folder.
type Record struct {
	Path string    `json:"path"` // canonical
	Time time.Time `json:"time"` // of the trust, in UTC
	identity
}

// A Store is the list of trusted folders. Several processes may use the same
// one at once.
type Store struct {
	dir string
}

// New returns the store in the folder dir, the bridge's own within the user's
// state folder. Nothing is touched until a method is called, and the folder is
// made when the first record is.
func New(dir string) *Store { return &Store{dir: dir} }

func (s *Store) file() string { return filepath.Join(s.dir, "trust.json") }

// Add trusts the folder that is now at root's canonical path.
func (s *Store) Add(root confine.Root) error {
	id, err := identify(root.Canonical)
	if err != nil {
		return fmt.Errorf("trust %s: %w", root.Shown, err)
	}
	added := Record{Path: root.Canonical, Time: time.Now().UTC().Truncate(time.Second), identity: id}
	return s.change(func(records []Record) []Record {
		records = slices.DeleteFunc(records, func(r Record) bool { return r.Path == added.Path })
		return append(records, added)
	})
}

// Remove withdraws the trust in the folder at the canonical path, which need
// not exist any more. It reports whether there was a record.
func (s *Store) Remove(path string) (bool, error) {
	records, err := s.List()
	// Without a record nothing need be made or locked.
	if err != nil || !slices.ContainsFunc(records, func(r Record) bool { return r.Path == path }) {
		return false, err
	}
	removed := false
	err = s.change(func(records []Record) []Record {
		return slices.DeleteFunc(records, func(r Record) bool {
			if r.Path != path {
				return false
			}
			removed = true
			return true
		})
	})
	return removed && err == nil, err
}

// List returns the records, sorted by path. A record in it may be of a folder
// that is gone or was replaced; [Store.Check] tells.
func (s *Store) List() ([]Record, error) {
	if err := checkFolder(s.dir); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, err
	}
	return load(s.file())
}

// Check returns nil when each of the roots is trusted. Otherwise the error is
// an [*UntrustedError], or says why the list of trusted folders is not to be
// relied on.
func (s *Store) Check(roots []confine.Root) error {
	records, err := s.List()
	if err != nil {
		return err
	}
	var refused UntrustedError
	for _, root := range roots {
		i := slices.IndexFunc(records, func(r Record) bool { return r.Path == root.Canonical })
		if i < 0 {
			refused.Folders = append(refused.Folders, Untrusted{Dir: root.Shown})
			continue
		}
		id, err := identify(root.Canonical)
		if err != nil {
			return fmt.Errorf("check the trust in %s: %w", root.Shown, err)
		}
		if !id.same(records[i].identity) {
			refused.Folders = append(refused.Folders, Untrusted{Dir: root.Shown, Replaced: true})
		}
	}
	if len(refused.Folders) > 0 {
		return &refused
	}
	return nil
}

// lockWait bounds the wait for another process that changes the list, which
// takes it milliseconds.
const (
	lockWait = 5 * time.Second
	lockPoll = 20 * time.Millisecond // a file lock wakes nobody
)

// change replaces the list by what edit makes of it.
func (s *Store) change(edit func([]Record) []Record) (err error) {
	if err := makeFolder(s.dir); err != nil {
		return err
	}
	if err := checkFolder(s.dir); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(s.dir, "trust.lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if ok, err := lock.TryLockContext(ctx, lockPoll); err != nil || !ok {
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("another process has held %s for %v", lock.Path(), lockWait)
		}
		return fmt.Errorf("lock the list of trusted folders: %w", err)
	}
	defer func() {
		if uerr := lock.Unlock(); err == nil {
			err = uerr
		}
	}()
	records, err := load(s.file())
	if err != nil {
		return err
	}
	records = edit(records)
	slices.SortFunc(records, func(a, b Record) int { return cmp.Compare(a.Path, b.Path) })
	data, err := encode(records)
	if err != nil {
		return err
	}
	return edits.WriteFile(s.file(), data, 0o600)
}

// makeFolder makes dir, and what is missing above it, for the user alone.
func makeFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the folder for the list of trusted folders: %w", err)
	}
	return nil
}
