package tools

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lspbridge/lspclient"
)

func graphSchema() string {
	node := slices.Concat([]field{{"id", schemaString, true}}, symbolFields(), []field{{"detail", schemaString, false}, {"depth", schemaInteger, true}, {"cut", schemaString, false}})
	node = slices.DeleteFunc(node, func(f field) bool { return f.name == "children" || f.name == "container" })
	return objectSchema(
		field{"roots", schemaStrings, true},
		field{"nodes", arraySchema(objectSchema(node...)), true},
		field{"edges", arraySchema(objectSchema(
			field{"from", schemaString, true}, field{"to", schemaString, true},
			field{"sites", arraySchema(objectSchema(field{"line", schemaInteger, true}, field{"column", schemaInteger, true})), true},
			field{"total_sites", schemaInteger, false},
		)), true},
		field{"cut", schemaStrings, true},
		completenessField(),
	)
}

// A graphNode is a function or a type of a hierarchy. Cut says why what lies
// behind it is not all there: depth, outside, nodes, edges, failed.
type graphNode struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Kind string `json:"kind"`
	location
	Detail string `json:"detail,omitempty"`
	Depth  int    `json:"depth"`
	Cut    string `json:"cut,omitempty"`
}

// A graphEdge leads from a caller to what it calls, or from a subtype to its
// supertype. The sites are in the file of From.
type graphEdge struct {
	From       string      `json:"from"`
	To         string      `json:"to"`
	Sites      []graphSite `json:"sites"`
	TotalSites int         `json:"total_sites,omitempty"` // where sites are left out
}

type graphSite struct {
	Line   int  `json:"line"`
	Column int  `json:"column"`
	Stale  bool `json:"stale,omitempty"`
}

// graphAnswer is the structured answer of a hierarchy.
type graphAnswer struct {
	Roots        []string     `json:"roots"`
	Nodes        []graphNode  `json:"nodes"`
	Edges        []graphEdge  `json:"edges"`
	Cut          []string     `json:"cut"` // what is left out, and why
	Completeness completeness `json:"completeness"`
}

// A graph is a hierarchy on its way to the caller.
type graph struct {
	q       *question
	heading string // "callers of F (a.go:1:2)"
	noun    string // "callers"
	none    string // "no function"
	found   lspclient.Hierarchy
	upwards bool // edges lead to the root: what hangs below a node is their From
	whole   lspclient.Completeness
	cut     []string
	nodes   []graphNode // of found.Nodes
}

func (q *question) newGraph(found lspclient.Hierarchy, d lspclient.Direction, bounds lspclient.HierarchyBounds) *graph {
	q.server = found.Server
	g := &graph{q: q, found: found, upwards: d == lspclient.Incoming || d == lspclient.Subtypes, cut: []string{}}
	cuts := map[lspclient.Cut]int{}
	for i, n := range found.Nodes {
		l := q.locate(n.Place)
		l.In = ""
		g.nodes = append(g.nodes, graphNode{
			ID: "n" + strconv.Itoa(i+1), Name: oneLine(q.b.redact.Text(n.Name)), Kind: n.Kind, location: l,
			Detail: oneLine(q.b.redact.Text(n.Detail)), Depth: n.Depth, Cut: string(n.Cut),
		})
		cuts[n.Cut]++
	}
	for _, c := range []struct {
		cut lspclient.Cut
		why string
	}{
		{lspclient.CutDepth, fmt.Sprintf("not followed beyond depth %d", bounds.Depth)},
		{lspclient.CutOutside, "not followed outside the workspace"},
	} {
		if n := cuts[c.cut]; n > 0 {
			g.cut = append(g.cut, fmt.Sprintf("%s %s", counted(n, "node"), c.why))
		}
	}
	return g
}

// reply answers with as much of the graph as fits: all of it, else with fewer
// call sites, else its first nodes.
func (g *graph) reply(maxChars int) (reply, error) {
	all := len(g.nodes)
	fits := func(n, sites int) (reply, bool, error) {
		r := g.render(n, sites)
		size, err := chars(r.structured, r.text)
		return r, size <= maxChars, err
	}
	most := 0
	for _, e := range g.found.Edges {
		most = max(most, len(e.Sites))
	}
	for _, sites := range []int{most, 5, 1} {
		if r, ok, err := fits(all, min(sites, most)); ok || err != nil {
			return r, err
		}
	}
	// The most nodes that fit: with n they do, with over they do not.
	n, over := 0, all
	for over-n > 1 {
		middle := (n + over) / 2
		_, ok, err := fits(middle, min(1, most))
		switch {
		case err != nil:
			return reply{}, err
		case ok:
			n = middle
		default:
			over = middle
		}
	}
	// One node is told even where it alone is too much: an answer moves on.
	r, _, err := fits(max(n, min(1, all)), min(1, most))
	return r, err
}

// render answers with the first n nodes, the edges between them, and at most
// sites call sites of each.
func (g *graph) render(n, sites int) reply {
	cut, whole := slices.Clone(g.cut), g.whole
	if left := len(g.nodes) - n; left > 0 {
		reason := fmt.Sprintf("%s left out by max_chars", counted(left, "node"))
		whole = partial(whole, reason)
		cut = append(cut, reason)
	}
	a := graphAnswer{Roots: []string{}, Nodes: slices.Clone(g.nodes[:n]), Edges: []graphEdge{}}
	for _, r := range g.found.Roots {
		if r < n {
			a.Roots = append(a.Roots, g.nodes[r].ID)
		}
	}
	if a.Nodes == nil {
		a.Nodes = []graphNode{}
	}
	short := 0
	for _, e := range g.found.Edges {
		if e.From >= n || e.To >= n {
			continue
		}
		edge := graphEdge{From: g.nodes[e.From].ID, To: g.nodes[e.To].ID, Sites: []graphSite{}}
		for _, s := range e.Sites[:min(len(e.Sites), sites)] {
			edge.Sites = append(edge.Sites, graphSite{s.Start.Line, s.Start.Column, s.Stale})
		}
		if len(edge.Sites) < e.Total {
			edge.TotalSites = e.Total
			short++
		}
		a.Edges = append(a.Edges, edge)
	}
	if short > 0 {
		cut = append(cut, fmt.Sprintf("call sites of %s left out", counted(short, "edge")))
	}
	a.Cut, a.Completeness = cut, g.q.complete(whole)
	return reply{text: g.text(a), structured: a, state: whole.State}
}

// text draws the graph as a tree: each node once with what hangs below it, and
// where it is met again by name.
func (g *graph) text(a graphAnswer) string {
	var b strings.Builder
	others := len(a.Nodes) - len(a.Roots)
	switch {
	case len(g.nodes) == 0:
		fmt.Fprintf(&b, "%s: %s there for the server, %s\n", g.heading, g.none, describeCompleteness(a.Completeness))
	case others == 0 && len(a.Edges) == 0:
		none := "none"
		if a.Completeness.State != lspclient.Complete {
			none = "none found, but this is not the whole answer"
		}
		fmt.Fprintf(&b, "%s: %s, %s\n", g.heading, none, describeCompleteness(a.Completeness))
	default:
		fmt.Fprintf(&b, "%s: %s, %s, %s\n", g.heading, counted(others, strings.TrimSuffix(g.noun, "s")), counted(len(a.Edges), "edge"), describeCompleteness(a.Completeness))
	}
	if len(a.Cut) > 0 {
		b.WriteString("cut: " + strings.Join(a.Cut, "; ") + "\n")
	}
	index := map[string]int{}
	for i, n := range a.Nodes {
		index[n.ID] = i
	}
	below := make([][]graphEdge, len(a.Nodes))
	for _, e := range a.Edges {
		at := index[e.From]
		if g.upwards {
			at = index[e.To]
		}
		below[at] = append(below[at], e)
	}
	// The first edge to a node that comes from the level above carries its tree.
	parent := map[int]int{}
	for at, edges := range below {
		for _, e := range edges {
			child := g.far(e, index)
			if _, has := parent[child]; !has && a.Nodes[child].Depth == a.Nodes[at].Depth+1 {
				parent[child] = at
			}
		}
	}
	var draw func(at int, e *graphEdge, above []int)
	draw = func(at int, e *graphEdge, above []int) {
		b.WriteString(strings.Repeat("  ", len(above)) + a.Nodes[at].line())
		if e != nil {
			b.WriteString(e.calls())
		}
		up := -1
		if len(above) > 0 {
			up = above[len(above)-1]
		}
		switch p, has := parent[at]; {
		case slices.Contains(above, at):
			b.WriteString(" (recursion)\n")
			return
		case e != nil && (!has || p != up):
			b.WriteString(" (also elsewhere)\n")
			return
		}
		switch cut := lspclient.Cut(a.Nodes[at].Cut); cut {
		case lspclient.CutNone, lspclient.CutOutside:
		case lspclient.CutDepth:
			b.WriteString(" …")
		default:
			b.WriteString(" (not followed: " + string(cut) + ")")
		}
		b.WriteString("\n")
		for i := range below[at] {
			draw(g.far(below[at][i], index), &below[at][i], append(slices.Clone(above), at))
		}
	}
	for _, id := range a.Roots {
		draw(index[id], nil, nil)
	}
	return strings.TrimRight(b.String(), "\n")
}

// far is the node at the end of an edge that is away from the root.
func (g *graph) far(e graphEdge, index map[string]int) int {
	if g.upwards {
		return index[e.From]
	}
	return index[e.To]
}

// line is a node as text: path:line:column name, and its kind where that is not
// the usual one.
func (n graphNode) line() string {
	text := fmt.Sprintf("%s:%d:%d %s", n.where(), n.Line, n.Column, n.Name)
	switch n.Kind {
	case "function", "method", "class", "struct", "interface":
	default:
		text += " (" + n.Kind + ")"
	}
	if n.Stale {
		text += " (stale)"
	}
	return text
}

// calls are the call sites of an edge as text.
func (e graphEdge) calls() string {
	if len(e.Sites) == 0 {
		return ""
	}
	var at []string
	for _, s := range e.Sites {
		at = append(at, fmt.Sprintf("%d:%d", s.Line, s.Column))
	}
	text := "  calls at " + strings.Join(at, ", ")
	if e.TotalSites > 0 {
		text += fmt.Sprintf(", … %d in all", e.TotalSites)
	}
	return text
}
