package tools

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// An ident is an identifier on a line.
type ident struct {
	name       string
	start, end int  // bytes of the line, 0-based, half-open
	code       bool // outside comments and string literals, as far as one line tells
}

// column is the 1-based column of the identifier.
func (id ident) column() int { return id.start + 1 }

// identifiers finds the identifiers of a line of a language (an LSP language
// id). Keywords of the language are none. The line alone is looked at: a comment
// that began above is taken for code.
func identifiers(line, language string) []ident {
	lang := lexiconOf(language)
	var found []ident
	inert := newInert(line, lang)
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRuneInString(line[i:])
		if !lang.identRune(r) {
			i += n
			continue
		}
		end := i
		for end < len(line) {
			r, n := utf8.DecodeRuneInString(line[end:])
			if !lang.identRune(r) {
				break
			}
			end += n
		}
		name, start := line[i:end], i
		if lang.cpp && name == "operator" {
			end = operatorEnd(line, end)
			name = line[start:end]
		}
		if !unicode.IsDigit(r) && !lang.keywords[name] {
			found = append(found, ident{name: name, start: start, end: end, code: !inert.holds(start)})
		}
		i = end
	}
	return found
}

// operatorEnd returns the end of the name of a C++ operator function, given the
// end of the word operator: operator+, operator(), operator[], operator new.
func operatorEnd(line string, end int) int {
	rest := line[end:]
	trimmed := strings.TrimLeft(rest, " ")
	gap := len(rest) - len(trimmed)
	for _, pair := range []string{"()", "[]"} {
		if strings.HasPrefix(trimmed, pair) {
			return end + gap + len(pair)
		}
	}
	n := len(trimmed) - len(strings.TrimLeft(trimmed, "+-*/%^&|~!=<>,"))
	if n == 0 {
		return end // a conversion or an allocation: the word alone finds it
	}
	return end + gap + n
}

// touching returns the identifier that the 1-based column touches: it holds the
// column's byte or ends right before it. In C++ the ~ of a destructor belongs to
// its name.
func touching(line string, ids []ident, column int, language string) (ident, bool) {
	at := column - 1
	for _, id := range ids {
		if id.start <= at && at < id.end {
			return id, true
		}
	}
	for _, id := range ids {
		if id.end == at {
			return id, true
		}
	}
	if lexiconOf(language).cpp && at < len(line) && line[at] == '~' {
		for _, id := range ids {
			if id.start == at+1 {
				return destructor(id), true
			}
		}
	}
	return ident{}, false
}

// destructor is the identifier together with the ~ before it.
func destructor(id ident) ident {
	id.start--
	id.name = "~" + id.name
	return id
}

// named returns the identifiers of a line that have a name; those in code count
// alone when there are any.
func named(line string, ids []ident, name, language string) []ident {
	var code, all []ident
	for _, id := range ids {
		if lexiconOf(language).cpp && strings.HasPrefix(name, "~") && id.start > 0 && line[id.start-1] == '~' {
			id = destructor(id)
		}
		if spaceless(id.name) != spaceless(name) {
			continue
		}
		all = append(all, id)
		if id.code {
			code = append(code, id)
		}
	}
	if len(code) > 0 {
		return code
	}
	return all
}

// spaceless drops spaces, so that "operator +" and "operator+" are one name.
func spaceless(name string) string { return strings.ReplaceAll(name, " ", "") }

// inert marks the bytes of a line that are comment or string literal.
type inert []bool

func (n inert) holds(i int) bool { return n[i] }

func newInert(line string, lang lexicon) inert {
	marks := make(inert, len(line))
	mark := func(from, to int) {
		for ; from < to; from++ {
			marks[from] = true
		}
	}
	for i := 0; i < len(line); {
		if lang.comment != "" && strings.HasPrefix(line[i:], lang.comment) {
			mark(i, len(line))
			break
		}
		if lang.block && strings.HasPrefix(line[i:], "/*") {
			end := len(line)
			if j := strings.Index(line[i+2:], "*/"); j >= 0 {
				end = i + 2 + j + 2
			}
			mark(i, end)
			i = end
			continue
		}
		if strings.IndexByte(lang.quotes, line[i]) >= 0 {
			end := literalEnd(line, i)
			mark(i, end)
			i = end
			continue
		}
		i++
	}
	return marks
}

// literalEnd returns the end of the literal whose quote is at start: the next
// quote that no backslash escapes, else only the quote itself, so that an
// apostrophe (a digit separator, a lifetime) hides nothing.
func literalEnd(line string, start int) int {
	for i := start + 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && line[start] != '`':
			i++
		case line[i] == line[start]:
			return i + 1
		}
	}
	return start + 1
}
