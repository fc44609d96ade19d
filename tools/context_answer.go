package tools

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

func contextSchema() string {
	list := func(items []field) string {
		return objectSchema(field{"total", schemaInteger, true}, field{"items", arraySchema(objectSchema(items...)), true})
	}
	named := append([]field{{"name", schemaString, true}, {"kind", schemaString, true}, {"sites", arraySchema(objectSchema(field{"line", schemaInteger, true}, field{"column", schemaInteger, true})), true}, {"total_sites", schemaInteger, true}}, locationFields()...)
	references := objectSchema(
		field{"total", schemaInteger, true}, field{"at_least", schemaBoolean, true},
		field{"files", arraySchema(objectSchema(field{"path", schemaString, true}, field{"count", schemaInteger, true})), true},
		field{"total_files", schemaInteger, true},
		field{"items", arraySchema(objectSchema(locationFields()...)), true},
	)
	return objectSchema(
		field{"name", schemaString, true},
		field{"kind", schemaString, false},
		field{"in", schemaString, false},
		field{"definitions", arraySchema(objectSchema(locationFields("body")...)), true},
		field{"documentation", schemaString, false},
		field{"references", references, false},
		field{"callers", list(named), false},
		field{"callees", list(named), false},
		field{"implementations", list(locationFields()), false},
		field{"parts", arraySchema(objectSchema(field{"part", schemaString, true}, field{"state", schemaString, true}, field{"reason", schemaString, false})), true},
		field{"shortened", schemaStrings, true},
		completenessField(),
	)
}

// contextAnswer is the structured answer of symbol_context.
type contextAnswer struct {
	Name            string         `json:"name"`
	Kind            string         `json:"kind,omitempty"`
	In              string         `json:"in,omitempty"` // the symbol around it
	Definitions     []location     `json:"definitions"`
	Documentation   string         `json:"documentation,omitempty"`
	References      *referenceList `json:"references,omitempty"`
	Callers         *callList      `json:"callers,omitempty"`
	Callees         *callList      `json:"callees,omitempty"`
	Implementations *placeSample   `json:"implementations,omitempty"`
	Parts           []partState    `json:"parts"`
	Shortened       []string       `json:"shortened"` // what is left out, so that the answer stays short
	Completeness    completeness   `json:"completeness"`
}

// A referenceList counts references by file, and shows the first.
type referenceList struct {
	Total      int         `json:"total"`
	AtLeast    bool        `json:"at_least"`
	Files      []fileCount `json:"files"`
	TotalFiles int         `json:"total_files"`
	Items      []location  `json:"items"`
}

type fileCount struct {
	Path  string `json:"path"` // or the display name of one outside the workspace
	Count int    `json:"count"`
}

// A callList is the first callers or callees.
type callList struct {
	Total int        `json:"total"`
	Items []callItem `json:"items"`
}

type callItem struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	location
	Sites      []graphSite `json:"sites"`
	TotalSites int         `json:"total_sites"`
}

type placeSample struct {
	Total int        `json:"total"`
	Items []location `json:"items"`
}

// A symbolContext is all that was gathered, on its way to the caller.
type symbolContext struct {
	q         *question
	heading   string
	found     *gathered
	all       contextAnswer // nothing shortened
	signature []string      // of each definition, in place of its body
	whole     lspclient.Completeness
}

func (q *question) newContext(s subject, found *gathered, states []partState) *symbolContext {
	c := &symbolContext{q: q, found: found, heading: "context of " + s.at.subject(), all: contextAnswer{Parts: states, Definitions: []location{}}}
	has := func(part string) bool {
		return slices.ContainsFunc(states, func(p partState) bool { return p.Part == part && p.State != partNone && p.State != partFailed })
	}
	c.define(s, has(partDefinition))
	if has(partDocumentation) {
		c.all.Documentation = strings.TrimSpace(q.b.redact.Text(stripLinks(found.hover.Text)))
	}
	if has(partReferences) {
		c.all.References = c.references()
	}
	if has(partCallers) {
		c.all.Callers = c.calls(found.callers, true)
	}
	if has(partCallees) {
		c.all.Callees = c.calls(found.callees, false)
	}
	if has(partImplementations) {
		q.server = found.implementations.Server
		c.all.Implementations = &placeSample{Items: []location{}}
		for _, l := range q.sortPlaces(found.implementations.Items) {
			c.all.Implementations.Items = append(c.all.Implementations.Items, q.locate(l))
		}
		c.all.Implementations.Total = len(c.all.Implementations.Items)
	}
	return c
}

// define finds what declares the symbol: where the server leads, and the place
// that was asked about, since some lead from a definition to its declaration.
func (c *symbolContext) define(s subject, asked bool) {
	q := c.q
	id, at := s.at.used()
	c.all.Name = id
	here := lspclient.Location{Inside: true, File: s.file, Start: at, End: textpos.Point{Line: at.Line, Column: at.Column + len(id)}}
	places := q.sortPlaces(append(slices.Clone(c.found.definition.Items), here))
	around := q.enclosing(places, true)
	q.server = c.found.definition.Server
	for i, p := range places {
		declares := around[i].declares
		if p == here && declares == nil && len(places) > 1 {
			continue // a use
		}
		if declares != nil && (c.all.Kind == "" || len(places) == 1) {
			c.all.Kind, c.all.In = declares.Kind, around[i].name
		}
		if !asked {
			continue
		}
		l := q.locate(p)
		l.In = around[i].name
		signature := ""
		if p.Inside {
			l.Body = q.body(p, around[i])
			signature, _, _ = strings.Cut(l.Body, "\n")
		}
		c.all.Definitions = append(c.all.Definitions, l)
		c.signature = append(c.signature, signature)
	}
}

func (c *symbolContext) references() *referenceList {
	q := c.q
	q.server = c.found.references.Server
	places := q.sortPlaces(c.found.references.Items)
	out := &referenceList{Total: len(places), AtLeast: c.found.references.AtLeast, Files: []fileCount{}, Items: []location{}}
	for _, p := range places {
		l := q.locate(p)
		path := orElse(l.Path, l.Display)
		if n := len(out.Files); n > 0 && out.Files[n-1].Path == path {
			out.Files[n-1].Count++
		} else {
			out.Files = append(out.Files, fileCount{path, 1})
		}
		out.Items = append(out.Items, l)
	}
	out.TotalFiles = len(out.Files)
	// The files with the most come first: they are what is left when it is cut.
	slices.SortStableFunc(out.Files, func(a, b fileCount) int { return b.Count - a.Count })
	return out
}

// calls lists the neighbours in a graph of depth one.
func (c *symbolContext) calls(h lspclient.Hierarchy, incoming bool) *callList {
	q := c.q
	q.server = h.Server
	out := &callList{Items: []callItem{}}
	for _, e := range h.Edges {
		n := e.To
		if incoming {
			n = e.From
		}
		l := q.locate(h.Nodes[n].Place)
		l.In = ""
		item := callItem{Name: oneLine(q.b.redact.Text(h.Nodes[n].Name)), Kind: h.Nodes[n].Kind, location: l, Sites: []graphSite{}, TotalSites: e.Total}
		for _, s := range e.Sites {
			item.Sites = append(item.Sites, graphSite{s.Start.Line, s.Start.Column, s.Stale})
		}
		out.Items = append(out.Items, item)
	}
	out.Total = len(out.Items)
	for _, r := range h.Roots {
		out.Total += h.Nodes[r].Missing
	}
	return out
}

// A shortening is one form of the answer: how much of each part it has.
type shortening struct {
	body, documentation         bool // whole, else the first line
	files, places, calls, sites int  // at most
}

// shortenings are the forms from the longest to the shortest. Bodies and the
// first places go before counts.
var shortenings = []shortening{
	{true, true, 50, 10, 50, 5},
	{true, true, 20, 5, 20, 2},
	{true, false, 10, 3, 10, 1},
	{false, false, 10, 3, 10, 1},
	{false, false, 5, 1, 3, 1},
	{false, false, 0, 0, 0, 0},
}

// reply answers with the longest form that fits.
func (c *symbolContext) reply(maxChars int) (reply, error) {
	var r reply
	for _, s := range shortenings {
		r = c.render(s)
		n, err := chars(r.structured, r.text)
		if err != nil || n <= maxChars {
			return r, err
		}
	}
	return r, nil
}

// render makes one form of the answer.
func (c *symbolContext) render(s shortening) reply {
	a := c.all
	a.Shortened = []string{}
	cut := func(what string, shown, all int) {
		if shown < all {
			a.Shortened = append(a.Shortened, fmt.Sprintf("%s: %d of %d shown", what, shown, all))
		}
	}
	a.Definitions = slices.Clone(a.Definitions)
	if !s.body {
		bodies := 0
		for i := range a.Definitions {
			if a.Definitions[i].Body != c.signature[i] {
				a.Definitions[i].Body, bodies = clipTo(c.signature[i], 200), bodies+1
			}
		}
		if bodies > 0 {
			a.Shortened = append(a.Shortened, "definition: the body is left out")
		}
		n := min(len(a.Definitions), 3)
		cut("definitions", n, len(a.Definitions))
		a.Definitions = a.Definitions[:n]
	}
	if !s.documentation {
		if short := clipTo(firstLine(a.Documentation), 200); short != a.Documentation {
			a.Documentation = short
			a.Shortened = append(a.Shortened, fmt.Sprintf("documentation: cut from %d characters", utf8.RuneCountInString(c.all.Documentation)))
		}
	}
	if a.References != nil {
		r := *a.References
		r.Files, r.Items = r.Files[:min(len(r.Files), s.files)], r.Items[:min(len(r.Items), s.places)]
		cut("references", len(r.Items), r.Total)
		cut("files with references", len(r.Files), r.TotalFiles)
		a.References = &r
	}
	a.Callers, a.Callees = s.list(a.Callers, partCallers, cut), s.list(a.Callees, partCallees, cut)
	if a.Implementations != nil {
		i := *a.Implementations
		i.Items = i.Items[:min(len(i.Items), s.calls)]
		cut("implementations", len(i.Items), i.Total)
		a.Implementations = &i
	}
	a.Completeness = c.q.complete(c.whole)
	return reply{text: c.text(a), structured: a, state: c.whole.State}
}

func (s shortening) list(l *callList, name string, cut func(string, int, int)) *callList {
	if l == nil {
		return nil
	}
	out := *l
	out.Items = slices.Clone(l.Items[:min(len(l.Items), s.calls)])
	for i := range out.Items {
		out.Items[i].Sites = out.Items[i].Sites[:min(len(out.Items[i].Sites), s.sites)]
	}
	cut(name, len(out.Items), out.Total)
	return &out
}

// firstLine is the first line of a text that says something: of Markdown not the
// fence of a code block.
func firstLine(text string) string {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "```") {
			return line
		}
	}
	return ""
}

// text is the answer as text, part by part.
func (c *symbolContext) text(a contextAnswer) string {
	var b strings.Builder
	b.WriteString(c.heading + ": ")
	if a.Kind != "" {
		b.WriteString(a.Kind)
		if a.In != "" {
			b.WriteString(" in " + oneLine(a.In))
		}
		b.WriteString(", ")
	}
	b.WriteString(describeCompleteness(a.Completeness) + "\n")
	for _, d := range a.Definitions {
		fmt.Fprintf(&b, "definition %s:%d:%d\n", d.where(), d.Line, d.Column)
		for line := range strings.Lines(orElse(d.Body, strings.TrimSpace(d.Text))) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
	}
	if a.Documentation != "" {
		b.WriteString("documentation" + indented(a.Documentation) + "\n")
	}
	if r := a.References; r != nil {
		least := ""
		if r.AtLeast {
			least = "at least "
		}
		fmt.Fprintf(&b, "references: %s%d in %s\n", least, r.Total, counted(r.TotalFiles, "file"))
		if len(r.Files) > 1 {
			var counts []string
			for _, f := range r.Files {
				counts = append(counts, fmt.Sprintf("%s %d", quotePath(f.Path), f.Count))
			}
			b.WriteString("  " + strings.Join(counts, ", ") + "\n")
		}
		for _, l := range r.Items {
			fmt.Fprintf(&b, "  %s:%d:%d  %s\n", l.where(), l.Line, l.Column, strings.TrimSpace(l.Text))
		}
	}
	for _, l := range []struct {
		name string
		list *callList
	}{{partCallers, a.Callers}, {partCallees, a.Callees}} {
		if l.list == nil {
			continue
		}
		fmt.Fprintf(&b, "%s: %s\n", l.name, numberOrNone(l.list.Total))
		for _, i := range l.list.Items {
			edge := graphEdge{Sites: i.Sites}
			if len(i.Sites) < i.TotalSites {
				edge.TotalSites = i.TotalSites
			}
			b.WriteString("  " + graphNode{Name: i.Name, Kind: i.Kind, location: i.location}.line() + edge.calls() + "\n")
		}
	}
	if i := a.Implementations; i != nil && i.Total > 0 {
		fmt.Fprintf(&b, "implementations: %d\n", i.Total)
		for _, l := range i.Items {
			fmt.Fprintf(&b, "  %s:%d:%d  %s\n", l.where(), l.Line, l.Column, strings.TrimSpace(l.Text))
		}
	}
	for _, p := range a.Parts {
		if p.State == partFailed {
			fmt.Fprintf(&b, "%s: missing: %s\n", p.Part, p.Reason)
		}
	}
	if len(a.Shortened) > 0 {
		b.WriteString("shortened: " + strings.Join(a.Shortened, "; ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func numberOrNone(n int) string {
	if n == 0 {
		return "none"
	}
	return fmt.Sprint(n)
}
