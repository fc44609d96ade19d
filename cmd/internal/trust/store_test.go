//go:build unix

package trust_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"lspbridge/cmd/internal/trust"
	"lspbridge/limits/confine"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// fixture is a store that does not exist yet, and folders to trust.
type fixture struct {
	*trust.Store
	dir  string // of the store
	base string // of the folders, canonical
}

func newFixture(t *testing.T) fixture {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "state", "lspbridge")
	return fixture{Store: trust.New(dir), dir: dir, base: base}
}

func (f fixture) file() string { return filepath.Join(f.dir, "trust.json") }

func (f fixture) folder(t *testing.T, name string) confine.Root {
	t.Helper()
	path := filepath.Join(f.base, name)
	if err := os.MkdirAll(path, 0o755); err != nil {
		t.Fatal(err)
	}
	return confine.Root{Name: filepath.Base(path), Shown: path, Canonical: path}
}

func (f fixture) add(t *testing.T, roots ...confine.Root) {
	t.Helper()
	for _, r := range roots {
		if err := f.Add(r); err != nil {
			t.Fatal(err)
		}
	}
}

// wantUntrusted checks that exactly the given folders are refused.
func (f fixture) wantUntrusted(t *testing.T, roots []confine.Root, want ...trust.Untrusted) {
	t.Helper()
	err := f.Check(roots)
	if len(want) == 0 {
		if err != nil {
			t.Errorf("Check: %v", err)
		}
		return
	}
	refused, ok := errors.AsType[*trust.UntrustedError](err)
	if !ok {
		t.Fatalf("Check = %v, want %v", err, want)
	}
	if d := cmp.Diff(want, refused.Folders); d != "" {
		t.Errorf("refused folders (-want +got):\n%s", d)
	}
	for _, u := range want {
		if cmd := "lspbridge trust"; !strings.Contains(err.Error(), cmd) || !strings.Contains(err.Error(), u.Dir) {
			t.Errorf("error %q lacks %q or %q", err, cmd, u.Dir)
		}
	}
}

func TestAddCheckRemove(t *testing.T) {
	f := newFixture(t)
	app, lib := f.folder(t, "app"), f.folder(t, "lib")

	f.wantUntrusted(t, []confine.Root{app}, trust.Untrusted{Dir: app.Shown})
	if removed, err := f.Remove(app.Canonical); removed || err != nil {
		t.Errorf("Remove of nothing = %v, %v", removed, err)
	}
	if _, err := os.Stat(f.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("looking made the folder: %v", err)
	}

	before := time.Now().Add(-time.Second)
	f.add(t, lib, app, app)
	f.wantUntrusted(t, []confine.Root{app, lib})
	records, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	want := []trust.Record{{Path: app.Canonical}, {Path: lib.Canonical}}
	if d := cmp.Diff(want, records, cmpopts.IgnoreUnexported(trust.Record{}), cmpopts.IgnoreFields(trust.Record{}, "Time")); d != "" {
		t.Errorf("records (-want +got):\n%s", d)
	}
	for _, r := range records {
		if r.Time.Before(before.Truncate(time.Second)) || r.Time.After(time.Now()) || r.Time.Location() != time.UTC {
			t.Errorf("%s is trusted since %v", r.Path, r.Time)
		}
	}
	for path, mode := range map[string]os.FileMode{f.dir: os.ModeDir | 0o700, filepath.Dir(f.dir): os.ModeDir | 0o700, f.file(): 0o600} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != mode {
			t.Errorf("%s has mode %v, %v, want %v", path, info.Mode(), err, mode)
		}
	}

	if removed, err := f.Remove(app.Canonical); !removed || err != nil {
		t.Errorf("Remove = %v, %v", removed, err)
	}
	f.wantUntrusted(t, []confine.Root{lib})
	f.wantUntrusted(t, []confine.Root{lib, app}, trust.Untrusted{Dir: app.Shown})
	if removed, err := f.Remove(app.Canonical); removed || err != nil {
		t.Errorf("Remove once more = %v, %v", removed, err)
	}
}

// What was looked at is what is trusted.
func TestTrustCoversOneFolder(t *testing.T) {
	f := newFixture(t)
	app, inner, outer, sibling := f.folder(t, "src/app"), f.folder(t, "src/app/inner"), f.folder(t, "src"), f.folder(t, "src/app-2")
	f.add(t, app)
	for _, r := range []confine.Root{inner, outer, sibling} {
		f.wantUntrusted(t, []confine.Root{r}, trust.Untrusted{Dir: r.Shown})
	}
	f.wantUntrusted(t, []confine.Root{app})
}

func TestReplacedFolder(t *testing.T) {
	f := newFixture(t)
	app := f.folder(t, "app")
	for name, replace := range map[string]func(){
		"beside the old one": func() {
			if err := os.Rename(app.Canonical, app.Canonical+".old"); err != nil {
				t.Fatal(err)
			}
			f.folder(t, "app")
		},
		// The new folder often gets the number of the old one's inode.
		"after the old one is gone": func() {
			if err := os.RemoveAll(app.Canonical); err != nil {
				t.Fatal(err)
			}
			f.folder(t, "app")
		},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "beside the old one" && runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
				t.Skip("no time of birth is read on this system")
			}
			f.add(t, app)
			f.wantUntrusted(t, []confine.Root{app})
			replace()
			f.wantUntrusted(t, []confine.Root{app}, trust.Untrusted{Dir: app.Shown, Replaced: true})
			f.add(t, app)
			f.wantUntrusted(t, []confine.Root{app})
		})
	}
	// Work in the folder is no replacement.
	if err := os.WriteFile(filepath.Join(app.Canonical, "new.go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(app.Canonical, 0o700); err != nil {
		t.Fatal(err)
	}
	f.wantUntrusted(t, []confine.Root{app})

	// A folder that became a link is none.
	if err := os.Rename(app.Canonical, app.Canonical+".moved"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(app.Canonical+".moved", app.Canonical); err != nil {
		t.Fatal(err)
	}
	if err := f.Check([]confine.Root{app}); err == nil {
		t.Error("a link to the trusted folder is trusted in its place")
	}
}

// A list that the user may not have written, or that is not understood, is not
// used, and above all not overwritten.
func TestDistrustedFile(t *testing.T) {
	tests := []struct {
		name string
		make func(t *testing.T, f fixture)
		says string
	}{
		{"empty", text(""), "damaged"},
		{"not JSON", text("trust everything"), "damaged"},
		{"cut", text(`{"version":1,"folders":[{"path":"/x"`), "damaged"},
		{"two lists", text(`{"version":1,"folders":[]}{}`), "text follows"},
		{"of the future", text(`{"version":2,"folders":[]}`), "version 2"},
		{"without a version", text(`{"folders":[]}`), "version 0"},
		{"unknown field", text(`{"version":1,"folders":[],"all":true}`), "all"},
		{"relative path", text(`{"version":1,"folders":[{"path":"x"}]}`), "canonical"},
		{"path with dots", text(`{"version":1,"folders":[{"path":"/x/.."}]}`), "canonical"},
		{"twice", text(`{"version":1,"folders":[{"path":"/x"},{"path":"/x"}]}`), "twice"},
		{"huge", text(strings.Repeat(" ", 5<<20)), "over"},
		{"group can write", func(t *testing.T, f fixture) { chmod(t, f.file(), 0o660) }, "written by others"},
		{"world can write", func(t *testing.T, f fixture) { chmod(t, f.file(), 0o602) }, "written by others"},
		{"group can write the folder", func(t *testing.T, f fixture) { chmod(t, f.dir, 0o770) }, "written by others"},
		{"world can write the folder", func(t *testing.T, f fixture) { chmod(t, f.dir, 0o777) }, "written by others"},
		{"foreign", func(t *testing.T, f fixture) { chown(t, f.file()) }, "belongs to user"},
		{"foreign folder", func(t *testing.T, f fixture) { chown(t, f.dir) }, "belongs to user"},
		{"link", func(t *testing.T, f fixture) {
			if err := os.Rename(f.file(), f.file()+".away"); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(f.file()+".away", f.file()); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file"},
		{"folder", func(t *testing.T, f fixture) {
			if err := errors.Join(os.Remove(f.file()), os.Mkdir(f.file(), 0o700)); err != nil {
				t.Fatal(err)
			}
		}, "not a regular file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := newFixture(t)
			app, lib := f.folder(t, "app"), f.folder(t, "lib")
			f.add(t, app)
			tt.make(t, f)
			before, _ := os.ReadFile(f.file())
			_, listErr := f.List()
			_, removeErr := f.Remove(app.Canonical)
			for what, err := range map[string]error{
				"Check": f.Check([]confine.Root{app}), "Add": f.Add(lib), "List": listErr, "Remove": removeErr,
			} {
				if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s = %v, want a line with %q", what, err, tt.says)
				}
			}
			if after, _ := os.ReadFile(f.file()); string(after) != string(before) {
				t.Errorf("the file was changed from %q to %q", before[:min(len(before), 80)], after)
			}
		})
	}
}

func text(s string) func(*testing.T, fixture) {
	return func(t *testing.T, f fixture) {
		if err := os.WriteFile(f.file(), []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func chown(t *testing.T, path string) {
	t.Helper()
	if err := os.Lchown(path, 65534, 65534); err != nil {
		t.Skipf("only root can give files away: %v", err)
	}
}

func TestConcurrentChanges(t *testing.T) {
	f := newFixture(t)
	const n = 20
	kept, gone := make([]confine.Root, n), make([]confine.Root, n)
	for i := range n {
		kept[i], gone[i] = f.folder(t, fmt.Sprintf("kept%02d", i)), f.folder(t, fmt.Sprintf("gone%02d", i))
	}
	f.add(t, gone...)
	var changes sync.WaitGroup
	for i := range n {
		// Each with a store of its own, as processes have.
		changes.Go(func() {
			if err := trust.New(f.dir).Add(kept[i]); err != nil {
				t.Error(err)
			}
		})
		changes.Go(func() {
			if removed, err := trust.New(f.dir).Remove(gone[i].Canonical); err != nil || !removed {
				t.Errorf("Remove = %v, %v", removed, err)
			}
		})
	}
	changes.Wait()
	f.wantUntrusted(t, kept)
	if records, err := f.List(); err != nil || len(records) != n {
		t.Errorf("%d records, %v, want %d", len(records), err, n)
	}
}

func TestAddRefuses(t *testing.T) {
	f := newFixture(t)
	file := filepath.Join(f.base, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(f.base, "missing")} {
		if err := f.Add(confine.Root{Shown: path, Canonical: path}); err == nil {
			t.Errorf("Add(%s) is accepted", path)
		}
	}
	if records, err := f.List(); err != nil || len(records) != 0 {
		t.Errorf("records %v, %v", records, err)
	}
}
