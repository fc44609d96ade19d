package vdocs

import (
	"cmp"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"lspbridge/lspclient/textpos"
)

// outside ends every display name.
const outside = " (outside the workspace)"

// maxName bounds a display name, in bytes before escaping and without outside.
const maxName = 300

// Display returns the display name of a place, such as
// "fmt/print.go (outside the workspace)". It never holds a path outside: a file
// below one of the roots is named relative to the longest of them, any other by
// at most its last two elements, and a document that is no file by its scheme
// and these, or by the scheme alone where no reference is given. Characters that
// do not print are escaped.
func (s *Store) Display(p Place) string {
	scheme := textpos.Scheme(p.URI)
	switch {
	case filepath.IsAbs(p.Path) && (scheme == "file" || p.URI == ""):
		return printable(s.name(p.Path)) + outside
	case scheme == "" || scheme == "file":
		return "a document" + outside
	case !mayRefer(scheme): // the rest may be a credential
		return printable("a document of scheme "+scheme) + outside
	}
	return printable(scheme+":"+virtualName(p.URI[len(scheme)+1:])) + outside
}

// name returns the name of a file's absolute path.
func (s *Store) name(path string) string {
	path = filepath.Clean(path)
	for _, root := range s.roots {
		if rel, ok := strings.CutPrefix(path, root+string(filepath.Separator)); ok && rel != "" {
			return filepath.ToSlash(rel)
		}
	}
	return lastTwo(filepath.ToSlash(path[len(filepath.VolumeName(path)):]))
}

// virtualName returns what may be shown of a URI behind its scheme. Servers put
// whole paths into these, also escaped and in queries.
func virtualName(rest string) string {
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	decoded, err := url.PathUnescape(rest)
	if err != nil || strings.Contains(decoded, "%") { // badly escaped, or twice
		return "document"
	}
	return lastTwo(strings.ReplaceAll(decoded, `\`, "/"))
}

// lastTwo returns at most the last two elements of a path with slashes.
func lastTwo(path string) string {
	elements := strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
	if len(elements) == 0 {
		return "document"
	}
	return strings.Join(elements[max(len(elements)-2, 0):], "/")
}

// cleanRoots returns the roots that can give a name, the longest first. The root
// of a file system gives none: what is relative to it is the whole path.
func cleanRoots(roots []string) []string {
	var out []string
	for _, r := range roots {
		if r = filepath.Clean(r); filepath.IsAbs(r) && filepath.Dir(r) != r {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), strings.Compare(a, b))
	})
	return out
}

// printable escapes what does not print: control and format characters (among
// them those that turn the direction of writing), fillers that look like
// nothing, and bytes that are not UTF-8. It also bounds the name, and keeps its
// end, which tells most.
func printable(name string) string {
	if len(name) > maxName {
		cut := len(name) - maxName
		for cut < len(name) && !utf8.RuneStart(name[cut]) {
			cut++
		}
		name = "..." + name[cut:]
	}
	var w strings.Builder
	for i, r := range name {
		switch {
		case r == utf8.RuneError && !strings.HasPrefix(name[i:], "\ufffd"):
			fmt.Fprintf(&w, `\x%02x`, name[i])
		case strconv.IsPrint(r) && !filler(r):
			w.WriteRune(r)
		default:
			fmt.Fprintf(&w, `\u{%x}`, r)
		}
	}
	return w.String()
}

// filler reports whether r counts as a letter and shows as nothing.
func filler(r rune) bool {
	switch r {
	case '\u115f', '\u1160', '\u3164', '\uffa0':
		return true
	}
	return false
}
