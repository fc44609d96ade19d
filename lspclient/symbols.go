package lspclient

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A rawSymbol is a DocumentSymbol, a SymbolInformation or a WorkspaceSymbol
// (LSP 3.17 §documentSymbol, §workspace_symbol).
type rawSymbol struct {
	Name           string                 `json:"name"`
	Detail         string                 `json:"detail"`
	Kind           int                    `json:"kind"`
	ContainerName  string                 `json:"containerName"`
	Range          *textpos.PositionRange `json:"range"`
	SelectionRange *textpos.PositionRange `json:"selectionRange"`
	Children       []json.RawMessage      `json:"children"`
	Location       *struct {
		URI   string                 `json:"uri"`
		Range *textpos.PositionRange `json:"range"`
	} `json:"location"`
}

// DocumentSymbols asks for the outline of a file, in the order of its text.
func (p *Pool) DocumentSymbols(ctx context.Context, f confine.File) (Symbols, error) {
	s, err := p.server(f)
	if err != nil {
		return Symbols{}, err
	}
	var out Symbols
	const method = protocol.MethodTextDocumentDocumentSymbol
	out.Completeness, err = s.ask(ctx, question{method: method, file: &f}, func(ctx context.Context, a *attempt) error {
		raw, err := a.call(ctx, method, docParams(a.snap.doc.uri))
		if err != nil {
			return err
		}
		elements, err := elementsOf(raw)
		if err != nil {
			return a.unreadable(method, err)
		}
		out.Items = a.conv.symbols(elements, a.snap.doc.uri, "", 0)
		sortOutline(out.Items)
		a.conv.note()
		return nil
	})
	out.Server = s.entry.Name
	return out, err
}

// WorkspaceSymbols asks the server named server for the symbols that match
// query; what matches is the server's own idea.
func (p *Pool) WorkspaceSymbols(ctx context.Context, server, query string) (Symbols, error) {
	s := p.servers[server]
	if s == nil {
		return Symbols{}, &Error{Code: CodeNoServer, Msg: fmt.Sprintf("no language server is named %q", server)}
	}
	var out Symbols
	const method = protocol.MethodWorkspaceSymbol
	var err error
	out.Completeness, err = s.ask(ctx, question{method: method, crossFile: true, exhaustive: true}, func(ctx context.Context, a *attempt) error {
		a.name = identifierAt([]byte(query), len(query))
		if err := a.sess.closeUnbuilt(ctx); err != nil {
			return err
		}
		raw, err := a.call(ctx, method, map[string]string{"query": query})
		if err != nil {
			return err
		}
		elements, err := elementsOf(raw)
		if err != nil {
			return a.unreadable(method, err)
		}
		if limit := a.sess.entry.Quirks.SymbolLimit; limit > 0 && len(elements) >= limit {
			out.AtLeast = true
			a.c.partial(fmt.Sprintf("server limit %d reached", limit))
		}
		out.Items = a.conv.symbols(elements, "", "", 0)
		out.Excluded = a.conv.excluded
		a.conv.note()
		if len(elements) == 0 && a.sess.goBuild != nil && a.name != "" {
			return a.probe(ctx)
		}
		return nil
	})
	out.Server = s.entry.Name
	return out, err
}

// maxNesting bounds the depth of an outline.
const maxNesting = 64

// symbols converts symbols; uri is that of the document they are in, "" for
// symbols that carry their own.
func (v *converter) symbols(elements []json.RawMessage, uri, container string, depth int) []Symbol {
	if depth > maxNesting {
		if len(elements) > 0 {
			v.a.c.partial(fmt.Sprintf("outline cut at %d levels", maxNesting))
		}
		return nil
	}
	var out []Symbol
	for _, e := range elements {
		var r rawSymbol
		if json.Unmarshal(e, &r) != nil || r.Name == "" {
			v.odd++
			continue
		}
		at, name, extent := uri, r.SelectionRange, r.Range
		if r.Location != nil { // flat: SymbolInformation, WorkspaceSymbol
			at, name, extent = r.Location.URI, r.Location.Range, r.Location.Range
			if name == nil { // WorkspaceSymbol without a range: the file is known
				name, extent = &textpos.PositionRange{}, &textpos.PositionRange{}
			}
		}
		if name == nil {
			name = extent
		}
		if name == nil || at == "" {
			v.odd++
			continue
		}
		hidden := v.hidden
		place, ok := v.location(at, *name, false)
		if ok && r.Location != nil {
			place = v.narrow(place, r.Name)
		}
		if !ok {
			if v.hidden > hidden {
				// Which of them matter is for who asked to say.
				v.hidden = hidden
				v.excluded = append(v.excluded, Symbol{Name: strings.Clone(r.Name), Kind: kindName(r.Kind), Container: strings.Clone(r.ContainerName)})
			}
			continue
		}
		sym := Symbol{
			Name: strings.Clone(r.Name), Kind: kindName(r.Kind), Detail: strings.Clone(r.Detail),
			Container: strings.Clone(r.ContainerName), Place: place, ExtentStart: place.Start, ExtentEnd: place.End,
		}
		if sym.Container == "" {
			sym.Container = container
		}
		if extent != nil {
			if whole, ok := v.location(at, *extent, false); ok {
				sym.ExtentStart, sym.ExtentEnd = whole.Start, whole.End
			}
		}
		sym.Children = v.symbols(r.Children, uri, sym.Name, depth+1)
		out = append(out, sym)
	}
	return out
}

// narrow returns the place of the name in that of a flat symbol, whose range may
// be all of it (LSP 3.17 §symbolInformation); the place itself where the name does
// not stand in it.
func (v *converter) narrow(l Location, name string) Location {
	if !l.Inside || v.text == nil {
		return l
	}
	start, err1 := v.text.PointOffset(l.Start)
	end, err2 := v.text.PointOffset(l.End)
	if err1 != nil || err2 != nil || identifierAt([]byte(name), 0) != name {
		return l
	}
	at := indexWord(v.text.Text()[start:end], []byte(name))
	if at < 0 {
		return l
	}
	l.Start, _ = v.text.Point(start + at)
	l.End, _ = v.text.Point(start + at + len(name))
	l.Line = v.lineOf(l.Start.Line)
	return l
}

// sortOutline puts symbols into the order of the text, at every level.
func sortOutline(list []Symbol) {
	sortSymbols(list)
	for _, s := range list {
		sortOutline(s.Children)
	}
}

// kinds are the names of LSP 3.17 §SymbolKind, from 1.
var kinds = [...]string{
	"file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum",
	"interface", "function", "variable", "constant", "string", "number", "boolean", "array", "object", "key",
	"null", "enum member", "struct", "event", "operator", "type parameter",
}

// Kinds returns the names of all symbol kinds, in the order of LSP.
func Kinds() []string { return kinds[:] }

func kindName(kind int) string {
	if kind < 1 || kind > len(kinds) {
		return "symbol"
	}
	return kinds[kind-1]
}
