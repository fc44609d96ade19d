package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// maxLinks bounds the symbolic links on the way to one file.
const maxLinks = 40

// File returns the file that path names: relative to the workspace (with
// several roots the first element is a root's name), or absolute, spelled
// through the canonical or the shown root. The error is an [*Error] and says
// why the path is refused. The file need not exist.
func (w *Workspace) File(path string) (File, error) {
	refuse := func(r Reason) (File, error) { return File{}, &Error{Path: path, Reason: r} }
	switch {
	case path == "":
		return refuse(Empty)
	case strings.IndexByte(path, 0) >= 0:
		return refuse(HasNUL)
	case !utf8.ValidString(path):
		return refuse(NotUTF8)
	}
	f, ok := w.lexical(path)
	if !ok {
		return refuse(Outside)
	}
	f, ok = w.resolve(f)
	if !ok {
		return refuse(LeadsOut)
	}
	if w.hides(f) {
		return refuse(Excluded)
	}
	return f, nil
}

// Locate returns the file at the absolute path that a language server named.
// It reports false for a place outside the workspace, for one reached through a
// link that leads out, and for an excluded file; see [Workspace.Hidden]. It does
// not need the file to exist.
func (w *Workspace) Locate(abs string) (File, bool) {
	f, ok := w.place(abs)
	if !ok || w.hides(f) {
		return File{}, false
	}
	return f, true
}

// Hidden reports whether the absolute path that a language server named is
// inside the workspace and excluded from every answer.
func (w *Workspace) Hidden(abs string) bool {
	f, ok := w.place(abs)
	return ok && w.hides(f)
}

func (w *Workspace) hides(f File) bool { return w.excluded != nil && w.excluded(w.Shown(f)) }

func (w *Workspace) place(abs string) (File, bool) {
	if !filepath.IsAbs(abs) || strings.IndexByte(abs, 0) >= 0 {
		return File{}, false
	}
	f, ok := w.lexical(abs)
	if !ok {
		return File{}, false
	}
	return w.resolve(f)
}

// lexical finds the root of a path by its spelling alone.
func (w *Workspace) lexical(path string) (File, bool) {
	path = filepath.FromSlash(path)
	if filepath.IsAbs(path) {
		path = filepath.Clean(path)
		for i, r := range w.roots {
			for _, dir := range []string{r.Canonical, r.Shown} {
				if rel, ok := below(path, dir); ok {
					return File{i, filepath.ToSlash(rel)}, true
				}
			}
		}
		return File{}, false
	}
	rel := filepath.Clean(path)
	if !filepath.IsLocal(rel) {
		return File{}, false
	}
	if len(w.roots) == 1 {
		return File{0, filepath.ToSlash(rel)}, true
	}
	name, rest, _ := strings.Cut(filepath.ToSlash(rel), "/")
	for i, r := range w.roots {
		if r.Name == name {
			if rest == "" {
				rest = "."
			}
			return File{i, rest}, true
		}
	}
	return File{}, false
}

// resolve follows the links among the folders of f, and reports false if one of
// them, or f itself, leads out of the workspace. A link at f itself keeps its
// name. What is checked here is about names; that nothing outside is opened is
// up to [os.Root], whatever happens between the two.
func (w *Workspace) resolve(f File) (File, bool) {
	links := maxLinks
	return w.follow(f, &links)
}

func (w *Workspace) follow(f File, links *int) (File, bool) {
	at := File{f.Root, "."}
	elements := strings.Split(f.Rel, "/")
	for i, e := range elements {
		if e == "." {
			continue
		}
		next := File{at.Root, join(at.Rel, e)}
		info, err := os.Lstat(w.Abs(next))
		if err != nil {
			// Missing, or not to be looked into: the rest of the name stands as
			// it is, and opening it will say why.
			next.Rel = join(next.Rel, strings.Join(elements[i+1:], "/"))
			return next, true
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		target, ok := w.target(next, links)
		if !ok {
			return File{}, false
		}
		if i == len(elements)-1 {
			return next, true
		}
		at = target
	}
	return at, true
}

// target returns what the symbolic link f leads to, all links followed.
func (w *Workspace) target(f File, links *int) (File, bool) {
	if *links--; *links < 0 {
		return File{}, false
	}
	text, err := os.Readlink(w.Abs(f))
	if err != nil {
		return File{}, false
	}
	if !filepath.IsAbs(text) {
		text = filepath.Join(filepath.Dir(w.Abs(f)), text)
	}
	to, ok := w.lexical(text)
	if !ok {
		return File{}, false
	}
	to, ok = w.follow(to, links)
	if !ok {
		return File{}, false
	}
	if info, err := os.Lstat(w.Abs(to)); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return w.target(to, links)
	}
	return to, true
}

// final returns the file that f stands for when f itself is a link.
func (w *Workspace) final(f File) (File, error) {
	links := maxLinks
	info, err := os.Lstat(w.Abs(f))
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return f, nil // what is wrong with it, opening it says
	}
	to, ok := w.target(f, &links)
	if !ok {
		return File{}, &Error{Path: w.Shown(f), Reason: LeadsOut}
	}
	return to, nil
}

func join(dir, name string) string {
	switch {
	case dir == ".":
		return name
	case name == "":
		return dir
	}
	return dir + "/" + name
}

// escapes reports whether err is os.Root's refusal to leave the root.
func escapes(err error) bool {
	var pe *fs.PathError
	return errors.As(err, &pe) && strings.Contains(pe.Err.Error(), "escapes")
}
