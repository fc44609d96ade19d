package tools_test

import (
	"context"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

// What the textual servers say of the rest is what a test puts here: of every
// file the same.
type annotations struct {
	signatures  []lspclient.Signature
	completions []lspclient.CompletionItem
	highlights  []lspclient.Highlight
	hints       []lspclient.InlayHint
	lenses      []lspclient.CodeLens
	folding     []lspclient.FoldingRange
	selection   []lspclient.Location
	links       []lspclient.DocumentLink
	tokens      []lspclient.SemanticToken
	colors      []lspclient.Color
}

// about answers with items, once a place that the question has is found.
func about[T any](ctx context.Context, s *textual, f confine.File, at lspclient.Locate, items []T) (lspclient.List[T], error) {
	server, _, _ := s.ServerFor(f)
	a, err := s.answer(ctx, server)
	if err == nil && at != nil {
		_, err = at(textpos.NewMapper(s.text(f)))
	}
	return lspclient.List[T]{Answer: a, Items: items}, err
}

func (s *textual) SignatureHelp(ctx context.Context, f confine.File, at lspclient.Locate) (lspclient.Signatures, error) {
	return about(ctx, s, f, at, s.annotations.signatures)
}

func (s *textual) Completion(ctx context.Context, f confine.File, at lspclient.Locate) (lspclient.Completions, error) {
	out, err := about(ctx, s, f, at, s.annotations.completions)
	out.AtLeast = true
	return out, err
}

func (s *textual) DocumentHighlights(ctx context.Context, f confine.File, at lspclient.Locate) (lspclient.Highlights, error) {
	return about(ctx, s, f, at, s.annotations.highlights)
}

func (s *textual) InlayHints(ctx context.Context, f confine.File, _ *textpos.PointRange) (lspclient.InlayHints, error) {
	return about(ctx, s, f, nil, s.annotations.hints)
}

func (s *textual) CodeLenses(ctx context.Context, f confine.File) (lspclient.CodeLenses, error) {
	return about(ctx, s, f, nil, s.annotations.lenses)
}

func (s *textual) FoldingRanges(ctx context.Context, f confine.File) (lspclient.FoldingRanges, error) {
	return about(ctx, s, f, nil, s.annotations.folding)
}

func (s *textual) SelectionRanges(ctx context.Context, f confine.File, at lspclient.Locate) (lspclient.Locations, error) {
	out, err := about(ctx, s, f, at, s.annotations.selection)
	return lspclient.Locations(out), err
}

func (s *textual) DocumentLinks(ctx context.Context, f confine.File) (lspclient.DocumentLinks, error) {
	return about(ctx, s, f, nil, s.annotations.links)
}

func (s *textual) SemanticTokens(ctx context.Context, f confine.File) (lspclient.SemanticTokens, error) {
	return about(ctx, s, f, nil, s.annotations.tokens)
}

func (s *textual) DocumentColors(ctx context.Context, f confine.File) (lspclient.Colors, error) {
	return about(ctx, s, f, nil, s.annotations.colors)
}

// annotated holds one of each thing, with every member set.
func annotated(ws *confine.Workspace) annotations {
	f, err := ws.File("a/client.go")
	if err != nil {
		panic(err) // the archive has it
	}
	at := lspclient.Location{
		Inside: true, File: f, Start: textpos.Point{Line: 1, Column: 1}, End: textpos.Point{Line: 1, Column: 8}, Line: "package a",
	}
	outside := lspclient.Location{URI: "file:///usr/include/x.h", Path: "/usr/include/x.h", Start: textpos.Point{Line: 1, Column: 1}, End: textpos.Point{Line: 1, Column: 1}}
	secret := ws.Abs(f)
	return annotations{
		signatures: []lspclient.Signature{
			{Label: "f(a int)", Documentation: "see file://" + secret, Parameters: []lspclient.Parameter{{Label: "a int", Documentation: "a"}}, Chosen: true},
			{Label: "f()", Active: -1},
		},
		completions: []lspclient.CompletionItem{
			{Label: "Dial", Kind: "function", Detail: "func() in " + secret, Documentation: "Dials.", Insert: "Dial(${1:n})", Snippet: true, Deprecated: true, Replaces: &at,
				Additional: []lspclient.CompletionEdit{{Place: at, New: "import \"net\"\n"}}},
			{Label: "x", Insert: "x"},
		},
		highlights: []lspclient.Highlight{{Place: at, Kind: "write"}},
		hints:      []lspclient.InlayHint{{Place: at, Label: "a:", Kind: "parameter"}, {Place: at, Label: ": int"}},
		lenses:     []lspclient.CodeLens{{Place: at, Title: "run\x1b[31m"}, {Place: at}},
		folding:    []lspclient.FoldingRange{{Place: at, Kind: "comment"}, {Place: at}},
		selection:  []lspclient.Location{at},
		links: []lspclient.DocumentLink{
			{Place: at, Target: &at}, {Place: at, Target: &outside}, {Place: at, URL: "https://example.com/a"}, {Place: at},
			{Place: at, Target: &lspclient.Location{URI: "vscode-secret:x", Start: at.Start, End: at.Start}},
		},
		tokens: []lspclient.SemanticToken{{Place: at, Type: "keyword", Modifiers: []string{"declaration"}, Text: "package"}, {Place: at, Text: "package"}},
		colors: []lspclient.Color{{Place: at, Red: 1, Green: 0.5, Alpha: 1}},
	}
}
