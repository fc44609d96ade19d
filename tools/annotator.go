package tools

import (
	"context"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

// An Annotator knows what an editor shows inside and around the text of a file.
type Annotator interface {
	SignatureHelp(context.Context, confine.File, lspclient.Locate) (lspclient.Signatures, error)
	Completion(context.Context, confine.File, lspclient.Locate) (lspclient.Completions, error)
	DocumentHighlights(context.Context, confine.File, lspclient.Locate) (lspclient.Highlights, error)
	InlayHints(context.Context, confine.File, *textpos.PointRange) (lspclient.InlayHints, error)
	CodeLenses(context.Context, confine.File) (lspclient.CodeLenses, error)
	FoldingRanges(context.Context, confine.File) (lspclient.FoldingRanges, error)
	SelectionRanges(context.Context, confine.File, lspclient.Locate) (lspclient.Locations, error)
	DocumentLinks(context.Context, confine.File) (lspclient.DocumentLinks, error)
	SemanticTokens(context.Context, confine.File) (lspclient.SemanticTokens, error)
	DocumentColors(context.Context, confine.File) (lspclient.Colors, error)
}
