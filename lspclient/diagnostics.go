package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/servers"
	"lspbridge/lspclient/textpos"
)

// A FileState says what is known of the problems in one file.
type FileState string

// The states.
const (
	FileClean    FileState = "clean"    // the server has none for exactly this text
	FileProblems FileState = "problems" // it has some
	FileUnknown  FileState = "unknown"  // nobody said; completeness has the reason
)

// FileDiagnostics are the problems of one file, in the order of its text.
type FileDiagnostics struct {
	Answer
	State FileState
	Why   string // of FileUnknown, one line
	Items []Diagnostic
}

// A Diagnostic is one problem (LSP 3.17 §diagnostic).
type Diagnostic struct {
	Place    Location
	Severity string // "error", "warning", "information", "hint"
	Code     string // the server's name of the problem; may be empty
	Source   string // the part of the server that found it; may be empty
	Message  string
	Tags     []string // "unnecessary", "deprecated"
	Related  []RelatedPlace
}

// A RelatedPlace is a place that explains a problem.
type RelatedPlace struct {
	Place   Location
	Message string
}

// Severities are the names of LSP 3.17 §diagnosticSeverity, the worst first.
func Severities() []string { return []string{"error", "warning", "information", "hint"} }

// Diagnostics asks for the problems of a file: it pulls them where the server has
// that (LSP 3.17 §pullDiagnostics), else it waits for what the server publishes
// of this very text. settle is how long a server that publishes in several steps,
// and does not say which is the last, must have been quiet.
func (p *Pool) Diagnostics(ctx context.Context, f confine.File, settle time.Duration) (FileDiagnostics, error) {
	s, err := p.server(f)
	if err != nil {
		return FileDiagnostics{}, err
	}
	var out FileDiagnostics
	out.Completeness, err = s.ask(ctx, question{method: protocol.MethodTextDocumentPublishDiagnostics, file: &f}, func(ctx context.Context, a *attempt) error {
		out = FileDiagnostics{}
		var items json.RawMessage
		var err error
		if a.sess.entry.Quirks.Readiness == servers.ReadyByLog {
			// Whether it can be asked it says when it knows its files.
			if err := a.sess.awaitReady(ctx, a.c); err != nil {
				return err
			}
		}
		if a.pulls() {
			items, err = a.pull(ctx)
		} else {
			items, err = a.published(ctx, settle)
		}
		var nothing *unknownError
		switch {
		case errors.As(err, &nothing):
			out.State, out.Why = FileUnknown, nothing.why
			a.c.unknown(nothing.why)
			return nil
		case err != nil:
			return err
		}
		if out.Items, err = a.diagnostics(ctx, items); err != nil {
			return err
		}
		out.State = FileProblems
		if len(out.Items) == 0 {
			out.State = FileClean
			a.doubtNothing()
			if a.c.state != Complete || a.conv.odd+a.conv.beyond > 0 {
				// No command, a command that failed, items that cannot be read: a
				// clean file looks different.
				out.State = FileUnknown
			}
		}
		a.conv.note()
		if out.State == FileUnknown {
			out.Why = strings.Join(sortedKeys(a.c.reasons), "; ")
		}
		return nil
	})
	out.Server = s.entry.Name
	return out, err
}

// An unknownError says why nothing is known of a file's problems.
type unknownError struct{ why string }

func (e *unknownError) Error() string { return e.why }

// pulls reports whether the problems of the asked file can be asked for.
func (a *attempt) pulls() bool {
	if !a.sess.can(protocol.MethodTextDocumentDiagnostic) {
		return false
	}
	only := a.sess.entry.Quirks.Pulls
	return only == "" || path.Ext(a.snap.doc.file.Rel) == only
}

// pull asks for the problems of the asked file. No previous result is named, so
// that the answer is never "unchanged"; gopls leaves the kind of a full one empty.
func (a *attempt) pull(ctx context.Context) (json.RawMessage, error) {
	const method = protocol.MethodTextDocumentDiagnostic
	raw, err := a.call(ctx, method, docParams(a.snap.doc.uri))
	var known *Error
	switch {
	case errors.As(err, &known) && known.Code == CodeUnloaded:
		why := known.Msg
		if known.Hint != "" {
			why += "; " + known.Hint
		}
		return nil, &unknownError{why}
	case err != nil:
		return nil, err
	}
	var report *struct {
		Kind  string          `json:"kind"`
		Items json.RawMessage `json:"items"`
	}
	if json.Unmarshal(raw, &report) != nil || report == nil || report.Kind != "" && report.Kind != "full" || len(report.Items) == 0 || string(report.Items) == "null" {
		return nil, a.unreadable(method, nil)
	}
	return report.Items, nil
}

// diagnostics converts problems of the asked file; those that cannot be read cost
// themselves.
func (a *attempt) diagnostics(ctx context.Context, raw json.RawMessage) ([]Diagnostic, error) {
	elements, err := elementsOf(raw)
	if err != nil {
		return nil, a.unreadable(protocol.MethodTextDocumentDiagnostic, err)
	}
	elements, _ = a.bounded(elements)
	items, err := readAll(ctx, a, elements, readDiagnostic)
	if err != nil {
		return nil, err
	}
	if limit := a.sess.entry.Quirks.ErrorLimit; limit > 0 {
		n := 0
		for _, d := range items {
			if d.Severity == "error" {
				n++
			}
		}
		if n >= limit {
			a.c.partial(fmt.Sprintf("%s stops at %d errors of a file", a.sess.entry.Name, limit))
		}
	}
	sortDiagnostics(items)
	return items, nil
}

// readDiagnostic converts one element of the asked file's problems.
func readDiagnostic(_ context.Context, a *attempt, raw json.RawMessage) (Diagnostic, bool) {
	var d struct {
		Range              *textpos.PositionRange `json:"range"`
		Severity           int                    `json:"severity"`
		Code               json.RawMessage        `json:"code"`
		Source             string                 `json:"source"`
		Message            json.RawMessage        `json:"message"` // string | MarkupContent (LSP 3.18)
		Tags               []int                  `json:"tags"`
		RelatedInformation []struct {
			Location rawPlace `json:"location"`
			Message  string   `json:"message"`
		} `json:"relatedInformation"`
	}
	if !a.decodes(raw, &d) {
		return Diagnostic{}, false
	}
	place, ok := a.here(d.Range)
	if !ok {
		return Diagnostic{}, false
	}
	out := Diagnostic{
		Place: place, Severity: severityName(d.Severity), Code: kept(scalarText(d.Code), maxLabel), Source: kept(d.Source, maxLabel),
		Message: kept(markedText(d.Message), maxDocBytes),
	}
	for _, tag := range d.Tags {
		switch tag {
		case 1:
			out.Tags = append(out.Tags, "unnecessary")
		case 2:
			out.Tags = append(out.Tags, "deprecated")
		}
	}
	for _, r := range d.RelatedInformation[:min(len(d.RelatedInformation), maxSubparts)] {
		if r.Location.Range == nil || r.Location.URI == "" {
			continue
		}
		if l, ok := a.conv.location(r.Location.URI, *r.Location.Range, false); ok {
			out.Related = append(out.Related, RelatedPlace{l, kept(r.Message, maxDocBytes)})
		}
	}
	return out, true
}

// severityName is the name of a severity; one that the server leaves out, or that
// LSP does not know, counts as an error, lest it be passed over.
func severityName(n int) string {
	if names := Severities(); n >= 1 && n <= len(names) {
		return names[n-1]
	}
	return "error"
}

// scalarText is a JSON string or number as text, "" of anything else.
func scalarText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}
