package tools

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"lspbridge/lspclient"
)

func hoverTool() tool {
	return tool{
		name:   "hover",
		title:  "Hover",
		desc:   "Signature and documentation of a symbol, as a language server knows it.",
		params: append(targetParams(), maxCharsParam()),
		output: objectSchema(field{"text", schemaString, true}, completenessField()),
		run: func(q *question) (reply, error) {
			s, err := q.resolve()
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.Hover(q.ctx, s.file, s.at.locate)
			if err != nil {
				return reply{}, s.failed(err)
			}
			whole := q.complete(lspclient.Merge(found.Completeness, s.doubt))
			text := strings.TrimSpace(q.b.redact.Text(stripLinks(found.Text)))
			_, maxChars := q.pageBounds()
			header := "hover of " + s.at.subject() + ": " + describeCompleteness(whole)
			if text == "" {
				header = "hover of " + s.at.subject() + ": nothing to say, " + describeCompleteness(whole)
			}
			if n := utf8.RuneCountInString(text); n > maxChars {
				text = clipTo(text, maxChars) + fmt.Sprintf("\n(cut by max_chars, %d characters in all)", n)
			}
			return reply{
				text: strings.TrimRight(header+"\n"+text, "\n"),
				structured: struct {
					Text         string       `json:"text"`
					Completeness completeness `json:"completeness"`
				}{text, whole},
				state: whole.State,
			}, nil
		},
	}
}

// maxCharsParam bounds an answer that has no pages.
func maxCharsParam() param {
	return param{name: "max_chars", typ: typeInteger, min: minPageChars, max: maxPageChars}
}
