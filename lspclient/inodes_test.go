package lspclient

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"lspbridge/limits/confine"
)

// TestVeiledChanges: what has inode and modification time of an earlier text is
// veiled, but not what merely moved.
func TestVeiledChanges(t *testing.T) {
	t.Parallel()
	then := time.Now().Add(-time.Hour).Truncate(time.Second)
	for name, c := range map[string]struct {
		do     func(in func(name string) string) error
		veiled map[string]bool // by the name of each changed or new file
	}{
		"written in place, time kept": {
			func(in func(string) string) error { return stamped(in("a.go"), "package a // b", then) },
			map[string]bool{"a.go": true},
		},
		"written in place": {
			func(in func(string) string) error {
				return stamped(in("a.go"), "package a // b", then.Add(time.Second))
			},
			map[string]bool{"a.go": false},
		},
		"written just now": {
			func(in func(string) string) error { return stamped(in("a.go"), "package a // b", time.Now()) },
			map[string]bool{"a.go": false},
		},
		"moved": {
			func(in func(string) string) error { return os.Rename(in("a.go"), in("c.go")) },
			map[string]bool{"c.go": false},
		},
		"moved over another": {
			func(in func(string) string) error { return os.Rename(in("a.go"), in("b.go")) },
			map[string]bool{"b.go": false},
		},
		"moved, and written to the same size": {
			func(in func(string) string) error {
				if err := os.Rename(in("a.go"), in("b.go")); err != nil {
					return err
				}
				return stamped(in("b.go"), "package b", then)
			},
			map[string]bool{"b.go": true},
		},
		"moved, and written": {
			func(in func(string) string) error {
				if err := os.Rename(in("a.go"), in("c.go")); err != nil {
					return err
				}
				return stamped(in("c.go"), "package a // longer", then)
			},
			map[string]bool{"c.go": true},
		},
		"one more name": {
			func(in func(string) string) error { return os.Link(in("a.go"), in("c.go")) },
			map[string]bool{"a.go": true, "c.go": false}, // the change time of a.go alone tells of it
		},
		"another file of the old name": {
			func(in func(string) string) error {
				if err := os.Rename(in("a.go"), in("c.go")); err != nil {
					return err
				}
				return stamped(in("a.go"), "package a", then)
			},
			map[string]bool{"a.go": false, "c.go": true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, dir := openDisk(t)
			in := func(name string) string { return filepath.Join(dir, name) }
			for _, name := range []string{"a.go", "b.go"} {
				if err := stamped(in(name), "package a", then); err != nil {
					t.Fatal(err)
				}
			}
			seq := d.mustSync(t)
			for _, name := range []string{"a.go", "b.go"} {
				f := confine.File{Rel: name}
				state, _ := d.state(f)
				d.remember(f, state.stamp, []byte("package a"))
			}
			if err := c.do(in); err != nil {
				t.Fatal(err)
			}
			d.mustSync(t)
			for _, change := range d.mustSince(t, seq) {
				if change.kind == fileDeleted {
					continue
				}
				want, expected := c.veiled[change.file.Rel]
				if !expected || change.veiled != want {
					t.Errorf("%+v; want veiled %v", change, want)
				}
				delete(c.veiled, change.file.Rel)
			}
			if len(c.veiled) > 0 {
				t.Errorf("not told of %v", c.veiled)
			}
		})
	}
}

// TestInodeIsUsedAgain: an inode that a replaced file had, some sweeps ago, is
// that of a new file with the same time.
func TestInodeIsUsedAgain(t *testing.T) {
	t.Parallel()
	d, _ := openDisk(t)
	file := func(name string) confine.File { return confine.File{Rel: name} }
	old := time.Now().Add(-time.Hour).UnixNano()
	state := func(inode uint64) diskFile {
		return diskFile{stamp: confine.Stamp{Inode: inode, MTime: old, Size: 9, CTime: int64(inode)}}
	}
	d.inodes.add(map[confine.File]diskFile{file("a.go"): state(1), file("b.go"): state(2)})
	d.files = map[confine.File]diskFile{file("a.go"): state(3), file("b.go"): state(2)}
	d.inodes.add(d.files)
	now := map[confine.File]diskFile{file("a.go"): state(3), file("b.go"): state(1)}
	if !d.veils(file("b.go"), state(1).stamp, now) {
		t.Error("b.go has the inode and the time that a.go had, and is not veiled")
	}
	if d.veils(file("b.go"), state(4).stamp, now) {
		t.Error("b.go has an inode that no file had, and is veiled")
	}
}

func stamped(name, text string, at time.Time) error {
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Chtimes(name, at, at)
}
