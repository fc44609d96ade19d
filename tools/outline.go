package tools

import (
	"crypto/sha256"
	"fmt"
	"math"
	"slices"
	"strings"

	"lspbridge/lspclient"
)

// maxDepth bounds the depth that can be asked for; without one all is shown.
const maxDepth = 10

func outlineTool() tool {
	return tool{
		name:  "document_symbols",
		title: "Outline of a file",
		desc:  "What a file declares: functions, types, methods, fields and so on, nested, in the order of the text. Cheaper than reading the file.",
		params: slices.Concat([]param{
			{name: "file", typ: typeString, required: true, desc: "Relative to the workspace"},
			{name: "depth", typ: typeInteger, min: 1, max: maxDepth, desc: "Levels; 1 is the top level alone"},
			{name: "kinds", typ: typeStrings, desc: "Only these: function, method, struct, ..."},
		}, pageParams()),
		output: listSchema(symbolFields()),
		run: func(q *question) (reply, error) {
			kinds := q.args.list("kinds")
			if e := checkKinds(kinds); e != nil {
				return reply{}, e
			}
			s, err := q.subject(q.args.str("file"))
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.DocumentSymbols(q.ctx, s.file)
			if err != nil {
				return reply{}, err
			}
			q.server = found.Server
			nodes := flatten(found.Items, q.args.num("depth", math.MaxInt), kinds)
			return q.outline(s, found.Answer, nodes)
		},
	}
}

// A symbolItem is a symbol in structured answers.
type symbolItem struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Container string `json:"container,omitempty"`
	location
	Children []*symbolItem `json:"children,omitempty"`
}

// A node is a symbol of an outline that is shown.
type node struct {
	symbol lspclient.Symbol
	parent int    // index of the nearest shown symbol around it, -1 for none
	depth  int    // shown symbols around it
	outer  string // names of the symbols around it, shown or not
}

// flatten lists an outline in the order of its text, symbols before their
// children, as far as depth and kinds want.
func flatten(symbols []lspclient.Symbol, depth int, kinds []string) []node {
	var nodes []node
	var walk func(list []lspclient.Symbol, level, parent, shown int, outer string)
	walk = func(list []lspclient.Symbol, level, parent, shown int, outer string) {
		if level > depth {
			return
		}
		for _, s := range list {
			inner, p, d := s.Name, parent, shown
			if outer != "" {
				inner = outer + "." + s.Name
			}
			if len(kinds) == 0 || slices.ContainsFunc(kinds, func(k string) bool { return kindIs(s.Kind, k) }) {
				nodes = append(nodes, node{symbol: s, parent: parent, depth: shown, outer: orElse(outer, s.Container)})
				p, d = len(nodes)-1, shown+1
			}
			walk(s.Children, level+1, p, d, inner)
		}
	}
	walk(symbols, 1, -1, 0, "")
	return nodes
}

// outline answers with a page of an outline. Items are counted and cut one by
// one, children too: a child whose parent is on an earlier page stands by itself
// and names its container.
func (q *question) outline(s subject, a lspclient.Answer, nodes []node) (reply, error) {
	whole := q.complete(a.Completeness)
	page := map[int]*symbolItem{} // of the page being joined, by node
	l := listing{
		heading: "outline of " + quotePath(s.shown), noun: "symbols", total: len(nodes), atLeast: a.AtLeast,
		completeness: whole, answer: digestNodes(nodes), extra: len(`"children":[],`),
		item: func(i, _ int) (any, string) {
			item := q.symbol(nodes[i].symbol)
			item.Container = q.b.redact.Text(nodes[i].outer)
			text := fmt.Sprintf("%s%d:%d  %s %s\n", strings.Repeat("  ", nodes[i].depth+1), item.Line, item.Column, item.Kind, oneLine(item.Name))
			return numbered{item, i}, text
		},
		join: func(items []any) []any {
			clear(page)
			var top []any
			for _, it := range items {
				n := it.(numbered)
				page[n.index] = n.symbolItem
				if parent := page[nodes[n.index].parent]; parent != nil {
					parent.Children = append(parent.Children, n.symbolItem)
				} else {
					top = append(top, n.symbolItem)
				}
			}
			return top
		},
	}
	return q.page(l)
}

// numbered is an item that knows its place in the outline.
type numbered struct {
	*symbolItem
	index int
}

// symbol renders a symbol without its children.
func (q *question) symbol(s lspclient.Symbol) *symbolItem {
	l := q.locate(s.Place)
	l.In = ""
	return &symbolItem{Name: q.b.redact.Text(s.Name), Kind: s.Kind, Container: q.b.redact.Text(s.Container), location: l}
}

func digestNodes(nodes []node) digest {
	h := sha256.New()
	for _, n := range nodes {
		writeParts(h, n.symbol.Name, n.symbol.Kind, n.outer, n.symbol.Place.Line, fmt.Sprint(keyOf(n.symbol.Place), n.depth))
	}
	return digestOf(h)
}
