package textpos

import "fmt"

// An Encoding names the unit of an LSP character offset (LSP 3.17
// §PositionEncodingKind).
type Encoding string

// The encodings of LSP.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16"
	UTF32 Encoding = "utf-32"
)

// check refuses what is no encoding of LSP.
func (e Encoding) check() error {
	switch e {
	case UTF8, UTF16, UTF32:
		return nil
	}
	return fmt.Errorf("unknown position encoding %q", string(e))
}

// A Position is a position of LSP: 0-based line, 0-based character in code units
// of an [Encoding]. A BOM is a character of its line, since the server is sent
// it.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// A PositionRange is a range of LSP; End is exclusive.
type PositionRange struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Offset returns the byte offset of p. A line past the end, and a character
// inside a code point, are errors; a character past the end of its line means
// the line's end (LSP 3.17 §Position).
func (m *Mapper) Offset(p Position, enc Encoding) (int, error) {
	if err := enc.check(); err != nil {
		return 0, err
	}
	if uint64(p.Line) >= uint64(len(m.starts)) {
		return 0, fmt.Errorf("position %d:%d (0-based) is past the end: the text has %d lines",
			p.Line, p.Character, len(m.starts))
	}
	line := int(p.Line)
	start, end := m.starts[line], m.lineEnd(line)
	// A code unit takes at least one byte, so this spares the count where a
	// server means "to the end of the line".
	if uint64(p.Character) >= uint64(end-start) {
		return end, nil
	}
	before := m.unitsBefore(start, enc)
	if int(p.Character) >= m.unitsBefore(end, enc)-before {
		return end, nil
	}
	offset, exact := m.offsetOf(before+int(p.Character), enc)
	if !exact {
		return 0, fmt.Errorf("position %d:%d (0-based, %s) is inside a character", p.Line, p.Character, enc)
	}
	return offset, nil
}

// Position returns the position of a byte offset; an offset inside a code point
// or inside "\r\n" means its start. An offset outside the text is an error.
func (m *Mapper) Position(offset int, enc Encoding) (Position, error) {
	if err := enc.check(); err != nil {
		return Position{}, err
	}
	offset, err := m.align(offset)
	if err != nil {
		return Position{}, err
	}
	line := m.lineOf(offset)
	character := m.unitsBefore(offset, enc) - m.unitsBefore(m.starts[line], enc)
	return Position{Line: uint32(line), Character: uint32(character)}, nil
}
