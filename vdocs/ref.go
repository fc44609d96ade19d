package vdocs

import (
	"crypto/rand"
	"strings"
)

// A Ref is an opaque reference: unguessable (80 random bits), short, easy to
// repeat, bound to the workspace. It reads TAG-RANDOM, the workspace's tag and 16
// letters and digits; the tag tells which bridge to ask.
type Ref string

// letters are the digits and lower-case letters that nobody mistakes for one
// another (Crockford's base 32: no i, l, o, u).
const letters = "0123456789abcdefghjkmnpqrstvwxyz"

// randomLetters of 5 bits each.
const randomLetters = 16

// newRef returns a new reference.
func newRef(tag string) Ref {
	var random [randomLetters]byte
	rand.Read(random[:]) // never fails: crypto/rand ends the program instead
	for i, b := range random {
		random[i] = letters[b%32]
	}
	return Ref(tag + "-" + string(random[:]))
}

// split returns the workspace's tag, and false for what cannot be a reference.
func (r Ref) split() (tag string, ok bool) {
	at := len(r) - randomLetters - 1
	if at < 0 || r[at] != '-' || strings.Trim(string(r[at+1:]), letters) != "" {
		return "", false
	}
	return string(r[:at]), true
}

// A graveyard remembers the owners of references that are gone, the last max of
// them, so that an error can tell an expired reference from an invented one.
type graveyard struct {
	owners map[Ref]string
	ring   []Ref // the oldest is at next once the ring is full
	next   int
}

func newGraveyard(most int) graveyard {
	return graveyard{owners: make(map[Ref]string), ring: make([]Ref, 0, most)}
}

// add remembers one, and forgets the oldest when there is no room.
func (g *graveyard) add(ref Ref, owner string) {
	if len(g.ring) < cap(g.ring) {
		g.ring = append(g.ring, ref)
	} else {
		delete(g.owners, g.ring[g.next])
		g.ring[g.next] = ref
		g.next = (g.next + 1) % len(g.ring)
	}
	g.owners[ref] = owner
}

// owner returns who a reference that is gone belonged to.
func (g *graveyard) owner(ref Ref) (string, bool) {
	owner, ok := g.owners[ref]
	return owner, ok
}
