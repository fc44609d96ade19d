package lspclient

import (
	"unicode"
	"unicode/utf8"
)

// identifierAt returns the run of letters, digits and underscores around a byte
// offset, "" when there is none.
func identifierAt(text []byte, offset int) string {
	if offset < 0 || offset > len(text) {
		return ""
	}
	start, end := offset, offset
	for start > 0 {
		r, n := utf8.DecodeLastRune(text[:start])
		if !identifierRune(r) {
			break
		}
		start -= n
	}
	for end < len(text) {
		r, n := utf8.DecodeRune(text[end:])
		if !identifierRune(r) {
			break
		}
		end += n
	}
	return string(text[start:end])
}

func identifierRune(r rune) bool {
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}
