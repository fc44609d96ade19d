package lspclient

import (
	"context"
	"encoding/json"
	"path"
	"strings"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// Hover asks for the signature and the documentation of the thing at a place
// (LSP 3.17 §hover).
func (p *Pool) Hover(ctx context.Context, f confine.File, at Locate) (Hover, error) {
	s, err := p.server(f)
	if err != nil {
		return Hover{}, err
	}
	var out Hover
	q := question{method: protocol.MethodTextDocumentHover, file: &f, at: at}
	out.Completeness, err = s.ask(ctx, q, func(ctx context.Context, a *attempt) error {
		raw, err := a.call(ctx, protocol.MethodTextDocumentHover, a.params())
		if err != nil {
			return err
		}
		var hover *struct {
			Contents json.RawMessage        `json:"contents"`
			Range    *textpos.PositionRange `json:"range"`
		}
		if json.Unmarshal(raw, &hover) != nil {
			return a.unreadable(protocol.MethodTextDocumentHover, nil)
		}
		out.Text, out.Start, out.End = "", textpos.Point{}, textpos.Point{}
		if hover != nil {
			out.Text = hoverText(hover.Contents)
		}
		if out.Text == "" {
			a.doubtNothing()
		}
		if hover == nil {
			return nil
		}
		if hover.Range != nil {
			if l, ok := a.conv.location(a.snap.doc.uri, *hover.Range, false); ok {
				out.Start, out.End = l.Start, l.End
			}
		}
		return nil
	})
	out.Server = s.entry.Name
	return out, err
}

// doubtNothing notes why nothing to say about a place may be a fault of the
// build: the file has no command, or does not compile with it.
func (a *attempt) doubtNothing() {
	sess, file := a.sess, a.snap.doc.file
	if !sess.entry.Quirks.CompileCommands {
		return
	}
	shown := sess.srv.pool.o.Workspace.Shown(file)
	switch {
	case len(sess.project.units) == 0:
		a.c.partial(sess.project.missing())
	case !isHeader(path.Base(file.Rel)) && !sess.project.files[file]:
		a.c.partial("outside compile_commands.json: " + shown)
	case sess.failing != nil && sess.failing.fails(sess.srv.pool.o.Workspace.Abs(file)):
		a.c.partial("does not compile: " + shown)
	}
}

// hoverText joins MarkupContent | MarkedString | MarkedString[].
func hoverText(raw json.RawMessage) string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return markedText(raw)
	}
	var parts []string
	for _, e := range list {
		if t := markedText(e); t != "" {
			parts = append(parts, t)
		}
	}
	return strings.Join(parts, "\n\n")
}

// markedText is the text of one MarkupContent or MarkedString, "" of anything
// else.
func markedText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var marked struct {
		Language string `json:"language"`
		Value    string `json:"value"`
	}
	if json.Unmarshal(raw, &marked) != nil {
		return ""
	}
	if marked.Language != "" {
		return "```" + marked.Language + "\n" + marked.Value + "\n```"
	}
	return marked.Value
}
