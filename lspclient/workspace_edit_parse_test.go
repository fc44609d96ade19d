package lspclient

import (
	"encoding/json"
	"strings"
	"testing"

	"lspbridge/limits"
	"lspbridge/lspclient/textpos"
)

// edit1 is a text edit of the first character.
const edit1 = `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":"x"}`

func TestParseWorkspaceEdit(t *testing.T) {
	t.Parallel()
	text := func(edits string) string {
		return `{"documentChanges":[{"textDocument":{"uri":"file:///a","version":0},"edits":[` + edits + `]}]}`
	}
	ops := func(list string) string { return `{"documentChanges":[` + list + `]}` }
	for name, test := range map[string]struct {
		raw   string
		steps string // "kind uri newURI edits version", or the refusal
	}{
		"null":                   {`null`, ""},
		"nothing":                {`{}`, ""},
		"changes":                {`{"changes":{"file:///b":[` + edit1 + `],"file:///a":[` + edit1 + `,` + edit1 + `]}}`, " file:///a  2 0; file:///b  1 0"},
		"versions":               {ops(`{"textDocument":{"uri":"file:///a","version":7},"edits":[]},{"textDocument":{"uri":"file:///b","version":null},"edits":[` + edit1 + `]}`), " file:///a  0 7; file:///b  1 0"},
		"both":                   {`{"changes":{"file:///b":[` + edit1 + `]},"documentChanges":[]}`, ""},
		"operations in order":    {ops(`{"kind":"create","uri":"file:///a"},{"kind":"rename","oldUri":"file:///a","newUri":"file:///b"},{"kind":"delete","uri":"file:///b","options":{"recursive":true}}`), "create file:///a  0 0;rename file:///a file:///b 0 0;delete file:///b  0 0"},
		"annotated":              {`{"documentChanges":[{"textDocument":{"uri":"file:///a","version":1},"edits":[` + strings.Replace(edit1, `"newText"`, `"annotationId":"k","newText"`, 1) + `]}],"changeAnnotations":{"k":{"label":"sure?","needsConfirmation":true}}}`, " file:///a  1 1 sure?"},
		"missing annotation":     {text(strings.Replace(edit1, `"newText"`, `"annotationId":"k","newText"`, 1)), "an annotation that is not there"},
		"snippet":                {text(`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"snippet":{"kind":"snippet","value":"$0"}}`), "snippet"},
		"snippet format":         {text(strings.Replace(edit1, `"newText"`, `"insertTextFormat":2,"newText"`, 1)), "snippet"},
		"unknown operation":      {ops(`{"kind":"copy","uri":"file:///a"}`), "unknown kind"},
		"unknown member":         {text(strings.Replace(edit1, `"newText"`, `"moreText":"","newText"`, 1)), "unknown form"},
		"unknown option":         {ops(`{"kind":"delete","uri":"file:///a","options":{"force":true}}`), "known form"},
		"no text":                {text(`{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}}`), "unknown form"},
		"no range":               {text(`{"newText":"x"}`), "unknown form"},
		"half a range":           {text(`{"range":{"start":{"line":0,"character":0}},"newText":"x"}`), "no place"},
		"no character":           {text(`{"range":{"start":{"line":0},"end":{"line":0,"character":1}},"newText":"x"}`), "no place"},
		"a negative line":        {text(strings.Replace(edit1, `"line":0`, `"line":-1`, 1)), "unknown form"},
		"no document":            {ops(`{"edits":[]}`), "known form"},
		"no edits":               {ops(`{"textDocument":{"uri":"file:///a","version":1}}`), "known form"},
		"rename without target":  {ops(`{"kind":"rename","oldUri":"file:///a"}`), "without a file"},
		"the last one is faulty": {ops(`{"kind":"create","uri":"file:///a"},{}`), "element 2 of 2"},
		"no object":              {`[]`, "no WorkspaceEdit"},
		"null in a list":         {ops(`null`), "no object"},
		"null for a list":        {`{"changes":{"file:///a":null}}`, "no list"},
		"too many edits":         {text(edit1 + `,` + edit1 + `,` + edit1), "more than 2 edits"},
		"too much text":          {text(strings.Replace(edit1, `"x"`, `"`+strings.Repeat("x", 11)+`"`, 1)), "more than 10 inserted"},
		"too many files":         {ops(strings.Repeat(`{"kind":"create","uri":"file:///a"},`, 3) + `{"kind":"create","uri":"file:///a"}`), "more than 3 files"},
	} {
		budget := limits.Default()
		budget.Edits, budget.InsertedBytes, budget.PreviewFiles = 2, 10, 3
		if name == "changes" {
			budget.Edits = 3
		}
		steps, fault := parseWorkspaceEdit([]byte(test.raw), newEditRoom(budget))
		if fault != nil {
			if test.steps == "" || !strings.Contains(fault.what, test.steps) || len(steps) > 0 {
				t.Errorf("%s: refused: %s, and %d steps; want %q", name, fault.what, len(steps), test.steps)
			}
			continue
		}
		var got []string
		for _, s := range steps {
			words := []string{string(s.op.Kind), s.uri, s.newURI, string(rune('0' + len(s.edits))), string(rune('0' + s.version))}
			if s.label != "" {
				words = append(words, s.label)
			}
			got = append(got, strings.Join(words, " "))
		}
		if all := strings.Join(got, ";"); all != test.steps {
			t.Errorf("%s: %q, want %q", name, all, test.steps)
		}
	}
}

// FuzzWorkspaceEdit: whatever a server sends is refused as a whole, or each of
// its elements is a step of a known form, within the limits.
func FuzzWorkspaceEdit(f *testing.F) {
	for _, seed := range []string{
		`null`, `{}`, `{"changes":{"file:///a":[` + edit1 + `]}}`,
		`{"documentChanges":[{"textDocument":{"uri":"file:///a","version":1},"edits":[` + edit1 + `]},{"kind":"rename","oldUri":"a","newUri":"b"}]}`,
		`{"documentChanges":[{"kind":"delete","uri":"file:///a","options":{"recursive":true}},{"kind":"create","uri":"b","options":{"overwrite":true}}]}`,
		`{"documentChanges":[{"Kind":"create","uri":"b"}],"changeAnnotations":{"":{}}}`,
	} {
		f.Add([]byte(seed))
	}
	budget := limits.Default()
	budget.Edits, budget.InsertedBytes, budget.PreviewFiles = 4, 64, 4
	f.Fuzz(func(t *testing.T, raw []byte) {
		steps, fault := parseWorkspaceEdit(raw, newEditRoom(budget))
		if fault != nil {
			if len(steps) > 0 || fault.what == "" || len(fault.what) > 200 {
				t.Fatalf("refused with %q, and %d steps", fault.what, len(steps))
			}
			return
		}
		var sent struct {
			Changes         map[string]json.RawMessage
			DocumentChanges *[]json.RawMessage
		}
		if err := json.Unmarshal(raw, &sent); err != nil {
			t.Fatal(err)
		}
		want := len(sent.Changes)
		if sent.DocumentChanges != nil {
			want = len(*sent.DocumentChanges)
		}
		edits, bytes := 0, 0
		for _, s := range steps {
			switch s.op.Kind {
			case "", textpos.CreateFile, textpos.DeleteFile:
			case textpos.RenameFile:
				if s.newURI == "" {
					t.Fatalf("%+v renames to nothing", s)
				}
			default:
				t.Fatalf("the kind %q", s.op.Kind)
			}
			if s.uri == "" || s.op.Kind != "" && len(s.edits) > 0 {
				t.Fatalf("step %+v", s)
			}
			edits += len(s.edits)
			for _, e := range s.edits {
				bytes += len(e.text)
			}
		}
		if len(steps) != want || len(steps) > 4 || edits > 4 || bytes > 64 {
			t.Fatalf("%d steps of %d, %d edits, %d bytes", len(steps), want, edits, bytes)
		}
	})
}
