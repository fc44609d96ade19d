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

// What one answer about a document may hold. A server's list that is longer is
// cut, and says so.
const (
	maxElements  = 50_000   // elements of a list
	maxLabel     = 1 << 10  // bytes of a name or another short text
	maxDocBytes  = 16 << 10 // bytes of documentation
	maxSubparts  = 256      // parameters, parts of a label, edits of one element
	maxElemBytes = 1 << 20  // bytes of one element that is decoded level by level
)

// about asks the server of f one question about f alone. add puts what the method
// needs beside the document into its parameters, and may be nil; decode reads the
// result, and may run more than once.
func (p *Pool) about(ctx context.Context, q question, add func(*attempt, map[string]any) error, decode func(context.Context, *attempt, json.RawMessage) error) (Answer, error) {
	s, err := p.server(*q.file)
	if err != nil {
		return Answer{}, err
	}
	out := Answer{Server: s.entry.Name}
	out.Completeness, err = s.ask(ctx, q, func(ctx context.Context, a *attempt) error {
		params := docParams(a.snap.doc.uri)
		if q.at != nil {
			params = a.params()
		}
		if add != nil {
			if err := add(a, params); err != nil {
				return err
			}
		}
		raw, err := a.call(ctx, q.method, params)
		if err != nil {
			return err
		}
		if err := decode(ctx, a, raw); err != nil {
			return err
		}
		if !bySyntax[q.method] {
			a.doubtMeaning(ctx)
		}
		a.conv.note()
		return nil
	})
	return out, err
}

// bySyntax are the methods whose answer rests on the text of the file alone, not
// on what its words mean.
var bySyntax = map[string]bool{
	protocol.MethodTextDocumentFoldingRange: true, protocol.MethodTextDocumentSelectionRange: true,
	protocol.MethodTextDocumentDocumentLink: true, protocol.MethodTextDocumentDocumentColor: true,
	protocol.MethodTextDocumentCodeLens: true,
}

// doubtMeaning notes where the build of the asked file leaves the server without
// the meaning of its words: the file has no command, or does not compile.
func (a *attempt) doubtMeaning(ctx context.Context) {
	if a.sess.entry.Quirks.CompileCommands {
		// It says whether the file compiles when it is through with it.
		a.sess.awaitRead(ctx, a.snap.doc.file, a.snap.version)
		a.doubtNothing()
	}
}

// A List is an answer made of items.
type List[T any] struct {
	Answer
	Items []T
}

// listAbout asks for a result of type T[] | null about one document. read converts one
// element, and reports false for one that cannot be read.
func listAbout[T any](ctx context.Context, p *Pool, q question, add func(*attempt, map[string]any) error, read func(context.Context, *attempt, json.RawMessage) (T, bool)) (List[T], error) {
	var out List[T]
	cut := false
	answer, err := p.about(ctx, q, add, func(ctx context.Context, a *attempt, raw json.RawMessage) error {
		elements, err := elementsOf(raw)
		if err != nil {
			return a.unreadable(q.method, err)
		}
		elements, cut = a.bounded(elements)
		out.Items, err = readAll(ctx, a, elements, read)
		return err
	})
	out.Answer = answer
	out.AtLeast = cut
	return out, err
}

// readAll converts elements one by one; one that cannot be read costs itself.
func readAll[T any](ctx context.Context, a *attempt, elements []json.RawMessage, read func(context.Context, *attempt, json.RawMessage) (T, bool)) ([]T, error) {
	var items []T
	for _, e := range elements {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if item, ok := read(ctx, a, e); ok {
			items = append(items, item)
		}
	}
	return items, nil
}

// bounded cuts a list that is too long, and notes it.
func (a *attempt) bounded(elements []json.RawMessage) (kept []json.RawMessage, cut bool) {
	if len(elements) <= maxElements {
		return elements, false
	}
	a.c.partial(fmt.Sprintf("the first %d of the server's %d elements", maxElements, len(elements)))
	return elements[:maxElements], true
}

// here is the place of a range of the asked document; false is one that was
// counted as odd or outside the text.
func (a *attempt) here(r *textpos.PositionRange) (Location, bool) {
	if r == nil {
		a.conv.odd++
		return Location{}, false
	}
	return a.conv.location(a.snap.doc.uri, *r, false)
}

// decodes reads one element, and counts one that cannot be read.
func (a *attempt) decodes(raw json.RawMessage, into any) bool {
	if json.Unmarshal(raw, into) != nil {
		a.conv.odd++
		return false
	}
	return true
}

// within puts the range that a question is limited to into params; nil is the
// whole document.
func within(r *textpos.PointRange) func(*attempt, map[string]any) error {
	return func(a *attempt, params map[string]any) error {
		text := a.snap.text
		whole := textpos.PointRange{Start: textpos.Point{Line: 1, Column: 1}, End: textpos.Point{Line: text.Lines(), Column: len(text.Text()) + 1}}
		if r != nil {
			whole = *r
		}
		converted, err := positionRange(text, whole, a.sess.hello.encoding)
		if err != nil {
			return &Error{Code: CodeBadFile, Msg: oneLine(err.Error()), Err: err}
		}
		params["range"] = converted
		return nil
	}
}

// provider decodes the options with which the server announced method, or
// registered it under the name registered. Options that are no object leave into
// as it is.
func (a *attempt) provider(method, registered string, into any) {
	options := []json.RawMessage{a.sess.hello.capabilities[providers[method]]}
	for _, raw := range append(options, a.sess.events.registered(registered)...) {
		if strings.HasPrefix(strings.TrimSpace(string(raw)), "{") {
			// Options that cannot be read are as if they were not there.
			_ = json.Unmarshal(raw, into)
		}
	}
}

// kept is a bounded copy of a server's text.
func kept(s string, most int) string { return strings.Clone(clip(s, most)) }

// aboutFile is the question of method about all of f.
func aboutFile(method string, f confine.File) question { return question{method: method, file: &f} }

// aboutPlace is the question of method about a place in f.
func aboutPlace(method string, f confine.File, at Locate) question {
	return question{method: method, file: &f, at: at}
}
