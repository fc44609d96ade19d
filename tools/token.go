package tools

import (
	"slices"
	"strings"

	"lspbridge/limits"
	"lspbridge/lspclient"
)

// A tokenItem is a token in structured answers. The text of its place is that of
// the token.
type tokenItem struct {
	location
	Type      string   `json:"type"`
	Modifiers []string `json:"modifiers"`
}

func tokenTool() tool {
	return tool{
		name:   "semantic_tokens",
		title:  "Semantic tokens",
		desc:   "What the words of a file, or of a range of its lines, are: type (function, parameter, macro, ...) and modifiers (definition, readonly, ...), as the server names them.",
		params: slices.Concat([]param{fileParam()}, lineRangeParams(), pageParams()),
		output: listSchema(fileFields(field{"type", schemaString, true}, field{"modifiers", schemaStrings, true})),
		run: func(q *question) (reply, error) {
			s, err := q.subject(q.args.str("file"))
			if err != nil {
				return reply{}, err
			}
			within, err := q.lineRange(s)
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.SemanticTokens(q.ctx, s.file)
			if err != nil {
				return reply{}, err
			}
			q.server = found.Server
			if within != nil {
				found.Items = slices.DeleteFunc(found.Items, func(t lspclient.SemanticToken) bool {
					return t.Place.Start.Line < within.Start.Line || t.Place.Start.Line > within.End.Line
				})
			}
			return pageInFile(q, "semantic tokens of "+quotePath(s.shown), "tokens", found.Answer, found.Items, q.token)
		},
	}
}

func (q *question) token(t lspclient.SemanticToken) (any, string) {
	item := tokenItem{location: q.locate(t.Place), Type: q.label(t.Type), Modifiers: []string{}}
	item.Text, _ = limits.Clip(t.Text, 0, 0, q.b.limits.LineChars)
	for _, m := range t.Modifiers {
		item.Modifiers = append(item.Modifiers, q.label(m))
	}
	return item, columns(item.span(), oneLine(strings.Join(append([]string{orElse(item.Type, "(no type)")}, item.Modifiers...), " ")), item.Text)
}
