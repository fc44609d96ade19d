package lspclient_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/textpos"
)

// renamer is a script whose server answers a rename with an edit.
func renamer(edit string) lsptest.Script {
	return lsptest.Script{
		Capabilities: `{"textDocumentSync":2,"renameProvider":true,"codeActionProvider":true}`,
		On:           answers("textDocument/rename", edit),
	}
}

// at is a text edit of one line.
func at(line, from, to int, text string) string {
	return fmt.Sprintf(`{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"newText":%q}`, line, from, line, to, text)
}

func onDocument(name string, version int, edits ...string) string {
	return fmt.Sprintf(`{"textDocument":{"uri":"$ROOT/%s","version":%d},"edits":[%s]}`, name, version, strings.Join(edits, ","))
}

// TestWorkspaceEditShapes: both shapes have one form, and a document has the text
// that the steps before left it.
func TestWorkspaceEditShapes(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.fake": "one 😀 two\n", "b.fake": "b\n", "d/c.fake": "c\n"}
	for name, test := range map[string]struct{ edit, want string }{
		"changes":          {`{"changes":{"$ROOT/b.fake":[` + at(0, 0, 1, "B") + `],"$ROOT/a.fake":[` + at(0, 7, 10, "2") + `]}}`, `a.fake "one 😀 two\n" [{9 12 2}]; b.fake "b\n" [{0 1 B}]`},
		"documentChanges":  {`{"documentChanges":[` + onDocument("b.fake", 0, at(0, 0, 1, "B")) + `,` + onDocument("a.fake", 0, at(0, 7, 10, "2")) + `]}`, `a.fake "one 😀 two\n" [{9 12 2}]; b.fake "b\n" [{0 1 B}]`},
		"made, edited":     {`{"documentChanges":[{"kind":"create","uri":"$ROOT/n.fake"},` + onDocument("n.fake", 0, at(0, 0, 0, "n")) + `]}`, `create n.fake; n.fake "" [{0 0 n}]`},
		"moved, edited":    {`{"documentChanges":[{"kind":"rename","oldUri":"$ROOT/b.fake","newUri":"$ROOT/m.fake"},` + onDocument("m.fake", 0, at(0, 1, 1, "m")) + `]}`, `rename b.fake m.fake; m.fake "b\n" [{1 1 m}]`},
		"in a folder":      {`{"documentChanges":[{"kind":"rename","oldUri":"$ROOT/d","newUri":"$ROOT/e"},` + onDocument("e/c.fake", 0, at(0, 1, 1, "m")) + `]}`, `rename d e; e/c.fake "c\n" [{1 1 m}]`},
		"outside":          {`{"changes":{"file:///no/such/place.fake":[` + at(0, 0, 1, "B") + `],"other:x":[]}}`, `outside 0; outside 1`},
		"nothing":          {`null`, ""},
		"edited twice":     {`{"documentChanges":[` + onDocument("b.fake", 0) + `,` + onDocument("b.fake", 0) + `]}`, "error bad_edits: it edits b.fake twice"},
		"moved after edit": {`{"documentChanges":[` + onDocument("b.fake", 0) + `,{"kind":"rename","oldUri":"$ROOT/b.fake","newUri":"$ROOT/m.fake"},` + onDocument("m.fake", 0) + `]}`, "error bad_edits: it edits m.fake twice"},
		"gone, edited":     {`{"documentChanges":[{"kind":"delete","uri":"$ROOT/b.fake"},` + onDocument("b.fake", 0) + `]}`, "error bad_edits: after that was deleted"},
		"past the end":     {`{"changes":{"$ROOT/b.fake":[` + at(9, 0, 1, "B") + `],"$ROOT/a.fake":[` + at(0, 7, 10, "2") + `]}}`, "error bad_edits: outside its text"},
		"in a character":   {`{"changes":{"$ROOT/a.fake":[` + at(0, 5, 6, "2") + `]}}`, "error bad_edits: outside its text"},
		"the root":         {`{"documentChanges":[{"kind":"delete","uri":"$ROOT"}]}`, "error bad_edits: folder of the workspace"},
		"another version":  {`{"documentChanges":[` + onDocument("a.fake", 99) + `]}`, "error changed: files changed"},
		"of a closed file": {`{"documentChanges":[` + onDocument("b.fake", 3) + `]}`, "error changed: files changed"},
		"a missing file":   {`{"documentChanges":[` + onDocument("none.fake", 0) + `]}`, "error bad_edits: does not exist"},
		"an unknown part":  {`{"documentChanges":[` + onDocument("b.fake", 0) + `,{"kind":"link","uri":"$ROOT/x"}]}`, "error bad_edits: element 2 of 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := openFake(t, renamer(test.edit), fakeServer(), files, nil)
			got, err := b.Rename(t.Context(), b.file(t, "a.fake"), on("one"), "new")
			if words := b.steps(got, err); !strings.HasPrefix(test.want, "error") && words != test.want || strings.HasPrefix(test.want, "error") && !says(words, test.want) {
				t.Errorf("%s\nwant %s", words, test.want)
			}
		})
	}
}

// says reports whether an error has the code and holds the words of want.
func says(got, want string) bool {
	code, words, _ := strings.Cut(want, ": ")
	return strings.HasPrefix(got, code+": ") && strings.Contains(got, words)
}

// steps puts an edit into a line.
func (b *bench) steps(e lspclient.WorkspaceEdit, err error) string {
	var own *lspclient.Error
	if errors.As(err, &own) {
		return "error " + string(own.Code) + ": " + own.Msg
	}
	if err != nil {
		return err.Error()
	}
	var out []string
	for _, s := range e.Steps {
		switch {
		case !s.Of.Inside:
			out = append(out, fmt.Sprintf("outside %d", s.Count))
		case s.Op.Kind == textpos.RenameFile:
			out = append(out, fmt.Sprintf("rename %s %s", s.Of.File.Rel, s.To.File.Rel))
		case s.Op.Kind != "":
			out = append(out, fmt.Sprintf("%s %s", s.Op.Kind, s.Of.File.Rel))
		default:
			out = append(out, fmt.Sprintf("%s %q %v", s.Of.File.Rel, s.Text, s.Edits))
		}
	}
	return strings.Join(out, "; ")
}

// TestWorkspaceEditOfExcludedFiles: they are counted, not shown, and the answer
// is not whole.
func TestWorkspaceEditOfExcludedFiles(t *testing.T) {
	t.Parallel()
	dir, bin := t.TempDir(), t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"a.fake": "one\n", "secret.fake": "one\n"})
	fake := lsptest.NewProcess(t, renamer(`{"changes":{"$ROOT/a.fake":[`+at(0, 0, 3, "x")+`],"$ROOT/secret.fake":[`+at(0, 0, 3, "x")+`]}}`))
	fake.Program(t, bin, "fakels", "fakels 1.0.0")
	b := openWith(t, dir, bin, fakeServer(), confine.Options{Excluded: func(p string) bool { return p == "secret.fake" }}, t.TempDir(), nil)
	got, err := b.Rename(t.Context(), b.file(t, "a.fake"), on("one"), "x")
	if err != nil || len(got.Steps) != 1 || got.Completeness.State != lspclient.Partial || !strings.Contains(strings.Join(got.Completeness.Reasons, ";"), "1 excluded file") {
		t.Errorf("%s, completeness %+v", b.steps(got, err), got.Completeness)
	}
}

// TestCodeActionForms: a bad action or edit costs itself alone; no command is
// ever sent.
func TestCodeActionForms(t *testing.T) {
	t.Parallel()
	script := lsptest.Script{
		Capabilities: `{"textDocumentSync":2,"codeActionProvider":{"resolveProvider":true},"diagnosticProvider":{}}`,
		On: map[string][]lsptest.Reaction{
			"textDocument/diagnostic": {{Result: `{"kind":"full","items":[]}`}},
			"textDocument/codeAction": {{Result: `[
				{"title":"run","command":"do.it"},
				{"title":"tweak","kind":"refactor","command":{"title":"t","command":"do.it"}},
				{"title":"both","kind":"quickfix","isPreferred":true,"edit":{"changes":{"$ROOT/a.fake":[` + at(0, 0, 3, "x") + `]}},"command":{"title":"t","command":"do.it"}},
				{"title":"no","kind":"refactor","disabled":{"reason":"not\nhere"}},
				{"title":"bad","kind":"quickfix","edit":{"documentChanges":[{"kind":"link"}]}},
				{"title":"later","kind":"source.fixAll","data":[1,{"x":null}]},
				7, {"kind":"quickfix"}]`}},
			"codeAction/resolve": {{Result: `{"title":"later","edit":{"changes":{"$ROOT/a.fake":[` + at(0, 3, 3, "!") + `]}}}`}},
		},
	}
	b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": "one\n"}, nil)
	within := textpos.PointRange{Start: textpos.Point{Line: 1, Column: 1}, End: textpos.Point{Line: 1, Column: 4}}
	got, err := b.CodeActions(t.Context(), b.file(t, "a.fake"), within, nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, a := range got.Items {
		fault := ""
		if a.Fault != nil {
			fault = string(a.Fault.Code)
		}
		lines = append(lines, fmt.Sprintf("%s [%s] preferred=%t disabled=%q command=%t edit=%t %s%s", a.Title, a.Kind, a.Preferred, a.Disabled, a.Command, a.HasEdit, fault, b.steps(lspclient.WorkspaceEdit{Steps: a.Steps}, nil)))
	}
	const want = `run [] preferred=false disabled="" command=true edit=false 
tweak [refactor] preferred=false disabled="" command=true edit=false 
both [quickfix] preferred=true disabled="" command=true edit=true a.fake "one\n" [{0 3 x}]
no [refactor] preferred=false disabled="not here" command=false edit=false 
bad [quickfix] preferred=false disabled="" command=false edit=true bad_edits
later [source.fixAll] preferred=false disabled="" command=false edit=true a.fake "one\n" [{3 3 !}]`
	if all := strings.Join(lines, "\n"); all != want {
		t.Errorf("%s\nwant\n%s", all, want)
	}
	if got.Completeness.State != lspclient.Partial || !strings.Contains(strings.Join(got.Completeness.Reasons, ";"), "2 actions that the server sent cannot be read") {
		t.Errorf("completeness %+v", got.Completeness)
	}
	only, err := b.CodeActions(t.Context(), b.file(t, "a.fake"), within, []string{"source"})
	if err != nil || len(only.Items) != 1 || only.Items[0].Title != "later" {
		t.Errorf("only source: %+v, %v", only.Items, err)
	}
	for _, m := range fake.Messages() {
		if m.Method == "workspace/executeCommand" {
			t.Errorf("a command was sent: %s", m.Params)
		}
		if m.Method == "codeAction/resolve" && !strings.Contains(string(m.Params), `"data":[1,{"x":null}]`) {
			t.Errorf("the data came back as %s", m.Params)
		}
	}
}
