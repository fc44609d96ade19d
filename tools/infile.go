package tools

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

// fileParam names the file that a question is about.
func fileParam() param {
	return param{name: "file", typ: typeString, required: true, desc: "Relative to the workspace"}
}

// lineRangeParams limit a question to some lines of its file.
func lineRangeParams() []param {
	return []param{
		{name: "start_line", typ: typeInteger, min: 1, max: maxPosition, desc: "First line of a range"},
		{name: "end_line", typ: typeInteger, min: 1, max: maxPosition, desc: "Last line of it"},
	}
}

// insertionParams are the parameters of a place between two characters.
func insertionParams() []param {
	return []param{
		fileParam(),
		{name: "line", typ: typeInteger, min: 1, max: maxPosition, required: true, desc: "1-based"},
		{name: "column", typ: typeInteger, min: 1, max: maxPosition, required: true, desc: "1-based, in bytes; the place before that byte"},
	}
}

// insertion reads a place between two characters. Unlike a target it is taken
// exactly as it is: one that the file does not have is an error.
func (q *question) insertion() (subject, lspclient.Locate, string, error) {
	s, err := q.subject(q.args.str("file"))
	if err != nil {
		return subject{}, nil, "", err
	}
	p := textpos.Point{Line: q.args.num("line", 0), Column: q.args.num("column", 0)}
	shown := fmt.Sprintf("%s:%d:%d", quotePath(s.shown), p.Line, p.Column)
	return s, func(m *textpos.Mapper) (int, error) {
		text, e := s.at.line(m, p.Line)
		if e != nil {
			return 0, e
		}
		if p.Column > len(text)+1 {
			return 0, usagef("bad_column", fmt.Sprintf("the end of the line is column %d; columns count bytes", len(text)+1), "%s is past the end of its line", shown)
		}
		offset, err := m.PointOffset(p)
		if err != nil {
			return 0, usagef("bad_column", "", "%s: %v", shown, err)
		}
		if at, err := m.Point(offset); err != nil || at != p {
			return 0, usagef("bad_column", fmt.Sprintf("the character begins at column %d; columns count bytes", at.Column), "%s is inside a character", shown)
		}
		return offset, nil
	}, shown, nil
}

// pageInFile answers with a page of what a server found in one file. render makes
// an item's structure and its line of text.
func pageInFile[T any](q *question, heading, noun string, a lspclient.Answer, items []T, render func(T) (structured any, line string)) (reply, error) {
	answer, err := digestItems(items)
	if err != nil {
		return reply{}, err
	}
	return q.page(listing{
		heading: heading, noun: noun, total: len(items), atLeast: a.AtLeast, completeness: q.complete(a.Completeness), answer: answer,
		item: func(i, _ int) (any, string) {
			structured, line := render(items[i])
			return structured, "  " + line + "\n"
		},
	})
}

// digestItems stands for items as the server gave them, before references to
// documents outside the workspace, which are random, are put in.
func digestItems[T any](items []T) (digest, error) {
	h := sha256.New()
	enc := json.NewEncoder(h)
	for _, it := range items {
		if err := enc.Encode(it); err != nil {
			return digest{}, fmt.Errorf("encode an item: %w", err)
		}
	}
	return digestOf(h), nil
}

// fileFields are the members of a place in the asked file, and what a tool adds.
func fileFields(added ...field) []field {
	return slices.Concat([]field{
		{"path", schemaString, true},
		{"line", schemaInteger, true},
		{"column", schemaInteger, true},
		{"end_line", schemaInteger, true},
		{"end_column", schemaInteger, true},
		{"text", schemaString, false},
	}, added)
}

// span is a place's extent, as text has it: 3:5-9, or 3:5-7:2 over lines.
func (l location) span() string {
	switch {
	case l.EndLine != l.Line:
		return fmt.Sprintf("%d:%d-%d:%d", l.Line, l.Column, l.EndLine, l.EndColumn)
	case l.EndColumn != l.Column:
		return fmt.Sprintf("%d:%d-%d", l.Line, l.Column, l.EndColumn)
	}
	return fmt.Sprintf("%d:%d", l.Line, l.Column)
}

// columns joins the parts of a line of text that are not empty.
func columns(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "  ")
}

// label is a short text of a server.
func (q *question) label(text string) string { return q.b.redact.Text(text) }

// documentation is a server's documentation, at most most characters of it.
func (q *question) documentation(markdown string, most int) string {
	return clipTo(strings.TrimSpace(q.b.redact.Text(stripLinks(markdown))), most)
}

// indented is a text of several lines as it stands under the line of its item.
func indented(text string) string {
	if text == "" {
		return ""
	}
	return "\n    " + strings.ReplaceAll(text, "\n", "\n    ")
}
