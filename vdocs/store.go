package vdocs

import (
	"container/list"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"lspbridge/lspclient/textpos"
)

// The errors of [Store.Lookup].
var (
	ErrUnknown = errors.New("unknown reference: use one exactly as an answer gave it")
	ErrExpired = errors.New("the reference has expired: ask again for the place to get a new one")
	ErrForeign = errors.New("the reference belongs to another workspace or session")
)

// What [Options] means where a field is zero.
const (
	defaultMax = 512
	defaultTTL = 15 * time.Minute
)

// maxURI bounds, in bytes, what a place may hold of a server's text: the longest
// path of Linux, each byte escaped, fits.
const maxURI = 16 << 10

// A Place is a document outside the workspace, as a language server named it.
type Place struct {
	URI    string // as the server sent it
	Path   string // cleaned absolute path of a file URI, else ""
	Server string // name of the server that named it
}

// Options configures [NewStore].
type Options struct {
	Workspace string           // opaque tag of the workspace, part of each reference
	Max       int              // references held; at the cap the least recently used goes; 0 means 512
	TTL       time.Duration    // life after the last use; 0 means 15 minutes
	Now       func() time.Time // nil means [time.Now]
	// Roots are folders with a name of their own: a file below one is displayed
	// relative to it (GOROOT/src, the module cache, system include folders).
	Roots []string
}

// A Store holds references. It is safe for concurrent use.
type Store struct {
	tag   string
	max   int
	ttl   time.Duration
	now   func() time.Time
	roots []string

	mu    sync.Mutex // guards what follows
	live  map[key]*list.Element
	byRef map[Ref]*list.Element
	used  *list.List // of *entry, the most recently used first
	gone  graveyard
}

// A key is what makes two places one. The path stands for a file's URI, since
// servers escape differently.
type key struct {
	owner, server, document string
}

// An entry is a reference that lives.
type entry struct {
	key   key
	ref   Ref
	place Place
	last  time.Time // of its use
}

// NewStore returns an empty store.
func NewStore(o Options) *Store {
	s := &Store{
		tag: o.Workspace, max: o.Max, ttl: o.TTL, now: o.Now, roots: cleanRoots(o.Roots),
		live: make(map[key]*list.Element), byRef: make(map[Ref]*list.Element), used: list.New(),
	}
	if s.max <= 0 {
		s.max = defaultMax
	}
	if s.ttl <= 0 {
		s.ttl = defaultTTL
	}
	if s.now == nil {
		s.now = time.Now
	}
	s.gone = newGraveyard(s.max)
	return s
}

// Ref returns the reference of p and its display name. The same place of the
// same owner keeps its reference while that lives, and using it here prolongs
// its life. ok is false for a scheme that never gets one, for a file without an
// absolute path, and for a URI or path over 16 KiB; display is right all the
// same.
func (s *Store) Ref(owner string, p Place) (ref Ref, display string, ok bool) {
	display = s.Display(p)
	document, ok := identity(p)
	if !ok {
		return "", display, false
	}
	k := key{owner: owner, server: p.Server, document: document}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.expire(now)
	if el, ok := s.live[k]; ok {
		s.touch(el, now)
		return el.Value.(*entry).ref, display, true
	}
	for s.used.Len() >= s.max {
		s.bury(s.used.Back())
	}
	el := s.used.PushFront(&entry{key: k, ref: newRef(s.tag), place: p, last: now})
	s.live[k], s.byRef[el.Value.(*entry).ref] = el, el
	return el.Value.(*entry).ref, display, true
}

// Lookup returns the place of a reference and prolongs its life. The errors are
// [ErrForeign] (another workspace or owner), [ErrExpired] (unused for too long,
// or gone for the sake of newer ones; known for as many references as the store
// holds, later ones are unknown) and [ErrUnknown].
func (s *Store) Lookup(owner string, ref Ref) (Place, error) {
	tag, ok := ref.split()
	if !ok {
		return Place{}, ErrUnknown
	}
	if tag != s.tag {
		return Place{}, ErrForeign
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	s.expire(now)
	if el, ok := s.byRef[ref]; ok {
		e := el.Value.(*entry)
		if e.key.owner != owner {
			return Place{}, ErrForeign
		}
		s.touch(el, now)
		return e.place, nil
	}
	switch was, ok := s.gone.owner(ref); {
	case !ok:
		return Place{}, ErrUnknown
	case was != owner:
		return Place{}, ErrForeign
	}
	return Place{}, ErrExpired
}

// touch notes a use.
func (s *Store) touch(el *list.Element, now time.Time) {
	el.Value.(*entry).last = now
	s.used.MoveToFront(el)
}

// expire buries what nobody used for too long. The list is in the order of use,
// so the first one that lives ends the search.
func (s *Store) expire(now time.Time) {
	for el := s.used.Back(); el != nil && now.Sub(el.Value.(*entry).last) >= s.ttl; el = s.used.Back() {
		s.bury(el)
	}
}

// bury ends the life of a reference.
func (s *Store) bury(el *list.Element) {
	e := s.used.Remove(el).(*entry)
	delete(s.live, e.key)
	delete(s.byRef, e.ref)
	s.gone.add(e.ref, e.key.owner)
}

// identity returns what names the document of p, and false when it never gets a
// reference.
func identity(p Place) (string, bool) {
	if len(p.URI) > maxURI || len(p.Path) > maxURI {
		return "", false
	}
	switch scheme := textpos.Scheme(p.URI); {
	case scheme == "file" || p.URI == "":
		return p.Path, filepath.IsAbs(p.Path)
	case mayRefer(scheme):
		return p.URI, true
	}
	return "", false
}

// mayRefer is the list of schemes besides file whose documents may get a
// reference: text that a language server makes or keeps itself. All others never
// do, so that no server can make the bridge name an output channel, a
// credential or a place on the network.
func mayRefer(scheme string) bool {
	switch scheme {
	case "jdt", // classes of the JDK and of archives: jdtls
		"deno": // remote modules in deno's cache: deno lsp
		return true
	}
	return false
}
