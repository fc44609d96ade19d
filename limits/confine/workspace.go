package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Root is one root folder of a workspace.
type Root struct {
	Name      string // unique among the roots; the first path element of answers when there are several
	Shown     string // absolute, as the user spelled it
	Canonical string // absolute, symbolic links resolved
}

// Options configures [Open]. The zero value works.
type Options struct {
	// Home is the user's home folder, refused as a root. "" refuses none.
	Home string
	// Excluded reports whether the file with this answer path (slash-separated,
	// see [Workspace.Shown]) is kept out of every answer. nil excludes none.
	Excluded func(path string) bool
}

// A File names a file inside a workspace, whether or not it exists. It is
// comparable and is the key of a file everywhere in the bridge. No folder on the
// way to it is a symbolic link; the file itself may be one.
type File struct {
	Root int    // index into Roots
	Rel  string // relative to the root's canonical folder; slash-separated, clean, local
}

// A Workspace is a set of opened root folders. It is safe for concurrent use.
type Workspace struct {
	roots    []Root
	handles  []*os.Root
	excluded func(string) bool
}

// Open opens the root folders dirs, absolute paths. It refuses "/", the home
// folder, a folder that is missing, a file, a root nested in another, and a root
// given twice.
func Open(dirs []string, o Options) (*Workspace, error) {
	if len(dirs) == 0 {
		return nil, errors.New("a workspace needs a root folder")
	}
	w := &Workspace{excluded: o.Excluded}
	for _, dir := range dirs {
		root, handle, err := openRoot(dir, o.Home)
		if err != nil {
			w.Close()
			return nil, err
		}
		w.handles = append(w.handles, handle)
		for _, other := range w.roots {
			if fault := overlap(root, other); fault != nil {
				w.Close()
				return nil, fault
			}
		}
		root.Name = w.uniqueName(filepath.Base(root.Shown))
		w.roots = append(w.roots, root)
	}
	return w, nil
}

// openRoot checks and opens one root folder.
func openRoot(dir, home string) (Root, *os.Root, error) {
	if !filepath.IsAbs(dir) {
		return Root{}, nil, fmt.Errorf("workspace folder %s is not an absolute path", quote(dir))
	}
	shown := filepath.Clean(dir)
	canonical, err := filepath.EvalSymlinks(shown)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Root{}, nil, fmt.Errorf("workspace folder %s does not exist", quote(dir))
	case err != nil:
		return Root{}, nil, fmt.Errorf("workspace folder %s cannot be resolved: %w", quote(dir), reasonOf(err))
	}
	info, err := os.Stat(canonical)
	switch {
	case err != nil:
		return Root{}, nil, fmt.Errorf("workspace folder %s cannot be read: %w", quote(dir), reasonOf(err))
	case !info.IsDir():
		return Root{}, nil, fmt.Errorf("workspace %s is a file, not a folder", quote(dir))
	case filepath.Dir(canonical) == canonical:
		return Root{}, nil, fmt.Errorf("workspace %s is the root of the file system: name a project folder", quote(dir))
	}
	if home != "" {
		if h, err := os.Stat(home); err == nil && os.SameFile(h, info) {
			return Root{}, nil, fmt.Errorf("workspace %s is the home folder: name a project folder", quote(dir))
		}
	}
	handle, err := os.OpenRoot(canonical)
	if err != nil {
		return Root{}, nil, fmt.Errorf("workspace folder %s cannot be opened: %w", quote(dir), reasonOf(err))
	}
	return Root{Shown: shown, Canonical: canonical}, handle, nil
}

// overlap is the error of two roots of which one holds the other.
func overlap(a, b Root) error {
	switch {
	case a.Canonical == b.Canonical:
		return fmt.Errorf("workspace folder %s is given twice", quote(a.Shown))
	case within(a.Canonical, b.Canonical):
		return fmt.Errorf("workspace folder %s is inside %s: name the outer one alone", quote(a.Shown), quote(b.Shown))
	case within(b.Canonical, a.Canonical):
		return fmt.Errorf("workspace folder %s is inside %s: name the outer one alone", quote(b.Shown), quote(a.Shown))
	}
	return nil
}

// within reports whether the clean path p is below the clean folder dir.
func within(p, dir string) bool {
	_, ok := below(p, dir)
	return ok
}

// below returns the part of the clean path p below the clean folder dir; "." for
// the folder itself. It compares whole elements, never a mere prefix.
func below(p, dir string) (string, bool) {
	if p == dir {
		return ".", true
	}
	return strings.CutPrefix(p, dir+string(filepath.Separator))
}

// uniqueName makes a root's name unique.
func (w *Workspace) uniqueName(base string) string {
	name := base
	for n := 2; ; n++ {
		taken := false
		for _, r := range w.roots {
			taken = taken || r.Name == name
		}
		if !taken {
			return name
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
}

// Close closes the roots.
func (w *Workspace) Close() error {
	var errs []error
	for _, h := range w.handles {
		errs = append(errs, h.Close())
	}
	return errors.Join(errs...)
}

// Roots returns the roots in the order they were given.
func (w *Workspace) Roots() []Root { return w.roots }

// Abs returns the canonical absolute path of f, as language servers get it.
func (w *Workspace) Abs(f File) string {
	return filepath.Join(w.roots[f.Root].Canonical, filepath.FromSlash(f.Rel))
}

// Shown returns the answer path of f: workspace-relative, slash-separated, with
// the root's name before it when there are several roots.
func (w *Workspace) Shown(f File) string {
	switch {
	case len(w.roots) == 1:
		return f.Rel
	case f.Rel == ".":
		return w.roots[f.Root].Name
	}
	return w.roots[f.Root].Name + "/" + f.Rel
}
