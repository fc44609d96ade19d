package tools

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"lspbridge/edits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
	"lspbridge/vdocs"
)

// The flags of a file in a preview.
const (
	flagOutside   = "outside the workspace: its text is not shown"
	flagGenerated = "generated file"
	flagNoText    = "not UTF-8: its text is not shown"
)

// change makes a preview of what a server proposes, from the files as they are:
// nothing is written. A step that cannot be done refuses them all.
func (q *question) change(heading string, steps []lspclient.EditStep) (change, error) {
	c := change{heading: heading}
	flags := map[string][]string{} // of steps, by the path they name
	var inside []edits.Step
	var operations []operationPreview
	for _, s := range steps {
		if !s.Of.Inside || s.Op.Kind == textpos.RenameFile && !s.To.Inside {
			if s.Op.Kind == textpos.RenameFile && (s.Of.Inside || s.To.Inside) {
				return c, q.badEdits("it moves a file over the border of the workspace")
			}
			ref, display := q.outside(s.Of)
			if s.Op.Kind == "" {
				c.files = append(c.files, filePreview{Ref: ref, Display: display, Edits: s.Count, Flags: appendFlag([]string{flagOutside}, s.NeedsYes)})
			} else {
				operations = append(operations, operationPreview{Kind: string(s.Op.Kind), Ref: ref, Display: display})
			}
			continue
		}
		name := q.b.ws.Shown(s.Of.File)
		step := edits.Step{Op: s.Op, Path: name, Before: s.Text, Edits: s.Edits}
		if s.NeedsYes != "" {
			flags[name] = appendFlag(flags[name], s.NeedsYes)
		}
		if s.Op.Kind != "" {
			step.Op.Path, step.Path = name, ""
			if s.Op.Kind == textpos.RenameFile {
				step.Op.NewPath = q.b.ws.Shown(s.To.File)
			}
		} else if generated(name, s.Text) {
			flags[name] = append(flags[name], flagGenerated)
		}
		inside = append(inside, step)
	}
	outside := c.files
	done, err := edits.Simulate(tree{q}, inside, diffContext)
	if err != nil {
		return c, q.badEdits(err.Error())
	}
	c.files = nil
	for _, f := range done.Files {
		p := filePreview{Path: f.Path, From: f.From, Diff: f.Diff.Text, Edits: f.Edits, Added: f.Diff.Added, Deleted: f.Diff.Deleted, Flags: []string{}}
		for _, name := range slices.Compact([]string{orElse(f.From, f.Path), f.Path}) {
			p.Flags = append(p.Flags, flags[name]...)
			if swap := q.openElsewhere(name); swap != "" {
				p.Flags = append(p.Flags, "may be open in an editor: "+swap+" is beside it")
			}
		}
		if f.NoText {
			p.Flags = append(p.Flags, flagNoText)
		}
		if f.Diff.WholeFile {
			p.Flags = append(p.Flags, flagWhole)
		}
		c.files = append(c.files, p)
	}
	c.files = append(c.files, outside...)
	for _, o := range done.Operations {
		c.operations = append(c.operations, operationPreview{Kind: string(o.Kind), Path: o.Path, NewPath: o.NewPath, Folder: o.Folder, Files: o.Files})
	}
	c.operations = append(c.operations, operations...)
	c.digest, c.nothing = done.Digest, done.NothingToDo && len(outside)+len(operations) == 0
	return c, nil
}

// appendFlag adds what a server says of a step that a person has to agree to.
func appendFlag(list []string, label string) []string {
	if label == "" || slices.Contains(list, "to be agreed to by itself: "+label) {
		return list
	}
	return append(list, "to be agreed to by itself: "+label)
}

func (q *question) badEdits(why string) *Error {
	return &Error{Class: ClassServer, Code: string(lspclient.CodeBadEdit), Message: q.server + " sent an edit that cannot be previewed: " + oneLine(why), Hint: "nothing was changed"}
}

// outside is how a document outside the workspace is shown.
func (q *question) outside(d lspclient.Document) (ref, display string) {
	p := vdocs.Place{URI: d.URI, Path: d.Path, Server: q.server}
	r, display, ok := q.b.refs.Ref(q.owner, p)
	if !ok {
		return "", q.b.refs.Display(p)
	}
	return string(r), display
}

// openElsewhere returns the name of the file by which an editor marks that it has
// a file open: vim's swap file, Emacs's lock. Other editors leave no mark.
func (q *question) openElsewhere(name string) string {
	f, err := q.b.ws.File(name)
	if err != nil {
		return ""
	}
	dir, base := filepath.Split(q.b.ws.Abs(f))
	for _, mark := range []string{"." + base + ".swp", ".#" + base} {
		if _, err := os.Lstat(dir + mark); err == nil {
			return mark
		}
	}
	return ""
}

// A tree is the files of the workspace, by their paths in answers.
type tree struct{ q *question }

func (t tree) Node(name string) edits.Node {
	f, err := t.q.b.ws.File(name)
	if err != nil {
		return edits.Other
	}
	info, err := t.q.b.ws.Stat(f)
	switch refused := (*confine.Error)(nil); {
	case err == nil && info.Mode().IsRegular():
		return edits.RegularFile
	case err == nil && info.IsDir():
		return edits.Folder
	case errors.As(err, &refused) && refused.Reason == confine.NotExist:
		return edits.Missing
	}
	return edits.Other
}

func (t tree) Read(name string) ([]byte, error) {
	f, err := t.q.b.ws.File(name)
	if err != nil {
		return nil, err
	}
	text, _, err := t.q.b.ws.Read(f, t.q.b.limits.FileBytes)
	return text, err
}

func (t tree) Below(folder string, most int) (paths []string, more bool, err error) {
	open, seen := []string{folder}, 0
	for len(open) > 0 {
		dir := open[0]
		open = open[1:]
		f, err := t.q.b.ws.File(dir)
		if err != nil {
			return nil, false, fmt.Errorf("%s cannot be looked through", dir)
		}
		entries, more, err := t.q.b.ws.ReadDir(f, most-seen)
		if err != nil || more {
			return paths, more, err
		}
		seen += len(entries)
		for _, e := range entries {
			if name := path.Join(dir, e.Name()); e.Type()&fs.ModeType == fs.ModeDir {
				open = append(open, name)
			} else {
				paths = append(paths, name)
			}
		}
	}
	slices.Sort(paths)
	return paths, false, nil
}
