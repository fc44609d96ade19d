package lspclient

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A CompletionItem is one way to go on at a place. Nothing of it is ever
// applied.
type CompletionItem struct {
	Label         string
	Kind          string // LSP 3.17 §completion kind in lower case; "" without one
	Detail        string
	Documentation string // Markdown
	Insert        string // the text to insert, in place of Replaces
	Snippet       bool   // Insert holds placeholders such as $1, though none were asked for
	Deprecated    bool
	Replaces      *Location // nil where the server leaves it to the editor
	Additional    []CompletionEdit

	rank string // the server's order
}

// A CompletionEdit is a change elsewhere in the file that belongs to an item, as
// an import.
type CompletionEdit struct {
	Place Location
	New   string
}

// Completions is an answer made of completion items, the server's best first.
// AtLeast says that more would come for a longer prefix.
type Completions = List[CompletionItem]

// completionKinds are the names of LSP 3.17 §completion CompletionItemKind, from
// 1.
var completionKinds = [...]string{
	"text", "method", "function", "constructor", "field", "variable", "class", "interface", "module", "property",
	"unit", "value", "enum", "keyword", "snippet", "color", "file", "reference", "folder", "enum member",
	"constant", "struct", "event", "operator", "type parameter",
}

// Completion asks what can be written at a place (LSP 3.17 §completion).
func (p *Pool) Completion(ctx context.Context, f confine.File, at Locate) (Completions, error) {
	const method = protocol.MethodTextDocumentCompletion
	var out Completions
	more := false
	q := aboutPlace(method, f, at)
	q.crossFile = true // what other files declare is offered, too
	answer, err := p.about(ctx, q, func(a *attempt, params map[string]any) error {
		a.name = "" // the word before the place is no name that files could hold
		params["context"] = map[string]int{"triggerKind": 1}
		return nil
	}, func(ctx context.Context, a *attempt, raw json.RawMessage) error {
		var whole struct {
			IsIncomplete bool
			Items        json.RawMessage
		}
		if strings.HasPrefix(strings.TrimSpace(string(raw)), "{") {
			if json.Unmarshal(raw, &whole) != nil {
				return a.unreadable(method, nil)
			}
		} else {
			whole.Items = raw // CompletionItem[] | null
		}
		elements, err := elementsOf(whole.Items)
		if err != nil {
			return a.unreadable(method, err)
		}
		elements, cut := a.bounded(elements)
		more = whole.IsIncomplete || cut
		out.Items, err = readAll(ctx, a, elements, func(_ context.Context, a *attempt, raw json.RawMessage) (CompletionItem, bool) {
			return a.completionItem(raw)
		})
		return err
	})
	out.Answer = answer
	out.AtLeast = more
	rankItems(out.Items)
	return out, err
}

// rankItems puts items into the server's order. Items of one label stand
// together, where the best of them stood: gopls ranks those of equal worth, as
// two packages of one name, now this way and now that.
func rankItems(items []CompletionItem) {
	best := map[string]string{}
	for _, it := range items {
		if rank, ok := best[it.Label]; !ok || it.rank < rank {
			best[it.Label] = it.rank
		}
	}
	slices.SortStableFunc(items, func(a, b CompletionItem) int {
		return cmp.Or(strings.Compare(best[a.Label], best[b.Label]), strings.Compare(a.Label, b.Label),
			strings.Compare(a.Detail, b.Detail), strings.Compare(a.Kind, b.Kind), strings.Compare(a.Insert, b.Insert))
	})
}

// A rawEdit is a TextEdit or an InsertReplaceEdit.
type rawEdit struct {
	Range   *textpos.PositionRange
	Replace *textpos.PositionRange
	NewText string
}

func (a *attempt) completionItem(raw json.RawMessage) (CompletionItem, bool) {
	var r struct {
		Label               string
		LabelDetails        struct{ Detail, Description string }
		Kind                int
		Detail              string
		Documentation       json.RawMessage
		Deprecated          bool
		Tags                []int
		SortText            string
		InsertText          string
		InsertTextFormat    int
		TextEdit            *rawEdit
		AdditionalTextEdits []rawEdit
	}
	if !a.decodes(raw, &r) {
		return CompletionItem{}, false
	}
	if r.Label == "" {
		a.conv.odd++
		return CompletionItem{}, false
	}
	item := CompletionItem{
		Label: kept(strings.TrimSpace(r.Label+r.LabelDetails.Detail), maxLabel), Documentation: kept(markedText(r.Documentation), maxDocBytes),
		Detail: kept(cmp.Or(r.Detail, r.LabelDetails.Description), maxLabel),
		Insert: kept(cmp.Or(r.InsertText, r.Label), maxDocBytes), Snippet: r.InsertTextFormat == 2,
		Deprecated: r.Deprecated || slices.Contains(r.Tags, 1), rank: kept(cmp.Or(r.SortText, r.Label), maxLabel),
	}
	if r.Kind >= 1 && r.Kind <= len(completionKinds) {
		item.Kind = completionKinds[r.Kind-1]
	}
	if e := r.TextEdit; e != nil {
		item.Insert = kept(e.NewText, maxDocBytes)
		place, ok := a.here(cmp.Or(e.Replace, e.Range))
		if !ok {
			return CompletionItem{}, false
		}
		item.Replaces = &place
	}
	for i, e := range r.AdditionalTextEdits {
		if i == maxSubparts {
			a.conv.odd += len(r.AdditionalTextEdits) - i
			break
		}
		if place, ok := a.here(e.Range); ok {
			item.Additional = append(item.Additional, CompletionEdit{Place: place, New: kept(e.NewText, maxDocBytes)})
		}
	}
	return item, true
}
