package tools

import (
	"lspbridge/edits"
	"lspbridge/lspclient/textpos"
)

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
		output: previewSchema(),
		run:    previewFormat,
	}
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
	c := change{heading: "formatting of " + quotePath(s.shown), digest: p.Digest, nothing: p.NothingToDo, completeness: found.Completeness}
	if !p.NothingToDo {
		file := filePreview{Path: s.shown, Diff: p.Diff.Text, Edits: len(p.Edits), Added: p.Diff.Added, Deleted: p.Diff.Deleted, Flags: []string{}}
		if p.Diff.WholeFile {
			file.Flags = append(file.Flags, flagWhole)
		}
		c.files = append(c.files, file)
	}
	return q.previewed(c)
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
