package confine

import (
	"os"
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
// comparable and is the key of a file everywhere in the bridge.
type File struct {
	Root int    // index into Roots
	Rel  string // relative to the root's canonical folder; slash-separated, clean, local
}

// A Workspace is a set of opened root folders. It is safe for concurrent use.
type Workspace struct{ roots []Root }

// Open opens the root folders dirs. It refuses "/", the home folder, a folder
// that is missing, a file, a root nested in another, and a root given twice.
func Open(dirs []string, o Options) (*Workspace, error) { panic("todo") }

// Close closes the roots.
func (w *Workspace) Close() error { panic("todo") }

// Roots returns the roots in the order they were given.
func (w *Workspace) Roots() []Root { return w.roots }

// File returns the file that path names: relative to the workspace (with
// several roots the first element is a root's name), or absolute, spelled
// through the canonical or the shown root. The error is an [*Error] and says
// why the path is refused: NUL, not UTF-8, "..", outside, a sibling with the
// same prefix, a link that leads out, excluded. The file need not exist.
func (w *Workspace) File(path string) (File, error) { panic("todo") }

// Locate returns the file at the absolute path that a language server named.
// It reports false for a place outside the workspace, for one reached through a
// link that leads out, and for an excluded file. It does not need the file to
// exist.
func (w *Workspace) Locate(abs string) (File, bool) { panic("todo") }

// Abs returns the canonical absolute path of f, as language servers get it.
func (w *Workspace) Abs(f File) string { panic("todo") }

// Shown returns the answer path of f: workspace-relative, slash-separated, with
// the root's name before it when there are several roots.
func (w *Workspace) Shown(f File) string { panic("todo") }

// Stat describes the file f without following a link out of the root.
func (w *Workspace) Stat(f File) (os.FileInfo, error) { panic("todo") }

// Read reads the regular file f, at most max bytes. The stamp is of the opened
// file and equals the text only if the file did not change while it was read,
// which Read checks (it reads again, at most twice, then fails). FIFOs,
// devices, sockets and folders are refused at once, without blocking.
func (w *Workspace) Read(f File, max int64) ([]byte, Stamp, error) { panic("todo") }

// A Reason says why a path is refused.
type Reason string

// An Error is a refused path. Its text is one line that names the path as the
// caller spelled it and never names a place outside the workspace.
type Error struct {
	Path   string
	Reason Reason
}

func (e *Error) Error() string { return string(e.Reason) }
