package tools_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"lspbridge/lspclient/lsptest"
)

// A goplsServer is a gopls that is asked as a server, for what the command line
// does not tell. Like that it has no file open but the asked one.
type goplsServer struct {
	command goplsCommand
	raw     *lsptest.Raw
	mu      sync.Mutex // held for one question
}

func startGopls(t *testing.T, command goplsCommand) *goplsServer {
	t.Helper()
	return &goplsServer{command: command, raw: lsptest.StartRaw(t, lsptest.RawOptions{Program: command.program, Dir: command.dir, Env: command.env})}
}

// A direction is a question about a hierarchy (LSP 3.17).
type direction struct {
	tool, name      string // of the bridge
	prepare, expand string
	neighbour       string // member that holds the item of a call, "" for types
	backwards       bool   // the neighbours lead to the asked item
}

var (
	incomingCalls = direction{callsTool, "incoming", "textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls", "from", true}
	outgoingCalls = direction{callsTool, "outgoing", "textDocument/prepareCallHierarchy", "callHierarchy/outgoingCalls", "to", false}
	supertypes    = direction{typesTool, "supertypes", "textDocument/prepareTypeHierarchy", "typeHierarchy/supertypes", "", false}
	subtypes      = direction{typesTool, "subtypes", "textDocument/prepareTypeHierarchy", "typeHierarchy/subtypes", "", true}
)

// hierarchy walks a hierarchy breadth first. Nothing outside the workspace is
// followed but the asked item.
func (s *goplsServer) hierarchy(ctx context.Context, d direction, q question, depth int) answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := filepath.Join(s.command.dir, filepath.FromSlash(q.file))
	s.raw.Open(path, "go")
	defer s.raw.Close(path)
	ctx, cancel := context.WithTimeout(ctx, goplsTime)
	defer cancel()
	params, err := positionParams(s.command.dir, q, utf16Column)
	if err != nil {
		return answer{err: err.Error(), places: []string{"?"}}
	}
	result, err := s.raw.Call(ctx, d.prepare, params)
	if err != nil {
		return answer{err: err.Error()}
	}
	var level []json.RawMessage
	if err := json.Unmarshal(result, &level); err != nil {
		return answer{err: err.Error(), places: []string{"?"}}
	}
	var g graph
	known := map[string]bool{}
	for _, item := range level {
		node, _, err := s.node(item)
		if err != nil {
			return answer{err: err.Error(), places: []string{"?"}}
		}
		g.roots, known[node] = append(g.roots, node), true
	}
	for n := range depth {
		var next []json.RawMessage
		for _, item := range level {
			node, uri, err := s.node(item)
			if err != nil {
				return answer{err: err.Error(), places: []string{"?"}}
			}
			if n > 0 && strings.Contains(node, outsideMark) {
				continue
			}
			edges, items, err := s.neighbours(ctx, d, item, node, uri)
			if err != nil {
				return answer{err: err.Error(), places: []string{"?"}}
			}
			for i, e := range edges {
				g.edges = append(g.edges, e)
				far := e.to
				if d.backwards {
					far = e.from
				}
				if !known[far] {
					known[far] = true
					next = append(next, items[i])
				}
			}
		}
		level = next
	}
	return answer{places: slices.Compact(g.lines())}
}

// node spells an item, and returns the URI of its document.
func (s *goplsServer) node(raw json.RawMessage) (node, uri string, err error) {
	var item struct {
		Name, URI      string
		SelectionRange rawRange
	}
	if err := json.Unmarshal(raw, &item); err != nil {
		return "", "", err
	}
	p, err := item.SelectionRange.in(item.URI, utf16Column)
	return s.command.place(p) + " " + item.Name, item.URI, err
}

// neighbours asks for what an item leads to.
func (s *goplsServer) neighbours(ctx context.Context, d direction, item json.RawMessage, node, uri string) (edges []edge, items []json.RawMessage, err error) {
	result, err := s.raw.Call(ctx, d.expand, map[string]any{"item": item})
	if err != nil {
		return nil, nil, err
	}
	var found []json.RawMessage
	if err := json.Unmarshal(result, &found); err != nil {
		return nil, nil, err
	}
	for _, f := range found {
		var sites []rawRange
		if d.neighbour != "" {
			var call map[string]json.RawMessage
			if err := json.Unmarshal(f, &call); err != nil {
				return nil, nil, err
			}
			f = call[d.neighbour]
			if err := json.Unmarshal(call["fromRanges"], &sites); err != nil {
				return nil, nil, err
			}
		}
		far, farURI, err := s.node(f)
		if err != nil {
			return nil, nil, err
		}
		e := edge{from: node, to: far}
		caller := uri
		if d.backwards {
			e.from, e.to, caller = far, node, farURI
		}
		for _, r := range sites {
			p, err := r.in(caller, utf16Column)
			if err != nil {
				return nil, nil, err
			}
			e.sites = append(e.sites, siteAt(p.line, p.column))
		}
		edges, items = append(edges, e), append(items, f)
	}
	return edges, items, nil
}

// outline asks for all symbols of a file; the lines are those of the command
// line, with what lies deeper.
func (s *goplsServer) outline(ctx context.Context, file string) answer {
	uri := "file://" + filepath.Join(s.command.dir, filepath.FromSlash(file))
	ctx, cancel := context.WithTimeout(ctx, goplsTime)
	defer cancel()
	result, err := s.raw.Call(ctx, "textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": uri}})
	if err != nil {
		return answer{err: err.Error()}
	}
	type symbol struct {
		Name           string
		Kind           int
		SelectionRange rawRange
		Children       []symbol
	}
	var top []symbol
	if err := json.Unmarshal(result, &top); err != nil {
		return answer{err: err.Error(), places: []string{"?"}}
	}
	var a answer
	var walk func(list []symbol, outer string)
	walk = func(list []symbol, outer string) {
		for _, y := range list {
			p, err := y.SelectionRange.in(uri, utf16Column)
			if err != nil {
				a.err = err.Error()
			}
			a.places = append(a.places, symbolLine(s.command.place(p), outer+y.Name, symbolKinds[y.Kind]))
			walk(y.Children, outer+y.Name+" > ")
		}
	}
	walk(top, "")
	slices.Sort(a.places)
	return a
}

// symbolKinds are the kinds that gopls gives symbols (LSP 3.17, SymbolKind).
var symbolKinds = map[int]string{5: "class", 6: "method", 8: "field", 11: "interface", 12: "function", 13: "variable", 14: "constant", 15: "string", 16: "number", 17: "boolean", 18: "array", 23: "struct"}
