package tools

import "lspbridge/lspclient"

func foldingTool() tool {
	return tool{
		name:   "folding_ranges",
		title:  "Folding ranges",
		desc:   "The parts of a file that an editor can fold away: bodies, comments, imports.",
		params: append([]param{fileParam()}, pageParams()...),
		output: listSchema(fileFields(field{"kind", schemaString, false})),
		run: func(q *question) (reply, error) {
			s, err := q.subject(q.args.str("file"))
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.FoldingRanges(q.ctx, s.file)
			if err != nil {
				return reply{}, err
			}
			q.server = found.Server
			return pageInFile(q, "folding ranges of "+quotePath(s.shown), "ranges", found.Answer, found.Items, func(r lspclient.FoldingRange) (any, string) {
				l, kind := q.locate(r.Place), q.label(r.Kind)
				return struct {
					location
					Kind string `json:"kind,omitempty"`
				}{l, kind}, columns(l.span(), oneLine(kind), l.Text)
			})
		},
	}
}

func selectionTool() tool {
	return tool{
		name:   "selection_ranges",
		title:  "Selection ranges",
		desc:   "The pieces of syntax around a place, the innermost first, each inside the next: word, expression, statement, block, declaration.",
		params: append(insertionParams(), pageParams()...),
		output: listSchema(fileFields()),
		run: func(q *question) (reply, error) {
			s, at, shown, err := q.insertion()
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.SelectionRanges(q.ctx, s.file, at)
			if err != nil {
				return reply{}, err
			}
			q.server = found.Server
			return pageInFile(q, "selection ranges at "+shown, "ranges", found.Answer, found.Items, func(p lspclient.Location) (any, string) {
				l := q.locate(p)
				return l, columns(l.span(), l.Text)
			})
		},
	}
}
