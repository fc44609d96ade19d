package tools_test

import (
	"context"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

// CallHierarchy answers with the graph that a test put there, else with the
// identifier asked about alone.
func (s *textual) CallHierarchy(ctx context.Context, f confine.File, at lspclient.Locate, _ lspclient.Direction, b lspclient.HierarchyBounds) (lspclient.Hierarchy, error) {
	server, _, _ := s.ServerFor(f)
	a, err := s.answer(ctx, server)
	if err != nil {
		return lspclient.Hierarchy{}, err
	}
	m := textpos.NewMapper(s.text(f))
	offset, err := at(m)
	if err != nil {
		return lspclient.Hierarchy{}, err
	}
	s.bounds = b
	h := lspclient.Hierarchy{Answer: a}
	if s.graph != nil {
		h.Roots, h.Nodes, h.Edges = s.graph.Roots, s.graph.Nodes, s.graph.Edges
		return h, nil
	}
	name, err := s.name(f, at)
	if err != nil {
		return lspclient.Hierarchy{}, err
	}
	start, _ := m.Point(offset)
	h.Roots, h.Nodes = []int{0}, []lspclient.HierarchyNode{{Symbol: lspclient.Symbol{
		Name: name, Kind: "function", Place: lspclient.Location{Inside: true, File: f, Start: start, End: textpos.Point{Line: start.Line, Column: start.Column + len(name)}},
	}}}
	return h, nil
}

func (s *textual) TypeHierarchy(ctx context.Context, f confine.File, at lspclient.Locate, d lspclient.Direction, b lspclient.HierarchyBounds) (lspclient.Hierarchy, error) {
	return s.CallHierarchy(ctx, f, at, d, b)
}
