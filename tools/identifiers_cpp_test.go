package tools_test

import (
	"maps"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"testing"
)

// cppQuestions chooses n identifier tokens among C++ files: each file in turn,
// so that headers and sources get equal shares. The column is any that touches
// the identifier.
func cppQuestions(t *testing.T, files map[string]string, seed uint64, n int) []question {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	left := map[string][]question{}
	for name, text := range files {
		if ext := path.Ext(name); ext == ".cpp" || ext == ".h" {
			left[name] = cppIdentifiers(name, text)
		}
	}
	var chosen []question
	for {
		names := slices.Sorted(maps.Keys(left))
		r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			list := left[name]
			if len(list) == 0 {
				delete(left, name)
				continue
			}
			i := r.IntN(len(list))
			q := list[i]
			left[name] = slices.Delete(list, i, i+1)
			q.column += r.IntN(len(q.name))
			if chosen = append(chosen, q); len(chosen) == n {
				return chosen
			}
		}
		if len(left) == 0 {
			t.Fatalf("%d identifiers; want %d", len(chosen), n)
		}
	}
}

// cppToken splits C++ as far as the generated projects need it: what holds no
// identifier (comments, literals, directives), line ends, and words.
var cppToken = regexp.MustCompile(`//[^\n]*|(?s:/\*.*?\*/)|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(?m:^[ \t]*#[^\n]*)|\n|[A-Za-z_][A-Za-z0-9_]*|[0-9][A-Za-z0-9_]*`)

var cppKeywords = map[string]bool{
	"auto": true, "bool": true, "case": true, "char": true, "class": true, "const": true, "constexpr": true, "default": true,
	"double": true, "else": true, "enum": true, "explicit": true, "false": true, "float": true, "for": true, "if": true,
	"inline": true, "int": true, "long": true, "namespace": true, "new": true, "nullptr": true, "operator": true,
	"private": true, "protected": true, "public": true, "return": true, "short": true, "sizeof": true, "static": true,
	"static_cast": true, "struct": true, "switch": true, "template": true, "this": true, "true": true, "typedef": true,
	"typename": true, "unsigned": true, "using": true, "virtual": true, "void": true, "while": true,
}

// cppIdentifiers lists the identifier tokens of a file. override and final are
// none where the generated projects write them.
func cppIdentifiers(name, text string) []question {
	var list []question
	line, start := 1, 0
	for _, at := range cppToken.FindAllStringIndex(text, -1) {
		token := text[at[0]:at[1]]
		switch c := token[0]; {
		case c == '_' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z':
			if !cppKeywords[token] && token != "override" && token != "final" {
				list = append(list, question{file: name, line: line, column: at[0] - start + 1, name: token, class: path.Ext(name)[1:]})
			}
		default:
			for i, b := range []byte(token) {
				if b == '\n' {
					line, start = line+1, at[0]+i+1
				}
			}
		}
	}
	return list
}
