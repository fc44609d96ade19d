package lspclient

import (
	"context"
	"encoding/json"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// Formatting asks what formatting would change in a file, or in a range of it
// (LSP 3.17 §formatting, §rangeFormatting). The edits are byte ranges of Text, as
// the server sent them: unsorted and unchecked.
func (p *Pool) Formatting(ctx context.Context, f confine.File, within *textpos.PointRange) (Formatting, error) {
	s, err := p.server(f)
	if err != nil {
		return Formatting{}, err
	}
	method := protocol.MethodTextDocumentFormatting
	if within != nil {
		method = protocol.MethodTextDocumentRangeFormatting
	}
	var out Formatting
	out.Completeness, err = s.ask(ctx, question{method: method, file: &f}, func(ctx context.Context, a *attempt) error {
		text := a.snap.text
		if !text.ValidUTF8() {
			return &Error{Code: CodeBadFile, Msg: p.o.Workspace.Shown(f) + " is not UTF-8: it cannot be formatted without changing other bytes", Hint: "convert the file first"}
		}
		params := docParams(a.snap.doc.uri)
		params["options"] = formattingOptions(text)
		if within != nil {
			r, err := positionRange(text, *within, a.sess.hello.encoding)
			if err != nil {
				return &Error{Code: CodeBadFile, Msg: oneLine(err.Error()), Err: err}
			}
			params["range"] = r
		}
		raw, err := a.call(ctx, method, params)
		if err != nil {
			return err
		}
		var edits []struct {
			Range   textpos.PositionRange `json:"range"`
			NewText string                `json:"newText"`
		}
		if err := json.Unmarshal(raw, &edits); err != nil {
			return a.unreadable(method, err)
		}
		out.Text, out.Edits = text.Text(), nil
		for _, e := range edits {
			start, err1 := text.Offset(e.Range.Start, a.sess.hello.encoding)
			end, err2 := text.Offset(e.Range.End, a.sess.hello.encoding)
			if err1 != nil || err2 != nil {
				// One edit outside the text makes all of them suspect.
				return a.unreadable(method, err1)
			}
			out.Edits = append(out.Edits, textpos.Edit{Start: start, End: end, New: e.NewText})
		}
		return nil
	})
	out.Server = s.entry.Name
	return out, err
}

func positionRange(text *textpos.Mapper, r textpos.PointRange, enc textpos.Encoding) (out textpos.PositionRange, err error) {
	for _, side := range []struct {
		from textpos.Point
		to   *textpos.Position
	}{{r.Start, &out.Start}, {r.End, &out.End}} {
		offset, err := text.PointOffset(side.from)
		if err != nil {
			return out, err
		}
		if *side.to, err = text.Position(offset, enc); err != nil {
			return out, err
		}
	}
	return out, nil
}

// formattingOptions guesses the FormattingOptions that a file was written with;
// servers with a style of their own (gofmt, .clang-format) pass them over.
func formattingOptions(text *textpos.Mapper) map[string]any {
	tabs, spaces, width := 0, 0, 0
	for n := 1; n <= min(text.Lines(), 1000); n++ {
		line, _ := text.Line(n)
		switch {
		case len(line) > 0 && line[0] == '\t':
			tabs++
		case len(line) > 1 && line[0] == ' ' && line[1] == ' ':
			spaces++
			indent := 0
			for indent < len(line) && line[indent] == ' ' {
				indent++
			}
			if width == 0 || indent < width {
				width = indent
			}
		}
	}
	if width == 0 || width > 8 {
		width = 4
	}
	return map[string]any{"tabSize": width, "insertSpaces": spaces > tabs}
}
