package lspclient_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

var roomy = lspclient.HierarchyBounds{Depth: 5, Nodes: 200, Edges: 1000, Sites: 50}

// drawn words a graph: its nodes with their levels and cuts, then its edges.
func (b *bench) drawn(h lspclient.Hierarchy) []string {
	name := func(n int) string { return fmt.Sprintf("%d:%s", n, h.Nodes[n].Name) }
	var out []string
	for i, n := range h.Nodes {
		line := fmt.Sprintf("%s %d %s", name(i), n.Depth, b.places(lspclient.Locations{Items: []lspclient.Location{n.Place}})[0])
		line, _, _ = strings.Cut(line, "-")
		if n.Cut != lspclient.CutNone {
			line += " " + string(n.Cut)
		}
		out = append(out, line)
	}
	for _, e := range h.Edges {
		line := name(e.From) + "->" + name(e.To)
		for _, s := range b.places(lspclient.Locations{Items: e.Sites}) {
			s, _, _ = strings.Cut(s, "-")
			line += " " + s
		}
		out = append(out, line)
	}
	return out
}

// wantGraph wants exactly this graph, and nothing missing from it.
func (b *bench) wantGraph(t *testing.T, what string, h lspclient.Hierarchy, err error, want ...string) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if diff := cmp.Diff(want, b.drawn(h)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
	if h.Completeness.State != lspclient.Complete {
		t.Errorf("%s: %+v", what, h.Completeness)
	}
}

// clangdWorkspace returns a bench of a clangd over files with their compile
// database.
func clangdWorkspace(t *testing.T, name string, files map[string]string) *bench {
	t.Helper()
	clangd, dir := lsptest.Require(t, name), t.TempDir()
	lsptest.WriteFiles(t, dir, files)
	lsptest.WriteFiles(t, dir, map[string]string{"compile_commands.json": lsptest.CompileCommands(t, dir, files)})
	return openReal(t, dir, "clangd", clangd)
}

// TestGoplsHierarchies: a recursion of three functions and a diamond of types
// are finite graphs.
func TestGoplsHierarchies(t *testing.T) {
	t.Parallel()
	gopls, dir := lsptest.Require(t, "gopls"), t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a.go":   "package m\n\nfunc A(n int) int { return B(n) + B(n-1) }\n\nvar start = A(3)\n",
		"b.go":   "package m\n\nimport \"strings\"\n\nfunc B(n int) int { return C(n) + len(strings.ToUpper(\"\")) }\n\nfunc C(n int) int {\n\tf := func() int { return A(n) }\n\treturn f()\n}\n",
		"t.go": "package m\n\ntype Top interface{ F() }\n\ntype L interface {\n\tTop\n\tG()\n}\n\ntype R interface {\n\tTop\n\tH()\n}\n\n" +
			"type Bottom struct{}\n\nfunc (Bottom) F() {}\nfunc (Bottom) G() {}\nfunc (Bottom) H() {}\n",
	})
	b := openReal(t, dir, "gopls", gopls)
	h, err := b.CallHierarchy(t.Context(), b.file(t, "a.go"), on("A(n"), lspclient.Incoming, roomy)
	b.wantGraph(t, "callers", h, err,
		"0:A 0 a.go:3:6", "1:init 1 a.go:5:5", "2:C 1 b.go:7:6", "3:B 2 b.go:5:6",
		"1:init->0:A a.go:5:13", "2:C->0:A b.go:8:27", "3:B->2:C b.go:5:28", "0:A->3:B a.go:3:28 a.go:3:35")
	h, err = b.CallHierarchy(t.Context(), b.file(t, "a.go"), on("A(n"), lspclient.Outgoing, roomy)
	b.wantGraph(t, "callees", h, err,
		"0:A 0 a.go:3:6", "1:B 1 b.go:5:6", "2:C 2 b.go:7:6", "3:ToUpper 2 outside:687:6 outside",
		"0:A->1:B a.go:3:28 a.go:3:35", "1:B->2:C b.go:5:28", "1:B->3:ToUpper b.go:5:47", "2:C->0:A b.go:8:27")
	h, err = b.TypeHierarchy(t.Context(), b.file(t, "t.go"), on("Top"), lspclient.Subtypes, roomy)
	b.wantGraph(t, "subtypes", h, err,
		"0:Top 0 t.go:3:6", "1:L 1 t.go:5:6", "2:R 1 t.go:10:6", "3:Bottom 1 t.go:15:6",
		"1:L->0:Top", "2:R->0:Top", "3:Bottom->0:Top", "3:Bottom->1:L", "3:Bottom->2:R")
	h, err = b.TypeHierarchy(t.Context(), b.file(t, "t.go"), on("Bottom"), lspclient.Supertypes, roomy)
	b.wantGraph(t, "supertypes", h, err,
		"0:Bottom 0 t.go:15:6", "1:Top 1 t.go:3:6", "2:L 1 t.go:5:6", "3:R 1 t.go:10:6",
		"0:Bottom->1:Top", "0:Bottom->2:L", "0:Bottom->3:R", "2:L->1:Top", "3:R->1:Top")

	// As deep as was wanted is whole; what is below is marked.
	shallow := roomy
	shallow.Depth = 1
	h, err = b.CallHierarchy(t.Context(), b.file(t, "b.go"), on("B(n"), lspclient.Incoming, shallow)
	b.wantGraph(t, "one level", h, err, "0:B 0 b.go:5:6", "1:A 1 a.go:3:6 depth", "1:A->0:B a.go:3:28 a.go:3:35")

	// The disk is the truth for a walk as well.
	b.write(t, "b.go", "package m\n\nfunc B(n int) int { return n }\n")
	h, err = b.CallHierarchy(t.Context(), b.file(t, "a.go"), on("A(n"), lspclient.Incoming, roomy)
	b.wantGraph(t, "after a change", h, err, "0:A 0 a.go:3:6", "1:init 1 a.go:5:5", "1:init->0:A a.go:5:13")
}

// TestClangdHierarchies: as for gopls; what is asked at a declaration is the same
// function as what the recursion comes back to, its definition.
func TestClangdHierarchies(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"clangd-22", "clangd-19"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := clangdWorkspace(t, name, map[string]string{
				"base.h": "#pragma once\nint a(int);\nint b(int);\nint c(int);\n" +
					"struct Top {};\nstruct L : virtual Top {};\nstruct R : virtual Top {};\nstruct Bottom : L, R {};\n",
				"a.cpp": "#include \"base.h\"\nint a(int n) { return n ? b(n) + b(n - 1) : 0; }\n",
				"b.cpp": "#include \"base.h\"\nint b(int n) { return c(n); }\n",
				"c.cpp": "#include \"base.h\"\nint c(int n) { return a(n); }\n",
			})
			for _, at := range []struct{ file, place string }{{"a.cpp", "a.cpp:2:5"}, {"base.h", ""}} {
				h, err := b.CallHierarchy(t.Context(), b.file(t, at.file), on("a(int"), lspclient.Incoming, roomy)
				if err != nil {
					t.Fatal(err)
				}
				root := at.place
				if root == "" {
					root = "base.h:2:5"
				}
				b.wantGraph(t, "callers from "+at.file, h, err,
					"0:a 0 "+root, "1:c 1 c.cpp:2:5", "2:b 2 b.cpp:2:5",
					"1:c->0:a c.cpp:2:23", "2:b->1:c b.cpp:2:23", "0:a->2:b a.cpp:2:27 a.cpp:2:34")
			}
			h, err := b.TypeHierarchy(t.Context(), b.file(t, "base.h"), on("Top"), lspclient.Subtypes, roomy)
			b.wantGraph(t, "subtypes", h, err,
				"0:Top 0 base.h:5:8", "1:L 1 base.h:6:8", "2:R 1 base.h:7:8", "3:Bottom 2 base.h:8:8",
				"1:L->0:Top", "2:R->0:Top", "3:Bottom->1:L", "3:Bottom->2:R")
			h, err = b.TypeHierarchy(t.Context(), b.file(t, "base.h"), on("Bottom"), lspclient.Supertypes, roomy)
			b.wantGraph(t, "supertypes", h, err,
				"0:Bottom 0 base.h:8:8", "1:L 1 base.h:6:8", "2:R 1 base.h:7:8", "3:Top 2 base.h:5:8",
				"0:Bottom->1:L", "0:Bottom->2:R", "1:L->3:Top", "2:R->3:Top")

			h, err = b.CallHierarchy(t.Context(), b.file(t, "a.cpp"), on("a(int"), lspclient.Outgoing, roomy)
			if name == "clangd-22" {
				b.wantGraph(t, "callees", h, err,
					"0:a 0 a.cpp:2:5", "1:b 1 b.cpp:2:5", "2:c 2 c.cpp:2:5",
					"0:a->1:b a.cpp:2:27 a.cpp:2:34", "1:b->2:c b.cpp:2:23", "2:c->0:a c.cpp:2:23")
				return
			}
			if err == nil || code(t, err) != lspclient.CodeUnsupported {
				t.Fatalf("callees: %+v, %v", h, err)
			}
			hint := err.(*lspclient.Error).Hint
			if !strings.HasPrefix(err.Error(), "clangd 19.") || !strings.HasSuffix(err.Error(), " has no callHierarchy/outgoingCalls") || hint != "clangd 20 has it" {
				t.Errorf("callees: %q, hint %q", err, hint)
			}
		})
	}
}

// TestHierarchyBounds: a function with 1,000 callers stops at each bound, says
// so, and is the same each time.
func TestHierarchyBounds(t *testing.T) {
	t.Parallel()
	const callers = 1000
	golang, cpp := "package m\n\nfunc F() {}\n", "void f() {}\n"
	for i := range callers {
		golang += fmt.Sprintf("func g%04d() { F(); F(); F() }\n", i)
		cpp += fmt.Sprintf("void g%04d() { f(); f(); f(); }\n", i)
	}
	for _, tt := range []struct {
		server, file, word string
		open               func(t *testing.T) *bench
	}{
		{"gopls", "f.go", "F()", func(t *testing.T) *bench {
			gopls, dir := lsptest.Require(t, "gopls"), t.TempDir()
			lsptest.WriteFiles(t, dir, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "f.go": golang})
			return openReal(t, dir, "gopls", gopls)
		}},
		{"clangd-22", "f.cpp", "f()", func(t *testing.T) *bench {
			return clangdWorkspace(t, "clangd-22", map[string]string{"f.cpp": cpp})
		}},
		{"clangd-19", "f.cpp", "f()", func(t *testing.T) *bench {
			return clangdWorkspace(t, "clangd-19", map[string]string{"f.cpp": cpp})
		}},
	} {
		t.Run(tt.server, func(t *testing.T) {
			t.Parallel()
			b := tt.open(t)
			ask := func(bounds lspclient.HierarchyBounds, nodes, edges int, state lspclient.State, reasons ...string) {
				t.Helper()
				h, err := b.CallHierarchy(t.Context(), b.file(t, tt.file), on(tt.word), lspclient.Incoming, bounds)
				if err != nil {
					t.Fatal(err)
				}
				if len(h.Nodes) != nodes || len(h.Edges) != edges {
					t.Errorf("%+v: %d nodes, %d edges", bounds, len(h.Nodes), len(h.Edges))
				}
				for i, n := range h.Nodes[1:] {
					if want := fmt.Sprintf("g%04d", i); n.Name != want {
						t.Fatalf("%+v: node %d is %s, want %s", bounds, i+1, n.Name, want)
					}
				}
				for _, e := range h.Edges {
					if e.Total != 3 || len(e.Sites) != min(3, bounds.Sites) {
						t.Fatalf("%+v: edge %+v", bounds, e)
					}
				}
				if diff := cmp.Diff(reasons, h.Completeness.Reasons); h.Completeness.State != state || diff != "" && len(reasons) > 0 {
					t.Errorf("%+v: %+v\n%s", bounds, h.Completeness, diff)
				}
			}
			ask(lspclient.HierarchyBounds{Depth: 3, Nodes: 200, Edges: 1000, Sites: 50}, 200, 199, lspclient.Partial,
				"hierarchy_nodes 200 reached: 801 callers not shown, 199 nodes not asked for theirs")
			ask(lspclient.HierarchyBounds{Depth: 3, Nodes: 2000, Edges: 100, Sites: 50}, 101, 100, lspclient.Partial,
				"hierarchy_edges 100 reached: 900 callers not shown, 100 nodes not asked for theirs")
			ask(lspclient.HierarchyBounds{Depth: 1, Nodes: 2000, Edges: 2000, Sites: 2}, 1001, 1000, lspclient.Partial,
				"call_sites 2 of an edge reached: 1000 call sites not shown")
			ask(lspclient.HierarchyBounds{Depth: 2, Nodes: 2000, Edges: 2000, Sites: 50}, 1001, 1000, lspclient.Complete)
		})
	}
}

// TestHierarchyShapes: an item goes back as it came; a bad element costs
// itself; a node that the server does not answer for costs its own neighbours.
func TestHierarchyShapes(t *testing.T) {
	t.Parallel()
	at := func(name string, line, character int, more string) string {
		r := fmt.Sprintf(`{"start":{"line":%[1]d,"character":%[2]d},"end":{"line":%[1]d,"character":%[3]d}}`, line, character, character+1)
		return fmt.Sprintf(`{"name":%q,"kind":12,"uri":"$ROOT/a.fake","range":%s,"selectionRange":%s%s}`, name, r, r, more)
	}
	root := at("a", 0, 0, `, "data":  {"n":1.50}, "vendor":[1,  2]`)
	site := `{"start":{"line":0,"character":2},"end":{"line":0,"character":3}}`
	script := lsptest.Script{
		Capabilities: `{"callHierarchyProvider":true}`,
		On: map[string][]lsptest.Reaction{
			"textDocument/prepareCallHierarchy": {{Result: "[" + root + "," + root + "]"}},
			"callHierarchy/incomingCalls": {
				{Result: `[{"from":` + at("b", 0, 2, "") + `,"fromRanges":[` + site + `,{"start":7},` + site + `]},` +
					`{"from":{"name":"c"},"fromRanges":[]},7,{"from":` + at("d", 9, 0, "") + `,"fromRanges":[]}]`},
				{Error: &lsptest.Error{Code: -32000, Message: "cannot\nsay"}},
			},
		},
	}
	b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": "a b c\n"}, nil)
	h, err := b.CallHierarchy(t.Context(), b.file(t, "a.fake"), on("a"), lspclient.Incoming, roomy)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"0:a 0 a.fake:1:1", "1:b 1 a.fake:1:3 failed", "1:b->0:a a.fake:1:3"}
	if diff := cmp.Diff(want, b.drawn(h)); diff != "" {
		t.Errorf("graph (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{0}, h.Roots); diff != "" {
		t.Errorf("roots (-want +got):\n%s", diff)
	}
	reasons := []string{
		"1 place outside its file's text", "3 places that the server sent cannot be read", "callers of b: fakels: cannot say",
	}
	if diff := cmp.Diff(reasons, h.Completeness.Reasons); diff != "" || h.Completeness.State != lspclient.Partial {
		t.Errorf("completeness %s (-want +got):\n%s", h.Completeness.State, diff)
	}
	// The first item as it came, but for the space between its tokens.
	sent := fake.Await(t, "callHierarchy/incomingCalls", 1)[0].Params
	if want := `"data":{"n":1.50},"vendor":[1,2]}`; !strings.Contains(string(sent), want) {
		t.Errorf("sent back %s, without %s", sent, want)
	}
}

// TestClangdCalleesOfADeclaration: asked at the declaration, clangd 22 tells what
// a function calls, and not where; the bridge asks at the definition.
func TestClangdCalleesOfADeclaration(t *testing.T) {
	t.Parallel()
	b := clangdWorkspace(t, "clangd-22", map[string]string{
		"base.h": "#pragma once\nint alpha(int);\nint beta(int);\n",
		"a.cpp":  "#include \"base.h\"\nint alpha(int n) { return n ? beta(n - 1) + beta(n - 2) : 0; }\n",
		"b.cpp":  "#include \"base.h\"\nint beta(int n) { return n; }\n",
	})
	h, err := b.CallHierarchy(t.Context(), b.file(t, "base.h"), on("alpha"), lspclient.Outgoing, roomy)
	b.wantGraph(t, "callees", h, err, "0:alpha 0 a.cpp:2:5", "1:beta 1 b.cpp:2:5", "0:alpha->1:beta a.cpp:2:31 a.cpp:2:45")
}
