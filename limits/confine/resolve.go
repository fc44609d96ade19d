package confine

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// File returns the file that path names: relative to the workspace (with
// several roots the first element is a root's name), or absolute, spelled
// through the canonical or the shown root. The error is an [*Error] and says
// why the path is refused: NUL, not UTF-8, "..", outside, a sibling with the
// same prefix, a link that leads out, excluded. The file need not exist.
//
// The result is a name, not a permission: what it names may have become a link
// that leads out before it is opened, which [Workspace.Read] and
// [Workspace.Stat] then refuse.
func (w *Workspace) File(path string) (File, error) {
	f, reason := w.resolve(path, false, nil)
	if reason != "" {
		return File{}, &Error{Path: path, Reason: reason}
	}
	return f, nil
}

// Locate returns the file at the absolute path that a language server named.
// It reports false for a place outside the workspace, for one reached through a
// link that leads out, and for an excluded file. It does not need the file to
// exist. It asks the system about each element of the path below the root; for
// the places of one answer use a [Locator].
func (w *Workspace) Locate(abs string) (File, bool) {
	f, reason := w.resolve(abs, true, nil)
	return f, reason == ""
}

// Hidden reports whether the absolute path that a language server named is
// inside the workspace and kept out of every answer: then not even a reference
// to it may be given.
func (w *Workspace) Hidden(abs string) bool {
	_, reason := w.resolve(abs, true, nil)
	return reason == Excluded
}

// A Locator is [Workspace.Locate] for the places of one answer: it asks the
// system about each folder and file once. It is not safe for concurrent use
// and must not outlive the answer, since it does not notice that a folder has
// become a link.
type Locator struct {
	w     *Workspace
	files map[string]located
	steps map[File]step
}

type located struct {
	file File
	ok   bool
}

// Locator returns a new Locator.
func (w *Workspace) Locator() *Locator {
	return &Locator{w: w, files: make(map[string]located), steps: make(map[File]step)}
}

// Locate is [Workspace.Locate] as of the first time that it was asked.
func (l *Locator) Locate(abs string) (File, bool) {
	if at, ok := l.files[abs]; ok {
		return at.file, at.ok
	}
	f, reason := l.w.resolve(abs, true, l.steps)
	l.files[abs] = located{f, reason == ""}
	return f, reason == ""
}

// resolve finds the file that spelled names. Only absolute paths are taken
// when absolute is set. steps remembers what was asked of the system, nil for
// nothing.
func (w *Workspace) resolve(spelled string, absolute bool, steps map[File]step) (File, Reason) {
	switch {
	case spelled == "":
		return File{}, Empty
	case !utf8.ValidString(spelled):
		return File{}, NotUTF8
	case strings.ContainsRune(spelled, 0):
		return File{}, HasNUL
	}
	root, elems, reason := w.enter(spelled, absolute)
	if reason != "" {
		return File{}, reason
	}
	walk := walker{w: w, steps: steps, at: File{Root: root}}
	for i, elem := range elems {
		if reason := walk.step(elem, i == len(elems)-1); reason != "" {
			return File{}, reason
		}
	}
	f := walk.at
	switch {
	case f.Rel == "":
		return File{}, IsRoot
	case !filepath.IsLocal(filepath.FromSlash(f.Rel)):
		return File{}, NotLocal
	case w.hides(f):
		return File{}, Excluded
	}
	if !walk.linked {
		return f, ""
	}
	// A link is no way around an exclusion, neither of its name nor of what
	// it leads to.
	named := File{Root: root, Rel: path.Clean(strings.Join(elems, "/"))}
	if w.hides(named) || walk.target.Rel != "" && w.hides(walk.target) {
		return File{}, Excluded
	}
	return f, ""
}

// enter splits a path into the root it starts in and the elements below it,
// without "." and empty ones. An absolute path is compared with the roots by
// its own elements, before any ".." in it is followed, so that neither
// /ws/../ws nor /proc/self/root/ws is a spelling of /ws.
func (w *Workspace) enter(spelled string, absolute bool) (root int, elems []string, reason Reason) {
	native := filepath.FromSlash(spelled)
	if filepath.IsAbs(native) {
		elems = elements(native)
		best := -1
		for _, s := range w.spellings {
			if len(s.elems) > best && hasPrefix(elems, s.elems) {
				root, best = s.root, len(s.elems)
			}
		}
		if best < 0 {
			return 0, nil, Outside
		}
		return root, elems[best:], ""
	}
	if absolute {
		return 0, nil, Outside
	}
	elems = elements(native)
	if len(w.roots) == 1 {
		return 0, elems, ""
	}
	for i, r := range w.roots {
		if len(elems) > 0 && elems[0] == r.Name {
			return i, elems[1:], ""
		}
	}
	if len(elems) > 0 && elems[0] == ".." {
		return 0, nil, DotDot
	}
	return 0, nil, NoSuchRoot
}

// elements splits a path of the system's own form. A volume name of Windows
// stays one element.
func elements(native string) []string {
	vol := filepath.VolumeName(native)
	elems := strings.FieldsFunc(native[len(vol):], func(r rune) bool { return r < utf8.RuneSelf && os.IsPathSeparator(uint8(r)) })
	elems = slices.DeleteFunc(elems, func(e string) bool { return e == "." })
	if vol != "" {
		elems = append([]string{vol}, elems...)
	}
	return elems
}

func hasPrefix(elems, prefix []string) bool {
	return len(elems) >= len(prefix) && slices.Equal(elems[:len(prefix)], prefix)
}

// A walker follows a path from a root, element by element, as the system
// would, so that ".." leaves the folder that a link led to and not the link.
type walker struct {
	w      *Workspace
	steps  map[File]step
	at     File // the folder reached, its path free of links; at the end the file
	target File // what a link in the last element leads to
	linked bool // a link was met
}

// A step is what an element turned out to be.
type step struct {
	link   bool
	target File // of a link
	reason Reason
}

// step follows one element of the path.
func (k *walker) step(elem string, last bool) Reason {
	if elem == ".." {
		if k.at.Rel == "" {
			return DotDot
		}
		k.at.Rel = parent(k.at.Rel)
		return ""
	}
	next := File{Root: k.at.Root, Rel: path.Join(k.at.Rel, elem)}
	s, known := k.steps[next]
	if !known {
		s = k.w.look(next)
		if k.steps != nil {
			k.steps[next] = s
		}
	}
	switch {
	case s.reason != "":
		return s.reason
	case !s.link:
		k.at = next
	case last:
		k.at, k.target, k.linked = next, s.target, true
	default:
		k.at, k.linked = s.target, true
	}
	return ""
}

// look asks the system whether f, in a folder free of links, is a link, and
// where it leads. What does not exist or cannot be asked about is no link: the
// name is inside, and opening it will tell.
//
// A folder that becomes a link while this looks can make the answer wrong, and
// then names a file that is inside all the same; nothing is opened here.
func (w *Workspace) look(f File) step {
	abs := w.Abs(f)
	info, err := os.Lstat(abs)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return step{}
	}
	dest, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return step{reason: DeadLink}
	}
	for i, r := range w.roots {
		if rel, ok := under(r.Canonical, dest); ok {
			return step{link: true, target: File{Root: i, Rel: filepath.ToSlash(rel)}}
		}
	}
	return step{reason: LeadsOut}
}

// parent returns the folder of a relative path, "" for the root.
func parent(rel string) string {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i]
	}
	return ""
}
