package tools

import (
	"strings"
	"unicode"
)

// A lexicon is what is known of a language's words. It only serves to find the
// identifiers of a line; the language server does the rest.
type lexicon struct {
	keywords map[string]bool
	comment  string // begins a comment up to the end of the line
	quotes   string // delimit literals
	block    bool   // has /* comments */
	dollar   bool   // $ is part of identifiers
	cpp      bool   // has operator functions and destructors
}

func (l lexicon) identRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r) || l.dollar && r == '$'
}

// keywordsOf lists the reserved words of the languages that have a built-in
// server, by LSP language id. Predeclared names (Go's int, nil, len) are
// identifiers: servers answer for them.
var keywordsOf = map[string]map[string]bool{
	"go": words(`break case chan const continue default defer else fallthrough for func go goto if import
		interface map package range return select struct switch type var`),
	"c": words(`auto break case char const continue default do double else enum extern float for goto if inline
		int long register restrict return short signed sizeof static struct switch typedef union unsigned void
		volatile while _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert
		_Thread_local include define ifdef ifndef endif undef pragma elif`),
	"cpp": words(`alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t
		char32_t class co_await co_return co_yield compl concept const consteval constexpr constinit const_cast
		continue decltype default delete do double dynamic_cast else enum explicit export extern false final
		float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr or
		or_eq override private protected public register reinterpret_cast requires return short signed sizeof
		static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
		typename union unsigned using virtual void volatile wchar_t while xor xor_eq include define ifdef ifndef
		endif undef pragma elif`),
	"rust": words(`as async await break const continue crate dyn else enum extern false fn for if impl in let
		loop match mod move mut pub ref return self static struct super trait true type unsafe use where while`),
	"python": words(`False None True and as assert async await break class continue def del elif else except
		finally for from global if import in is lambda nonlocal not or pass raise return try while with yield`),
	"javascript": words(`await break case catch class const continue debugger default delete do else export
		extends false finally for function if import in instanceof let new null return static super switch this
		throw true try typeof var void while with yield`),
}

func words(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// lexiconOf returns the lexicon of an LSP language id; one that is not known has
// no keywords.
func lexiconOf(language string) lexicon {
	l := lexicon{comment: "//", quotes: "\"'`", block: true}
	switch language {
	case "c", "objective-c":
		l.keywords = keywordsOf["c"]
	case "cpp", "objective-cpp", "cuda", "cuda-cpp":
		l.keywords, l.cpp = keywordsOf["cpp"], true
	case "python":
		l.keywords, l.comment, l.block = keywordsOf["python"], "#", false
	case "javascript", "javascriptreact", "typescript", "typescriptreact":
		l.keywords, l.dollar = keywordsOf["javascript"], true
	case "shellscript", "ruby", "yaml", "toml", "perl":
		l.comment, l.block = "#", false
	case "rust":
		l.keywords, l.quotes = keywordsOf["rust"], `"`
	default:
		l.keywords = keywordsOf[language]
	}
	return l
}
