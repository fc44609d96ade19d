package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"lspbridge/edits"
	"lspbridge/lspclient"
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
			{name: "file", typ: typeString, required: true, desc: "Relative to the workspace"},
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
	if p.NothingToDo {
		whole := q.complete(found.Completeness)
		return reply{
			text:       "formatting of " + quotePath(s.shown) + ": nothing to do, " + describeCompleteness(whole),
			structured: preview{Files: []filePreview{}, Operations: []any{}, Digest: p.Digest, NothingToDo: true, Completeness: whole},
			state:      whole.State,
		}, nil
	}
	return q.previewed(s, p, found.Completeness)
}

// previewed answers with a change, whose diff is cut where it would make the
// text or the structure longer than max_chars.
func (q *question) previewed(s subject, p edits.Preview, c lspclient.Completeness) (reply, error) {
	file := filePreview{Path: s.shown, Edits: len(p.Edits), Added: p.Diff.Added, Deleted: p.Diff.Deleted, Flags: []string{}}
	if p.Diff.WholeFile {
		file.Flags = append(file.Flags, "too large to compare: one hunk replaces the whole file")
	}
	render := func(diff string, c lspclient.Completeness) reply {
		file.Diff = diff
		whole := q.complete(c)
		header := fmt.Sprintf("formatting of %s: %d edits, %d lines added, %d deleted, %s", quotePath(s.shown), file.Edits, file.Added, file.Deleted, describeCompleteness(whole))
		return reply{
			text:       strings.Join(append([]string{header}, file.Flags...), "; ") + "\n" + strings.TrimRight(diff, "\n"),
			structured: preview{Files: []filePreview{file}, Operations: []any{}, Digest: p.Digest, Completeness: whole},
			state:      whole.State,
		}
	}
	_, maxChars := q.pageBounds()
	r := render(p.Diff.Text, c)
	n, err := chars(r.structured, r.text)
	if err != nil || n <= maxChars {
		return r, err
	}
	cut := lspclient.Merge(c, lspclient.Completeness{State: lspclient.Partial, Generation: c.Generation, Reasons: []string{
		fmt.Sprintf("the diff of %d characters is cut by max_chars", utf8.RuneCountInString(p.Diff.Text)),
	}})
	r = render("", cut)
	if n, err = chars(r.structured, r.text); err != nil {
		return reply{}, err
	}
	diff, err := cutLines(p.Diff.Text, maxChars-n)
	return render(diff, cut), err
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
