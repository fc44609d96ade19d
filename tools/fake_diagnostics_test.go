package tools_test

import (
	"bytes"
	"context"
	"time"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

// Diagnostics finds a problem at each "FIXME" of a file, and knows nothing of one
// that holds "UNKNOWN".
func (s *textual) Diagnostics(ctx context.Context, f confine.File, _ time.Duration) (lspclient.FileDiagnostics, error) {
	server, _, _ := s.ServerFor(f)
	answer, err := s.answer(ctx, server)
	out := lspclient.FileDiagnostics{Answer: answer, State: lspclient.FileClean}
	if err != nil {
		return out, err
	}
	text := s.text(f)
	if bytes.Contains(text, []byte("UNKNOWN")) {
		out.State, out.Why = lspclient.FileUnknown, "nobody knows"
		out.Completeness = lspclient.Completeness{State: lspclient.Unknown, Reasons: []string{out.Why}}
		return out, nil
	}
	m := textpos.NewMapper(text)
	for from := 0; ; {
		i := bytes.Index(text[from:], []byte("FIXME"))
		if i < 0 {
			return out, nil
		}
		at, _ := m.Point(from + i)
		line, _ := m.Line(at.Line)
		place := lspclient.Location{Inside: true, File: f, Start: at, End: textpos.Point{Line: at.Line, Column: at.Column + 5}, Line: line}
		severity := lspclient.Severities()[len(out.Items)%4]
		out.State = lspclient.FileProblems
		out.Items = append(out.Items, lspclient.Diagnostic{
			Place: place, Severity: severity, Source: "fake", Code: "fixme", Message: "to be done in " + s.ws.Abs(f),
			Related: []lspclient.RelatedPlace{{Place: lspclient.Location{URI: "file:///usr/include/x.h", Path: "/usr/include/x.h", Start: at, End: at}, Message: "see /srv/secret/key"}},
		})
		from += i + 5
	}
}

func (s *textual) DiagnosticFiles(context.Context) ([]confine.File, []string, error) {
	return s.files(), []string{"2 files not built for here"}, nil
}
