package lspclient_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/textpos"
)

// documentText has a character that counts two in UTF-16 before its second word.
const documentText = "one 😀 two\nthree\n\nfour(1, 2)\n"

// span words a place of the asked file.
func span(l lspclient.Location) string {
	return fmt.Sprintf("%d:%d-%d:%d", l.Start.Line, l.Start.Column, l.End.Line, l.End.Column)
}

// rng is a range of LSP on one line.
func rng(line, from, to int) string {
	return fmt.Sprintf(`{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}`, line, from, line, to)
}

// words asks and words each item of the answer.
func words[T any](a lspclient.List[T], err error, word func(T) string) (lspclient.Answer, []string, error) {
	var out []string
	for _, it := range a.Items {
		out = append(out, word(it))
	}
	return a.Answer, out, err
}

type asking func(context.Context, *bench, confine.File) (lspclient.Answer, []string, error)

var (
	askHighlights asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.DocumentHighlights(ctx, f, on("one"))
		return words(a, err, func(h lspclient.Highlight) string { return span(h.Place) + " " + h.Kind })
	}
	askHints asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.InlayHints(ctx, f, nil)
		return words(a, err, func(h lspclient.InlayHint) string { return span(h.Place) + " " + h.Kind + " " + h.Label })
	}
	askHintsOfLine1 asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.InlayHints(ctx, f, &textpos.PointRange{Start: textpos.Point{Line: 1, Column: 1}, End: textpos.Point{Line: 1, Column: 1000}})
		return words(a, err, func(h lspclient.InlayHint) string { return span(h.Place) + " " + h.Label })
	}
	askLenses asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.CodeLenses(ctx, f)
		return words(a, err, func(c lspclient.CodeLens) string { return span(c.Place) + " " + c.Title })
	}
	askFolding asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.FoldingRanges(ctx, f)
		return words(a, err, func(r lspclient.FoldingRange) string { return span(r.Place) + " " + r.Kind })
	}
	askSelection asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.SelectionRanges(ctx, f, on("two"))
		return words(lspclient.List[lspclient.Location](a), err, span)
	}
	askLinks asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.DocumentLinks(ctx, f)
		return words(a, err, func(l lspclient.DocumentLink) string {
			switch {
			case l.URL != "":
				return span(l.Place) + " " + l.URL
			case l.Target == nil:
				return span(l.Place) + " nowhere"
			case l.Target.Inside:
				return span(l.Place) + " " + b.ws.Shown(l.Target.File)
			}
			return span(l.Place) + " outside " + l.Target.Path
		})
	}
	askTokens asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.SemanticTokens(ctx, f)
		return words(a, err, func(t lspclient.SemanticToken) string {
			return span(t.Place) + " " + t.Type + " " + strings.Join(t.Modifiers, ",") + " " + t.Text
		})
	}
	askColors asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.DocumentColors(ctx, f)
		return words(a, err, func(c lspclient.Color) string {
			return fmt.Sprint(span(c.Place), " ", c.Red, c.Green, c.Blue, c.Alpha)
		})
	}
	askSignatures asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.SignatureHelp(ctx, f, on("1, 2"))
		return words(a, err, func(s lspclient.Signature) string {
			var params []string
			for _, p := range s.Parameters {
				params = append(params, p.Label+":"+p.Documentation)
			}
			return fmt.Sprint(s.Label, " ", s.Documentation, " ", params, " ", s.Active, " ", s.Chosen)
		})
	}
	askCompletion asking = func(ctx context.Context, b *bench, f confine.File) (lspclient.Answer, []string, error) {
		a, err := b.Completion(ctx, f, on("two"))
		return words(a, err, func(c lspclient.CompletionItem) string {
			out := fmt.Sprintf("%s|%s|%s|%s|%s|%t|%t", c.Label, c.Kind, c.Detail, c.Documentation, c.Insert, c.Snippet, c.Deprecated)
			if c.Replaces != nil {
				out += " replaces " + span(*c.Replaces)
			}
			for _, e := range c.Additional {
				out += " and " + span(e.Place) + e.New
			}
			return out
		})
	}
)

// TestDocumentDecoding: an element that cannot be read costs itself, and the
// answer says so; nothing a server sends ends the bridge.
func TestDocumentDecoding(t *testing.T) {
	t.Parallel()
	const (
		highlight, hint, lens        = "textDocument/documentHighlight", "textDocument/inlayHint", "textDocument/codeLens"
		folding, selection, link     = "textDocument/foldingRange", "textDocument/selectionRange", "textDocument/documentLink"
		tokens, color                = "textDocument/semanticTokens/full", "textDocument/documentColor"
		signature, completion        = "textDocument/signatureHelp", "textDocument/completion"
		unread, beyond               = " that the server sent cannot be read", " outside its file's text"
		position, everyPart, nothing = `{"line":0,"character":7}`, `"red":1,"green":0.5,"blue":0,"alpha":1`, `null`
	)
	nested := strings.Repeat(`{"range":`+rng(0, 0, 10)+`,"parent":`, 3) + "null" + strings.Repeat("}", 3)
	deep := strings.Repeat(`{"range":`+rng(0, 0, 10)+`,"parent":`, 70) + "null" + strings.Repeat("}", 70)
	for name, c := range map[string]struct {
		method, result string
		ask            asking
		want           []string
		reasons        []string
		fails          bool
		atLeast        bool
	}{
		"highlights": {highlight, `[{"range":` + rng(1, 0, 5) + `,"kind":3},{"range":` + rng(0, 7, 10) + `,"kind":2},{"range":` + rng(0, 0, 3) + `},{"range":` + rng(0, 0, 3) + `}]`,
			askHighlights, []string{"1:1-1:4 text", "1:10-1:13 read", "2:1-2:6 write"}, nil, false, false},
		"odd highlights": {highlight, `[{"range":"x"},7,{"kind":1},{"range":` + rng(9, 0, 1) + `},{"range":` + rng(0, 5, 6) + `},{"range":` + rng(0, 0, 3) + `,"kind":99}]`,
			askHighlights, []string{"1:1-1:4 text"}, []string{"2 places" + beyond, "3 places" + unread}, false, false},
		"no highlights": {highlight, nothing, askHighlights, nil, nil, false, false},
		"not a list":    {highlight, `"x"`, askHighlights, nil, nil, true, false},
		"hints": {hint, `[{"position":` + position + `,"label":": int","kind":1},{"position":{"line":3,"character":5},"label":[{"value":"a"},{"value":":"}],"kind":2}]`,
			askHints, []string{"1:10-1:10 type : int", "4:6-4:6 parameter a:"}, nil, false, false},
		"hints of a line": {hint, `[{"position":` + position + `,"label":"in"},{"position":{"line":3,"character":5},"label":"out"}]`,
			askHintsOfLine1, []string{"1:10-1:10 in"}, nil, false, false},
		"odd hints": {hint, `[{"position":` + position + `},{"label":"x"},{"position":` + position + `,"label":7},{"position":` + position + `,"label":""}]`,
			askHints, nil, []string{"4 places" + unread}, false, false},
		"lenses": {lens, `[{"range":` + rng(1, 0, 1) + `,"command":{"title":"run","command":"rm"}},{"range":` + rng(0, 0, 1) + `}]`,
			askLenses, []string{"1:1-1:2 resolved", "2:1-2:2 run"}, nil, false, false},
		"folding": {folding, `[{"startLine":1,"endLine":3},{"startLine":0,"startCharacter":4,"endLine":1,"endCharacter":2,"kind":"comment"},{"startLine":1}]`,
			askFolding, []string{"1:5-2:3 comment", "2:6-4:11 "}, []string{"1 place" + unread}, false, false},
		"folding past the end":     {folding, `[{"startLine":1,"endLine":300}]`, askFolding, nil, []string{"1 place" + beyond}, false, false},
		"selection":                {selection, `[{"range":` + rng(0, 7, 10) + `,"parent":{"range":` + rng(0, 0, 10) + `}}]`, askSelection, []string{"1:10-1:13", "1:1-1:13"}, nil, false, false},
		"the same range again":     {selection, "[" + nested + "]", askSelection, []string{"1:1-1:13"}, nil, false, false},
		"a parent inside":          {selection, `[{"range":` + rng(0, 0, 10) + `,"parent":{"range":` + rng(0, 7, 10) + `}}]`, askSelection, []string{"1:1-1:13"}, []string{"1 place" + unread}, false, false},
		"ranges of two places":     {selection, `[{"range":` + rng(0, 0, 1) + `},{"range":` + rng(0, 0, 2) + `}]`, askSelection, nil, nil, true, false},
		"tokens":                   {tokens, `{"data":[0,7,3,0,1,1,0,5,1,0]}`, askTokens, []string{"1:10-1:13 type readonly two", "2:1-2:6 function  three"}, nil, false, false},
		"tokens and a bad number":  {tokens, `{"data":[0,0,3,0,0,0,-1,1,0,0]}`, askTokens, []string{"1:1-1:4 type  one"}, []string{"1 number behind the last whole token", "tokens behind a number that cannot be read are left out"}, false, false},
		"tokens past the line":     {tokens, `{"data":[1,0,50,0,0]}`, askTokens, []string{"2:1-2:6 type  three"}, []string{"1 token cut at the end of the line"}, false, false},
		"no tokens":                {tokens, nothing, askTokens, nil, nil, false, false},
		"tokens of another form":   {tokens, `[1]`, askTokens, nil, nil, true, false},
		"colors":                   {color, `[{"range":` + rng(0, 0, 3) + `,"color":{` + everyPart + `}}]`, askColors, []string{"1:1-1:4 1 0.5 0 1"}, nil, false, false},
		"odd colors":               {color, `[{"range":` + rng(0, 0, 3) + `},{"range":` + rng(0, 0, 3) + `,"color":{"red":2,"green":0,"blue":0,"alpha":1}},{"color":{` + everyPart + `}},{"range":` + rng(0, 0, 3) + `,"color":{"red":1}}]`, askColors, nil, []string{"4 places" + unread}, false, false},
		"signatures":               {signature, `{"signatures":[{"label":"f(😀 a, b)","parameters":[{"label":[2,6]},{"label":"b","documentation":{"kind":"markdown","value":"B."}}],"documentation":"F."},{"label":"f()"}],"activeSignature":1,"activeParameter":1}`, askSignatures, []string{"f(😀 a, b) F. [😀 a: b:B.] 1 false", "f()  [] -1 true"}, nil, false, false},
		"odd signatures":           {signature, `{"signatures":[{"label":"f(a)","parameters":[{"label":[3,99]}]},{"parameters":[]},3],"activeParameter":-1}`, askSignatures, []string{"f(a)  [:] -1 true"}, []string{"3 places" + unread}, false, false},
		"no signatures":            {signature, nothing, askSignatures, nil, nil, false, false},
		"completion of a list":     {completion, `[{"label":"b","kind":3,"sortText":"2"},{"label":"c","sortText":"1","insertText":"c($1)","insertTextFormat":2,"tags":[1]}]`, askCompletion, []string{"c||||c($1)|true|true", "b|function|||b|false|false"}, nil, false, false},
		"items of one label":       {completion, `[{"label":"t","detail":"text","sortText":"1"},{"label":"s","sortText":"2"},{"label":"t","detail":"html","sortText":"3"}]`, askCompletion, []string{"t||html||t|false|false", "t||text||t|false|false", "s||||s|false|false"}, nil, false, false},
		"an incomplete completion": {completion, `{"isIncomplete":true,"items":[{"label":"x","labelDetails":{"detail":"(n)","description":"pkg"},"textEdit":{"insert":` + rng(0, 7, 8) + `,"replace":` + rng(0, 7, 10) + `,"newText":"xx"},"additionalTextEdits":[{"range":` + rng(0, 0, 0) + `,"newText":"import"}]}]}`, askCompletion, []string{"x(n)||pkg||xx|false|false replaces 1:10-1:13 and 1:1-1:1import"}, nil, false, true},
		"odd completions":          {completion, `{"items":[{"kind":1},"x",{"label":"y","textEdit":{"newText":"z"}},{"label":"w","additionalTextEdits":[{"newText":"q"}]}]}`, askCompletion, []string{"w||||w|false|false"}, []string{"4 places" + unread}, false, false},
		"links": {link, `[{"range":` + rng(0, 0, 3) + `,"target":"$ROOT/a.fake#L3"},{"range":` + rng(0, 7, 10) + `,"target":"https://example.com/x"},{"range":` + rng(1, 0, 5) + `,"target":"file:///usr/include/x.h"},{"range":` + rng(3, 0, 4) + `}]`,
			askLinks, []string{"1:1-1:4 a.fake", "1:10-1:13 https://example.com/x", "2:1-2:6 outside /usr/include/x.h", "4:1-4:5 https://resolved.example"}, nil, false, false},
		"odd links":         {link, `[{"range":` + rng(0, 0, 3) + `,"target":"no uri"},{"target":"file:///x"},{"range":` + rng(0, 0, 3) + `,"target":"$ROOT"}]`, askLinks, nil, []string{"3 places" + unread}, false, false},
		"too many levels":   {selection, "[" + deep + "]", askSelection, []string{"1:1-1:13"}, []string{"cut at 64 levels"}, false, false},
		"an unordered list": {folding, `[{"startLine":3,"endLine":3},{"startLine":0,"endLine":1}]`, askFolding, []string{"1:13-2:6 ", "4:11-4:11 "}, nil, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := lsptest.Script{
				Capabilities: `{"textDocumentSync":2,"documentHighlightProvider":true,"inlayHintProvider":{},"codeLensProvider":{"resolveProvider":true},
					"foldingRangeProvider":true,"selectionRangeProvider":true,"documentLinkProvider":{"resolveProvider":true},"colorProvider":true,
					"signatureHelpProvider":{},"completionProvider":{},
					"semanticTokensProvider":{"full":true,"legend":{"tokenTypes":["type","function"],"tokenModifiers":["readonly"]}}}`,
				On: map[string][]lsptest.Reaction{
					c.method:               {{Result: c.result}},
					"codeLens/resolve":     {{Result: `{"range":` + rng(0, 0, 1) + `,"command":{"title":"resolved"}}`}},
					"documentLink/resolve": {{Result: `{"range":` + rng(0, 0, 1) + `,"target":"https://resolved.example"}`}},
				},
			}
			b, _ := openFake(t, script, fakeServer(), map[string]string{"a.fake": documentText}, nil)
			a, got, err := c.ask(t.Context(), b, b.file(t, "a.fake"))
			if c.fails {
				if code(t, err) != lspclient.CodeFailed || !strings.Contains(err.Error(), c.method) {
					t.Errorf("%v, want an error that names %s", err, c.method)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, c.want) || a.AtLeast != c.atLeast {
				t.Errorf("%q, at least %t; want %q, %t", got, a.AtLeast, c.want, c.atLeast)
			}
			state := lspclient.Complete
			if len(c.reasons) > 0 {
				state = lspclient.Partial
			}
			if !slices.Equal(a.Completeness.Reasons, c.reasons) || a.Completeness.State != state {
				t.Errorf("%s, reasons %q; want %s, %q", a.Completeness.State, a.Completeness.Reasons, state, c.reasons)
			}
		})
	}
}

// TestDocumentBounds: a list is cut at its bound, and a server that names no
// titles is asked for so many and no more.
func TestDocumentBounds(t *testing.T) {
	t.Parallel()
	list := func(n int, element string) string {
		return "[" + strings.Repeat(element+",", n-1) + element + "]"
	}
	script := lsptest.Script{
		Capabilities: `{"textDocumentSync":2,"codeLensProvider":{"resolveProvider":true},"foldingRangeProvider":true,"documentLinkProvider":{"resolveProvider":true}}`,
		On: map[string][]lsptest.Reaction{
			"textDocument/codeLens":     {{Result: list(101, `{"range":`+rng(0, 0, 1)+`}`)}},
			"codeLens/resolve":          {{Result: `{"command":{"title":"t"}}`}},
			"textDocument/documentLink": {{Result: list(2, `{"range":`+rng(0, 0, 1)+`}`)}},
			"documentLink/resolve":      {{Error: &lsptest.Error{Code: -32603, Message: "no"}}},
			"textDocument/foldingRange": {{Result: list(50_001, `{"startLine":0,"endLine":1}`)}},
		},
	}
	b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": documentText}, nil)
	f := b.file(t, "a.fake")
	for name, c := range map[string]struct {
		ask     asking
		items   int
		atLeast bool
		reason  string
	}{
		"lenses":  {askLenses, 101, false, "only 100 elements were resolved"},
		"links":   {askLinks, 2, false, "elements that the server could not resolve"},
		"folding": {askFolding, 1, true, "the first 50000 of the server's 50001 elements"}, // all the same
	} {
		a, got, err := c.ask(t.Context(), b, f)
		if err != nil || len(got) != c.items || a.AtLeast != c.atLeast || a.Completeness.State != lspclient.Partial || !slices.Equal(a.Completeness.Reasons, []string{c.reason}) {
			t.Errorf("%s: %d items, at least %t, %+v, error %v", name, len(got), a.AtLeast, a.Completeness, err)
		}
	}
	if asked := fake.Await(t, "codeLens/resolve", 100); len(asked) != 100 {
		t.Errorf("%d lenses were resolved", len(asked))
	}
}

// TestSemanticTokensProvider: the legend is the server's, announced or
// registered, and a server that has no tokens of a whole file says so.
func TestSemanticTokensProvider(t *testing.T) {
	t.Parallel()
	const data = `{"data":[0,0,3,1,0]}`
	const options = `{"full":{"delta":true},"legend":{"tokenTypes":["a","registered"],"tokenModifiers":[]}}`
	for name, c := range map[string]struct {
		capabilities string
		start        []lsptest.Action
		want         string
	}{
		"announced":     {`{"textDocumentSync":2,"semanticTokensProvider":` + options + `}`, nil, "1:1-1:4 registered  one"},
		"of ranges":     {`{"textDocumentSync":2,"semanticTokensProvider":{"range":true,"full":false,"legend":{"tokenTypes":[],"tokenModifiers":[]}}}`, nil, ""},
		"without full":  {`{"textDocumentSync":2,"semanticTokensProvider":{"legend":{"tokenTypes":[],"tokenModifiers":[]}}}`, nil, ""},
		"not announced": {`{"textDocumentSync":2}`, nil, ""},
		"registered": {`{"textDocumentSync":2}`, []lsptest.Action{{
			Request: "client/registerCapability", Await: "client/registerCapability",
			Params: `{"registrations":[{"id":"1","method":"textDocument/semanticTokens","registerOptions":` + options + `}]}`,
		}}, "1:1-1:4 registered  one"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			script := lsptest.Script{Capabilities: c.capabilities, On: map[string][]lsptest.Reaction{
				"initialize":                       {{Before: c.start}},
				"textDocument/semanticTokens/full": {{Result: data}},
			}}
			b, _ := openFake(t, script, fakeServer(), map[string]string{"a.fake": documentText}, nil)
			_, got, err := askTokens(t.Context(), b, b.file(t, "a.fake"))
			if c.want == "" {
				if code(t, err) != lspclient.CodeUnsupported || err.Error() != "fakels 1.0.0 has no textDocument/semanticTokens/full" {
					t.Errorf("%q, error %v", got, err)
				}
				return
			}
			if err != nil || !slices.Equal(got, []string{c.want}) {
				t.Errorf("%q, error %v; want %q", got, err, c.want)
			}
		})
	}
}
