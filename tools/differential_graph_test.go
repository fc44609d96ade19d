package tools_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

func siteAt(line, column int) string { return fmt.Sprintf("%d:%d", line, column) }

// hierarchy asks for a hierarchy and returns its lines, as [graph.lines] has them.
func (b realBridge) hierarchy(ctx context.Context, t *testing.T, d direction, q question, depth int) answer {
	t.Helper()
	var s struct {
		Roots []string
		Nodes []struct {
			ID, Cut string
			placed
		}
		Edges []struct {
			From, To string
			Sites    []struct {
				Path, Ref    string
				Line, Column int
			}
			Total int `json:"total_sites"`
		}
	}
	a := b.structured(ctx, t, d.tool, map[string]any{"file": q.file, "line": q.line, "column": q.column, "direction": d.name, "depth": depth}, &s)
	nodes := map[string]string{}
	for _, n := range s.Nodes {
		nodes[n.ID] = n.place(t) + " " + n.Name
		if n.Cut != "" && n.Cut != "depth" && n.Cut != "outside" && n.Cut != "edges" {
			t.Errorf("%s of %v: %s is cut by %s", d.name, q, n.Name, n.Cut)
		}
	}
	var g graph
	for _, r := range s.Roots {
		g.roots = append(g.roots, nodes[r])
	}
	for _, e := range s.Edges {
		made := edge{from: nodes[e.From], to: nodes[e.To]}
		for _, c := range e.Sites {
			if c.Path != "" || c.Ref != "" || e.Total != 0 {
				t.Errorf("%s of %v: the calls %+v", d.name, q, e)
			}
			made.sites = append(made.sites, siteAt(c.Line, c.Column))
		}
		g.edges = append(g.edges, made)
	}
	a.places = g.lines()
	return a
}

// outline asks for the symbols of a file down to a depth; 0 is all.
func (b realBridge) outline(ctx context.Context, t *testing.T, file string, depth int) answer {
	t.Helper()
	arguments := map[string]any{"file": file}
	if depth > 0 {
		arguments["depth"] = depth
	}
	a, items := b.list(ctx, t, outlineTool, arguments)
	var walk func(list []placed, outer string)
	walk = func(list []placed, outer string) {
		for _, i := range list {
			a.places = append(a.places, symbolLine(i.place(t), outer+i.Name, i.Kind))
			walk(i.Children, outer+i.Name+" > ")
		}
	}
	walk(items, "")
	slices.Sort(a.places)
	return a
}

// symbols asks for the symbols of the workspace that match a query.
func (b realBridge) symbols(ctx context.Context, t *testing.T, query string) answer {
	t.Helper()
	a, items := b.list(ctx, t, symbolsTool, map[string]any{"query": query})
	for _, i := range items {
		a.places = append(a.places, symbolLine(i.place(t), i.Name, i.Kind))
	}
	slices.Sort(a.places)
	return a
}
