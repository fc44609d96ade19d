package lspclient

import (
	"strings"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A WorkspaceEdit is a change of many files that a server proposes (LSP 3.17
// §workspaceEdit). Its steps are done in order.
type WorkspaceEdit struct {
	Answer
	Steps []EditStep
	// Unchecked is true when the server does not look for conflicts.
	Unchecked bool
}

// A Document is a file or folder that a server names.
type Document struct {
	Inside bool
	File   confine.File // inside the workspace
	URI    string       // outside: as the server sent it; for vdocs, never shown
	Path   string       // outside, file scheme: cleaned absolute path; never shown
}

// An EditStep is one element of a WorkspaceEdit: text edits of one document, or
// a file operation. Neighbouring steps of text edits are in the order of their
// documents, since servers send them in any.
type EditStep struct {
	Op textpos.FileOp // without a kind: text edits; its paths are not set
	Of Document
	To Document // of a rename

	// Text is what the edits are for: the file as on disk, or as the steps before
	// this one left it; nil outside the workspace.
	Text  []byte
	Edits []textpos.Edit // byte ranges of Text, as sent: unsorted; nil outside
	Count int            // number of edits, also outside

	// NeedsYes is what the server calls the step when it wants a person to agree to
	// it by itself (§changeAnnotation); one line.
	NeedsYes string
}

// editsOf decodes a WorkspaceEdit. Whatever it does not understand, down to a
// member of one text edit, refuses the whole: half a change is a wrong one. null
// is no change.
func (a *attempt) editsOf(method string, raw []byte, left *editRoom) ([]EditStep, error) {
	parsed, err := parseWorkspaceEdit(raw, left)
	if err != nil {
		name := a.sess.entry.Name
		if err.limit != "" {
			return nil, &Error{Code: CodeTooMany, Server: name, Method: method, Msg: name + " sent an edit with " + err.what, Hint: "raise --limit " + err.limit + "="}
		}
		return nil, a.refuseEdit(method, err.what)
	}
	r := &editReader{a: a, method: method, texts: map[Document]bool{}}
	for _, s := range parsed {
		if err := r.step(s); err != nil {
			return nil, err
		}
	}
	if r.hidden > 0 {
		a.c.partial("edits of " + count(r.hidden, "excluded file") + " are not shown")
	}
	sortSteps(r.steps)
	return r.steps, nil
}

// refuseEdit is the error of an edit that cannot be previewed.
func (a *attempt) refuseEdit(method, what string) *Error {
	name := a.sess.entry.Name
	return &Error{Code: CodeBadEdit, Server: name, Method: method, Msg: name + " sent an edit that cannot be previewed: " + what, Hint: "nothing was changed"}
}

// An editReader turns parsed steps into those of an answer.
type editReader struct {
	a      *attempt
	method string
	steps  []EditStep
	texts  map[Document]bool // documents that had text edits, by what they are called now
	bytes  int               // of all texts
	hidden int
}

// maxTexts bounds the bytes of all texts that one edit changes.
const maxTexts = 64 << 20

func (r *editReader) step(p parsedStep) error {
	s := EditStep{Op: p.op, Count: len(p.edits), NeedsYes: strings.Clone(oneLine(p.label))}
	hidden := false
	for _, d := range []struct {
		uri string
		to  *Document
	}{{p.uri, &s.Of}, {p.newURI, &s.To}} {
		if d.uri == "" {
			continue
		}
		var kept bool
		var err error
		if *d.to, kept, err = r.document(d.uri); err != nil {
			return err
		}
		hidden = hidden || !kept
	}
	if hidden {
		r.hidden++
		return nil
	}
	if p.op.Kind == "" {
		if r.texts[s.Of] {
			// Whether the second edit counts in the text before or after the first,
			// clients do not agree.
			return r.a.refuseEdit(r.method, "it edits "+r.shown(s.Of)+" twice")
		}
		r.texts[s.Of] = true
		if s.Of.Inside {
			if err := r.edits(&s, p); err != nil {
				return err
			}
		}
	} else if r.texts[s.Of] {
		delete(r.texts, s.Of)
		if p.op.Kind == textpos.RenameFile {
			r.texts[s.To] = true
		}
	}
	r.steps = append(r.steps, s)
	return nil
}

// shown names a document in an error.
func (r *editReader) shown(d Document) string {
	if d.Inside {
		return r.a.sess.srv.pool.o.Workspace.Shown(d.File)
	}
	return "a document outside the workspace"
}

// document finds out what a URI names; kept is false for an excluded file.
func (r *editReader) document(uri string) (d Document, kept bool, err error) {
	scheme := textpos.Scheme(uri)
	if len(uri) > maxURI || scheme == "" {
		return d, false, r.a.refuseEdit(r.method, "a document's URI cannot be read")
	}
	if scheme != "file" {
		return Document{URI: strings.Clone(uri)}, true, nil
	}
	abs, pathErr := textpos.URIPath(uri)
	if pathErr != nil {
		return d, false, r.a.refuseEdit(r.method, "a document's URI cannot be read")
	}
	ws := r.a.sess.srv.pool.o.Workspace
	if f, inside := r.a.conv.locate.Locate(abs); inside {
		return Document{Inside: true, File: f}, true, nil
	}
	for _, root := range ws.Roots() {
		if root.Canonical == abs {
			return d, false, r.a.refuseEdit(r.method, "it changes the folder of the workspace itself")
		}
	}
	if ws.Hidden(abs) {
		return d, false, nil
	}
	return Document{URI: strings.Clone(uri), Path: abs}, true, nil
}

// edits reads the text that a step is for and makes byte edits of its positions.
func (r *editReader) edits(s *EditStep, p parsedStep) error {
	a, shown := r.a, r.shown(s.Of)
	source, made := r.source(s.Of.File)
	text := textpos.NewMapper(nil)
	switch {
	case made:
	case source == nil:
		return a.refuseEdit(r.method, "it edits "+shown+" after that was deleted")
	default:
		t := a.conv.read(*source)
		if t.barred {
			return a.refuseEdit(r.method, "it edits "+shown+", which cannot be read or is over the limit file_bytes")
		}
		if t.gone {
			if _, known := a.sess.srv.pool.disk.state(*source); !known {
				return a.refuseEdit(r.method, "it edits "+shown+", which does not exist")
			}
			return nil // asked again: the server does not know that yet
		}
		text = a.conv.text
		if open, ok := a.sess.docs.version(*source); p.version != 0 && (!ok || open != p.version) {
			a.conv.torn = true // an edit for another text: asked again
			return nil
		}
	}
	switch {
	case !text.ValidUTF8():
		return a.refuseEdit(r.method, "it edits "+shown+", which is not UTF-8")
	case text.LoneCR() && a.sess.entry.Quirks.CountsCR:
		return a.refuseEdit(r.method, "it edits "+shown+", where a carriage return without a line feed makes lines uncertain")
	}
	if r.bytes += len(text.Text()); r.bytes > maxTexts {
		return a.refuseEdit(r.method, "the files it edits are too large together")
	}
	s.Text = text.Text()
	enc := a.sess.hello.encoding
	for _, e := range p.edits {
		start, err1 := text.Offset(e.at.Start, enc)
		end, err2 := text.Offset(e.at.End, enc)
		if err1 != nil || err2 != nil {
			return a.refuseEdit(r.method, "an edit of "+shown+" is outside its text")
		}
		s.Edits = append(s.Edits, textpos.Edit{Start: start, End: end, New: strings.Clone(e.text)})
	}
	return nil
}

// source returns the file on disk whose text a document has after the steps so
// far; made is true for one that they made, and nil is one that they took away.
func (r *editReader) source(f confine.File) (on *confine.File, made bool) {
	for i := len(r.steps) - 1; i >= 0; i-- {
		s := r.steps[i]
		switch s.Op.Kind {
		case textpos.CreateFile:
			// One that may be there already is read, if it is.
			if s.Of.Inside && s.Of.File == f && (s.Op.Overwrite || !s.Op.IgnoreIfExists || !r.exists(f)) {
				return nil, true
			}
		case textpos.RenameFile:
			if from, ok := rebase(s.To, s.Of, f); ok {
				f = from
			} else if _, ok := rebase(s.Of, s.Of, f); ok {
				return nil, false
			}
		case textpos.DeleteFile:
			if _, ok := rebase(s.Of, s.Of, f); ok {
				return nil, false
			}
		}
	}
	return &f, false
}

func (r *editReader) exists(f confine.File) bool {
	_, err := r.a.sess.srv.pool.o.Workspace.Stat(f)
	return err == nil
}

// rebase takes a file that is, or is below, one document to the same place below
// another.
func rebase(below, to Document, f confine.File) (confine.File, bool) {
	if !below.Inside || !to.Inside || below.File.Root != f.Root {
		return f, false
	}
	rest, ok := strings.CutPrefix(f.Rel, below.File.Rel)
	if !ok || rest != "" && rest[0] != '/' {
		return f, false
	}
	return confine.File{Root: to.File.Root, Rel: to.File.Rel + rest}, true
}

// sortSteps orders each run of text edits by document.
func sortSteps(steps []EditStep) {
	for from := 0; from < len(steps); {
		to := from
		for to < len(steps) && steps[to].Op.Kind == "" {
			to++
		}
		sortDocuments(steps[from:to])
		from = to + 1
	}
}
