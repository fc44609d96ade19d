package lspclient

import (
	"bytes"
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
)

// Rename asks what a new name for the thing at a place would change (LSP 3.17
// §rename), after asking whether it can have one where the server offers that
// (§prepareRename). A refusal holds the server's own words.
func (p *Pool) Rename(ctx context.Context, f confine.File, at Locate, newName string) (WorkspaceEdit, error) {
	s, err := p.server(f)
	if err != nil {
		return WorkspaceEdit{}, err
	}
	method := protocol.MethodTextDocumentRename
	var out WorkspaceEdit
	q := question{method: method, crossFile: true, exhaustive: true, exact: true, file: &f, at: at}
	out.Completeness, err = s.ask(ctx, q, func(ctx context.Context, a *attempt) error {
		out.Unchecked = a.sess.entry.Quirks.RenamesUnchecked
		if a.sess.preparesRenames() {
			raw, err := a.call(ctx, protocol.MethodTextDocumentPrepareRename, a.params())
			if err != nil {
				return err
			}
			if raw = bytes.TrimSpace(raw); len(raw) == 0 || bytes.Equal(raw, []byte("null")) {
				return &Error{Code: CodeRefused, Server: s.entry.Name, Method: method, Msg: s.entry.Name + ": there is nothing here that can be renamed", Hint: "ask at a name that the workspace declares or uses"}
			}
		}
		params := a.params()
		params["newName"] = newName
		raw, err := a.call(ctx, method, params)
		if err != nil {
			return err
		}
		out.Steps, err = a.editsOf(method, raw, newEditRoom(p.o.Limits))
		return err
	})
	out.Server = s.entry.Name
	return out, err
}

// preparesRenames reports whether the server has textDocument/prepareRename.
func (sess *session) preparesRenames() bool {
	options := append(sess.events.registered(protocol.MethodTextDocumentRename), sess.hello.capabilities["renameProvider"])
	for _, raw := range options {
		var o struct{ PrepareProvider bool }
		if json.Unmarshal(raw, &o) == nil && o.PrepareProvider {
			return true
		}
	}
	return false
}
