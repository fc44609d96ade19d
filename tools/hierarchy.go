package tools

import (
	"context"
	"fmt"
	"slices"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
)

// A Hierarchist leads from a function or a type to those around it.
type Hierarchist interface {
	CallHierarchy(context.Context, confine.File, lspclient.Locate, lspclient.Direction, lspclient.HierarchyBounds) (lspclient.Hierarchy, error)
	TypeHierarchy(context.Context, confine.File, lspclient.Locate, lspclient.Direction, lspclient.HierarchyBounds) (lspclient.Hierarchy, error)
}

// What may be asked as a depth, and what is then used at most; package limits has
// the same, and a test holds them together.
const (
	maxAskedDepth = 1_000
	deepest       = 5
)

func callHierarchyTool() tool {
	return tool{
		name:   "call_hierarchy",
		title:  "Call hierarchy",
		desc:   "Who calls a function (incoming, the default) or what it calls (outgoing), up to depth, as a graph with call sites.",
		params: hierarchyParams("incoming", "outgoing"),
		output: graphSchema(),
		run: func(q *question) (reply, error) {
			d := lspclient.Direction(orElse(q.args.str("direction"), string(lspclient.Incoming)))
			noun := map[lspclient.Direction]string{lspclient.Incoming: "callers", lspclient.Outgoing: "callees"}[d]
			return q.hierarchy(noun, "no function", d, q.b.pool.CallHierarchy)
		},
	}
}

func typeHierarchyTool() tool {
	return tool{
		name:   "type_hierarchy",
		title:  "Type hierarchy",
		desc:   "The subtypes of a type (the default) or its supertypes, up to depth, as a graph: classes and bases, interfaces and what implements them.",
		params: hierarchyParams("subtypes", "supertypes"),
		output: graphSchema(),
		run: func(q *question) (reply, error) {
			d := lspclient.Direction(orElse(q.args.str("direction"), string(lspclient.Subtypes)))
			return q.hierarchy(string(d), "no type", d, q.b.pool.TypeHierarchy)
		},
	}
}

func hierarchyParams(directions ...string) []param {
	return slices.Concat(targetParams(), []param{
		{name: "direction", typ: typeString, enum: directions, desc: "Default " + directions[0]},
		{name: "depth", typ: typeInteger, min: 1, max: maxAskedDepth, desc: "1 to 5, default 3"},
		maxCharsParam(),
	})
}

// hierarchy asks for a graph and answers with it.
func (q *question) hierarchy(noun, none string, d lspclient.Direction, ask func(context.Context, confine.File, lspclient.Locate, lspclient.Direction, lspclient.HierarchyBounds) (lspclient.Hierarchy, error)) (reply, error) {
	s, err := q.resolve()
	if err != nil {
		return reply{}, err
	}
	bounds, lowered := q.hierarchyBounds()
	found, err := ask(q.ctx, s.file, s.at.locate, d, bounds)
	if err != nil {
		return reply{}, s.failed(err)
	}
	g := q.newGraph(found, d, bounds)
	g.heading, g.noun, g.none = fmt.Sprintf("%s of %s", noun, s.at.subject()), noun, none
	g.whole = lspclient.Merge(found.Completeness, s.doubt)
	if lowered > 0 {
		g.cut = append(g.cut, fmt.Sprintf("depth %d lowered to %d, the maximum", lowered, bounds.Depth))
	}
	_, maxChars := q.pageBounds()
	return g.reply(maxChars)
}

// hierarchyBounds are the bounds of a graph; lowered is the depth that was asked
// for, where it is over the maximum, else 0.
func (q *question) hierarchyBounds() (b lspclient.HierarchyBounds, lowered int) {
	l := q.b.limits
	b = lspclient.HierarchyBounds{Depth: q.args.num("depth", l.HierarchyDepth), Nodes: l.HierarchyNodes, Edges: l.HierarchyEdges, Sites: l.CallSites}
	if b.Depth > deepest {
		b.Depth, lowered = deepest, b.Depth
	}
	return b, lowered
}
