package lspclient

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A Highlight is a place in the asked file that has to do with the asked one.
// Kind is text, read or write (LSP 3.17 §documentHighlight).
type Highlight struct {
	Place Location
	Kind  string
}

// Highlights is an answer made of highlights, in the order of the text.
type Highlights = List[Highlight]

// DocumentHighlights asks for the uses, inside its file, of the thing at a place.
func (p *Pool) DocumentHighlights(ctx context.Context, f confine.File, at Locate) (Highlights, error) {
	kinds := []string{"text", "text", "read", "write"}
	out, err := listAbout(ctx, p, aboutPlace(protocol.MethodTextDocumentDocumentHighlight, f, at), nil, func(_ context.Context, a *attempt, raw json.RawMessage) (Highlight, bool) {
		var r struct {
			Range *textpos.PositionRange
			Kind  int
		}
		if !a.decodes(raw, &r) {
			return Highlight{}, false
		}
		if r.Kind < 0 || r.Kind >= len(kinds) {
			r.Kind = 0
		}
		place, ok := a.here(r.Range)
		return Highlight{Place: place, Kind: kinds[r.Kind]}, ok
	})
	slices.SortStableFunc(out.Items, func(a, b Highlight) int {
		return cmp.Or(compareLocations(a.Place, b.Place), strings.Compare(a.Kind, b.Kind))
	})
	out.Items = slices.Compact(out.Items)
	return out, err
}

// An InlayHint is a text that an editor shows inside the source: the name of a
// parameter, a type that was inferred. It stands before its place, which is
// empty. Kind is type, parameter or "".
type InlayHint struct {
	Place Location
	Label string
	Kind  string
}

// InlayHints is an answer made of hints, in the order of the text.
type InlayHints = List[InlayHint]

// InlayHints asks for the hints of a file, or of a range of it (LSP 3.17
// §inlayHint).
func (p *Pool) InlayHints(ctx context.Context, f confine.File, r *textpos.PointRange) (InlayHints, error) {
	kinds := []string{"", "type", "parameter"}
	out, err := listAbout(ctx, p, aboutFile(protocol.MethodTextDocumentInlayHint, f), within(r), func(_ context.Context, a *attempt, raw json.RawMessage) (InlayHint, bool) {
		var h struct {
			Position *textpos.Position
			Label    json.RawMessage
			Kind     int
		}
		if !a.decodes(raw, &h) {
			return InlayHint{}, false
		}
		label, ok := hintLabel(h.Label)
		if h.Position == nil || !ok {
			a.conv.odd++
			return InlayHint{}, false
		}
		if h.Kind < 0 || h.Kind >= len(kinds) {
			h.Kind = 0
		}
		place, ok := a.here(&textpos.PositionRange{Start: *h.Position, End: *h.Position})
		return InlayHint{Place: place, Label: label, Kind: kinds[h.Kind]}, ok
	})
	// Servers may give what is around the range, too (LSP 3.17 §inlayHint).
	out.Items = slices.DeleteFunc(out.Items, func(h InlayHint) bool {
		return r != nil && (before(h.Place.Start, r.Start) || before(r.End, h.Place.Start))
	})
	slices.SortStableFunc(out.Items, func(a, b InlayHint) int { return compareLocations(a.Place, b.Place) })
	return out, err
}

// hintLabel reads string | InlayHintLabelPart[].
func hintLabel(raw json.RawMessage) (string, bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return kept(text, maxLabel), text != ""
	}
	var parts []struct{ Value string }
	if json.Unmarshal(raw, &parts) != nil {
		return "", false
	}
	var b strings.Builder
	for _, p := range parts[:min(len(parts), maxSubparts)] {
		b.WriteString(clip(p.Value, maxLabel))
	}
	return kept(b.String(), maxLabel), b.Len() > 0
}

// A CodeLens is a command that an editor offers at a place. The bridge runs
// none: only its title is kept, "" where the server did not say it.
type CodeLens struct {
	Place Location
	Title string
}

// CodeLenses is an answer made of lenses, in the order of the text.
type CodeLenses = List[CodeLens]

// maxResolved bounds the requests that one question makes for its elements.
const maxResolved = 100

// CodeLenses asks for the commands that are offered inside a file (LSP 3.17
// §codeLens). A lens without a title is resolved where the server can do so.
func (p *Pool) CodeLenses(ctx context.Context, f confine.File) (CodeLenses, error) {
	const method = protocol.MethodTextDocumentCodeLens
	type lens struct {
		Range   *textpos.PositionRange
		Command *struct{ Title string }
	}
	var again resolver
	out, err := listAbout(ctx, p, aboutFile(method, f), again.reset(method), func(ctx context.Context, a *attempt, raw json.RawMessage) (CodeLens, bool) {
		var l lens
		if !a.decodes(raw, &l) {
			return CodeLens{}, false
		}
		place, ok := a.here(l.Range)
		if !ok {
			return CodeLens{}, false
		}
		if l.Command == nil {
			var resolved lens
			if again.resolve(ctx, a, protocol.MethodCodeLensResolve, raw, &resolved) {
				l.Command = resolved.Command
			}
		}
		out := CodeLens{Place: place}
		if l.Command != nil {
			out.Title = kept(l.Command.Title, maxLabel)
		}
		return out, true
	})
	slices.SortStableFunc(out.Items, func(a, b CodeLens) int {
		return cmp.Or(compareLocations(a.Place, b.Place), strings.Compare(a.Title, b.Title))
	})
	return out, err
}

// A resolver asks for what a server left out of the elements of one answer.
type resolver struct {
	offered bool
	asked   int
}

// reset prepares the resolver for an attempt at method.
func (r *resolver) reset(method string) func(*attempt, map[string]any) error {
	return func(a *attempt, _ map[string]any) error {
		var options struct{ ResolveProvider bool }
		a.provider(method, method, &options)
		*r = resolver{offered: options.ResolveProvider}
		return nil
	}
}

// resolve asks for the whole of the element raw. It reports false, and notes why,
// where that cannot be had.
func (r *resolver) resolve(ctx context.Context, a *attempt, method string, raw json.RawMessage, into any) bool {
	switch {
	case !r.offered:
		return false
	case r.asked == maxResolved:
		a.c.partial(fmt.Sprintf("only %d elements were resolved", maxResolved))
		return false
	}
	r.asked++
	whole, err := a.call(ctx, method, raw)
	if err != nil || json.Unmarshal(whole, into) != nil {
		a.c.partial("elements that the server could not resolve")
		return false
	}
	return true
}

// A Color is a colour that the text at a place stands for; its parts are between
// 0 and 1.
type Color struct {
	Place                   Location
	Red, Green, Blue, Alpha float64
}

// Colors is an answer made of colours, in the order of the text.
type Colors = List[Color]

// DocumentColors asks for the colours in a file (LSP 3.17 §documentColor).
func (p *Pool) DocumentColors(ctx context.Context, f confine.File) (Colors, error) {
	out, err := listAbout(ctx, p, aboutFile(protocol.MethodTextDocumentDocumentColor, f), nil, func(_ context.Context, a *attempt, raw json.RawMessage) (Color, bool) {
		var c struct {
			Range *textpos.PositionRange
			Color *struct{ Red, Green, Blue, Alpha *float64 }
		}
		if !a.decodes(raw, &c) {
			return Color{}, false
		}
		if c.Color == nil {
			a.conv.odd++
			return Color{}, false
		}
		var parts [4]float64
		for i, part := range []*float64{c.Color.Red, c.Color.Green, c.Color.Blue, c.Color.Alpha} {
			if part == nil || *part < 0 || *part > 1 {
				a.conv.odd++
				return Color{}, false
			}
			parts[i] = *part
		}
		place, ok := a.here(c.Range)
		return Color{Place: place, Red: parts[0], Green: parts[1], Blue: parts[2], Alpha: parts[3]}, ok
	})
	slices.SortStableFunc(out.Items, func(a, b Color) int { return compareLocations(a.Place, b.Place) })
	return out, err
}
