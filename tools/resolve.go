package tools

import (
	"context"
	"errors"
	"io/fs"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
)

// A subject is a resolved target: the file to ask about, and the locator of the
// identifier in it.
type subject struct {
	file  confine.File
	shown string // answer path of the file
	at    *locator
	// doubt is what made the look-up of a symbol not whole; it belongs into the
	// answer's own completeness.
	doubt lspclient.Completeness
}

// resolve finds what a target means. Two or more meanings are an error that
// lists them; no server is asked about a guess.
func (q *question) resolve() (subject, error) {
	t, e := parseTarget(q.args, q.b.limits.QueryChars)
	if e != nil {
		return subject{}, e
	}
	switch t.form {
	case formRef:
		return subject{}, outsidef("a place outside the workspace cannot be asked about")
	case formSymbol:
		return q.resolveSymbol(t)
	}
	s, err := q.subject(t.file)
	if err != nil {
		return subject{}, err
	}
	if t.form == formName {
		s.at.find = s.at.named(t.line, t.name, t.occurrence)
	} else {
		s.at.find = s.at.atColumn(t.line, t.column)
	}
	return s, nil
}

// subject returns the subject of a file that exists, its locator still without
// a way to find anything.
func (q *question) subject(path string) (subject, error) {
	f, err := q.file(path)
	if err != nil {
		return subject{}, err
	}
	return q.subjectOf(f)
}

func (q *question) subjectOf(f confine.File) (subject, error) {
	shown := q.b.ws.Shown(f)
	_, language, ok := q.b.pool.ServerFor(f)
	if !ok {
		return subject{}, &Error{
			Class: ClassServer, Code: string(lspclient.CodeNoServer), Message: "no language server is known for " + quotePath(shown),
			Hint: "ask about a file of a known language, or name its server in servers.json",
		}
	}
	return subject{file: f, shown: shown, doubt: lspclient.Completeness{State: lspclient.Complete}, at: &locator{path: quotePath(shown), language: language, lineChars: q.b.limits.LineChars}}, nil
}

// file returns the regular file that a path of the caller names: relative to the
// workspace, absolute, or a file URI.
func (q *question) file(path string) (confine.File, error) {
	name := path
	if textpos.Scheme(path) == "file" {
		abs, err := textpos.URIPath(path)
		if err != nil {
			return confine.File{}, usagef("bad_path", "give a path relative to the workspace", "%v", err)
		}
		name = abs
	}
	f, err := q.b.ws.File(name)
	if err != nil {
		return confine.File{}, err
	}
	info, err := q.b.ws.Stat(f)
	switch {
	case err != nil:
		return confine.File{}, err
	case info.IsDir():
		return confine.File{}, &confine.Error{Path: path, Reason: confine.IsFolder}
	case info.Mode()&fs.ModeNamedPipe != 0:
		return confine.File{}, &confine.Error{Path: path, Reason: confine.IsPipe}
	case !info.Mode().IsRegular():
		return confine.File{}, &confine.Error{Path: path, Reason: confine.IsIrregular}
	case info.Size() > q.b.limits.FileBytes:
		return confine.File{}, &confine.Error{Path: path, Reason: confine.TooLarge}
	}
	return f, nil
}

// resolveSymbol finds the one declaration that a name means.
func (q *question) resolveSymbol(t target) (subject, error) {
	want := splitName(t.symbol)
	if len(want) == 0 {
		return subject{}, usagef("bad_target", "give a name such as Close, Client.Close or ns::Class::method", "%q is no name of a symbol", clipWord(t.symbol))
	}
	if t.symbolKind != "" {
		if e := checkKinds([]string{t.symbolKind}); e != nil {
			return subject{}, e
		}
	}
	var look lookup
	var err error
	if t.file != "" {
		look, err = q.lookIn(t, want)
	} else {
		look, err = q.lookUp(t, want)
	}
	if err != nil {
		return subject{}, err
	}
	if len(look.found) != 1 {
		return subject{}, q.undecided(t, look)
	}
	if look.capped {
		e := usagef("not_proven", "add file, or qualify the name", "%s may not be the only one: the server's list was cut", clipWord(t.symbol))
		e.Candidates = q.candidates(look.found)
		return subject{}, e
	}
	only := look.found[0]
	s, err := q.subjectOf(only.symbol.Place.File)
	if err != nil {
		return subject{}, err
	}
	s.doubt = look.doubt
	s.at.find = s.at.declared(only.symbol.Place.Start, only.parts[len(only.parts)-1])
	return s, nil
}

// failed prefers the locator's own error to what the pool made of it.
func (s subject) failed(err error) error {
	var own *Error
	if e := s.at.failure(); e != nil && err != nil && !errors.As(err, &own) {
		var server *lspclient.Error
		if !errors.As(err, &server) && !errors.Is(err, context.DeadlineExceeded) {
			return e
		}
	}
	return err
}
