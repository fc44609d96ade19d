package tools

import (
	"lspbridge/limits"
	"lspbridge/lspclient"
)

// A linkItem is a link in structured answers: its place, and at most one of the
// ways to say where it leads.
type linkItem struct {
	location
	TargetPath    string `json:"target_path,omitempty"`
	TargetRef     string `json:"target_ref,omitempty"`
	TargetDisplay string `json:"target_display,omitempty"`
	URL           string `json:"url,omitempty"`
}

func linkTool() tool {
	return tool{
		name:   "document_links",
		title:  "Links",
		desc:   "What a file leads to: included files, documentation of imports, addresses in comments. Nothing is fetched.",
		params: append([]param{fileParam()}, pageParams()...),
		output: listSchema(fileFields(
			field{"target_path", schemaString, false}, field{"target_ref", schemaString, false},
			field{"target_display", schemaString, false}, field{"url", schemaString, false},
		)),
		run: func(q *question) (reply, error) {
			s, err := q.subject(q.args.str("file"))
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.DocumentLinks(q.ctx, s.file)
			if err != nil {
				return reply{}, err
			}
			q.server = found.Server
			return pageInFile(q, "links of "+quotePath(s.shown), "links", found.Answer, found.Items, q.link)
		},
	}
}

func (q *question) link(d lspclient.DocumentLink) (any, string) {
	item := linkItem{location: q.locate(d.Place)}
	var leads string
	switch {
	case d.URL != "":
		item.URL, _ = limits.Clip(q.label(d.URL), 0, 0, q.b.limits.LineChars)
		leads = oneLine(item.URL)
	case d.Target != nil:
		target := q.locate(*d.Target)
		item.TargetPath, item.TargetRef, item.TargetDisplay = target.Path, target.Ref, target.Display
		leads = target.where()
	default:
		leads = "(the server does not say where to)"
	}
	return item, columns(item.span(), item.Text, "-> "+leads)
}
