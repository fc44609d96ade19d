package lspclient

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"lspbridge/limits"
	"lspbridge/lspclient/textpos"
)

// A parsedStep is one element of a WorkspaceEdit as the server sent it, checked
// for its form.
type parsedStep struct {
	op      textpos.FileOp // without paths
	uri     string
	newURI  string // of a rename
	version int32  // of the text that the edits are for; 0 says none
	edits   []parsedEdit
	label   string // of an annotation that needs confirmation
}

type parsedEdit struct {
	at   textpos.PositionRange
	text string
}

// An editFault says why a WorkspaceEdit is refused. It quotes nothing of it.
type editFault struct {
	what  string
	limit string // the limit that it is over; "" for a fault of form
}

func faultf(format string, args ...any) *editFault {
	return &editFault{what: fmt.Sprintf(format, args...)}
}

// An editRoom is how much the edits of one answer may still hold.
type editRoom struct {
	files, edits, bytes int
	of                  limits.Budget
}

func newEditRoom(b limits.Budget) *editRoom {
	return &editRoom{files: b.PreviewFiles, edits: b.Edits, bytes: b.InsertedBytes, of: b}
}

func (r *editRoom) step() *editFault {
	if r.files--; r.files < 0 {
		return &editFault{fmt.Sprintf("more than %d files and file operations (preview_files)", r.of.PreviewFiles), "preview_files"}
	}
	return nil
}

func (r *editRoom) edit(text string) *editFault {
	if r.edits--; r.edits < 0 {
		return &editFault{fmt.Sprintf("more than %d edits (edits)", r.of.Edits), "edits"}
	}
	if r.bytes -= len(text); r.bytes < 0 {
		return &editFault{fmt.Sprintf("more than %d inserted bytes (inserted_bytes)", r.of.InsertedBytes), "inserted_bytes"}
	}
	return nil
}

// The wire forms. What they do not name is unknown, and refuses the edit.
type (
	rawAnnotation struct {
		Label             string `json:"label"`
		NeedsConfirmation bool   `json:"needsConfirmation"`
		Description       string `json:"description"`
	}
	rawTextEdit struct {
		Range *struct {
			Start, End *struct {
				Line      *uint32 `json:"line"`
				Character *uint32 `json:"character"`
			}
		} `json:"range"`
		NewText      *string         `json:"newText"`
		AnnotationID string          `json:"annotationId"`
		Snippet      json.RawMessage `json:"snippet"`          // LSP 3.18 §snippetTextEdit
		TextFormat   *int            `json:"insertTextFormat"` // rust-analyzer's snippets
	}
	rawTextDocumentEdit struct {
		TextDocument *struct {
			URI     string `json:"uri"`
			Version *int32 `json:"version"`
		} `json:"textDocument"`
		Edits *[]json.RawMessage `json:"edits"`
	}
	rawFileOp struct {
		Kind    string `json:"kind"`
		URI     string `json:"uri"`
		OldURI  string `json:"oldUri"`
		NewURI  string `json:"newUri"`
		Options struct {
			Overwrite         bool `json:"overwrite"`
			IgnoreIfExists    bool `json:"ignoreIfExists"`
			Recursive         bool `json:"recursive"`
			IgnoreIfNotExists bool `json:"ignoreIfNotExists"`
		} `json:"options"`
		AnnotationID string `json:"annotationId"`
	}
)

// parseWorkspaceEdit reads `changes` or `documentChanges`; where both are there
// the latter counts (LSP 3.17 §workspaceEdit).
func parseWorkspaceEdit(raw []byte, left *editRoom) ([]parsedStep, *editFault) {
	var edit *struct {
		Changes         map[string]*[]json.RawMessage `json:"changes"`
		DocumentChanges *[]json.RawMessage            `json:"documentChanges"`
		Annotations     map[string]rawAnnotation      `json:"changeAnnotations"`
	}
	if json.Unmarshal(raw, &edit) != nil {
		return nil, faultf("it is no WorkspaceEdit")
	}
	if edit == nil {
		return nil, nil
	}
	p := editParser{left: left, annotations: edit.Annotations}
	if edit.DocumentChanges != nil {
		for i, e := range *edit.DocumentChanges {
			if err := p.element(e); err != nil {
				if err.limit == "" {
					err.what = fmt.Sprintf("element %d of %d: %s", i+1, len(*edit.DocumentChanges), err.what)
				}
				return nil, err
			}
		}
		return p.steps, nil
	}
	for _, uri := range sortedKeys(edit.Changes) {
		list := edit.Changes[uri]
		if list == nil || uri == "" {
			return nil, faultf("the edits of a file are no list")
		}
		if err := p.text(parsedStep{uri: uri}, *list); err != nil {
			return nil, err
		}
	}
	return p.steps, nil
}

type editParser struct {
	left        *editRoom
	annotations map[string]rawAnnotation
	steps       []parsedStep
}

// element reads one element of documentChanges. One with a kind is a file
// operation.
func (p *editParser) element(raw json.RawMessage) *editFault {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members == nil {
		return faultf("it is no object")
	}
	if _, ok := members["kind"]; ok {
		return p.operation(raw)
	}
	var e rawTextDocumentEdit
	if strict(raw, &e) != nil || e.TextDocument == nil || e.TextDocument.URI == "" || e.Edits == nil {
		return faultf("it is no text edit of a known form")
	}
	step := parsedStep{uri: e.TextDocument.URI}
	if e.TextDocument.Version != nil {
		step.version = *e.TextDocument.Version
	}
	return p.text(step, *e.Edits)
}

func (p *editParser) text(step parsedStep, list []json.RawMessage) *editFault {
	if err := p.left.step(); err != nil {
		return err
	}
	for _, raw := range list {
		var e rawTextEdit
		switch err := strict(raw, &e); {
		case err == nil && len(e.Snippet) > 0 || e.TextFormat != nil && *e.TextFormat != 1:
			return faultf("an edit is a snippet, whose text a person completes")
		case err != nil || e.Range == nil || e.NewText == nil:
			return faultf("a text edit has an unknown form")
		}
		var at [4]uint32
		for i, side := range []*struct {
			Line      *uint32 `json:"line"`
			Character *uint32 `json:"character"`
		}{e.Range.Start, e.Range.End} {
			if side == nil || side.Line == nil || side.Character == nil {
				return faultf("a text edit has no place")
			}
			at[2*i], at[2*i+1] = *side.Line, *side.Character
		}
		if err := p.left.edit(*e.NewText); err != nil {
			return err
		}
		if err := p.annotate(&step, e.AnnotationID); err != nil {
			return err
		}
		step.edits = append(step.edits, parsedEdit{textpos.PositionRange{
			Start: textpos.Position{Line: at[0], Character: at[1]}, End: textpos.Position{Line: at[2], Character: at[3]},
		}, *e.NewText})
	}
	p.steps = append(p.steps, step)
	return nil
}

func (p *editParser) operation(raw json.RawMessage) *editFault {
	var op rawFileOp
	if strict(raw, &op) != nil {
		return faultf("it is no file operation of a known form")
	}
	if err := p.left.step(); err != nil {
		return err
	}
	o := op.Options
	step := parsedStep{uri: op.URI}
	switch kind := textpos.FileOpKind(op.Kind); {
	case kind == textpos.CreateFile && op.URI != "" && op.OldURI == "" && op.NewURI == "":
		step.op = textpos.FileOp{Kind: kind, Overwrite: o.Overwrite, IgnoreIfExists: o.IgnoreIfExists}
	case kind == textpos.RenameFile && op.OldURI != "" && op.NewURI != "" && op.URI == "":
		step.uri, step.newURI = op.OldURI, op.NewURI
		step.op = textpos.FileOp{Kind: kind, Overwrite: o.Overwrite, IgnoreIfExists: o.IgnoreIfExists}
	case kind == textpos.DeleteFile && op.URI != "" && op.OldURI == "" && op.NewURI == "":
		step.op = textpos.FileOp{Kind: kind, Recursive: o.Recursive, IgnoreIfNotExists: o.IgnoreIfNotExists}
	default:
		return faultf("it is a file operation of an unknown kind, or one without a file")
	}
	if err := p.annotate(&step, op.AnnotationID); err != nil {
		return err
	}
	p.steps = append(p.steps, step)
	return nil
}

// annotate notes what an annotation says, if a person has to agree to it.
func (p *editParser) annotate(step *parsedStep, id string) *editFault {
	if id == "" {
		return nil
	}
	a, ok := p.annotations[id]
	if !ok {
		return faultf("an edit has an annotation that is not there")
	}
	if a.NeedsConfirmation && step.label == "" {
		step.label = cmp.Or(oneLine(a.Label), "needs confirmation")
	}
	return nil
}

// strict decodes one JSON value, and refuses members that v does not know.
func strict(raw json.RawMessage, v any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec.Decode(v)
}

// sortDocuments orders steps by document: inside the workspace first, by root and
// path, then by path and URI.
func sortDocuments(steps []EditStep) {
	slices.SortStableFunc(steps, func(a, b EditStep) int {
		inside := func(d Document) int {
			if d.Inside {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(inside(a.Of), inside(b.Of)), compareFiles(a.Of.File, b.Of.File),
			strings.Compare(a.Of.Path, b.Of.Path), strings.Compare(a.Of.URI, b.Of.URI))
	})
}
