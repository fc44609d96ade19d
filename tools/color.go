package tools

import (
	"fmt"
	"math"

	"lspbridge/lspclient"
)

// schemaPart is a part of a colour.
const schemaPart = `{"type":"number","minimum":0,"maximum":1}`

func colorTool() tool {
	return tool{
		name:   "document_colors",
		title:  "Colors",
		desc:   "The colors that texts in a file stand for, as a language server for style sheets knows them.",
		params: append([]param{fileParam()}, pageParams()...),
		output: listSchema(fileFields(
			field{"red", schemaPart, true}, field{"green", schemaPart, true}, field{"blue", schemaPart, true}, field{"alpha", schemaPart, true},
		)),
		run: func(q *question) (reply, error) {
			s, err := q.subject(q.args.str("file"))
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.DocumentColors(q.ctx, s.file)
			if err != nil {
				return reply{}, err
			}
			q.server = found.Server
			return pageInFile(q, "colors of "+quotePath(s.shown), "colors", found.Answer, found.Items, func(c lspclient.Color) (any, string) {
				l := q.locate(c.Place)
				byteOf := func(part float64) int { return int(math.Round(part * 255)) }
				return struct {
					location
					Red   float64 `json:"red"`
					Green float64 `json:"green"`
					Blue  float64 `json:"blue"`
					Alpha float64 `json:"alpha"`
				}{l, c.Red, c.Green, c.Blue, c.Alpha}, columns(l.span(), fmt.Sprintf("#%02x%02x%02x%02x", byteOf(c.Red), byteOf(c.Green), byteOf(c.Blue), byteOf(c.Alpha)), l.Text)
			})
		},
	}
}
