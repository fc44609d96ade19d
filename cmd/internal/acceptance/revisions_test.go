package acceptance_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/lsptest"
)

// A small module and a small C++ project of the same shape. An interface, its
// implementation, a call across files, and a name behind characters of every
// width.
const goProject = `
-- go.mod --
module example.com/small

go 1.26
-- shape.go --
package small

import "fmt"

// Shape has an area.
type Shape interface {
	Area() int
}

// Square is a Shape.
type Square struct{ Side int }

// Area returns the area.
func (s Square) Area() int { return s.Side * s.Side }

var _ = fmt.Sprint(1)
-- sub/use.go --
package sub

import "example.com/small"

func Sum(shapes ...small.Shape) (n int) {
	for _, s := range shapes {
		n += s.Area() // é😀
	}
	return n + small.Square{Side: 2}.Area()
}
`

const cppProject = `
-- shape.h --
#pragma once
struct Shape {
  virtual ~Shape() = default;
  virtual int area() const = 0;
};
struct Square : Shape {
  int side = 1;
  int area() const override;
};
-- shape.cpp --
#include "shape.h"
int Square::area() const { return side * side; }
-- use.cpp --
#include "shape.h"
#include <vector>
int sum(const std::vector<Shape *> &shapes) {
  int n = 0;
  for (auto *s : shapes) /* é😀 */ n += s->area();
  return n + Square().area();
}
`

// cppWorkspace writes a C++ project with its compile database.
func cppWorkspace(t *testing.T, archive string, units ...string) string {
	t.Helper()
	dir := lsptest.Workspace(t, archive)
	files := map[string]string{}
	for _, u := range units {
		files[u] = ""
	}
	lsptest.WriteFiles(t, dir, map[string]string{"compile_commands.json": lsptest.CompileCommands(t, dir, files)})
	return dir
}

type question struct {
	tool string
	args map[string]any
	want []string
}

// ask asks every question and compares the places.
func (c *client) ask(questions []question) {
	c.t.Helper()
	for _, q := range questions {
		got, r := c.tool(q.tool, q.args)
		if diff := cmp.Diff(q.want, got.places()); diff != "" {
			c.t.Errorf("%s %v (-want +got):\n%s\n%s", q.tool, q.args, diff, r.text())
		}
		if got.Completeness.State != "complete" {
			c.t.Errorf("%s %v is %+v", q.tool, q.args, got.Completeness)
		}
	}
}

func TestEveryRevisionOverStdio(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	for _, revision := range revisions {
		t.Run("gopls/"+revision, func(t *testing.T) {
			t.Parallel()
			c := newHome(t, gopls).serve(t, lsptest.Workspace(t, goProject), revision, "--trust")
			c.ask([]question{
				{"find_definition", map[string]any{"file": "sub/use.go", "line": 9, "name": "Square"}, []string{"shape.go:11:6"}},
				{"find_references", map[string]any{"symbol": "Square"}, []string{"shape.go:11:6", "shape.go:14:9", "sub/use.go:9:19"}},
				{"find_implementations", map[string]any{"file": "shape.go", "line": 6, "column": 6}, []string{"shape.go:11:6"}},
				{"document_symbols", map[string]any{"file": "sub/use.go"}, []string{"sub/use.go:5:6"}},
			})
			c.hoverAndSymbols("shape.go", 14, "Area", "returns the area", "Square")
		})
	}
	for _, clangd := range []string{"clangd-22", "clangd-19"} {
		for _, revision := range revisions {
			t.Run(clangd+"/"+revision, func(t *testing.T) {
				t.Parallel()
				path := lsptest.Require(t, clangd)
				h := newHome(t)
				h.path = only(t, path) + ":" + h.path
				dir := cppWorkspace(t, cppProject, "shape.cpp", "use.cpp")
				c := h.serve(t, dir, revision, "--trust", "--servers", clangdAlone(t, clangd))
				c.ask([]question{
					{"find_definition", map[string]any{"file": "use.cpp", "line": 6, "name": "area"}, []string{"shape.cpp:2:13"}},
					{"find_references", map[string]any{"file": "shape.h", "line": 6, "name": "Square"}, []string{"shape.cpp:2:5", "shape.h:6:8", "use.cpp:6:14"}},
					{"find_implementations", map[string]any{"file": "shape.h", "line": 4, "name": "area"}, []string{"shape.cpp:2:13"}},
				})
				c.hoverAndSymbols("shape.h", 6, "Square", "struct Square", "Square")
			})
		}
	}
}

func (c *client) hoverAndSymbols(file string, line int, name, doc, symbol string) {
	c.t.Helper()
	h, r := c.tool("hover", map[string]any{"file": file, "line": line, "name": name})
	if !strings.Contains(h.Text, doc) || !strings.Contains(r.text(), doc) {
		c.t.Errorf("hover of %s lacks %q: %s", name, doc, r.StructuredContent)
	}
	found, r := c.tool("workspace_symbols", map[string]any{"query": symbol})
	if len(found.Items) == 0 || found.Items[0].Name == "" {
		c.t.Errorf("no symbol %s: %s", symbol, r.StructuredContent)
	}
	outline, _ := c.tool("document_symbols", map[string]any{"file": file})
	if len(outline.Items) == 0 {
		c.t.Errorf("no outline of %s", file)
	}
	// The same tools, the same bytes, on every connection.
	var listed struct{ Tools []json.RawMessage }
	if err := json.Unmarshal(c.request("tools/list", map[string]any{}).Result, &listed); err != nil || len(listed.Tools) < 8 {
		c.t.Errorf("%d tools listed, error %v", len(listed.Tools), err)
	}
}
