package vdocs

import "time"

// A Place is a document outside the workspace, as a language server named it.
type Place struct {
	URI    string // as the server sent it
	Path   string // cleaned absolute path of a file URI, else ""
	Server string // name of the server that named it
}

// Options configures [NewStore].
type Options struct {
	Workspace string        // opaque tag of the workspace, part of each reference
	Max       int           // references held; at the cap the least recently used goes
	TTL       time.Duration // life after the last use
	Now       func() time.Time
	// Roots are folders with a name of their own: a file below one is displayed
	// relative to it (GOROOT/src, the module cache, system include folders).
	Roots []string
}

// A Ref is an opaque reference: unguessable (at least 80 random bits), short,
// easy to repeat, bound to the workspace.
type Ref string

// A Store holds references. It is safe for concurrent use.
type Store struct{}

// NewStore returns an empty store.
func NewStore(o Options) *Store { panic("todo") }

// Ref returns the reference of p and its display name. The same place keeps its
// reference while that lives. ok is false for a scheme that never gets one.
func (s *Store) Ref(owner string, p Place) (ref Ref, display string, ok bool) { panic("todo") }

// Lookup returns the place of a reference. The errors are [ErrForeign] (another
// workspace or owner), [ErrExpired] and [ErrUnknown].
func (s *Store) Lookup(owner string, ref Ref) (Place, error) { panic("todo") }

// Display returns the display name of a place, such as
// "fmt/print.go (outside the workspace)". It never holds a path outside.
func (s *Store) Display(p Place) string { panic("todo") }
