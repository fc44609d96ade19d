package tools_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
	"lspbridge/tools"
)

// A sweepRow asks one tool of either toolset on a real project of Go and on one
// of C++. The programs in lack have no method; they say so.
type sweepRow struct {
	tool, golang, cpp string
	lack, method      string
}

var sweep = []sweepRow{
	{tool: "call_hierarchy", golang: `{"symbol":"two","direction":"outgoing"}`, cpp: `{"symbol":"geo::Square::area","direction":"incoming"}`},
	{tool: "code_lens", golang: `{"file":"lsp/gen.go"}`, cpp: `{"file":"main.cpp"}`, lack: "clangd-19 clangd-22", method: "textDocument/codeLens"},
	{tool: "completion", golang: `{"file":"lsp/gen.go","line":11,"column":6}`, cpp: `{"file":"main.cpp","line":9,"column":7}`},
	{tool: "diagnostics", golang: `{}`, cpp: `{"file":"main.cpp"}`},
	{tool: "document_colors", golang: `{"file":"lsp/gen.go"}`, cpp: `{"file":"main.cpp"}`, lack: "gopls clangd-19 clangd-22", method: "textDocument/documentColor"},
	{tool: "document_highlights", golang: `{"symbol":"Pool.c"}`, cpp: `{"file":"main.cpp","line":9,"column":18}`},
	{tool: "document_links", golang: `{"file":"lsp/client.go"}`, cpp: `{"file":"main.cpp"}`},
	{tool: "document_symbols", golang: `{"file":"lsp/client.go"}`, cpp: `{"file":"shape.h"}`},
	{tool: "find_definition", golang: `{"file":"lsp/client.go","line":12,"name":"Println"}`, cpp: `{"file":"main.cpp","line":8,"name":"vector"}`},
	{tool: "find_implementations", golang: `{"symbol":"Closer"}`, cpp: `{"symbol":"Shape::area"}`},
	{tool: "find_references", golang: `{"symbol":"Client"}`, cpp: `{"symbol":"geo::Shape"}`},
	{tool: "folding_ranges", golang: `{"file":"lsp/client.go"}`, cpp: `{"file":"shape.h"}`},
	{tool: "hover", golang: `{"file":"lsp/client.go","line":12,"name":"Println"}`, cpp: `{"file":"main.cpp","line":8,"name":"vector"}`},
	{tool: "inlay_hints", golang: `{"file":"main.go"}`, cpp: `{"file":"main.cpp"}`},
	{tool: "preview_code_actions", golang: `{"file":"lsp/gen.go"}`, cpp: `{"file":"main.cpp","start_line":10,"start_column":3,"end_column":7}`},
	{tool: "preview_format", golang: `{"file":"main.go"}`, cpp: `{"file":"main.cpp"}`},
	{tool: "preview_rename", golang: `{"symbol":"two","new_name":"three"}`, cpp: `{"symbol":"geo::Square::side","new_name":"edge"}`},
	{tool: "selection_ranges", golang: `{"file":"main.go","line":8,"column":5}`, cpp: `{"file":"main.cpp","line":9,"column":5}`},
	{tool: "semantic_tokens", golang: `{"file":"lsp/client.go"}`, cpp: `{"file":"main.cpp"}`},
	{tool: "server_status", golang: `{}`, cpp: `{}`},
	{tool: "signature_help", golang: `{"file":"lsp/client.go","line":12,"column":47}`, cpp: `{"file":"main.cpp","line":9,"column":25}`},
	{tool: "symbol_context", golang: `{"symbol":"Client.Close"}`, cpp: `{"symbol":"geo::Shape::area"}`},
	{tool: "type_hierarchy", golang: `{"symbol":"Closer"}`, cpp: `{"symbol":"geo::Shape"}`},
	{tool: "workspace_symbols", golang: `{"query":"Println","scope":"all"}`, cpp: `{"query":"Shape"}`},
}

const sweepGo = realGo + `
-- lsp/gen.go --
package lsp

//go:generate echo

// more is for https://example.com/docs.
func more() {
	one := Pool{Client{Conn: 1}}
	one.c.Close()
	one.c.Conn = two(one)
	var p Pool
	p.c.Close()
}

func two(p Pool) int { return p.c.Conn }
`

const sweepCPP = `
-- shape.h --
#pragma once
namespace geo {
// A Shape has an area.
struct Shape {
  virtual ~Shape();
  virtual int area(int scale) const = 0;
};
struct Square : Shape {
  int area(int scale) const override { return side * scale; }
  int side = 1;
};
}  // namespace geo
-- main.cpp --
#include "shape.h"
#include <vector>
#define TWICE(x) (2 * (x))
namespace geo {
Shape::~Shape() = default;
}
int main() {
  std::vector<int> all;
  geo::Square s; s.area(TWICE(1));
  auto n = s.area(  3 );
  return n;
}
`

// Every tool answers on real servers, or says which server, version and method
// it is not: no empty answers, nothing of this machine, and nothing written.
func TestSweep(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"gopls", "clangd-22", "clangd-19"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			executable := lsptest.Require(t, program)
			server := strings.TrimRight(program, "-0123456789")
			archive := sweepCPP
			if server == "gopls" {
				archive = sweepGo
			}
			dir := lsptest.Workspace(t, archive)
			if server == "clangd" {
				write(t, filepath.Join(dir, "compile_commands.json"), lsptest.CompileCommands(t, dir, map[string]string{"main.cpp": ""}))
			}
			before := treeHash(t, dir)
			budget := limits.Default()
			budget.CallTimeout, budget.CallTotal = budget.CallTotal, 2*budget.CallTotal // for machines under load
			b := startBridge(t, dir, server, executable, budget)
			secrets := append(machinePaths(t), dir, os.TempDir(), "file://")
			for _, d := range tools.Full.Catalogue() {
				i := slices.IndexFunc(sweep, func(r sweepRow) bool { return r.tool == d.Name })
				if i < 0 {
					t.Errorf("%s has no row", d.Name)
					continue
				}
				sweepOne(t, b.Bridge, d, sweep[i], program, secrets)
			}
			if after := treeHash(t, dir); after != before {
				t.Error("the workspace was changed")
			}
		})
	}
	for _, r := range sweep {
		if !slices.ContainsFunc(tools.Full.Catalogue(), func(d tools.Definition) bool { return d.Name == r.tool }) {
			t.Errorf("the row %s has no tool", r.tool)
		}
	}
}

func sweepOne(t *testing.T, b *tools.Bridge, d tools.Definition, row sweepRow, program string, secrets []string) {
	args := row.cpp
	if program == "gopls" {
		args = row.golang
	}
	r := b.Call(t.Context(), tools.Call{Tool: d.Name, Args: json.RawMessage(args)})
	said := r.Text + string(r.Structured)
	if r.Err != nil {
		said = r.Err.Text()
	}
	for _, secret := range secrets {
		if strings.Contains(said, secret) {
			t.Errorf("%s %s shows %s:\n%s", d.Name, args, secret, said)
		}
	}
	if slices.Contains(strings.Fields(row.lack), program) {
		server, major, _ := strings.Cut(program, "-")
		if r.Err == nil || r.Err.Code != "unsupported" || !strings.Contains(r.Err.Message, " has no "+row.method) || !strings.HasPrefix(r.Err.Message, server+" "+map[string]string{"gopls": lsptest.GoplsVersion}[server]+major) {
			t.Errorf("%s: %+v, want an error that names %s, its version and %s", d.Name, r, server, row.method)
		}
		return
	}
	if r.Err != nil {
		t.Errorf("%s %s: %s", d.Name, args, said)
		return
	}
	// What it says of the servers themselves may change, and clangd offers the
	// names of the standard library from when it has read that, which it tells
	// nobody.
	changes := d.Name == "server_status" || d.Name == "completion" && program != "gopls"
	if again := b.Call(t.Context(), tools.Call{Tool: d.Name, Args: json.RawMessage(args)}); again.Text != r.Text && !changes {
		t.Errorf("%s %s: asked again it says\n%s\nafter\n%s", d.Name, args, again.Text, r.Text)
	}
	var out jsonschema.Schema
	if err := json.Unmarshal(d.OutputSchema, &out); err != nil {
		t.Fatal(err)
	}
	resolved, err := out.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(r.Structured, &v); err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(v); err != nil || holdsNull(v) {
		t.Errorf("%s: %v\n%s", d.Name, err, r.Structured)
	}
	if items, ok := v["items"].([]any); ok && len(items) == 0 {
		t.Errorf("%s %s: %s", d.Name, args, said)
	}
}

// holdsNull reports whether a null is anywhere in decoded JSON.
func holdsNull(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case []any:
		return slices.ContainsFunc(v, holdsNull)
	case map[string]any:
		for _, member := range v {
			if holdsNull(member) {
				return true
			}
		}
	}
	return false
}

// machinePaths are folders of this machine that no answer shows.
func machinePaths(t *testing.T) []string {
	t.Helper()
	list := []string{"/usr/include", "/usr/lib"}
	if home, err := os.UserHomeDir(); err == nil {
		list = append(list, home+"/")
	}
	if _, err := exec.LookPath("go"); err == nil {
		out, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT", "GOMODCACHE").Output()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, strings.Fields(string(out))...)
	}
	return list
}

// treeHash stands for the names, modes and bytes of a folder.
func treeHash(t *testing.T, dir string) string {
	t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %v\n", path, info.Mode())
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			fmt.Fprintf(h, "%d\n%s", len(text), text)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
