package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
	"lspbridge/tools"
)

// A graphed is the structured answer of a hierarchy.
type graphed struct {
	Roots []string
	Nodes []struct {
		ID, Name, Kind, Path, Ref, Cut string
		Depth                          int
	}
	Edges []struct {
		From, To string
		Sites    []struct{ Line, Column int }
		Total    int `json:"total_sites"`
	}
	Cut          []string
	Completeness struct {
		State   string
		Reasons []string
	}
}

func graphedOf(t *testing.T, r tools.Result) (g graphed) {
	t.Helper()
	if r.Err != nil {
		t.Fatal(r.Err.Text())
	}
	if err := json.Unmarshal(r.Structured, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// A node of a made-up graph is a function in a file of its own line.
func madeNode(name string, depth, line int, cut lspclient.Cut) lspclient.HierarchyNode {
	return lspclient.HierarchyNode{Depth: depth, Cut: cut, Symbol: lspclient.Symbol{Name: name, Kind: "function", Place: lspclient.Location{
		Inside: true, File: confine.File{Rel: "a.go"}, Start: textpos.Point{Line: line, Column: 6}, End: textpos.Point{Line: line, Column: 6 + len(name)},
	}}}
}

func madeEdge(from, to int, lines ...int) lspclient.HierarchyEdge {
	e := lspclient.HierarchyEdge{From: from, To: to, Total: len(lines)}
	for _, l := range lines {
		e.Sites = append(e.Sites, lspclient.Location{Inside: true, File: confine.File{Rel: "a.go"}, Start: textpos.Point{Line: l, Column: 2}, End: textpos.Point{Line: l, Column: 3}})
	}
	return e
}

// A recursion of three and a node met twice: each is drawn once, and named where
// it is met again.
func TestHierarchyText(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-- a.go --\nfunc A() {\n}\n", func(_ *tools.Options, pool *textual) {
		outside := lspclient.HierarchyNode{Depth: 2, Cut: lspclient.CutOutside, Symbol: lspclient.Symbol{Name: "Out", Kind: "function", Place: lspclient.Location{
			URI: "file:///usr/include/x.h", Path: "/usr/include/x.h", Start: textpos.Point{Line: 7, Column: 1}, End: textpos.Point{Line: 7, Column: 4},
		}}}
		pool.graph = &lspclient.Hierarchy{
			Roots: []int{0},
			Nodes: []lspclient.HierarchyNode{madeNode("A", 0, 1, ""), madeNode("B", 1, 2, ""), madeNode("C", 1, 3, ""), madeNode("D", 2, 4, lspclient.CutDepth), outside},
			Edges: []lspclient.HierarchyEdge{madeEdge(1, 0, 10, 11), madeEdge(2, 0, 12), madeEdge(3, 1, 13), madeEdge(4, 1, 14), madeEdge(3, 2, 15), madeEdge(0, 2, 16), madeEdge(0, 0, 17)},
		}
	})
	r := f.ask(t, "call_hierarchy", `{"symbol":"A","depth":100}`)
	ref := graphedOf(t, r).Nodes[4].Ref
	want := `callers of A (a.go:1:6): 4 callers, 7 edges, complete
cut: 1 node not followed beyond depth 5; 1 node not followed outside the workspace; depth 100 lowered to 5, the maximum
a.go:1:6 A
  a.go:2:6 B  calls at 10:2, 11:2
    a.go:4:6 D  calls at 13:2 …
    x.h (outside the workspace) ref=` + ref + `:7:1 Out  calls at 14:2
  a.go:3:6 C  calls at 12:2
    a.go:4:6 D  calls at 15:2 (also elsewhere)
    a.go:1:6 A  calls at 16:2 (recursion)
  a.go:1:6 A  calls at 17:2 (recursion)`
	if diff := cmp.Diff(want, r.Text); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if f.pool.bounds.Depth != 5 {
		t.Errorf("asked for %+v", f.pool.bounds)
	}
	if strings.Contains(r.Text+string(r.Structured), "/usr") {
		t.Error("a path outside the workspace")
	}
}

// A graph that does not fit loses call sites first, then its last nodes, and says
// so; text and structure keep the bound.
func TestHierarchyKeepsItsBound(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-- a.go --\nfunc A() {\n}\n", func(_ *tools.Options, pool *textual) {
		g := &lspclient.Hierarchy{Roots: []int{0}, Nodes: []lspclient.HierarchyNode{madeNode("A", 0, 1, "")}}
		for i := 1; i < 200; i++ {
			g.Nodes = append(g.Nodes, madeNode(fmt.Sprintf("Caller%d", i), 1, i+1, ""))
			var lines []int
			for l := range 50 {
				lines = append(lines, 100*i+l)
			}
			g.Edges = append(g.Edges, madeEdge(i, 0, lines...))
		}
		pool.graph = g
	})
	for _, bound := range []int{1000, 10_000, 60_000, 100_000} {
		r := f.ask(t, "call_hierarchy", fmt.Sprintf(`{"symbol":"A","max_chars":%d}`, bound))
		g := graphedOf(t, r)
		if n := max(utf8.RuneCountInString(r.Text), utf8.RuneCount(r.Structured)); n > bound {
			t.Errorf("%d: %d characters", bound, n)
		}
		if len(g.Nodes) < 2 || len(g.Edges) != len(g.Nodes)-1 || g.Edges[0].Total != 50 {
			t.Errorf("%d: %d nodes, %d edges", bound, len(g.Nodes), len(g.Edges))
		}
		whole := len(g.Nodes) == 200
		if (g.Completeness.State == "complete") != whole || (r.State == lspclient.Complete) != whole || whole == strings.Contains(r.Text, "left out by max_chars") {
			t.Errorf("%d: %d nodes, %+v\n%.300s", bound, len(g.Nodes), g.Completeness, r.Text)
		}
		if bound >= 60_000 && !whole {
			t.Errorf("%d: fewer call sites would have fitted", bound)
		}
	}
}
