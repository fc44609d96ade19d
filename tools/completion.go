package tools

import (
	"fmt"
	"strconv"
	"strings"

	"lspbridge/lspclient"
)

const (
	// maxCompletionDoc bounds the documentation of an item, maxInsert the text
	// that it inserts, in characters.
	maxCompletionDoc = 400
	maxInsert        = 1000
	// maxEditsShown bounds the further edits of an item that are shown.
	maxEditsShown = 10
)

// A completionItem is a completion in structured answers.
type completionItem struct {
	Label           string     `json:"label"`
	Kind            string     `json:"kind,omitempty"`
	Detail          string     `json:"detail,omitempty"`
	Documentation   string     `json:"documentation,omitempty"`
	Insert          string     `json:"insert"`
	Snippet         bool       `json:"snippet,omitempty"`
	Deprecated      bool       `json:"deprecated,omitempty"`
	Replaces        *location  `json:"replaces,omitempty"`
	AdditionalEdits int        `json:"additional_edits"`
	Edits           []editItem `json:"edits"`
}

// An editItem is a change elsewhere in the file.
type editItem struct {
	location
	NewText string `json:"new_text"`
}

func completionTool() tool {
	return tool{
		name:  "completion",
		title: "Completion",
		desc: "What can be written at a place, the server's best first, with the text to insert, what it replaces, and the edits elsewhere in the file that belong to it. " +
			"Nothing is written. at_least: the server knows more; put more of the word before the place.",
		params: append(insertionParams(), pageParams()...),
		output: listSchema([]field{
			{"label", schemaString, true},
			{"kind", schemaString, false},
			{"detail", schemaString, false},
			{"documentation", schemaString, false},
			{"insert", schemaString, true},
			{"snippet", schemaBoolean, false},
			{"deprecated", schemaBoolean, false},
			{"replaces", objectSchema(fileFields()...), false},
			{"additional_edits", schemaInteger, true},
			{"edits", arraySchema(objectSchema(fileFields(field{"new_text", schemaString, true})...)), true},
		}),
		run: func(q *question) (reply, error) {
			s, at, shown, err := q.insertion()
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.Completion(q.ctx, s.file, at)
			if err != nil {
				return reply{}, err
			}
			return pageInFile(q, "completion at "+shown, "items", found.Answer, found.Items, q.completion)
		},
	}
}

func (q *question) completion(c lspclient.CompletionItem) (any, string) {
	item := completionItem{
		Label: q.label(c.Label), Kind: c.Kind, Detail: q.label(c.Detail), Documentation: q.documentation(c.Documentation, maxCompletionDoc),
		Insert: clipTo(q.label(c.Insert), maxInsert), Snippet: c.Snippet, Deprecated: c.Deprecated,
		AdditionalEdits: len(c.Additional), Edits: []editItem{},
	}
	if c.Replaces != nil {
		place := q.locate(*c.Replaces)
		place.Text = "" // the line of the question
		item.Replaces = &place
	}
	var more []string
	if item.Insert != item.Label {
		more = append(more, "inserts "+strconv.Quote(item.Insert))
	}
	if c.Snippet {
		more = append(more, "(a snippet)")
	}
	if c.Deprecated {
		more = append(more, "(deprecated)")
	}
	for i, e := range c.Additional {
		if i == maxEditsShown {
			break
		}
		edit := editItem{q.locate(e.Place), clipTo(q.label(e.New), maxInsert)}
		edit.Text = ""
		item.Edits = append(item.Edits, edit)
		more = append(more, fmt.Sprintf("edit %d of %d at %s: %s", i+1, len(c.Additional), edit.span(), strconv.Quote(edit.NewText)))
	}
	line := columns(oneLine(item.Label), item.Kind, oneLine(item.Detail), strings.Join(more, "; "))
	return item, line + indented(item.Documentation)
}
