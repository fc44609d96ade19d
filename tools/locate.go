package tools

import (
	"fmt"
	"strings"
	"sync"

	"lspbridge/limits"
	"lspbridge/lspclient/textpos"
)

// A locator finds the identifier a question is about in the text that the server
// is asked with, and remembers what it found: an answer names it.
type locator struct {
	path      string // of the file, as answers show it
	language  string
	lineChars int
	find      func(m *textpos.Mapper) (ident, textpos.Point, *Error)

	mu    sync.Mutex // guards found, point and err: the pool chooses the goroutine
	found ident
	point textpos.Point
	err   *Error
}

// locate is the lspclient.Locate of the question.
func (l *locator) locate(m *textpos.Mapper) (int, error) {
	id, p, e := l.find(m)
	l.mu.Lock()
	l.found, l.point, l.err = id, p, e
	l.mu.Unlock()
	if e != nil {
		return 0, e
	}
	offset, err := m.PointOffset(p)
	if err != nil {
		return 0, usagef("bad_target", "", "%s: %v", l.path, err)
	}
	return offset, nil
}

// failure returns the error of the last search, nil when it succeeded or never
// ran. It is asked for when a call failed, since a pool may wrap it away.
func (l *locator) failure() *Error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// subject names the identifier used, for the header of an answer.
func (l *locator) subject() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%s (%s:%d:%d)", l.found.name, l.path, l.point.Line, l.point.Column)
}

// used returns the identifier that was used, and its place.
func (l *locator) used() (name string, at textpos.Point) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.found.name, l.point
}

// line returns the text of a line of the file, or the error of one past its end.
func (l *locator) line(m *textpos.Mapper, line int) (string, *Error) {
	text, ok := m.Line(line)
	if !ok {
		return "", usagef("bad_line", "lines count from 1", "%s has %d lines, not %d", l.path, m.Lines(), line)
	}
	return text, nil
}

// atColumn finds the identifier that touches a column; on blank space or past
// the end of the line the only one of the line.
func (l *locator) atColumn(line, column int) func(*textpos.Mapper) (ident, textpos.Point, *Error) {
	return func(m *textpos.Mapper) (ident, textpos.Point, *Error) {
		text, e := l.line(m, line)
		if e != nil {
			return ident{}, textpos.Point{}, e
		}
		ids := identifiers(text, l.language)
		id, ok := touching(text, ids, column, l.language)
		if !ok {
			var code []ident
			for _, c := range ids {
				if c.code {
					code = append(code, c)
				}
			}
			if len(code) != 1 {
				return ident{}, textpos.Point{}, l.noneAt(text, line, column, code)
			}
			id = code[0]
		}
		return id, textpos.Point{Line: line, Column: id.column()}, nil
	}
}

// maxListed bounds what an error lists to choose from.
const maxListed = 20

func (l *locator) noneAt(text string, line, column int, ids []ident) *Error {
	if len(ids) == 0 {
		return usagef("no_identifier", "choose a line that names something",
			"%s:%d has no identifier: %s", l.path, line, l.quote(text, column-1, column-1))
	}
	e := usagef("no_identifier", "ask with one of these columns, or with name",
		"no identifier touches %s:%d:%d; the line has these", l.path, line, column)
	for _, id := range ids[:min(len(ids), maxListed)] {
		e.Candidates = append(e.Candidates, fmt.Sprintf("%d:%d %s", line, id.column(), clipWord(id.name)))
	}
	return e
}

// named finds the identifier of a name on a line; occurrence 0 is not given.
func (l *locator) named(line int, name string, occurrence int) func(*textpos.Mapper) (ident, textpos.Point, *Error) {
	return func(m *textpos.Mapper) (ident, textpos.Point, *Error) {
		text, e := l.line(m, line)
		if e != nil {
			return ident{}, textpos.Point{}, e
		}
		found := named(text, identifiers(text, l.language), name, l.language)
		switch {
		case len(found) == 0:
			return ident{}, textpos.Point{}, l.notOnLine(m, text, line, name)
		case occurrence > len(found):
			return ident{}, textpos.Point{}, usagef("bad_occurrence", fmt.Sprintf("choose between 1 and %d", len(found)),
				"%s stands on %s:%d %d times, not %d", clipWord(name), l.path, line, len(found), occurrence)
		case occurrence == 0 && len(found) > 1:
			e := usagef("ambiguous_name", fmt.Sprintf("add occurrence, between 1 and %d, or ask with a column", len(found)),
				"%s stands on %s:%d %d times", clipWord(name), l.path, line, len(found))
			for _, id := range found[:min(len(found), maxListed)] {
				e.Candidates = append(e.Candidates, fmt.Sprintf("%d:%d", line, id.column()))
			}
			return ident{}, textpos.Point{}, e
		}
		id := found[max(occurrence, 1)-1]
		return id, textpos.Point{Line: line, Column: id.column()}, nil
	}
}

// maxNearLines bounds the lines that an error names.
const maxNearLines = 5

// notOnLine says what stands on the line, and on which lines the name does.
func (l *locator) notOnLine(m *textpos.Mapper, text string, line int, name string) *Error {
	hint := clipWord(name) + " does not stand anywhere in the file"
	if near := l.linesOf(m, name, line); len(near) > 0 {
		hint = "it stands on line " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(near)), ", "), "[]")
	}
	what := "the line is empty"
	if strings.TrimSpace(text) != "" {
		what = "the line is: " + l.quote(text, 0, 0)
	}
	return usagef("not_on_line", hint, "%s does not stand on %s:%d; %s", clipWord(name), l.path, line, what)
}

// linesOf returns the lines that hold a name, the nearest to line first.
func (l *locator) linesOf(m *textpos.Mapper, name string, line int) []int {
	var near []int
	holds := func(n int) bool {
		text, ok := m.Line(n)
		return ok && strings.Contains(text, name) && len(named(text, identifiers(text, l.language), name, l.language)) > 0
	}
	for d := 1; d < m.Lines() && len(near) < maxNearLines; d++ {
		for _, n := range []int{line - d, line + d} {
			if n >= 1 && len(near) < maxNearLines && holds(n) {
				near = append(near, n)
			}
		}
	}
	return near
}

// declared finds the name of a symbol that a server reported at a place. The
// text may have changed since; then the name is looked for up to the end of the
// declaration's first lines, and its absence is an error.
func (l *locator) declared(at textpos.Point, name string) func(*textpos.Mapper) (ident, textpos.Point, *Error) {
	return func(m *textpos.Mapper) (ident, textpos.Point, *Error) {
		for n := at.Line; n < at.Line+maxNearLines; n++ {
			text, ok := m.Line(n)
			if !ok {
				break
			}
			for _, id := range named(text, identifiers(text, l.language), name, l.language) {
				if n > at.Line || id.end >= at.Column {
					return id, textpos.Point{Line: n, Column: id.column()}, nil
				}
			}
		}
		if !plainName(name) {
			// An operator, an anonymous thing, a quoted key: as the server said.
			return ident{name: name}, at, nil
		}
		e := usagef("changed", "ask again", "%s no longer stands at %s:%d:%d", clipWord(name), l.path, at.Line, at.Column)
		e.Class = ClassIncomplete
		return ident{}, textpos.Point{}, e
	}
}

// plainName reports whether a name is one identifier.
func plainName(name string) bool {
	ids := identifiers(name, "")
	return len(ids) == 1 && ids[0].name == name
}

// quote shows a line of a file inside an error.
func (l *locator) quote(text string, start, end int) string {
	const most = 160
	shown, _ := limits.Clip(strings.TrimSpace(text), min(start, len(text)), min(end, len(text)), min(most, l.lineChars))
	return fmt.Sprintf("%q", shown)
}
