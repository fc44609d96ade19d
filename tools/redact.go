package tools

import (
	"cmp"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Folder is a folder of this machine and what stands for it in an answer.
type Folder struct {
	Path  string // absolute; one that is empty, relative or "/" is left out
	Shown string // "$GOROOT", "~"; "" makes paths below it relative: a root of the workspace
}

// A Redactor hides folders of this machine in text that a server made: roots
// become workspace-relative, and known folders $GOROOT, $GOMODCACHE, ~. It is
// immutable. A nil Redactor knows no folder.
type Redactor struct {
	spellings []spelling // the longest first
}

// A spelling is one way to write a folder.
type spelling struct {
	text, shown string
}

// NewRedactor returns a redactor of the folders. Where they are nested the
// innermost counts. A folder is recognised as a path and inside a file URI.
func NewRedactor(folders ...Folder) *Redactor {
	r := &Redactor{}
	for _, f := range folders {
		p := filepath.ToSlash(filepath.Clean(f.Path))
		if f.Path == "" || p == "/" || !filepath.IsAbs(f.Path) {
			continue
		}
		r.spellings = append(r.spellings, spelling{p, f.Shown})
		// A URI may escape more or less of it, by server.
		for _, escaped := range []string{(&url.URL{Path: p}).EscapedPath(), strings.ReplaceAll((&url.URL{Path: p}).EscapedPath(), "@", "%40")} {
			r.spellings = append(r.spellings, spelling{escaped, f.Shown})
		}
	}
	slices.SortStableFunc(r.spellings, func(a, b spelling) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text))
	})
	r.spellings = slices.CompactFunc(r.spellings, func(a, b spelling) bool { return a.text == b.text })
	return r
}

const fileScheme = "file://"

// Text hides the known folders in text. A file URI that is left, being one of an
// unknown folder, keeps its last element only.
func (r *Redactor) Text(text string) string {
	if r == nil {
		r = &Redactor{}
	}
	if !strings.ContainsAny(text, "/:") {
		return text
	}
	var out strings.Builder
	for i := 0; i < len(text); {
		switch n := r.replace(&out, text, i); {
		case n > 0:
			i += n
		case strings.HasPrefix(text[i:], fileScheme):
			i += r.replaceURI(&out, text[i:])
		default:
			out.WriteByte(text[i])
			i++
		}
	}
	return out.String()
}

// replace writes what stands for the folder at text[i:] and returns the bytes it
// took, 0 when there is none.
func (r *Redactor) replace(out *strings.Builder, text string, i int) int {
	if !startsPath(text, i) {
		return 0
	}
	for _, s := range r.spellings {
		if !strings.HasPrefix(text[i:], s.text) {
			continue
		}
		rest := text[i+len(s.text):]
		if !endsElement(rest) {
			continue
		}
		n := len(s.text)
		switch {
		case s.shown != "":
			out.WriteString(s.shown)
		case strings.HasPrefix(rest, "/") && len(rest) > 1 && !endsElement(rest[1:]):
			n++ // the slash: what follows is relative
		default:
			out.WriteString(".")
		}
		return n
	}
	return 0
}

// replaceURI writes what stands for the file URI at the start of text and
// returns the bytes it took.
func (r *Redactor) replaceURI(out *strings.Builder, text string) int {
	end := strings.IndexFunc(text, func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune("\"'`<>()[]", c)
	})
	if end < 0 {
		end = len(text)
	}
	p := text[len(fileScheme):end]
	if n := r.replace(out, p, 0); n > 0 {
		return len(fileScheme) + n
	}
	out.WriteString(path.Base("/" + strings.TrimRight(p, "/")))
	return end
}

// startsPath reports whether an absolute path can start at text[i]: not in the
// middle of a longer or a relative path, but right after a compiler's flag.
func startsPath(text string, i int) bool {
	if text[i] != '/' && (i+1 >= len(text) || text[i+1] != ':') {
		return false
	}
	if i == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(text[:i])
	if !pathRune(before) {
		return true
	}
	word := text[strings.LastIndexFunc(text[:i], func(c rune) bool { return !pathRune(c) || c == '/' })+1 : i]
	return strings.HasPrefix(word, "-")
}

func pathRune(c rune) bool {
	return c == '/' || c == '_' || c == '-' || c == '.' || c == '~' || c == '%' || unicode.IsLetter(c) || unicode.IsDigit(c)
}

// endsElement reports whether a path element ends where rest starts.
func endsElement(rest string) bool {
	if rest == "" || rest[0] == '/' {
		return true
	}
	c, _ := utf8.DecodeRuneInString(rest)
	if c == '.' { // the end of a sentence, or more of the name
		return len(rest) == 1 || rest[1] == ' ' || rest[1] == '\n'
	}
	return !pathRune(c)
}

// absolutePath finds paths by what stands before them. Behind a colon two
// slashes begin the host of a URL, which is no path of this machine.
var absolutePath = regexp.MustCompile(`(?:(^|[\s"'(=,\[])(?:[A-Za-z]:)?/[^\s"'()\[\],:]*/|(:)/[^\s"'()\[\],:/][^\s"'()\[\],:]*/)([^\s"'()\[\],:/]*)`)

// Error is Text for errors, reasons and progress, where every absolute path that
// is left also keeps its last element only: it is one of this machine, not of a
// documentation's prose. The names of files in them may be no UTF-8; what is
// returned is.
func (r *Redactor) Error(text string) string {
	return absolutePath.ReplaceAllString(r.Text(strings.ToValidUTF8(text, "\ufffd")), "${1}${2}…/${3}")
}
