package confine

import (
	"errors"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Options configures [Open]. The zero value works.
type Options struct {
	// Home is the user's home folder, refused as a root. "" refuses none.
	Home string
	// Excluded reports whether the file with this answer path (slash-separated,
	// see [Workspace.Shown]) is kept out of every answer. nil excludes none.
	Excluded func(path string) bool
}

// A File names a file inside a workspace, whether or not it exists. It is
// comparable and is the key of a file everywhere in the bridge: links among the
// folders of its path are resolved, so that one file in one folder has one
// File; a link in its last element is kept, since build tools take a linked
// file for a file of the folder in which the link stands.
type File struct {
	Root int    // index into Roots
	Rel  string // relative to the root's canonical folder; slash-separated, clean, local
}

// A Workspace is a set of opened root folders. It is safe for concurrent use.
type Workspace struct {
	roots     []Root
	opened    []*os.Root // by index of roots
	spellings []spelling
	excluded  func(path string) bool
}

// A spelling is the absolute path of a root, in one of its two forms, by its
// elements.
type spelling struct {
	root  int
	elems []string
}

// Close closes the roots.
func (w *Workspace) Close() error {
	var errs []error
	for _, r := range w.opened {
		errs = append(errs, r.Close())
	}
	return errors.Join(errs...)
}

// Check reports whether the paths of the roots still lead to the folders that
// were opened: language servers go by the path, and this package by the folder.
// The error is an [*Error].
func (w *Workspace) Check() error {
	for i, r := range w.roots {
		now, err := os.Stat(r.Canonical)
		if err == nil {
			var opened os.FileInfo
			if opened, err = w.opened[i].Stat("."); err == nil && os.SameFile(now, opened) {
				continue
			}
		}
		return &Error{Path: r.Shown, Reason: Replaced, Err: bare(err)}
	}
	return nil
}

// Roots returns the roots in the order they were given.
func (w *Workspace) Roots() []Root { return slices.Clone(w.roots) }

// Abs returns the canonical absolute path of f, as language servers get it.
func (w *Workspace) Abs(f File) string {
	return filepath.Join(w.roots[f.Root].Canonical, filepath.FromSlash(f.Rel))
}

// Shown returns the answer path of f: workspace-relative, slash-separated, with
// the root's name before it when there are several roots.
func (w *Workspace) Shown(f File) string {
	if len(w.roots) == 1 {
		return f.Rel
	}
	return path.Join(w.roots[f.Root].Name, f.Rel)
}

// hides reports whether f is excluded.
func (w *Workspace) hides(f File) bool {
	return w.excluded != nil && w.excluded(w.Shown(f))
}
