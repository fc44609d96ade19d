package tools

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"

	"lspbridge/lspclient"
)

// A placeList is an answer made of places on its way to the caller.
type placeList struct {
	verb    string // "references to"
	noun    string // "references"
	subject subject
	answer  lspclient.Answer
	places  []lspclient.Location
	note    string
	context int  // lines around each place
	body    bool // the whole declaration of each place
}

// places answers with a page of places, grouped by file.
func (q *question) places(p placeList) (reply, error) {
	q.server = p.answer.Server
	places := q.sortPlaces(p.places)
	whole := markStale(lspclient.Merge(p.answer.Completeness, p.subject.doubt), places)
	shown := make([]*location, len(places))
	at := func(i int) *location {
		if shown[i] == nil {
			l := q.locate(places[i])
			shown[i] = &l
		}
		return shown[i]
	}
	l := listing{
		heading: p.verb + " " + p.subject.at.subject(), noun: p.noun, note: p.note,
		total: len(places), atLeast: p.answer.AtLeast, completeness: q.complete(whole),
		answer: digestPlaces(places),
		item: func(i, first int) (any, string) {
			l := at(i)
			text := placeText(l)
			if i == first || at(i-1).where() != l.where() {
				text = l.where() + "\n" + text
			}
			return l, text
		},
		finish: func(from, to int) {
			names := q.enclosing(places[from:to], p.body)
			for i := from; i < to; i++ {
				e := names[i-from]
				if l := at(i); l.In == "" {
					l.In = e.name
				}
				if p.body && places[i].Inside {
					at(i).Body = q.body(places[i], e)
				}
				if p.context > 0 && places[i].Inside {
					q.surround(at(i), places[i], p.context)
				}
			}
		},
	}
	return q.page(l)
}

// placeText is the text of one place, below the line of its file.
func placeText(l *location) string {
	var b strings.Builder
	before := l.Context
	var after []string
	if n := l.Line - l.FirstLine; len(l.Context) > 0 {
		before, after = l.Context[:min(n, len(l.Context))], l.Context[min(n+1, len(l.Context)):]
	}
	for i, line := range before {
		fmt.Fprintf(&b, "  %d-  %s\n", l.FirstLine+i, line)
	}
	fmt.Fprintf(&b, "  %d:%d", l.Line, l.Column)
	if text := strings.TrimSpace(l.Text); text != "" {
		if len(l.Context) > 0 {
			text = l.Text // keeps its indentation beside its neighbours
		}
		b.WriteString("  " + text)
	}
	if l.In != "" {
		b.WriteString("  (in " + oneLine(l.In) + ")")
	}
	if l.Stale {
		b.WriteString("  (stale)")
	}
	b.WriteString("\n")
	for i, line := range after {
		fmt.Fprintf(&b, "  %d-  %s\n", l.Line+1+i, line)
	}
	if l.Body != "" {
		for line := range strings.Lines(l.Body) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
	}
	return b.String()
}

// surround adds the lines around a place.
func (q *question) surround(l *location, place lspclient.Location, lines int) {
	first := max(1, place.Start.Line-lines)
	text, _, err := q.readLines(place.File, first, place.Start.Line+lines)
	if err != nil {
		return // the place itself stays
	}
	l.FirstLine, l.Context = first, text
}

// body returns the text of the declaration that a place names, at most
// body_lines of it.
func (q *question) body(place lspclient.Location, e enclosure) string {
	from, to := place.Start.Line, place.End.Line
	if e.declares != nil {
		from, to = e.declares.ExtentStart.Line, e.declares.ExtentEnd.Line
		if e.declares.ExtentEnd.Column == 1 && to > from {
			to-- // the end is exclusive
		}
	}
	most := q.b.limits.BodyLines
	lines, _, err := q.readLines(place.File, from, min(to, from+most-1))
	if err != nil {
		return ""
	}
	if rest := to - from + 1 - most; rest > 0 {
		lines = append(lines, fmt.Sprintf("… %d more lines (body_lines)", rest))
	}
	return strings.Join(lines, "\n")
}

// digestPlaces stands for an ordered list of places and the lines they stand on.
func digestPlaces(list []lspclient.Location) digest {
	h := sha256.New()
	for _, l := range list {
		k := keyOf(l)
		writeParts(h, strconv.FormatBool(k.outside), strconv.Itoa(k.root), k.doc, l.Line,
			fmt.Sprint(k.start, k.end, l.Stale))
	}
	return digestOf(h)
}
