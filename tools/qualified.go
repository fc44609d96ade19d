package tools

import (
	"path"
	"slices"
	"strings"

	"lspbridge/lspclient"
)

// splitName splits a qualified name at "." and "::" into its parts, the
// outermost first. A receiver's parentheses and star, type arguments and an
// argument list are dropped; slashes stay inside the first part:
//
//	(*Client).Close            Client, Close
//	example.com/m/lsp.Client   example.com/m/lsp, Client
//	ns::Box<int>::operator<    ns, Box, operator<
func splitName(name string) []string {
	name = strings.TrimSpace(name)
	if i := strings.Index(name, "operator"); i >= 0 && (i == 0 || !isNameByte(name[i-1])) {
		if rest := name[i+len("operator"):]; rest != "" && !isNameByte(rest[0]) {
			return append(splitName(strings.TrimRight(name[:i], ":")), spaceless(name[i:]))
		}
	}
	var parts []string
	var part strings.Builder
	flush := func() {
		if p := strings.Trim(strings.TrimSpace(part.String()), "*& "); p != "" {
			parts = append(parts, p)
		}
		part.Reset()
	}
	depth := 0 // inside <...> or [...]
	slash := strings.LastIndex(name, "/")
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '<' || c == '[':
			depth++
		case c == '>' || c == ']':
			depth = max(0, depth-1)
		case depth > 0:
		case i < slash:
			part.WriteByte(c)
		case c == '.' || c == '#':
			flush()
		case c == ':' && i+1 < len(name) && name[i+1] == ':':
			flush()
			i++
		case c == '(' || c == ')':
			// An argument list ends the name; a receiver's parentheses do not.
			if c == '(' && strings.TrimSpace(part.String()) != "" {
				flush()
				return parts
			}
		default:
			part.WriteByte(c)
		}
	}
	flush()
	return parts
}

func isNameByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= 0x80
}

// qualified returns the parts of a symbol's whole name: its container, then its
// own name. A server may repeat the container, or its last element, in the name.
func qualified(container, name string) []string {
	own := splitName(name)
	outer := splitContainer(container)
	if len(own) == 0 {
		return outer
	}
	if len(outer) > 0 && len(own) > 1 && pathSuffix(outer[len(outer)-1], own[0]) {
		own = own[1:]
	}
	return slices.Concat(outer, own)
}

// splitContainer splits a container; a Go import path, dots in its last element
// included, is one part.
func splitContainer(container string) []string {
	if strings.Contains(container, "/") {
		return []string{container}
	}
	return splitName(container)
}

// hasSuffix reports whether the parts want are the innermost of whole. The
// outermost of want may be the end of an import path.
func hasSuffix(whole, want []string) bool {
	if len(want) == 0 || len(want) > len(whole) {
		return false
	}
	tail := whole[len(whole)-len(want):]
	return pathSuffix(tail[0], want[0]) && slices.Equal(tail[1:], want[1:])
}

// pathSuffix reports whether suffix is the whole path or its last elements.
func pathSuffix(p, suffix string) bool {
	return p == suffix || strings.HasSuffix(p, "/"+suffix)
}

// A declaration is a symbol together with the parts of its whole name.
type declaration struct {
	symbol lspclient.Symbol
	parts  []string
}

// outlineOf flattens the outline of a file, in the order of its text. The file's
// folder counts as the outermost part: in Go it is the package.
func outlineOf(file string, symbols []lspclient.Symbol) []declaration {
	var flat []declaration
	var walk func(outer []string, list []lspclient.Symbol)
	walk = func(outer []string, list []lspclient.Symbol) {
		for _, s := range list {
			parts := slices.Concat(outer, splitName(s.Name))
			flat = append(flat, declaration{s, parts})
			walk(parts, s.Children)
		}
	}
	var outer []string
	if dir := path.Dir(file); dir != "." {
		outer = []string{dir}
	}
	walk(outer, symbols)
	return flat
}

// matching returns the declarations whose innermost parts are want. A class
// stands before its constructors, which bear its name too: they are meant only
// when they are named as such.
func matching(all []declaration, want []string, kind string) []declaration {
	var found []declaration
	for _, d := range all {
		if hasSuffix(d.parts, want) && (kind == "" || kindIs(d.symbol.Kind, kind)) {
			found = append(found, d)
		}
	}
	named := len(want) > 1 && want[len(want)-1] == want[len(want)-2]
	constructor := func(d declaration) bool {
		n := len(d.parts)
		return d.symbol.Kind == "constructor" && n > 1 && d.parts[n-1] == d.parts[n-2] && !named
	}
	if slices.ContainsFunc(found, func(d declaration) bool { return !constructor(d) }) {
		found = slices.DeleteFunc(found, constructor)
	}
	return found
}

// kindIs reports whether a symbol's kind is the one asked for. "type" means
// every kind of type.
func kindIs(kind, asked string) bool {
	return kind == asked || asked == "type" && slices.Contains([]string{"class", "struct", "interface", "enum", "type parameter"}, kind)
}

// checkKinds refuses what is no kind.
func checkKinds(asked []string) *Error {
	known := append(slices.Clone(lspclient.Kinds()), "type")
	for _, k := range asked {
		if slices.Contains(known, k) {
			continue
		}
		hint := "kinds are: " + strings.Join(known, ", ")
		if near := nearest(k, known, 1); len(near) > 0 {
			hint = "did you mean " + near[0] + "?"
		}
		return usagef("bad_value", hint, "%q is no kind of symbol", clipWord(k))
	}
	return nil
}
