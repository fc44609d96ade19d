package edits

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"

	"lspbridge/lspclient/textpos"
)

// maxListed bounds what is looked through below a folder that goes.
const maxListed = 20_000

// An entry is one file that a change touches.
type entry struct {
	origin string // its path in the tree; "" for one that the change made
	path   string // where it is now; "" once deleted
	before []byte // its text in the tree, once it was edited
	text   []byte // its text now; nil while it is that of the tree
	edits  int
	gone   int // bytes that edits take
	added  int // bytes that edits put in
}

// A simulation does steps on a tree without changing it.
type simulation struct {
	tree    Tree
	at      map[string]*entry // by path now; nil where a touched file was and is no more
	touched []*entry          // in the order in which they were touched first
	moves   moves             // of folders
	ops     []Operation
}

// An Operation is an operation of a change that has an effect.
type Operation struct {
	textpos.FileOp
	Folder bool
	Files  int // of a deleted folder: files that go with it
}

// do does one step.
func (s *simulation) do(step Step) error {
	switch op := step.Op; op.Kind {
	case "":
		return s.edit(step)
	case textpos.CreateFile:
		return s.create(op)
	case textpos.RenameFile:
		return s.rename(op)
	case textpos.DeleteFile:
		return s.remove(op)
	default:
		return fmt.Errorf("an operation of the unknown kind %q", op.Kind)
	}
}

// checkPath refuses what is no path below the root of the tree.
func checkPath(p string) error {
	if p == "" || p == "." || path.Clean(p) != p || strings.HasPrefix(p, "/") || p == ".." || strings.HasPrefix(p, "../") || strings.IndexByte(p, 0) >= 0 {
		return fmt.Errorf("%q is no path of a file", p)
	}
	return nil
}

// node returns what is at a path now, and the file if it is one that was touched.
func (s *simulation) node(p string) (Node, *entry) {
	e, known := s.at[p]
	if e != nil {
		return RegularFile, e
	}
	// The folder of a file that was there, or is, is there until it goes itself.
	for other := range s.at {
		if rest, ok := below(p, other); ok && rest != "" {
			return Folder, nil
		}
	}
	if s.moves.made(p) {
		return Folder, nil
	}
	origin, ok := s.moves.origin(p)
	if known || !ok {
		return Missing, nil
	}
	return s.tree.Node(origin), nil
}

// touch returns the entry of the regular file at p.
func (s *simulation) touch(p string) (*entry, error) {
	n, e := s.node(p)
	switch {
	case e != nil:
		return e, nil
	case n == Missing:
		return nil, fmt.Errorf("%s does not exist", p)
	case n != RegularFile:
		return nil, fmt.Errorf("%s is no regular file", p)
	}
	origin, _ := s.moves.origin(p)
	e = &entry{origin: origin, path: p}
	s.at[p], s.touched = e, append(s.touched, e)
	return e, nil
}

func (s *simulation) edit(step Step) error {
	if err := checkPath(step.Path); err != nil {
		return err
	}
	e, err := s.touch(step.Path)
	if err != nil {
		return err
	}
	if e.text == nil {
		e.before, e.text = step.Before, step.Before
		if e.text == nil {
			e.text = []byte{}
		}
	}
	if !bytes.Equal(e.text, step.Before) {
		return fmt.Errorf("the edits of %s are for another text", step.Path)
	}
	es, err := Normalize(len(step.Before), step.Edits)
	if err != nil {
		return fmt.Errorf("%s: %w", step.Path, err)
	}
	after, err := Apply(step.Before, es)
	if err != nil {
		return fmt.Errorf("%s: %w", step.Path, err)
	}
	e.text = after
	e.edits += len(es)
	for _, edit := range es {
		e.added += len(edit.New)
		e.gone += edit.End - edit.Start
	}
	return nil
}

func (s *simulation) create(op textpos.FileOp) error {
	if err := checkPath(op.Path); err != nil {
		return err
	}
	if err := s.room(op.Path); err != nil {
		return err
	}
	n, _ := s.node(op.Path)
	if n != Missing {
		switch {
		case op.IgnoreIfExists && !op.Overwrite:
			return nil
		case !op.Overwrite || n != RegularFile:
			return fmt.Errorf("%s is to be created, and exists", op.Path)
		}
		if err := s.drop(op.Path); err != nil {
			return err
		}
	}
	e := &entry{path: op.Path, text: []byte{}}
	s.at[op.Path], s.touched = e, append(s.touched, e)
	s.ops = append(s.ops, Operation{FileOp: op})
	return nil
}

// room checks that the folders of a path can be there. A file that had the path
// before its folder was moved becomes one that the change touches: its path is
// taken by another.
func (s *simulation) room(p string) error {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if n, _ := s.node(dir); n != Missing && n != Folder {
			return fmt.Errorf("%s is no folder", dir)
		}
	}
	if now, ok := s.moves.target(p); ok && now != p && s.tree.Node(p) == RegularFile {
		if n, _ := s.node(now); n == RegularFile {
			if origin, ok := s.moves.origin(now); ok && origin == p {
				_, err := s.touch(now)
				return err
			}
		}
	}
	return nil
}

// drop takes the file at p away.
func (s *simulation) drop(p string) error {
	e, err := s.touch(p)
	if err != nil {
		return err
	}
	e.path, s.at[p] = "", nil
	return nil
}

func (s *simulation) rename(op textpos.FileOp) error {
	if err := errors.Join(checkPath(op.Path), checkPath(op.NewPath)); err != nil {
		return err
	}
	if op.Path == op.NewPath {
		return nil
	}
	n, _ := s.node(op.Path)
	if rest, ok := below(op.Path, op.NewPath); ok && rest != "" && n == Folder {
		return fmt.Errorf("%s is to be moved into itself", op.Path)
	}
	if n == Missing || n == Other {
		return fmt.Errorf("%s is to be renamed, and is no file or folder", op.Path)
	}
	if err := s.room(op.NewPath); err != nil {
		return err
	}
	if there, _ := s.node(op.NewPath); there != Missing {
		switch {
		case op.IgnoreIfExists && !op.Overwrite:
			return nil
		case !op.Overwrite || there != RegularFile || n != RegularFile:
			return fmt.Errorf("%s is to be renamed to %s, which exists", op.Path, op.NewPath)
		}
		if err := s.drop(op.NewPath); err != nil {
			return err
		}
	}
	if n == Folder {
		s.move(op.Path, op.NewPath)
	} else {
		e, err := s.touch(op.Path)
		if err != nil {
			return err
		}
		s.at[op.Path], s.at[op.NewPath], e.path = nil, e, op.NewPath
	}
	s.ops = append(s.ops, Operation{FileOp: op, Folder: n == Folder})
	return nil
}

// move takes a folder and all that is in it elsewhere; to "" takes it away.
func (s *simulation) move(from, to string) {
	s.moves = append(s.moves, move{from, to})
	moved := map[string]*entry{}
	for p, e := range s.at {
		rest, ok := below(from, p)
		if !ok {
			continue
		}
		delete(s.at, p)
		if to != "" {
			moved[to+rest] = e
		}
		if e != nil {
			e.path = ""
			if to != "" {
				e.path = to + rest
			}
		}
	}
	for p, e := range moved {
		s.at[p] = e
	}
}

func (s *simulation) remove(op textpos.FileOp) error {
	if err := checkPath(op.Path); err != nil {
		return err
	}
	switch n, _ := s.node(op.Path); n {
	case Missing:
		if op.IgnoreIfNotExists {
			return nil
		}
		return fmt.Errorf("%s is to be deleted, and does not exist", op.Path)
	case RegularFile:
		if err := s.drop(op.Path); err != nil {
			return err
		}
		s.ops = append(s.ops, Operation{FileOp: op})
		return nil
	case Folder:
		files, err := s.below(op.Path)
		if err != nil {
			return err
		}
		if files > 0 && !op.Recursive {
			return fmt.Errorf("the folder %s is to be deleted alone, and is not empty", op.Path)
		}
		s.move(op.Path, "")
		s.ops = append(s.ops, Operation{FileOp: op, Folder: true, Files: files})
		return nil
	default:
		return fmt.Errorf("%s is to be deleted, and is no file or folder", op.Path)
	}
}

// below counts the files in a folder as it is now.
func (s *simulation) below(folder string) (int, error) {
	count := 0
	for p, e := range s.at {
		if _, ok := below(folder, p); ok && e != nil {
			count++
		}
	}
	// Those of the tree that no step named, wherever they came from.
	sources := []string{}
	if origin, ok := s.moves.origin(folder); ok {
		sources = append(sources, origin)
	}
	for _, m := range s.moves {
		if rest, ok := below(folder, m.to); ok && m.to != "" && rest != "" {
			sources = append(sources, m.from)
		}
	}
	seen := map[string]bool{}
	for _, source := range sources {
		if s.tree.Node(source) != Folder {
			continue
		}
		paths, more, err := s.tree.Below(source, maxListed)
		if err != nil {
			return 0, err
		}
		if more {
			return 0, fmt.Errorf("%s holds more than %d files", source, maxListed)
		}
		for _, p := range paths {
			now, ok := s.moves.target(p)
			if _, in := below(folder, now); !ok || !in || seen[p] {
				continue
			}
			seen[p] = true
			if _, touched := s.at[now]; !touched {
				count++
			}
		}
	}
	return count, nil
}
