package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
	"lspbridge/tools"
)

const realGo = `
-- go.mod --
module example.com/m

go 1.26
-- lsp/client.go --
package lsp

import "fmt"

// Client is a client; see [Pool].
type Client struct {
	Conn   int
	Nested struct{ Deep int }
}

// Close closes.
func (c *Client) Close() error { fmt.Println(c.Conn); return nil }

type Pool struct{ c Client }

func (p Pool) Close() error { return nil }

// Closer is closed.
type Closer interface{ Close() error }

const Budget = 1
-- lsp/list.go --
package lsp

type List[T any] struct{ items []T }

func (l *List[T]) Push(v T) {
	l.items = append(l.items, v)
}
-- main.go --
package main

import "example.com/m/lsp"

func main() {
	var c lsp.Client
	var l lsp.List[int]
	c.Close()
	l.Push(lsp.Budget )
}
`

// A real asks a bridge whose server is real.
type real struct {
	*fixture
	t *testing.T
}

func startReal(t *testing.T, dir, server, program string) real {
	t.Helper()
	b := startBridge(t, dir, server, program, limits.Default())
	return real{&fixture{Bridge: b.Bridge, dir: dir}, t}
}

// header asks and returns the first line of the answer.
func (r real) header(tool, args string) string {
	r.t.Helper()
	res := r.ask(r.t, tool, args)
	if res.Err != nil {
		return "error " + res.Err.Code + ": " + res.Err.Text()
	}
	first, _, _ := strings.Cut(res.Text, "\n")
	return first
}

func TestGoSymbolTargets(t *testing.T) {
	t.Parallel()
	r := startReal(t, lsptest.Workspace(t, realGo), "gopls", lsptest.Require(t, "gopls"))
	for symbol, want := range map[string]string{
		"Budget":                         "Budget (lsp/client.go:21:7)",
		"lsp.Budget":                     "Budget (lsp/client.go:21:7)",
		"Client":                         "Client (lsp/client.go:6:6)",
		"Client.Close":                   "Close (lsp/client.go:12:18)",
		"(*Client).Close":                "Close (lsp/client.go:12:18)",
		"lsp.(*Client).Close":            "Close (lsp/client.go:12:18)",
		"lsp.Client.Close":               "Close (lsp/client.go:12:18)",
		"example.com/m/lsp.Client.Close": "Close (lsp/client.go:12:18)",
		"m/lsp.Pool.Close()":             "Close (lsp/client.go:16:15)",
		"Closer.Close":                   "Close (lsp/client.go:19:24)",
		"Client.Conn":                    "Conn (lsp/client.go:7:2)",
		"Conn":                           "Conn (lsp/client.go:7:2)",
		"Client.Nested.Deep":             "Deep (lsp/client.go:8:17)",
		"List.Push":                      "Push (lsp/list.go:5:19)",
		"(*List[T]).Push":                "Push (lsp/list.go:5:19)",
		"main":                           "main (main.go:5:6)",
	} {
		for _, more := range []string{``, `,"language":"go"`} {
			got := r.header("find_references", `{"symbol":"`+symbol+`"`+more+`}`)
			if !strings.HasPrefix(got, "references to "+want+": ") || !strings.HasSuffix(got, ", complete") {
				t.Errorf("%s%s: %s, want %s", symbol, more, got, want)
			}
		}
	}
	for args, want := range map[string]string{
		`{"symbol":"Close","file":"lsp/client.go"}`:               "3 symbols",
		`{"symbol":"Client.Close","file":"lsp/client.go"}`:        "hover of Close (lsp/client.go:12:18): complete",
		`{"symbol":"lsp.(*Client).Close","file":"lsp/client.go"}`: "hover of Close (lsp/client.go:12:18): complete",
		`{"symbol":"Deep","file":"lsp/client.go"}`:                "hover of Deep (lsp/client.go:8:17): complete",
		`{"symbol":"Push","file":"lsp/list.go"}`:                  "hover of Push (lsp/list.go:5:19): complete",
		`{"symbol":"Close"}`:                                      "Close means 3 symbols",
		`{"symbol":"Close","symbol_kind":"function"}`:             "error outside_workspace",
		`{"symbol":"Clinet"}`:                                     "nearest names are: Client",
		`{"symbol":"client.close"}`:                               "error unknown_symbol",
		`{"symbol":"Printf"}`:                                     "outside the workspace",
	} {
		if got := r.header("hover", args); !strings.Contains(got, want) {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

func TestGoAnswersHideTheMachine(t *testing.T) {
	t.Parallel()
	r := startReal(t, lsptest.Workspace(t, realGo), "gopls", lsptest.Require(t, "gopls"))
	schemas := map[string]*jsonschema.Resolved{}
	for _, d := range tools.Catalogue() {
		var s jsonschema.Schema
		if err := json.Unmarshal(d.OutputSchema, &s); err != nil {
			t.Fatal(err)
		}
		resolved, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		schemas[d.Name] = resolved
	}
	for _, q := range []struct {
		tool, args string
		says       []string
	}{
		{"find_definition", `{"file":"lsp/client.go","line":12,"name":"Println"}`, []string{"fmt/print.go (outside the workspace) ref="}},
		{"find_definition", `{"file":"main.go","line":8,"name":"c","kind":"type"}`, []string{"type of c (main.go:8:2): 1, complete", "lsp/client.go\n  6:6"}},
		{"find_definition", `{"file":"main.go","line":8,"column":3}`, []string{"definition of c (main.go:8:2)", "6:6  var c lsp.Client"}},
		{"find_definition", `{"symbol":"List.Push","body":true}`, []string{"    func (l *List[T]) Push(v T) {\n    \tl.items = append(l.items, v)\n    }"}},
		{"find_implementations", `{"symbol":"Closer"}`, []string{"lsp/client.go\n  6:6  type Client struct {\n  14:6  type Pool struct{ c Client }\n", "io/io.go (outside the workspace) ref="}},
		{"find_references", `{"symbol":"Client.Close"}`, []string{"2, complete", "main.go\n  8:4  c.Close()  (in main)"}},
		{"find_references", `{"symbol":"Client.Conn"}`, []string{"12:48", "(in (*Client).Close)"}},
		{"hover", `{"file":"lsp/client.go","line":12,"name":"Println"}`, []string{"func fmt.Println(a ...any)", "formats using the default formats"}},
		{"hover", `{"symbol":"Client"}`, []string{"Client is a client"}},
		{"document_symbols", `{"file":"lsp/client.go"}`, []string{"  6:6  struct Client\n    7:2  field Conn\n    8:2  field Nested\n      8:17  field Deep\n"}},
		{"workspace_symbols", `{"query":"Println","scope":"all"}`, []string{"fmt/print.go (outside the workspace):", "function Println  (in fmt)  ref="}},
		{"workspace_symbols", `{"query":"Clos"}`, []string{"Client.Close", "Pool.Close", "interface Closer"}},
		{"preview_format", `{"file":"main.go"}`, []string{"-\tl.Push(lsp.Budget )\n+\tl.Push(lsp.Budget)"}},
		{"preview_format", `{"file":"lsp/list.go"}`, []string{"nothing to do"}},
		{"server_status", `{}`, []string{"gopls v0.23.0: ready"}},
	} {
		res := r.ask(t, q.tool, q.args)
		if res.Err != nil {
			t.Errorf("%s %s: %s", q.tool, q.args, res.Err.Text())
			continue
		}
		for _, says := range q.says {
			if !strings.Contains(res.Text, says) {
				t.Errorf("%s %s does not say %q:\n%s", q.tool, q.args, says, res.Text)
			}
		}
		for _, secret := range []string{r.dir, "/usr/", "/root/", "file://", os.TempDir()} {
			if strings.Contains(res.Text+string(res.Structured), secret) {
				t.Errorf("%s %s shows %s:\n%s", q.tool, q.args, secret, res.Text)
			}
		}
		var v any
		if err := json.Unmarshal(res.Structured, &v); err != nil {
			t.Fatal(err)
		}
		if err := schemas[q.tool].Validate(v); err != nil || bytes.Contains(res.Structured, []byte("null")) {
			t.Errorf("%s %s: %v\n%s", q.tool, q.args, err, res.Structured)
		}
	}
	res := r.ask(t, "find_definition", `{"symbol":"Client","kind":"declaration"}`)
	if res.Err == nil || res.Err.Code != "unsupported" || !strings.Contains(res.Err.Message, "gopls") || !strings.Contains(res.Err.Message, "declaration") {
		t.Errorf("declaration, which gopls lacks: %+v", res)
	}
}

func TestGoOutlinePagesNest(t *testing.T) {
	t.Parallel()
	r := startReal(t, lsptest.Workspace(t, realGo), "gopls", lsptest.Require(t, "gopls"))
	type symbol struct {
		Name, Container string
		Children        []symbol
	}
	var names func(list []symbol) []string
	names = func(list []symbol) []string {
		var out []string
		for _, s := range list {
			out = append(out, s.Container+"/"+s.Name)
			out = append(out, names(s.Children)...)
		}
		return out
	}
	want := []string{
		"/Client", "Client/Conn", "Client/Nested", "Client.Nested/Deep", "/(*Client).Close", "/Pool", "Pool/c", "/(Pool).Close", "/Closer", "Closer/Close", "/Budget",
	}
	for _, size := range []int{1, 2, 3, 100} {
		var got []string
		cursor := ""
		for {
			res := r.ask(t, "document_symbols", fmt.Sprintf(`{"file":"lsp/client.go","max_items":%d%s}`, size, cursor))
			if res.Err != nil {
				t.Fatal(res.Err.Text())
			}
			var page struct {
				Items      []symbol
				Total      int
				NextCursor string `json:"next_cursor"`
			}
			if err := json.Unmarshal(res.Structured, &page); err != nil {
				t.Fatal(err)
			}
			on := names(page.Items)
			if len(on) > size || page.Total != len(want) {
				t.Fatalf("%d symbols of %d on a page of %d", len(on), page.Total, size)
			}
			got = append(got, on...)
			if page.NextCursor == "" {
				break
			}
			cursor = `,"cursor":"` + page.NextCursor + `"`
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("pages of %d (-want +got):\n%s", size, d)
		}
	}
	for args, want := range map[string]string{
		`{"file":"lsp/client.go","depth":1}`:              "outline of lsp/client.go: 6, complete",
		`{"file":"lsp/client.go","kinds":["field"]}`:      "outline of lsp/client.go: 4, complete",
		`{"file":"lsp/client.go","kinds":["type"]}`:       "outline of lsp/client.go: 3, complete",
		`{"file":"lsp/client.go","kinds":["enum","key"]}`: "outline of lsp/client.go: no symbols, complete",
	} {
		if got := r.header("document_symbols", args); got != want {
			t.Errorf("%s: %s, want %s", args, got, want)
		}
	}
}

const realCPP = `
-- shape.h --
#pragma once
namespace geo {
struct Shape {
  explicit Shape(int n);
  virtual ~Shape();
  virtual int area(int scale) const = 0;
  bool operator==(const Shape &other) const;
};
int twice(int n);
double twice(double n);
}  // namespace geo
-- shape.cpp --
#include "shape.h"
#include <vector>
namespace geo {
Shape::Shape(int n) { twice(n); }
Shape::~Shape() = default;
bool Shape::operator==(const Shape &other) const { return area(1) == other.area(1); }
int twice(int n) { return 2 * n; }
double twice(double n) { return 2 * n; }
}  // namespace geo
std::vector<int> all;
`

func TestCPPSymbolTargets(t *testing.T) {
	t.Parallel()
	for _, clangd := range []string{"clangd-22", "clangd-19"} {
		t.Run(clangd, func(t *testing.T) {
			t.Parallel()
			program := lsptest.Require(t, clangd)
			dir := lsptest.Workspace(t, realCPP)
			write(t, filepath.Join(dir, "compile_commands.json"), lsptest.CompileCommands(t, dir, map[string]string{"shape.cpp": ""}))
			r := startReal(t, dir, "clangd", program)
			for args, want := range map[string]string{
				`{"symbol":"Shape"}`:                                         "Shape (shape.h:3:8): ",
				`{"symbol":"geo::Shape"}`:                                    "Shape (shape.h:3:8): ",
				`{"symbol":"geo.Shape"}`:                                     "Shape (shape.h:3:8): ",
				`{"symbol":"Shape::area"}`:                                   "area (shape.h:6:15): ",
				`{"symbol":"geo::Shape::area(int)"}`:                         "area (shape.h:6:15): ",
				`{"symbol":"area","file":"shape.h"}`:                         "area (shape.h:6:15): ",
				`{"symbol":"Shape::area","language":"cpp"}`:                  "area (shape.h:6:15): ",
				`{"file":"shape.h","line":5,"name":"~Shape"}`:                "~Shape (shape.h:5:11): ",
				`{"file":"shape.h","line":7,"name":"operator=="}`:            "operator== (shape.h:7:8): ",
				`{"file":"shape.cpp","line":6,"name":"area","occurrence":2}`: "area (shape.cpp:6:76): ",
				`{"symbol":"twice"}`:                                         "error ambiguous_symbol: twice means 2 symbols",
				`{"symbol":"geo::twyce"}`:                                    "error unknown_symbol: ",
				`{"symbol":"other::Shape"}`:                                  "error unknown_symbol: ",
			} {
				got := r.header("find_references", args)
				if !strings.HasPrefix(strings.TrimPrefix(got, "references to "), want) {
					t.Errorf("%s: %s, want %s", args, got, want)
				}
				if !strings.HasPrefix(got, "error") && !strings.HasSuffix(got, ", complete") {
					t.Errorf("%s: %s, want it complete", args, got)
				}
			}
			res := r.ask(t, "find_definition", `{"file":"shape.cpp","line":10,"name":"vector"}`)
			if res.Err != nil || !strings.Contains(res.Text, "(outside the workspace) ref=") || strings.Contains(res.Text+string(res.Structured), "/usr") {
				t.Errorf("a place of the system: %+v", res)
			}
			res = r.ask(t, "hover", `{"symbol":"Shape::area"}`)
			if res.Err != nil || !strings.Contains(res.Text, "area") || strings.Contains(res.Text, r.dir) {
				t.Errorf("hover: %+v", res)
			}
		})
	}
}
