package tools

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"lspbridge/lspclient"
	"lspbridge/vdocs"
)

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
	e := q.notInside(t, look)
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

// notInside is the error of a name that nothing in the workspace has.
func (q *question) notInside(t target, look lookup) *Error {
	name := clipWord(t.symbol)
	if len(look.outside) > 0 {
		e := outsidef("%s is declared outside the workspace only", name)
		e.Candidates = q.candidates(look.outside)
		return e
	}
	what, where := "symbol", "the workspace"
	if t.symbolKind != "" {
		what = t.symbolKind
	}
	if t.file != "" {
		where = t.file
	}
	e := usagef("unknown_symbol", "search with workspace_symbols, or ask with a place", "no %s %s in %s", what, name, where)
	if len(look.near) > 0 {
		e.Hint = "the nearest names are: " + strings.Join(look.near, ", ")
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
