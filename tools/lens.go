package tools

import "lspbridge/lspclient"

func lensTool() tool {
	return tool{
		name:   "code_lens",
		title:  "Code lenses",
		desc:   "The commands that an editor would offer inside a file: their titles and places. None is ever run. A lens without a title is one whose server did not say it.",
		params: append([]param{fileParam()}, pageParams()...),
		output: listSchema(fileFields(field{"title", schemaString, true})),
		run: func(q *question) (reply, error) {
			s, err := q.subject(q.args.str("file"))
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.CodeLenses(q.ctx, s.file)
			if err != nil {
				return reply{}, err
			}
			q.server = found.Server
			return pageInFile(q, "code lenses of "+quotePath(s.shown), "lenses", found.Answer, found.Items, func(c lspclient.CodeLens) (any, string) {
				l, title := q.locate(c.Place), q.label(c.Title)
				return struct {
					location
					Title string `json:"title"`
				}{l, title}, columns(l.span(), orElse(oneLine(title), "(no title)"), l.Text)
			})
		},
	}
}
