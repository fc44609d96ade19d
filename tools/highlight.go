package tools

import "lspbridge/lspclient"

func highlightTool() tool {
	return tool{
		name:   "document_highlights",
		title:  "Highlights",
		desc:   "Where a symbol is read and written inside its file alone; find_references looks everywhere.",
		params: append(targetParams(), pageParams()...),
		output: listSchema(fileFields(field{"kind", `{"type":"string","enum":["text","read","write"]}`, true})),
		run: func(q *question) (reply, error) {
			s, err := q.resolve()
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.DocumentHighlights(q.ctx, s.file, s.at.locate)
			if err != nil {
				return reply{}, s.failed(err)
			}
			q.server = found.Server
			found.Completeness = lspclient.Merge(found.Completeness, s.doubt)
			return pageInFile(q, "highlights of "+s.at.subject(), "highlights", found.Answer, found.Items, func(h lspclient.Highlight) (any, string) {
				l := q.locate(h.Place)
				return struct {
					location
					Kind string `json:"kind"`
				}{l, h.Kind}, columns(l.span(), h.Kind, l.Text)
			})
		},
	}
}
