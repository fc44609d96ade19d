package lsptest

import "fmt"

// A Span is a range of LSP: lines and characters are 0-based, the end is
// exclusive, and a character counts code units of the encoding agreed on.
type Span struct{ Line, Character, EndLine, EndCharacter int }

// JSON returns the range.
func (s Span) JSON() string {
	return fmt.Sprintf(`{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}}`,
		s.Line, s.Character, s.EndLine, s.EndCharacter)
}

// Location returns a Location of LSP as JSON.
func Location(uri string, at Span) string {
	return fmt.Sprintf(`{"uri":%q,"range":%s}`, uri, at.JSON())
}

// LocationLink returns a LocationLink of LSP as JSON, the other shape in which
// places are answered. extent is the whole declaration, at its name.
func LocationLink(uri string, extent, at Span) string {
	return fmt.Sprintf(`{"targetUri":%q,"targetRange":%s,"targetSelectionRange":%s}`, uri, extent.JSON(), at.JSON())
}
