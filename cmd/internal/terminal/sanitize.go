package terminal

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sanitize returns s with everything escaped that a terminal would obey or hide
// instead of show: control characters but newline and tab, bytes that are not
// UTF-8, and the characters that reorder text or take no room. What was escaped
// reads like a Go escape: \x1b, \u{202e}.
func Sanitize(s string) string {
	clean := strings.IndexFunc(s, unsafe) < 0 && utf8.ValidString(s)
	if clean {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case !unsafe(r):
			b.WriteRune(r)
		case r == '\r':
			b.WriteString(`\r`)
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			fmt.Fprintf(&b, `\u{%04x}`, r)
		}
	}
	return b.String()
}

// Line is [Sanitize] for text that must stay one line: a newline and a tab are
// escaped too.
func Line(s string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(Sanitize(s))
}

// EscapeJSON returns valid JSON with the same meaning in which no character
// steers a terminal: those that encoding/json leaves as they are become \u
// escapes. They can only stand inside strings.
func EscapeJSON(data []byte) []byte {
	if strings.IndexFunc(string(data), unsafe) < 0 {
		return data
	}
	out := make([]byte, 0, len(data)+16)
	for _, r := range string(data) {
		switch {
		case !unsafe(r):
			out = utf8.AppendRune(out, r)
		case r > 0xFFFF:
			// Outside the basic plane JSON writes a UTF-16 pair (RFC 8259 §7).
			r -= 0x10000
			out = fmt.Appendf(out, `\u%04x\u%04x`, 0xD800+(r>>10), 0xDC00+(r&0x3FF))
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// unsafe reports whether r steers a terminal or is invisible on it.
func unsafe(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case unicode.IsControl(r): // C0, DEL, C1
		return true
	case r < 0x80:
		return false
	}
	return unicode.Is(hidden, r)
}

// hidden are characters that a reader does not see or that change the order in
// which others are shown: directional controls, zero-width characters, line and
// paragraph separators, fillers, tags, variation selectors' supplement.
var hidden = &unicode.RangeTable{
	R16: []unicode.Range16{
		{0x00AD, 0x00AD, 1}, // soft hyphen
		{0x034F, 0x034F, 1}, // combining grapheme joiner
		{0x061C, 0x061C, 1}, // arabic letter mark
		{0x115F, 0x1160, 1}, // hangul fillers
		{0x17B4, 0x17B5, 1}, // khmer inherent vowels
		{0x180B, 0x180F, 1}, // mongolian selectors
		{0x200B, 0x200F, 1}, // zero width, directional marks
		{0x2028, 0x202E, 1}, // separators, embeddings, overrides
		{0x2060, 0x206F, 1}, // word joiner, isolates, deprecated controls
		{0x3164, 0x3164, 1}, // hangul filler
		{0xFEFF, 0xFEFF, 1}, // byte order mark
		{0xFFA0, 0xFFA0, 1}, // halfwidth hangul filler
		{0xFFF9, 0xFFFB, 1}, // interlinear annotation
	},
	R32: []unicode.Range32{
		{0x1D173, 0x1D17A, 1}, // musical format controls
		{0xE0000, 0xE0FFF, 1}, // tags, variation selectors
	},
	LatinOffset: 1,
}
