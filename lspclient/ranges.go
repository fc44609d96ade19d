package lspclient

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A FoldingRange is a part of a document that an editor can fold away. Kind is
// the LSP 3.17 §foldingRange kind (comment, imports, region), or "".
type FoldingRange struct {
	Place Location
	Kind  string
}

// FoldingRanges is an answer made of folding ranges, in the order of the text.
type FoldingRanges = List[FoldingRange]

// FoldingRanges asks for the parts of a file that can be folded away (LSP 3.17
// §foldingRange). A side that the server gave without a character is the end of
// its line.
func (p *Pool) FoldingRanges(ctx context.Context, f confine.File) (FoldingRanges, error) {
	out, err := listAbout(ctx, p, aboutFile(protocol.MethodTextDocumentFoldingRange, f), nil, func(_ context.Context, a *attempt, raw json.RawMessage) (FoldingRange, bool) {
		var r struct {
			StartLine, EndLine           *uint32
			StartCharacter, EndCharacter *uint32
			Kind                         string
		}
		if !a.decodes(raw, &r) {
			return FoldingRange{}, false
		}
		if r.StartLine == nil || r.EndLine == nil {
			a.conv.odd++
			return FoldingRange{}, false
		}
		side := func(line uint32, character *uint32) textpos.Position {
			if character == nil {
				return textpos.Position{Line: line, Character: endOfLine}
			}
			return textpos.Position{Line: line, Character: *character}
		}
		place, ok := a.here(&textpos.PositionRange{Start: side(*r.StartLine, r.StartCharacter), End: side(*r.EndLine, r.EndCharacter)})
		return FoldingRange{Place: place, Kind: kept(r.Kind, maxLabel)}, ok
	})
	slices.SortStableFunc(out.Items, func(a, b FoldingRange) int {
		return cmp.Or(compareLocations(a.Place, b.Place), cmp.Compare(a.Kind, b.Kind))
	})
	out.Items = slices.CompactFunc(out.Items, func(a, b FoldingRange) bool {
		return compareLocations(a.Place, b.Place) == 0 && a.Kind == b.Kind
	})
	return out, err
}

// endOfLine is a character past the end of every line, which stands for the end
// (LSP 3.17 §position).
const endOfLine = 1<<31 - 1

// SelectionRanges asks for the ranges around a place that mean something, the
// innermost first, each inside the next (LSP 3.17 §selectionRange).
func (p *Pool) SelectionRanges(ctx context.Context, f confine.File, at Locate) (Locations, error) {
	var out Locations
	q := aboutPlace(protocol.MethodTextDocumentSelectionRange, f, at)
	answer, err := p.about(ctx, q, func(a *attempt, params map[string]any) error {
		delete(params, "position")
		params["positions"] = []textpos.Position{a.pos}
		return nil
	}, func(_ context.Context, a *attempt, raw json.RawMessage) error {
		out.Items = nil
		elements, err := elementsOf(raw)
		if err != nil || len(elements) > 1 {
			return a.unreadable(q.method, err)
		}
		if len(elements) == 1 {
			out.Items = a.nested(elements[0])
		}
		return nil
	})
	out.Answer = answer
	return out, err
}

// nested reads a SelectionRange and its parents. A parent that is not around its
// child ends them.
func (a *attempt) nested(raw json.RawMessage) []Location {
	if len(raw) > maxElemBytes {
		a.conv.odd++
		return nil
	}
	var out []Location
	for level := 0; len(raw) > 0 && string(raw) != "null"; level++ {
		if level == maxNesting {
			a.c.partial(fmt.Sprintf("cut at %d levels", maxNesting))
			break
		}
		var r struct {
			Range  *textpos.PositionRange
			Parent json.RawMessage
		}
		if !a.decodes(raw, &r) {
			break
		}
		place, ok := a.here(r.Range)
		if !ok {
			break
		}
		if n := len(out); n > 0 && (before(out[n-1].Start, place.Start) || before(place.End, out[n-1].End)) {
			a.conv.odd++
			break
		}
		// Servers repeat a range where two kinds of syntax have the same extent.
		if n := len(out); n == 0 || compareLocations(out[n-1], place) != 0 {
			out = append(out, place)
		}
		raw = r.Parent
	}
	return out
}

func before(a, b textpos.Point) bool {
	return a.Line < b.Line || a.Line == b.Line && a.Column < b.Column
}
