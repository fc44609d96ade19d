package lspclient

import (
	"context"
	"fmt"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
)

// A Direction says which neighbours of a thing a hierarchy holds.
type Direction string

// The directions: of calls, then of types.
const (
	Incoming   Direction = "incoming" // who calls it
	Outgoing   Direction = "outgoing" // what it calls
	Supertypes Direction = "supertypes"
	Subtypes   Direction = "subtypes"
)

// HierarchyBounds bound a hierarchy. All are at least 1.
type HierarchyBounds struct {
	Depth int // levels below the roots
	Nodes int
	Edges int
	Sites int // kept of an edge
}

// A Cut says why the neighbours of a node are not all in the graph.
type Cut string

// The cuts.
const (
	CutNone    Cut = ""        // all neighbours are there
	CutDepth   Cut = "depth"   // not asked: as deep as was wanted
	CutOutside Cut = "outside" // not asked: outside the workspace
	CutNodes   Cut = "nodes"   // at the bound on nodes
	CutEdges   Cut = "edges"   // at the bound on edges
	CutFailed  Cut = "failed"  // the server gave no answer
)

// A HierarchyNode is a function or a type of a hierarchy. Its Symbol has no
// children; Place is that of the name.
type HierarchyNode struct {
	Symbol
	Depth int // 0 for a root; else levels to the nearest root
	Cut   Cut
	// Missing counts the neighbours that the server named and the graph does not
	// hold, under CutNodes and CutEdges; 0 there where it was not asked at all.
	Missing int
}

// A HierarchyEdge says that the node From calls the node To, or is a subtype of
// it, whatever the direction of the question.
type HierarchyEdge struct {
	From, To int // indices into Hierarchy.Nodes
	// Sites are the calls, in the file of From, sorted; none between types. Of
	// Total known ones the first are kept.
	Sites []Location
	Total int
}

// A Hierarchy is a bounded graph of calls or of types: finite also where the
// calls are not, for a thing met again is the same node. Nodes are in
// breadth-first order, the roots first; what one node leads to is sorted by
// place.
type Hierarchy struct {
	Answer
	Roots []int // indices into Nodes; none: the place names nothing of the kind
	Nodes []HierarchyNode
	Edges []HierarchyEdge // in the order in which they were met
}

// CallHierarchy asks for the callers (Incoming) or the callees (Outgoing) of the
// function at a place, and theirs in turn (LSP 3.17 §prepareCallHierarchy). What
// counts as a call is the server's idea.
func (p *Pool) CallHierarchy(ctx context.Context, f confine.File, at Locate, d Direction, bounds HierarchyBounds) (Hierarchy, error) {
	switch d {
	case Incoming:
		return p.hierarchy(ctx, f, at, hierarchyKind{
			prepare: protocol.MethodTextDocumentPrepareCallHierarchy, expand: protocol.MethodCallHierarchyIncomingCalls,
			neighbour: "from", noun: "callers", backwards: true,
		}, bounds)
	case Outgoing:
		return p.hierarchy(ctx, f, at, hierarchyKind{
			prepare: protocol.MethodTextDocumentPrepareCallHierarchy, expand: protocol.MethodCallHierarchyOutgoingCalls,
			neighbour: "to", noun: "callees",
		}, bounds)
	}
	return Hierarchy{}, fmt.Errorf("calls have no direction %q", d)
}

// TypeHierarchy asks for the supertypes or the subtypes of the type at a place,
// and theirs in turn (LSP 3.17 §prepareTypeHierarchy). Edges have no sites.
func (p *Pool) TypeHierarchy(ctx context.Context, f confine.File, at Locate, d Direction, bounds HierarchyBounds) (Hierarchy, error) {
	switch d {
	case Supertypes:
		return p.hierarchy(ctx, f, at, hierarchyKind{
			prepare: protocol.MethodTextDocumentPrepareTypeHierarchy, expand: protocol.MethodTypeHierarchySupertypes, noun: "supertypes",
		}, bounds)
	case Subtypes:
		return p.hierarchy(ctx, f, at, hierarchyKind{
			prepare: protocol.MethodTextDocumentPrepareTypeHierarchy, expand: protocol.MethodTypeHierarchySubtypes, noun: "subtypes", backwards: true,
		}, bounds)
	}
	return Hierarchy{}, fmt.Errorf("types have no direction %q", d)
}

// A hierarchyKind is what tells the four questions apart.
type hierarchyKind struct {
	prepare, expand string
	neighbour       string // the member of a call that holds its item; "" for types, whose items stand bare
	noun            string // what an expansion gives
	// backwards: what an expansion gives leads to the asked item. Then it hangs
	// on all files of the workspace, not on the item's own.
	backwards bool
}

// hierarchy walks the graph breadth first inside one question, so that all of it
// belongs to one state of the disk and one run of the server.
func (p *Pool) hierarchy(ctx context.Context, f confine.File, at Locate, kind hierarchyKind, bounds HierarchyBounds) (Hierarchy, error) {
	s, err := p.server(f)
	if err != nil {
		return Hierarchy{}, err
	}
	var out Hierarchy
	q := question{method: kind.prepare, crossFile: true, exhaustive: kind.backwards, file: &f, at: at}
	out.Completeness, err = s.ask(ctx, q, func(ctx context.Context, a *attempt) error {
		w := &walk{a: a, kind: kind, bounds: bounds, byKey: map[itemKey]int{}, byID: map[string]int{}, edges: map[[2]int]int{}}
		if err := w.run(ctx); err != nil {
			return err
		}
		out.Roots, out.Nodes, out.Edges = w.roots, w.nodes, w.list
		a.conv.note()
		if kind.backwards {
			w.judge(ctx)
		}
		return ctx.Err()
	})
	out.Server = s.entry.Name
	return out, err
}
