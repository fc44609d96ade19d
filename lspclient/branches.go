package lspclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// maxBranches bounds the files that are looked at for the branches of one name.
const maxBranches = 200

// judgeBranches notes files in which the name asked about stands in a branch of
// the preprocessor, at a place that is not in the answer: clangd compiles each
// file in one way, and says nothing of what that leaves out. It may be another
// thing of that name, which nobody can tell. Where symbols are asked for it is a
// reason only when there are none; of implementations, which most uses are not, it
// says nothing.
func (a *attempt) judgeBranches(ctx context.Context, q question) {
	sess := a.sess
	if !q.exhaustive || q.method == protocol.MethodTextDocumentImplementation || a.name == "" || !sess.entry.Quirks.CompileCommands || len(sess.project.units) == 0 {
		return
	}
	if q.file == nil && len(a.conv.seen) > 0 {
		return
	}
	p := sess.srv.pool
	var held []confine.File
	for i, f := range p.includes.conditional(ctx, p.disk, a.name) {
		if i == maxBranches || ctx.Err() != nil {
			break
		}
		if inTestdata(f) || p.o.Workspace.Hidden(p.o.Workspace.Abs(f)) {
			continue
		}
		text, _, err := p.o.Workspace.Read(f, max(p.o.Limits.FileBytes, searchedBytes))
		if err != nil {
			continue
		}
		known, lacks := a.conv.seen[f], false
		conditionalWords(text, func(w conditionalWord) {
			at := textpos.Point{Line: w.line, Column: w.column}
			lacks = lacks || string(w.text) == a.name && (known == nil || !known.starts[at])
		})
		if lacks {
			held = append(held, f)
		}
	}
	if len(held) > 0 && q.at != nil && a.inFile(ctx) {
		held = slices.DeleteFunc(held, func(f confine.File) bool { return f != *q.file })
	}
	if len(held) > 0 {
		a.c.partial(fmt.Sprintf("between #if and #endif, where %s may know only one branch, %s: %s", sess.entry.Name, holds(len(held), a.name), p.names(held)))
	}
}

// inFile reports whether the thing at the asked place can be meant in its file
// alone, as a local variable. clangd tells by a request of its own
// (textDocument/symbolInfo): the name that it gives such a thing begins with that
// of the file.
func (a *attempt) inFile(ctx context.Context) bool {
	raw, err := a.call(ctx, "textDocument/symbolInfo", a.params())
	var found []struct{ USR string }
	if err != nil || json.Unmarshal(raw, &found) != nil {
		return false
	}
	for _, s := range found {
		if s.USR == "" || strings.HasPrefix(s.USR, "c:@") || strings.Contains(s.USR, "@macro@") {
			return false
		}
	}
	return len(found) > 0
}
