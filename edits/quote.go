package edits

import (
	"fmt"
	"strings"
)

// quoteName returns a file name as git writes it in a patch: as it is, or in
// double quotes with C escapes when it holds a control character, a quote, a
// backslash or a byte that is not ASCII (git's core.quotePath, on by default).
// So a name can neither forge a line nor move a terminal's cursor.
func quoteName(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r >= 0x7f || r == '"' || r == '\\' }) {
		return name
	}
	var w strings.Builder
	w.WriteByte('"')
	for i := range len(name) {
		c := name[i]
		short := strings.IndexByte("\a\b\t\n\v\f\r\"\\", c)
		switch {
		case short >= 0:
			w.WriteByte('\\')
			w.WriteByte(`abtnvfr"\`[short])
		case c < ' ' || c >= 0x7f:
			fmt.Fprintf(&w, `\%03o`, c)
		default:
			w.WriteByte(c)
		}
	}
	w.WriteByte('"')
	return w.String()
}
