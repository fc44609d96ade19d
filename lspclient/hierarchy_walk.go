package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/token"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"lspbridge/lspclient/textpos"
)

// expandedAtOnce is the number of nodes that are asked about beside each other.
const expandedAtOnce = 8

// A walk builds a hierarchy, for one attempt. Nodes are numbered in the order in
// which they are met, which is that of their levels, and are asked about in that
// order: so what a bound cuts off is the same each time.
type walk struct {
	a      *attempt
	kind   hierarchyKind
	bounds HierarchyBounds

	roots []int
	nodes []HierarchyNode
	items []item // of nodes
	byKey map[itemKey]int
	byID  map[string]int
	list  []HierarchyEdge
	edges map[[2]int]int // index into list

	full Cut // the bound that was met: nothing is asked after it
}

func (w *walk) run(ctx context.Context) error {
	raw, err := w.a.call(ctx, w.kind.prepare, w.a.params())
	if err != nil {
		return err
	}
	elements, err := elementsOf(raw)
	if err != nil {
		return w.a.unreadable(w.kind.prepare, err)
	}
	roots := w.a.conv.items(elements, "")
	if w.kind.neighbour == "to" && w.a.sess.entry.Quirks.IDsInData {
		if roots, err = w.defined(ctx, roots); err != nil {
			return err
		}
	}
	missed := 0
	for _, it := range roots {
		n, ok := w.node(it, 0)
		if !ok {
			missed++
		} else if !slices.Contains(w.roots, n) {
			w.roots = append(w.roots, n)
		}
	}
	if missed > 0 {
		w.a.c.partial(fmt.Sprintf("hierarchy_nodes: %d roots not shown", missed))
	}
	for next := 0; next < len(w.nodes); {
		var batch []int
		for ; next < len(w.nodes) && len(batch) < expandedAtOnce; next++ {
			// The batch ends with the level: what comes after hangs on its answers.
			if len(batch) > 0 && w.nodes[next].Depth != w.nodes[batch[0]].Depth {
				break
			}
			if w.nodes[next].Cut = w.unasked(w.nodes[next]); w.nodes[next].Cut == CutNone {
				batch = append(batch, next)
			}
		}
		if err := w.expand(ctx, batch); err != nil {
			return err
		}
	}
	w.sayFull()
	return nil
}

// defined puts the item at its definition in place of a single root that is only
// declared where it stands: clangd tells the calls of a function by lines of the
// file that its item names, and none where that is another one.
func (w *walk) defined(ctx context.Context, roots []item) ([]item, error) {
	a := w.a
	if len(roots) != 1 || !roots[0].symbol.Place.Inside || !a.declaredOnly(roots[0].symbol.Place) {
		return roots, nil
	}
	raw, err := a.call(ctx, protocol.MethodTextDocumentDefinition, a.params())
	if err != nil {
		return nil, err
	}
	places, err := a.conv.places(ctx, raw)
	if err != nil {
		return nil, a.unreadable(protocol.MethodTextDocumentDefinition, err)
	}
	if len(places) != 1 || !places[0].Inside || a.declaredOnly(places[0]) {
		return roots, nil
	}
	raw, err = a.askAt(ctx, w.kind.prepare, places[0])
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil: // it changes just now; then all of it is asked again
		return roots, nil
	}
	elements, err := elementsOf(raw)
	if err != nil {
		return nil, a.unreadable(w.kind.prepare, err)
	}
	if there := a.conv.items(elements, ""); len(there) == 1 && there[0].id == roots[0].id {
		return there, nil
	}
	return roots, nil
}

// unasked says why a node is not asked about, CutNone if it is. A root outside
// the workspace is: it is what the caller wants to know about.
func (w *walk) unasked(n HierarchyNode) Cut {
	switch {
	case n.Depth >= w.bounds.Depth:
		return CutDepth
	case !n.Place.Inside && n.Depth > 0:
		return CutOutside
	}
	return w.full
}

// expand asks for the neighbours of nodes of one level.
func (w *walk) expand(ctx context.Context, batch []int) error {
	answers, errs := make([]json.RawMessage, len(batch)), make([]error, len(batch))
	var wg sync.WaitGroup
	for i, n := range batch {
		wg.Go(func() {
			answers[i], errs[i] = w.a.call(ctx, w.kind.expand, map[string]any{"item": w.items[n].raw})
		})
	}
	wg.Wait()
	for i, n := range batch {
		if w.full != CutNone {
			w.nodes[n].Cut = w.full // dropped, as that of a later batch is not asked for
			continue
		}
		var refused *Error
		if err := errs[i]; errors.As(err, &refused) && refused.Code == CodeRefused && w.nodes[n].Depth > 0 {
			w.nodes[n].Cut = CutFailed
			w.a.c.partial(fmt.Sprintf("%s of %s: %s", w.kind.noun, w.nodes[n].Name, refused.Msg))
			continue
		} else if err != nil {
			return err
		}
		elements, err := elementsOf(answers[i])
		if err != nil {
			return w.a.unreadable(w.kind.expand, err)
		}
		for _, it := range w.a.conv.items(elements, w.kind.neighbour) {
			if err := ctx.Err(); err != nil {
				return err
			}
			w.join(n, it)
		}
	}
	return nil
}

// join adds the edge between a node and one of its neighbours, and the neighbour
// where it is new.
func (w *walk) join(n int, it item) {
	other, known := w.find(it)
	if !known {
		if len(w.list) >= w.bounds.Edges {
			w.miss(n, CutEdges)
			return
		}
		var ok bool
		if other, ok = w.node(it, w.nodes[n].Depth+1); !ok {
			w.miss(n, CutNodes)
			return
		}
	}
	from, to := n, other
	if w.kind.backwards {
		from, to = other, n
	}
	e, met := w.edges[[2]int{from, to}]
	if !met {
		if len(w.list) >= w.bounds.Edges {
			w.miss(n, CutEdges)
			return
		}
		e = len(w.list)
		w.edges[[2]int{from, to}] = e
		w.list = append(w.list, HierarchyEdge{From: from, To: to})
	}
	if w.kind.neighbour != "" {
		w.addSites(&w.list[e], it)
	}
}

// addSites adds the calls of an edge, which stand in the file of the caller.
func (w *walk) addSites(e *HierarchyEdge, it item) {
	v := w.a.conv
	v.odd += it.odd
	caller, callee := w.nodes[e.From].Place, w.nodes[e.To].Name
	uri := w.uri(e.From)
	if w.kind.backwards {
		caller = it.symbol.Place // where two items are one symbol, that of this call
		uri = itemURI(it.raw)
	}
	slices.SortFunc(it.sites, func(a, b textpos.PositionRange) int { return int(int64(a.Start.Line) - int64(b.Start.Line)) })
	for _, r := range it.sites {
		l, ok := v.location(uri, r, false)
		if !ok {
			continue
		}
		l.In = w.nodes[e.From].Name
		l.Stale = caller.Inside && v.doubtful(l, callee)
		e.Sites = append(e.Sites, l)
	}
	e.Sites = sortPlaces(e.Sites)
	e.Total = len(e.Sites)
}

func (w *walk) uri(n int) string { return itemURI(w.items[n].raw) }

func itemURI(raw json.RawMessage) string {
	var r struct {
		URI string `json:"uri"`
	}
	_ = json.Unmarshal(raw, &r) // it was read before
	return r.URI
}

// find returns the node that an item is.
func (w *walk) find(it item) (int, bool) {
	if n, ok := w.byKey[it.key()]; ok {
		return n, true
	}
	n, ok := w.byID[it.id]
	return n, ok && it.id != ""
}

// node returns the node of an item, a new one where it is not known; it fails at
// the bound on nodes.
func (w *walk) node(it item, depth int) (int, bool) {
	if n, ok := w.find(it); ok {
		return n, true
	}
	if len(w.nodes) >= w.bounds.Nodes {
		return 0, false
	}
	n := len(w.nodes)
	w.nodes = append(w.nodes, HierarchyNode{Symbol: it.symbol, Depth: depth})
	it.sites = nil
	w.items = append(w.items, it)
	w.byKey[it.key()] = n
	if it.id != "" {
		w.byID[it.id] = n
	}
	return n, true
}

// miss notes that a neighbour of n has no room in the graph.
func (w *walk) miss(n int, why Cut) {
	w.full = why
	w.nodes[n].Cut = why
	w.nodes[n].Missing++
}

// sayFull names the bound that cut the graph, and keeps the first sites of each
// edge.
func (w *walk) sayFull() {
	missing, unasked, sites := 0, 0, 0
	for _, n := range w.nodes {
		missing += n.Missing
		if n.Cut == w.full && n.Missing == 0 {
			unasked++
		}
	}
	switch w.full {
	case CutNodes:
		w.a.c.partial(fmt.Sprintf("hierarchy_nodes %d reached: %d %s not shown, %d nodes not asked for theirs", w.bounds.Nodes, missing, w.kind.noun, unasked))
	case CutEdges:
		w.a.c.partial(fmt.Sprintf("hierarchy_edges %d reached: %d %s not shown, %d nodes not asked for theirs", w.bounds.Edges, missing, w.kind.noun, unasked))
	}
	for i := range w.list {
		if e := &w.list[i]; len(e.Sites) > w.bounds.Sites {
			sites += len(e.Sites) - w.bounds.Sites
			e.Sites = slices.Clip(e.Sites[:w.bounds.Sites])
		}
	}
	if sites > 0 {
		w.a.c.partial(fmt.Sprintf("call_sites %d of an edge reached: %s not shown", w.bounds.Sites, count(sites, "call site")))
	}
}

// judge does for the nodes below the root what [attempt.judge] does for the name
// asked about: files that the server does not answer for may hold more of theirs.
func (w *walk) judge(ctx context.Context) {
	sess, asked := w.a.sess, map[string]bool{w.a.name: true, "": true}
	for _, n := range w.nodes {
		if n.Cut != CutNone || !n.Place.Inside || n.Kind == "variable" || ctx.Err() != nil {
			continue // nobody calls a variable; one calls, where it is initialised
		}
		name := identifierAt([]byte(n.Name), len(n.Name))
		if asked[name] {
			continue
		}
		asked[name] = true
		switch {
		case sess.entry.Quirks.CompileCommands:
			if len(sess.project.units) > 0 {
				sess.judgeUnits(ctx, nil, name, w.a.c)
			}
		case sess.goBuild != nil:
			file := n.Place.File
			sess.judgeGo(ctx, &file, !token.IsExported(name), name, w.a)
		}
	}
}
