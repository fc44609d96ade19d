package textpos

import "fmt"

// A Point is a position for people: 1-based line, 1-based column in bytes.
type Point struct {
	Line, Column int
}

// A PointRange is a range between two points; End is exclusive.
type PointRange struct {
	Start, End Point
}

// Point returns the point of a byte offset; an offset inside a code point or
// inside "\r\n" means its start, and one inside the BOM means column 1. An
// offset outside the text is an error.
func (m *Mapper) Point(offset int) (Point, error) {
	offset, err := m.align(offset)
	if err != nil {
		return Point{}, err
	}
	line := m.lineOf(offset)
	return Point{Line: line + 1, Column: max(offset-m.firstColumn(line), 0) + 1}, nil
}

// PointOffset returns the byte offset of p. A line or column below 1 and a line
// past the end are errors; a column past the end of the line means the line's
// end, and one inside a code point that code point's start.
func (m *Mapper) PointOffset(p Point) (int, error) {
	if p.Line < 1 || p.Column < 1 {
		return 0, fmt.Errorf("%d:%d is no place: lines and columns start at 1", p.Line, p.Column)
	}
	if p.Line > len(m.starts) {
		return 0, fmt.Errorf("line %d is past the end: the text has %d lines", p.Line, len(m.starts))
	}
	start, end := m.firstColumn(p.Line-1), m.lineEnd(p.Line-1)
	if p.Column-1 >= end-start {
		return end, nil
	}
	return runeStart(m.text, start+p.Column-1), nil
}
