package edits

import (
	"path"
	"strings"

	"lspbridge/lspclient/textpos"
)

// A Node is what stands at a path of a [Tree].
type Node int

// The nodes.
const (
	Missing Node = iota
	RegularFile
	Folder
	Other // a link that leads nowhere, a device, what cannot be looked at
)

// A Tree is the files as they are before a change. Paths are relative, with
// slashes.
type Tree interface {
	Node(path string) Node
	// Read returns the text of a regular file.
	Read(path string) ([]byte, error)
	// Below returns the paths of all that is not a folder below a folder, at most
	// max of them; more says that there are others.
	Below(folder string, max int) (paths []string, more bool, err error)
}

// A Step is one element of a change of many files: text edits of one file, or
// an operation on a file or folder. Steps are done in order, each on what those
// before it left (LSP 3.17 §workspaceEdit).
type Step struct {
	// Op is the operation; one without a kind is none, and then Path, Before and
	// Edits count.
	Op textpos.FileOp

	Path   string
	Before []byte // the text that the edits are for
	Edits  []textpos.Edit
}

// A move is a folder that was renamed, or, with no new path, deleted.
type move struct{ from, to string }

// moves are the folders that were moved, in order.
type moves []move

// origin returns the path in the tree of what is now at path, if only moves
// changed it, and false when nothing is there by them.
func (ms moves) origin(path string) (string, bool) {
	for i := len(ms) - 1; i >= 0; i-- {
		m := ms[i]
		if m.to != "" {
			if rest, ok := below(m.to, path); ok {
				path = m.from + rest
				continue
			}
		}
		if _, ok := below(m.from, path); ok {
			return "", false
		}
	}
	return path, true
}

// target returns where what was at a path of the tree is after the moves, and
// false when it was deleted with its folder.
func (ms moves) target(path string) (string, bool) {
	for _, m := range ms {
		if rest, ok := below(m.from, path); ok {
			if m.to == "" {
				return "", false
			}
			path = m.to + rest
		}
	}
	return path, true
}

// made reports whether a folder is at path because another was moved to or below
// it.
func (ms moves) made(p string) bool {
	for i, m := range ms {
		for dir := m.to; dir != "" && dir != "."; dir = path.Dir(dir) {
			now, ok := ms[i+1:].target(dir)
			if !ok {
				continue
			}
			if _, in := below(p, now); in {
				return true
			}
		}
	}
	return false
}

// below reports whether path is folder or lies in it; rest is what follows
// folder.
func below(folder, path string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(path, folder)
	if !ok || rest != "" && rest[0] != '/' {
		return "", false
	}
	return rest, true
}
