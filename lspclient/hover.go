package lspclient

import (
	"context"
	"encoding/json"
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
		if hover == nil {
			return nil
		}
		out.Text = hoverText(hover.Contents)
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
