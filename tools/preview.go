package tools

import (
	"fmt"
	"strings"

	"lspbridge/lspclient"
)

// diffContext is the number of lines around a change, as diff -u has it.
const diffContext = 3

// flagWhole is the flag of a diff that is coarser than the change.
const flagWhole = "too large to compare: one hunk replaces the whole file"

// A filePreview is what would change in one file.
type filePreview struct {
	Path    string   `json:"path,omitempty"`    // after the change
	Ref     string   `json:"ref,omitempty"`     // outside the workspace
	Display string   `json:"display,omitempty"` // outside the workspace
	From    string   `json:"from,omitempty"`    // its path before, where it is renamed
	Diff    string   `json:"diff"`
	Edits   int      `json:"edits"`
	Added   int      `json:"added"`   // lines
	Deleted int      `json:"deleted"` // lines
	Flags   []string `json:"flags"`
}

// where is how the text of an answer names the file.
func (f filePreview) where() string {
	name := location{Path: f.Path, Ref: f.Ref, Display: f.Display}.where()
	if f.From != "" {
		name = quotePath(f.From) + " -> " + name
	}
	return name
}

// An operationPreview is a file or folder that would be made, moved or deleted.
type operationPreview struct {
	Kind    string `json:"kind"`
	Path    string `json:"path,omitempty"`
	Ref     string `json:"ref,omitempty"`
	Display string `json:"display,omitempty"`
	NewPath string `json:"new_path,omitempty"`
	Folder  bool   `json:"folder,omitempty"`
	Files   int    `json:"files,omitempty"` // that go with a deleted folder
}

func (o operationPreview) line() string {
	line := o.Kind
	if o.Folder {
		line += " folder"
	}
	line += " " + location{Path: o.Path, Ref: o.Ref, Display: o.Display}.where()
	if o.NewPath != "" {
		line += " -> " + quotePath(o.NewPath)
	}
	if o.Files > 0 {
		line += fmt.Sprintf(" with %d files in it", o.Files)
	}
	return line
}

// A preview is a change that nobody has made yet.
type preview struct {
	Files        []filePreview      `json:"files"`
	Operations   []operationPreview `json:"operations"`
	Flags        []string           `json:"flags"`
	Total        int                `json:"total"` // files and operations, also those that are left out
	Digest       string             `json:"digest"`
	NothingToDo  bool               `json:"nothing_to_do"`
	Completeness completeness       `json:"completeness"`
}

// changeFields are the members of a change in an output schema.
func changeFields() []field {
	return []field{
		{"files", arraySchema(objectSchema(
			field{"path", schemaString, false}, field{"ref", schemaString, false}, field{"display", schemaString, false}, field{"from", schemaString, false},
			field{"diff", schemaString, true}, field{"edits", schemaInteger, true},
			field{"added", schemaInteger, true}, field{"deleted", schemaInteger, true}, field{"flags", schemaStrings, true},
		)), true},
		{"operations", arraySchema(objectSchema(
			field{"kind", schemaString, true}, field{"path", schemaString, false}, field{"ref", schemaString, false}, field{"display", schemaString, false},
			field{"new_path", schemaString, false}, field{"folder", schemaBoolean, false}, field{"files", schemaInteger, false},
		)), true},
		{"flags", schemaStrings, true},
	}
}

func previewSchema() string {
	return objectSchema(append(changeFields(),
		field{"total", schemaInteger, true},
		field{"digest", schemaString, true},
		field{"nothing_to_do", schemaBoolean, true},
		completenessField(),
	)...)
}

// A change is a preview on its way to the caller.
type change struct {
	heading      string // "formatting of a.go"
	files        []filePreview
	operations   []operationPreview
	flags        []string // of the whole
	digest       string
	nothing      bool
	completeness lspclient.Completeness
}

// counts says how much a change is.
func (c change) counts() string {
	edits, added, deleted := 0, 0, 0
	for _, f := range c.files {
		edits, added, deleted = edits+f.Edits, added+f.Added, deleted+f.Deleted
	}
	words := fmt.Sprintf("%d edits, %d lines added, %d deleted", edits, added, deleted)
	if n := len(c.files); n != 1 || len(c.operations) > 0 {
		words = fmt.Sprintf("%d files, ", n) + words
	}
	if n := len(c.operations); n > 0 {
		words += fmt.Sprintf(", %d file operations", n)
	}
	return words
}

// body is the text below the header: operations, then each file. A file whose
// diff is left out keeps its line.
func (c change) body() string {
	var b strings.Builder
	for _, o := range c.operations {
		b.WriteString(o.line() + "\n")
	}
	for _, f := range c.files {
		b.WriteString(f.text())
	}
	return b.String()
}

// text is the text of one file: a line where the diff alone does not say it, and
// the diff.
func (f filePreview) text() string {
	if f.Diff != "" && len(f.Flags) == 0 {
		return f.Diff
	}
	line := fmt.Sprintf("%s: %d edits, %d lines added, %d deleted", f.where(), f.Edits, f.Added, f.Deleted)
	return strings.Join(append([]string{line}, f.Flags...), "; ") + "\n" + f.Diff
}

// previewed answers with a change: all of it, or what max_chars has room for.
// Whatever is left out is counted.
func (q *question) previewed(c change) (reply, error) {
	whole, total := c, len(c.files)+len(c.operations)
	render := func(part change, reasons ...string) reply {
		sure := part.completeness
		if len(reasons) > 0 {
			sure = lspclient.Merge(sure, lspclient.Completeness{State: lspclient.Partial, Generation: sure.Generation, Reasons: reasons})
		}
		known := q.complete(sure)
		header := c.heading + ": " + whole.counts()
		if c.nothing {
			header = c.heading + ": nothing to do"
		}
		header = strings.Join(append([]string{header + ", " + describeCompleteness(known)}, c.flags...), "; ")
		return reply{
			text: strings.TrimRight(header+"\n"+part.body(), "\n"),
			structured: preview{
				Files: orEmpty(part.files), Operations: orEmpty(part.operations), Flags: orEmpty(c.flags),
				Total: total, Digest: c.digest, NothingToDo: c.nothing, Completeness: known,
			},
			state: known.State,
		}
	}
	_, maxChars := q.pageBounds()
	r := render(c)
	n, err := chars(r.structured, r.text)
	if err != nil || n <= maxChars {
		return r, err
	}
	// The longest reasons that can come stand for those that will.
	empty := c
	empty.files, empty.operations = nil, nil
	most := render(empty, cutReasons(total, total, total)...)
	if n, err = chars(most.structured, most.text); err != nil {
		return reply{}, err
	}
	room := budget{left: maxChars - n}
	part, diffs, err := room.fill(c)
	if err != nil {
		return reply{}, err
	}
	return render(part, cutReasons(total-len(part.files)-len(part.operations), diffs, total)...), nil
}

// cutReasons say what max_chars left out: files and operations as a whole, and
// diffs of others.
func cutReasons(left, diffs, total int) []string {
	var out []string
	if left > 0 {
		out = append(out, fmt.Sprintf("%d of %d files and operations are left out by max_chars", left, total))
	}
	if diffs > 0 {
		out = append(out, fmt.Sprintf("the diff of %d files is cut or left out by max_chars", diffs))
	}
	return out
}

// A budget is the room for the parts of an answer, in characters of its text and
// of its structure each.
type budget struct{ left int }

// take gives room to a part, if it has it.
func (b *budget) take(structured any, text string) (bool, error) {
	n, err := chars(structured, text)
	if err != nil || n > b.left {
		return false, err
	}
	b.left -= n
	return true, nil
}

// fill returns what there is room for of a change: first the operations and a
// line for each file, then whole diffs in order, and of the first diff, if not
// even that fits, its first lines. diffs counts those that are cut or left out.
func (b *budget) fill(c change) (part change, diffs int, err error) {
	part = c
	part.files, part.operations = nil, nil
	for _, o := range c.operations {
		ok, err := b.take(o, o.line()+"\n")
		if err != nil {
			return part, 0, err
		}
		if !ok {
			return part, len(c.files), nil
		}
		part.operations = append(part.operations, o)
	}
	for _, f := range c.files {
		f.Diff = ""
		ok, err := b.take(f, f.text())
		if err != nil {
			return part, 0, err
		}
		if !ok {
			break
		}
		part.files = append(part.files, f)
	}
	shown := 0
	for i := range part.files {
		diff := c.files[i].Diff
		if diff == "" {
			continue
		}
		ok, err := b.take(diff, diff)
		if err != nil {
			return part, 0, err
		}
		if !ok && shown == 0 {
			if diff, err = cutLines(diff, b.left); err != nil {
				return part, 0, err
			}
		}
		if shown++; !ok {
			diffs++
			if shown > 1 {
				continue
			}
			b.left = 0
		}
		part.files[i].Diff = diff
	}
	return part, diffs, nil
}

// cutLines keeps whole lines of text, at most room characters of them as they
// are and as JSON writes them.
func cutLines(text string, room int) (string, error) {
	end := 0
	for line := range strings.Lines(text) {
		n, err := chars(line, line)
		if err != nil {
			return "", err
		}
		if room -= n; room < 0 {
			break
		}
		end += len(line)
	}
	return text[:end], nil
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
