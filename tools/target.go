package tools

import (
	"strings"
	"unicode/utf8"
)

// A form is one way to say what a question is about.
type form int

const (
	formColumn form = iota // file, line, column
	formName               // file, line, name
	formRef                // ref, line, column
	formSymbol             // symbol, maybe file
)

// A target is what a question about a symbol is about, as the caller said it.
type target struct {
	form         form
	file         string
	line, column int
	name         string
	occurrence   int // 1-based; 0 is not given
	ref          string
	symbol       string
	symbolKind   string
	language     string
}

// maxPosition bounds lines and columns: no file that is read has more bytes.
const maxPosition = 99_999_999

// targetParams are the parameters of the target form, the same on every tool
// that asks about a symbol.
func targetParams() []param {
	return []param{
		{name: "file", typ: typeString},
		{name: "line", typ: typeInteger, min: 1, max: maxPosition},
		{name: "column", typ: typeInteger, min: 1, max: maxPosition, desc: "In bytes"},
		{name: "name", typ: typeString, desc: "Identifier on the line, for column"},
		{name: "occurrence", typ: typeInteger, min: 1, max: maxPosition, desc: "Of name"},
		{name: "symbol", typ: typeString, desc: "For a place: Close, Client.Close, ns::Class::method"},
		{name: "symbol_kind", typ: typeString},
		{name: "language", typ: typeString},
		{name: "ref", typ: typeString},
	}
}

const targetForms = "give file+line+column, file+line+name, or symbol (with file where it is known)"

// parseTarget reads the target of a question: exactly one form.
func parseTarget(args arguments, queryChars int) (target, *Error) {
	t := target{
		file: args.str("file"), line: args.num("line", 0), column: args.num("column", 0),
		name: args.str("name"), occurrence: args.num("occurrence", 0), ref: args.str("ref"),
		symbol: args.str("symbol"), symbolKind: args.str("symbol_kind"), language: args.str("language"),
	}
	for _, name := range []string{"file", "name", "symbol", "ref"} {
		if args.has(name) && strings.TrimSpace(args.str(name)) == "" {
			return target{}, usagef("bad_target", targetForms, "the argument %s is empty", name)
		}
	}
	for _, name := range []string{"name", "symbol"} {
		if utf8.RuneCountInString(args.str(name)) > queryChars {
			return target{}, usagef("query_too_long", "ask with the name alone", "the argument %s is longer than %d characters (query_chars)", name, queryChars)
		}
	}
	switch {
	case args.has("ref"):
		t.form = formRef
		return t, t.only(args, "ref", "line", "column")
	case args.has("symbol"):
		t.form = formSymbol
		return t, t.only(args, "symbol", "file", "symbol_kind", "language")
	case args.has("name"):
		t.form = formName
		if e := t.needs(args, "file", "line"); e != nil {
			return target{}, e
		}
		return t, t.only(args, "file", "line", "name", "occurrence")
	case args.has("column") || args.has("line") || args.has("file"):
		t.form = formColumn
		if e := t.needs(args, "file", "line", "column"); e != nil {
			return target{}, e
		}
		return t, t.only(args, "file", "line", "column")
	default:
		return target{}, usagef("bad_target", targetForms, "the question names no target")
	}
}

func (t target) needs(args arguments, names ...string) *Error {
	for _, n := range names {
		if !args.has(n) {
			return usagef("bad_target", targetForms, "the target lacks the argument %s", n)
		}
	}
	return nil
}

// only refuses arguments that belong to another form of target.
func (t target) only(args arguments, names ...string) *Error {
	allowed := map[string]bool{}
	for _, n := range names {
		allowed[n] = true
	}
	for _, p := range targetParams() {
		if args.has(p.name) && !allowed[p.name] {
			return usagef("bad_target", targetForms, "the argument %s does not go with %s: a target has exactly one form", p.name, strings.Join(names[:1], ""))
		}
	}
	return nil
}
