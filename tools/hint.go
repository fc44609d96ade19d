package tools

import (
	"slices"

	"lspbridge/lspclient"
)

func hintTool() tool {
	return tool{
		name:   "inlay_hints",
		title:  "Inlay hints",
		desc:   "What an editor writes between the words of a file, or of a range of its lines: names of parameters, types that were inferred. Each stands before its place.",
		params: slices.Concat([]param{fileParam()}, lineRangeParams(), pageParams()),
		output: listSchema(fileFields(field{"label", schemaString, true}, field{"kind", schemaString, false})),
		run: func(q *question) (reply, error) {
			s, err := q.subject(q.args.str("file"))
			if err != nil {
				return reply{}, err
			}
			within, err := q.lineRange(s)
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.InlayHints(q.ctx, s.file, within)
			if err != nil {
				return reply{}, err
			}
			q.server = found.Server
			return pageInFile(q, "inlay hints of "+quotePath(s.shown), "hints", found.Answer, found.Items, func(h lspclient.InlayHint) (any, string) {
				l, label := q.locate(h.Place), q.label(h.Label)
				return struct {
					location
					Label string `json:"label"`
					Kind  string `json:"kind,omitempty"`
				}{l, label, h.Kind}, columns(l.span(), oneLine(label), h.Kind, l.Text)
			})
		},
	}
}
