package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"lspbridge/edits"
	"lspbridge/lspclient/textpos"
)

// diffContext is the number of lines around a change, as diff -u has it.
const diffContext = 3

func formatTool() tool {
	return tool{
		name:  "preview_format",
		title: "Preview formatting",
		desc: "What formatting would change in a file, or in a range of its lines, as a unified diff. Nothing is written. " +
			"\"nothing to do\" means that the bytes would stay as they are.",
		params: []param{
			{name: "file", typ: typeString, required: true, desc: "Path, relative to the workspace"},
			{name: "start_line", typ: typeInteger, min: 1, max: maxPosition, desc: "First line of a range"},
			{name: "end_line", typ: typeInteger, min: 1, max: maxPosition, desc: "Last line of it"},
			maxCharsParam(),
		},
		output: objectSchema(
			field{"files", arraySchema(objectSchema(
				field{"path", schemaString, true}, field{"diff", schemaString, true}, field{"edits", schemaInteger, true},
				field{"added", schemaInteger, true}, field{"deleted", schemaInteger, true}, field{"flags", schemaStrings, true},
			)), true},
			field{"operations", schemaObjects, true},
			field{"digest", schemaString, true},
			field{"nothing_to_do", schemaBoolean, true},
			completenessField(),
		),
		run: previewFormat,
	}
}

// A filePreview is what would change in one file.
type filePreview struct {
	Path    string   `json:"path"`
	Diff    string   `json:"diff"`
	Edits   int      `json:"edits"`
	Added   int      `json:"added"`   // lines
	Deleted int      `json:"deleted"` // lines
	Flags   []string `json:"flags"`
}

// A preview is a change that nobody has made yet.
type preview struct {
	Files        []filePreview `json:"files"`
	Operations   []any         `json:"operations"`
	Digest       string        `json:"digest"`
	NothingToDo  bool          `json:"nothing_to_do"`
	Completeness completeness  `json:"completeness"`
}

func previewFormat(q *question) (reply, error) {
	s, err := q.subject(q.args.str("file"))
	if err != nil {
		return reply{}, err
	}
	within, err := q.lineRange(s)
	if err != nil {
		return reply{}, err
	}
	found, err := q.b.pool.Formatting(q.ctx, s.file, within)
	if err != nil {
		return reply{}, err
	}
	if n := len(found.Edits); n > q.b.limits.Edits {
		return reply{}, usagef("too_many_edits", "format a range of lines, or raise --limit edits=", "formatting makes %d edits, over the limit of %d (edits)", n, q.b.limits.Edits)
	}
	p, err := edits.NewPreview(s.shown, found.Text, found.Edits, diffContext)
	if err != nil {
		return reply{}, &Error{Class: ClassServer, Code: "bad_edits", Message: found.Server + " sent edits that cannot be made: " + err.Error(), Hint: "nothing was changed"}
	}
	if p.InsertedBytes > q.b.limits.InsertedBytes {
		return reply{}, usagef("too_many_edits", "format a range of lines, or raise --limit inserted_bytes=", "formatting inserts %d bytes, over the limit of %d (inserted_bytes)", p.InsertedBytes, q.b.limits.InsertedBytes)
	}
	whole := q.complete(found.Completeness)
	out := preview{Files: []filePreview{}, Operations: []any{}, Digest: p.Digest, NothingToDo: p.NothingToDo, Completeness: whole}
	header := "formatting of " + quotePath(s.shown) + ": "
	if p.NothingToDo {
		return reply{text: header + "nothing to do, " + describeCompleteness(whole), structured: out, state: whole.State}, nil
	}
	file := filePreview{Path: s.shown, Diff: p.Diff.Text, Edits: len(p.Edits), Added: p.Diff.Added, Deleted: p.Diff.Deleted, Flags: []string{}}
	if p.Diff.WholeFile {
		file.Flags = append(file.Flags, "too large to compare: one hunk replaces the whole file")
	}
	header += fmt.Sprintf("%d edits, %d lines added, %d deleted, %s", file.Edits, file.Added, file.Deleted, describeCompleteness(whole))
	_, maxChars := q.pageBounds()
	if n := utf8.RuneCountInString(file.Diff); n > maxChars {
		file.Diff = cutLines(file.Diff, maxChars)
		file.Flags = append(file.Flags, fmt.Sprintf("the diff is cut at %d of %d characters (max_chars)", utf8.RuneCountInString(file.Diff), n))
	}
	for _, f := range file.Flags {
		header += "; " + f
	}
	out.Files = append(out.Files, file)
	return reply{text: header + "\n" + strings.TrimRight(file.Diff, "\n"), structured: out, state: whole.State}, nil
}

// lineRange reads the range to format, nil for the whole file.
func (q *question) lineRange(s subject) (*textpos.PointRange, error) {
	if !q.args.has("start_line") && !q.args.has("end_line") {
		return nil, nil
	}
	if !q.args.has("start_line") || !q.args.has("end_line") {
		return nil, usagef("missing_argument", "a range has start_line and end_line", "the range lacks one of its ends")
	}
	from, to := q.args.num("start_line", 0), q.args.num("end_line", 0)
	last, lines, err := q.readLines(s.file, to, to)
	switch {
	case err != nil:
		return nil, err
	case from > to:
		return nil, usagef("bad_range", "start_line comes first", "the range ends before it starts")
	case to > lines || len(last) == 0:
		return nil, usagef("bad_line", "lines count from 1", "%s has %d lines, not %d", quotePath(s.shown), lines, to)
	}
	// A column past the end of a line means the line's end.
	return &textpos.PointRange{Start: textpos.Point{Line: from, Column: 1}, End: textpos.Point{Line: to, Column: maxPosition}}, nil
}

// cutLines keeps whole lines of text, at most max characters.
func cutLines(text string, max int) string {
	used, end := 0, 0
	for line := range strings.Lines(text) {
		if used += utf8.RuneCountInString(line); used > max {
			break
		}
		end += len(line)
	}
	return text[:end]
}
