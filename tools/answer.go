package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
	"lspbridge/vdocs"
)

// A reply is the answer of a handler.
type reply struct {
	text       string
	structured any
	state      lspclient.State
}

// completeness is how the structured answers say whether they are whole.
type completeness struct {
	State      lspclient.State `json:"state"`
	Reasons    []string        `json:"reasons"`
	WaitedMS   int64           `json:"waited_ms"`
	Generation int             `json:"generation"`
}

// maxReasons and maxReasonChars bound the reasons of an answer.
const (
	maxReasons     = 20
	maxReasonChars = 300
)

// complete renders completeness. A reason may hold what a server said.
func (q *question) complete(c lspclient.Completeness) completeness {
	out := completeness{State: c.State, Reasons: []string{}, WaitedMS: c.WaitedMS, Generation: c.Generation}
	for i, r := range c.Reasons {
		if i == maxReasons {
			out.Reasons = append(out.Reasons, fmt.Sprintf("and %d more reasons", len(c.Reasons)-i))
			break
		}
		out.Reasons = append(out.Reasons, clipTo(oneLine(q.b.redact.Error(r)), maxReasonChars))
	}
	return out
}

// describeCompleteness is the part of a header that says how far to trust it.
func describeCompleteness(c completeness) string {
	if len(c.Reasons) == 0 {
		return string(c.State)
	}
	return string(c.State) + ": " + strings.Join(c.Reasons, "; ")
}

// location is a place in structured answers.
type location struct {
	Path      string   `json:"path,omitempty"`
	Ref       string   `json:"ref,omitempty"`
	Display   string   `json:"display,omitempty"`
	Line      int      `json:"line"`
	Column    int      `json:"column"`
	EndLine   int      `json:"end_line"`
	EndColumn int      `json:"end_column"`
	Text      string   `json:"text,omitempty"`
	In        string   `json:"in,omitempty"`
	Stale     bool     `json:"stale,omitempty"`
	Body      string   `json:"body,omitempty"`
	FirstLine int      `json:"first_line,omitempty"` // of context
	Context   []string `json:"context,omitempty"`
}

// locate renders a place, without what has to be asked or read for.
func (q *question) locate(l lspclient.Location) location {
	out := location{
		Line: l.Start.Line, Column: l.Start.Column, EndLine: l.End.Line, EndColumn: l.End.Column,
		In: q.b.redact.Text(l.In), Stale: l.Stale,
	}
	end := len(l.Line)
	if l.End.Line == l.Start.Line {
		end = min(end, l.End.Column-1)
	}
	out.Text, _ = limits.Clip(l.Line, min(l.Start.Column-1, len(l.Line)), end, q.b.limits.LineChars)
	if l.Inside {
		out.Path = q.b.ws.Shown(l.File)
		return out
	}
	p := vdocs.Place{URI: l.URI, Path: l.Path, Server: q.server}
	ref, display, ok := q.b.refs.Ref(q.owner, p)
	if !ok {
		display = q.b.refs.Display(p)
	}
	out.Ref, out.Display = string(ref), display
	return out
}

// where is the heading under which the text of an answer lists a place.
func (l location) where() string {
	if l.Path != "" {
		return quotePath(l.Path)
	}
	if l.Ref != "" {
		return l.Display + " ref=" + l.Ref
	}
	return l.Display
}

// quotePath spells a path so that it fits into one line and hides nothing.
func quotePath(path string) string {
	if strings.ContainsFunc(path, func(r rune) bool { return !strconv.IsPrint(r) || r == utf8.RuneError }) {
		return strconv.Quote(path)
	}
	return path
}

// A placeKey identifies and orders a place. Outside the workspace it holds the
// place's URI, which is not shown, so that order and digest do not hang on
// random references.
type placeKey struct {
	outside    bool
	root       int
	doc        string
	start, end textpos.Point
}

func keyOf(l lspclient.Location) placeKey {
	k := placeKey{outside: !l.Inside, start: l.Start, end: l.End}
	switch {
	case l.Inside:
		k.root, k.doc = l.File.Root, l.File.Rel
	case l.Path != "":
		k.doc = l.Path
	default:
		k.doc = l.URI
	}
	return k
}

// comparePlaces orders places by path bytes, line, column and end; places
// outside the workspace come last.
func (q *question) comparePlaces(a, b lspclient.Location) int {
	ka, kb := keyOf(a), keyOf(b)
	if a.Inside != b.Inside {
		if a.Inside {
			return -1
		}
		return 1
	}
	if ka.root != kb.root || ka.doc != kb.doc {
		if a.Inside {
			return cmp.Compare(q.b.ws.Shown(a.File), q.b.ws.Shown(b.File))
		}
		return cmp.Compare(ka.doc, kb.doc)
	}
	return cmp.Or(
		cmp.Compare(ka.start.Line, kb.start.Line), cmp.Compare(ka.start.Column, kb.start.Column),
		cmp.Compare(ka.end.Line, kb.end.Line), cmp.Compare(ka.end.Column, kb.end.Column),
	)
}

// sortPlaces sorts places and drops doubles.
func (q *question) sortPlaces(list []lspclient.Location) []lspclient.Location {
	list = slices.Clone(list)
	slices.SortStableFunc(list, q.comparePlaces)
	return slices.CompactFunc(list, func(a, b lspclient.Location) bool { return keyOf(a) == keyOf(b) })
}

// markStale worsens completeness when places could not be confirmed.
func markStale(c lspclient.Completeness, list []lspclient.Location) lspclient.Completeness {
	n := 0
	for _, l := range list {
		if l.Stale {
			n++
		}
	}
	if n == 0 {
		return c
	}
	return lspclient.Merge(c, lspclient.Completeness{
		State: lspclient.Partial, Generation: c.Generation,
		Reasons: []string{fmt.Sprintf("places whose text is not the name asked about: %d, marked stale", n)},
	})
}

// encode renders a structured answer: no HTML escapes, no final newline.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("encode the answer: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// readLines returns the lines [from, to] of a file, 1-based and inclusive, as
// far as they exist, and the number of lines the file has.
func (q *question) readLines(f confine.File, from, to int) ([]string, int, error) {
	m, err := q.read(f)
	if err != nil {
		return nil, 0, err
	}
	var lines []string
	for n := max(from, 1); n <= min(to, m.Lines()); n++ {
		line, _ := m.Line(n)
		shown, _ := limits.Clip(line, 0, 0, q.b.limits.LineChars)
		lines = append(lines, shown)
	}
	return lines, m.Lines(), nil
}

// read returns the text of a file. The last one is kept, since places are
// rendered file by file and a file may hold thousands of them.
func (q *question) read(f confine.File) (*textpos.Mapper, error) {
	if q.text != nil && q.textOf == f {
		return q.text, nil
	}
	text, _, err := q.b.ws.Read(f, q.b.limits.FileBytes)
	if err != nil {
		return nil, err
	}
	q.text, q.textOf = textpos.NewMapper(text), f
	return q.text, nil
}
