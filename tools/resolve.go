package tools

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
	"lspbridge/vdocs"
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
		return subject{}, usagef("outside_workspace", "ask at a place inside the workspace where the name is used",
			"a place outside the workspace cannot be asked about")
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

// A lookup is what is known of a name.
type lookup struct {
	found   []declaration // inside the workspace
	outside []declaration
	near    []string // names like it
	capped  bool     // a server cut its list
	doubt   lspclient.Completeness
}

// lookIn looks for a name in the outline of one file.
func (q *question) lookIn(t target, want []string) (lookup, error) {
	f, err := q.file(t.file)
	if err != nil {
		return lookup{}, err
	}
	symbols, err := q.b.pool.DocumentSymbols(q.ctx, f)
	if err != nil {
		return lookup{}, err
	}
	all := outlineOf(q.b.ws.Shown(f), symbols.Items)
	found := matching(all, want, t.symbolKind)
	for i := range found {
		// A flat outline may leave the file out; it is the one asked about.
		found[i].symbol.Place.Inside, found[i].symbol.Place.File = true, f
	}
	look := lookup{found: distinct(found), capped: symbols.AtLeast, doubt: symbols.Completeness}
	if len(found) == 0 {
		look.near = nearNames(all, want)
	}
	return look, nil
}

// lookUp asks the servers of the workspace's languages for a name.
func (q *question) lookUp(t target, want []string) (lookup, error) {
	asked, err := q.servers(t.language)
	if err != nil {
		return lookup{}, err
	}
	name := want[len(want)-1]
	look := lookup{doubt: lspclient.Completeness{State: lspclient.Complete}}
	var all []declaration
	var failed error
	for _, a := range q.searchAll(asked, func(server string) string { return queryFor(server, want) }, name) {
		switch {
		case a.err != nil && a.blind:
			look.doubt = lspclient.Merge(look.doubt, lspclient.Completeness{
				State: lspclient.Partial, Reasons: []string{a.server + " could not be asked, and its files hold the name"},
			})
			failed = a.err
		case a.err != nil:
			failed = a.err
		default:
			list := declarationsOf(a.symbols.Items)
			if len(matching(list, want, t.symbolKind)) == 0 && len(want) > 1 {
				// Servers differ in what a qualified query means; the name alone is
				// understood by all.
				if again, err := q.b.pool.WorkspaceSymbols(q.ctx, a.server, name); err == nil {
					a.symbols, list = again, declarationsOf(again.Items)
				}
			}
			look.capped = look.capped || a.symbols.AtLeast
			look.doubt = lspclient.Merge(look.doubt, a.symbols.Completeness)
			all = append(all, list...)
		}
	}
	for _, d := range distinct(matching(all, want, t.symbolKind)) {
		if d.symbol.Place.Inside {
			look.found = append(look.found, d)
		} else {
			look.outside = append(look.outside, d)
		}
	}
	if len(look.found) == 0 && len(look.outside) == 0 {
		if failed != nil {
			return lookup{}, failed
		}
		look.near = q.nearNames(asked, all, want)
	}
	return look, nil
}

// queryFor spells a qualified name as a server takes it.
func queryFor(server string, want []string) string {
	if server == "clangd" || strings.HasPrefix(server, "clangd-") {
		return strings.Join(want, "::")
	}
	return strings.Join(want, ".")
}

func declarationsOf(symbols []lspclient.Symbol) []declaration {
	var all []declaration
	for _, s := range symbols {
		all = append(all, declaration{s, qualified(s.Container, s.Name)})
	}
	return all
}

// distinct drops declarations at the place of an earlier one.
func distinct(list []declaration) []declaration {
	seen := map[placeKey]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(d declaration) bool {
		k := keyOf(d.symbol.Place)
		again := seen[k]
		seen[k] = true
		return again
	})
}

// minPrefix is how much of a name is kept to find names like it.
const minPrefix = 3

// nearNames asks the servers for names that begin like the last part of want.
func (q *question) nearNames(asked []string, all []declaration, want []string) []string {
	if near := nearNames(all, want); len(near) > 0 {
		return near
	}
	name := []rune(want[len(want)-1])
	prefix := string(name[:min(len(name), max(minPrefix, len(name)/2))])
	// A server may mind upper and lower case, and the first letter is what is most
	// often wrong; then a letter further on.
	for _, query := range []string{prefix, swapCase(prefix), string(name[:min(len(name), 2)]), string(name[len(name)/2:])} {
		if near := nearNames(all, want); len(near) > 0 {
			return near
		}
		for _, a := range q.searchAll(asked, func(string) string { return query }, query) {
			if a.err == nil {
				all = append(all, declarationsOf(a.symbols.Items)...)
			}
		}
	}
	return nearNames(all, want)
}

// swapCase changes the case of the first letter.
func swapCase(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	if unicode.IsUpper(r) {
		return string(unicode.ToLower(r)) + s[n:]
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// nearNames returns the whole names whose last part is like that of want.
func nearNames(all []declaration, want []string) []string {
	last := want[len(want)-1]
	var lasts []string
	whole := map[string][]string{}
	for _, d := range all {
		if n := len(d.parts); n > 0 && (d.symbol.Place.Inside || d.symbol.Place.URI == "") {
			l := d.parts[n-1]
			lasts = append(lasts, l)
			whole[l] = append(whole[l], d.symbol.Name)
		}
	}
	var names []string
	for _, l := range nearest(last, lasts, maxNear) {
		slices.Sort(whole[l])
		names = append(names, slices.Compact(whole[l])...)
	}
	return names[:min(len(names), maxNear)]
}

// maxNear bounds the names that an error suggests.
const maxNear = 5

// undecided is the error of a name that means nothing, or more than one thing.
func (q *question) undecided(t target, look lookup) error {
	name := clipWord(t.symbol)
	if n := len(look.found); n > 1 {
		more := ""
		if look.capped {
			more = "at least "
		}
		e := usagef("ambiguous_symbol", "qualify the name, add file or symbol_kind, or ask with a place", "%s means %s%d symbols", name, more, n)
		e.Candidates = q.candidates(look.found)
		return e
	}
	if len(look.outside) > 0 {
		e := usagef("outside_workspace", "ask at a place inside the workspace where it is used", "%s is declared outside the workspace only", name)
		e.Candidates = q.candidates(look.outside)
		return e
	}
	where := "the workspace"
	if t.file != "" {
		where = t.file
	}
	e := usagef("unknown_symbol", "search with workspace_symbols, or ask with a place", "no symbol %s in %s", name, where)
	if t.symbolKind != "" {
		e.Message = fmt.Sprintf("no %s %s in %s", t.symbolKind, name, where)
	}
	if len(look.near) > 0 {
		e.Hint = "the nearest names are: " + strings.Join(look.near, ", ")
	}
	if look.capped {
		e.Code, e.Message = "not_proven", e.Message+", as far as the server's cut list tells"
		e.Hint = "add file, or qualify the name"
	}
	if look.doubt.State != lspclient.Complete {
		e.Class, e.Code = ClassIncomplete, "not_found_yet"
		e.Message += ", but the look-up was " + describeCompleteness(q.complete(look.doubt))
	}
	return e
}

// candidates lists declarations to choose from.
func (q *question) candidates(list []declaration) []string {
	var out []string
	for _, d := range list[:min(len(list), maxListed)] {
		p := d.symbol.Place
		where := q.b.refs.Display(vdocs.Place{URI: p.URI, Path: p.Path})
		if p.Inside {
			where = fmt.Sprintf("%s:%d:%d", quotePath(q.b.ws.Shown(p.File)), p.Start.Line, p.Start.Column)
		}
		out = append(out, fmt.Sprintf("%s %s %s", where, d.symbol.Kind, clipWord(q.b.redact.Text(d.symbol.Name))))
	}
	slices.Sort(out)
	if n := len(list) - maxListed; n > 0 {
		out = append(out, fmt.Sprintf("and %d more", n))
	}
	return out
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
