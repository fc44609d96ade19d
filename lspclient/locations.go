package lspclient

import (
	"context"
	"encoding/json"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// Definition asks where the thing at a place is defined, declared, or where its
// type is (LSP 3.17 §definition, §declaration, §typeDefinition).
func (p *Pool) Definition(ctx context.Context, f confine.File, at Locate, kind DefinitionKind) (Locations, error) {
	method := protocol.MethodTextDocumentDefinition
	switch kind {
	case KindDeclaration:
		method = protocol.MethodTextDocumentDeclaration
	case KindType:
		method = protocol.MethodTextDocumentTypeDefinition
	}
	return p.locations(ctx, f, at, method, nil)
}

// Implementations asks for the implementations of an interface, a type or a
// method, or for the interfaces it implements (LSP 3.17 §implementation).
func (p *Pool) Implementations(ctx context.Context, f confine.File, at Locate) (Locations, error) {
	return p.locations(ctx, f, at, protocol.MethodTextDocumentImplementation, nil)
}

// References asks for every use of the thing at a place (LSP 3.17 §references).
func (p *Pool) References(ctx context.Context, f confine.File, at Locate, includeDeclaration bool) (Locations, error) {
	return p.locations(ctx, f, at, protocol.MethodTextDocumentReferences, func(params map[string]any) {
		params["context"] = map[string]bool{"includeDeclaration": includeDeclaration}
	})
}

// locations asks a question whose answer is a list of places.
func (p *Pool) locations(ctx context.Context, f confine.File, at Locate, method string, add func(map[string]any)) (Locations, error) {
	s, err := p.server(f)
	if err != nil {
		return Locations{}, err
	}
	var out Locations
	exhaustive := method == protocol.MethodTextDocumentReferences || method == protocol.MethodTextDocumentImplementation
	q := question{method: method, crossFile: true, exhaustive: exhaustive, file: &f, at: at}
	out.Completeness, err = s.ask(ctx, q, func(ctx context.Context, a *attempt) error {
		params := a.params()
		if add != nil {
			add(params)
		}
		if method == protocol.MethodTextDocumentImplementation {
			params["position"] = a.inName()
		}
		var raw json.RawMessage
		raw, err := a.call(ctx, method, params)
		if err != nil {
			return err
		}
		if out.Items, err = a.conv.places(ctx, raw); ctx.Err() != nil {
			return ctx.Err()
		} else if err != nil {
			return a.unreadable(method, err)
		}
		if a.sess.entry.Quirks.LosesOverriders {
			if out.Items, err = a.overriders(ctx, method, out.Items); err != nil {
				return err
			}
		}
		a.conv.note()
		return nil
	})
	out.Server = s.entry.Name
	return out, err
}

// inName is a position of the name asked about that does not touch an opening
// parenthesis before it: in f(x), gopls takes the start of x for the parenthesis
// as well, and answers with functions of f's type.
func (a *attempt) inName() textpos.Position {
	text := a.snap.text.Text()
	offset, err := a.snap.text.Offset(a.pos, a.sess.hello.encoding)
	if err != nil || offset == 0 || offset == len(text) || text[offset-1] != '(' {
		return a.pos
	}
	_, size := utf8.DecodeRune(text[offset:])
	pos, err := a.snap.text.Position(offset+size, a.sess.hello.encoding)
	if err != nil {
		return a.pos
	}
	return pos
}

// unreadable is the error of an answer whose form breaks the protocol.
func (a *attempt) unreadable(method string, cause error) *Error {
	name := a.sess.entry.Name
	return &Error{Code: CodeFailed, Server: name, Method: method, Err: cause, Msg: name + " answered " + method + " in a form that cannot be read"}
}
