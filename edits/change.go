package edits

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"unicode/utf8"
)

// A FileChange is what a change makes of one file in all.
type FileChange struct {
	Path string // after the change; of a deleted file the one it had
	// From is the path before, where the file is moved to a path at which there
	// was none. A file moved over another one is shown as that one changed and
	// itself deleted, as git shows it.
	From    string
	Created bool
	Deleted bool
	Edits   int // text edits

	InsertedBytes int
	DeletedBytes  int // replaced bytes included

	After []byte // the text after; nil for a deleted file, and one moved as it is
	Diff  Diff
	// NoText is true when a text is not shown because it is not UTF-8; then the
	// diff is empty.
	NoText bool
}

// A Change is an ordered change of many files that nobody has made yet.
type Change struct {
	// Files in the order in which the steps touched them first. git apply of their
	// diffs, in this order, gives the files after; a moved or deleted folder is
	// an operation alone.
	Files      []FileChange
	Operations []Operation // those that have an effect, in order
	Digest     string      // names exactly this change
	// NothingToDo is true when every file would stay as it is.
	NothingToDo bool
}

// Simulate does steps, in order, on a tree that stays as it is, and returns what
// they would make of it; context is the number of lines around a change of a
// diff. One step that cannot be done refuses them all: an edit outside its text
// or for another text, an overlap, a text that is not UTF-8, a file that is to be
// created and exists. An error names paths of the tree and holds no text.
func Simulate(tree Tree, steps []Step, context int) (Change, error) {
	s := &simulation{tree: tree, at: map[string]*entry{}}
	for _, step := range steps {
		if len(step.Edits) > 0 && !utf8.Valid(step.Before) {
			return Change{}, fmt.Errorf("%s is not UTF-8", step.Path)
		}
		if err := s.do(step); err != nil {
			return Change{}, err
		}
	}
	c := Change{Operations: s.ops, NothingToDo: len(s.ops) == 0}
	for _, e := range s.touched {
		files, err := s.changes(e, context)
		if err != nil {
			return Change{}, err
		}
		c.Files = append(c.Files, files...)
	}
	c.NothingToDo = c.NothingToDo && len(c.Files) == 0
	c.Digest = c.digest()
	return c, nil
}

// changes returns what became of one touched file: nothing, one change, or two
// where it took the place of another.
func (s *simulation) changes(e *entry, context int) ([]FileChange, error) {
	var out []FileChange
	over := e.path != "" && e.path != e.origin && s.was(e.path)
	moved := e.path != "" && e.origin != "" && e.path != e.origin && !over && s.at[e.origin] == nil
	if e.path != "" {
		f := FileChange{Path: e.path, Edits: e.edits, InsertedBytes: e.added, DeletedBytes: e.gone, After: e.text}
		from := e.path
		var before []byte
		var err error
		switch {
		case moved && e.text == nil:
			f.From = e.origin
			f.Diff = movedDiff(e.origin, e.path)
			return []FileChange{f}, nil
		case moved:
			f.From, from, before = e.origin, e.origin, e.before
		case over:
			if before, err = s.original(e.path); err != nil {
				return nil, err
			}
		case e.path == e.origin:
			before = e.before
		default:
			f.Created = true
		}
		if f.After == nil && e.path == e.origin && len(s.moves) > 0 {
			if before, err = s.tree.Read(e.origin); err != nil {
				return nil, fmt.Errorf("%s cannot be read", e.origin)
			}
			f.After = before
		}
		if f.After == nil && e.path != e.origin {
			if f.After, err = s.tree.Read(e.origin); err != nil {
				return nil, fmt.Errorf("%s cannot be read", e.origin)
			}
		}
		// Where folders went, one that ends as it was, or equal to what was there,
		// is named all the same: it did not go with its folder.
		if e.path != e.origin || len(s.moves) > 0 || !bytes.Equal(before, f.After) {
			f.draw(from, before, context)
			out = append(out, f)
		}
	}
	// Its old path is left, and nothing took it.
	if e.origin != "" && e.path != e.origin && !moved && s.at[e.origin] == nil {
		before, err := s.original(e.origin)
		if err != nil {
			return nil, err
		}
		f := FileChange{Path: e.origin, Deleted: true}
		f.draw(e.origin, before, context)
		out = append(out, f)
	}
	return out, nil
}

// was reports whether the tree has a file at a path.
func (s *simulation) was(p string) bool { return s.tree.Node(p) == RegularFile }

// original returns the text that the tree has at a path: the one that edits were
// for, if there were any.
func (s *simulation) original(p string) ([]byte, error) {
	for _, e := range s.touched {
		if e.origin == p && e.text != nil {
			return e.before, nil
		}
	}
	text, err := s.tree.Read(p)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be read", p)
	}
	return text, nil
}

// draw makes the diff of a file that had the text before at the path from.
func (f *FileChange) draw(from string, before []byte, context int) {
	if !utf8.Valid(before) || !utf8.Valid(f.After) {
		f.NoText = true
		return
	}
	f.Diff = fileDiff(patch{from: from, to: f.Path, created: f.Created, deleted: f.Deleted}, before, f.After, context)
}

// digest returns the SHA-256, in lower-case hexadecimal, of all that the change
// does: files and operations in order, each part behind its length.
func (c Change) digest() string {
	h := sha256.New()
	part := func(texts ...string) {
		for _, t := range texts {
			fmt.Fprintf(h, "%d:%s", len(t), t)
		}
	}
	for _, op := range c.Operations {
		part("operation", string(op.Kind), op.Path, op.NewPath)
		fmt.Fprintf(h, "%t %d;", op.Folder, op.Files)
	}
	for _, f := range c.Files {
		part("file", f.From, f.Path, f.Diff.Text)
		after := sha256.Sum256(f.After)
		fmt.Fprintf(h, "%t %t %t %x;", f.Created, f.Deleted, f.NoText, after)
	}
	return hex.EncodeToString(h.Sum(nil))
}
