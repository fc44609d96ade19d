package textpos_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"lspbridge/lspclient/textpos"
)

var encodings = []textpos.Encoding{textpos.UTF8, textpos.UTF16, textpos.UTF32}

func TestPosition(t *testing.T) {
	const smile = "a\té😀b\r\nc"
	tests := []struct {
		name, text    string
		offset        int
		line          uint32
		c8, c16, c32  uint32
		point         textpos.Point
		roundsTo      int // where Offset comes back to
		pointRoundsTo int
	}{
		{"start", smile, 0, 0, 0, 0, 0, textpos.Point{Line: 1, Column: 1}, 0, 0},
		{"behind a tab", smile, 2, 0, 2, 2, 2, textpos.Point{Line: 1, Column: 3}, 2, 2},
		{"behind é", smile, 4, 0, 4, 3, 3, textpos.Point{Line: 1, Column: 5}, 4, 4},
		{"inside é", smile, 3, 0, 2, 2, 2, textpos.Point{Line: 1, Column: 3}, 2, 2},
		{"behind 😀", smile, 8, 0, 8, 5, 4, textpos.Point{Line: 1, Column: 9}, 8, 8},
		{"inside 😀", smile, 6, 0, 4, 3, 3, textpos.Point{Line: 1, Column: 5}, 4, 4},
		{"at crlf", smile, 9, 0, 9, 6, 5, textpos.Point{Line: 1, Column: 10}, 9, 9},
		{"inside crlf", smile, 10, 0, 9, 6, 5, textpos.Point{Line: 1, Column: 10}, 9, 9},
		{"next line", smile, 11, 1, 0, 0, 0, textpos.Point{Line: 2, Column: 1}, 11, 11},
		{"end of text", smile, 12, 1, 1, 1, 1, textpos.Point{Line: 2, Column: 2}, 12, 12},
		{"empty", "", 0, 0, 0, 0, 0, textpos.Point{Line: 1, Column: 1}, 0, 0},
		{"last empty line", "a\n", 2, 1, 0, 0, 0, textpos.Point{Line: 2, Column: 1}, 2, 2},
		{"bom itself", "\ufeffab", 0, 0, 0, 0, 0, textpos.Point{Line: 1, Column: 1}, 0, 3},
		{"behind bom", "\ufeffab", 3, 0, 3, 1, 1, textpos.Point{Line: 1, Column: 1}, 3, 3},
		{"second behind bom", "\ufeffab", 4, 0, 4, 2, 2, textpos.Point{Line: 1, Column: 2}, 4, 4},
		{"lone cr is a character", "a\rb", 2, 0, 2, 2, 2, textpos.Point{Line: 1, Column: 3}, 2, 2},
		{"invalid bytes are one unit", "\xff\xfeb", 2, 0, 2, 2, 2, textpos.Point{Line: 1, Column: 3}, 2, 2},
		{"second byte of a surrogate half", "\xed\xa0\x80", 1, 0, 1, 1, 1, textpos.Point{Line: 1, Column: 2}, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := textpos.NewMapper([]byte(tt.text))
			for i, character := range []uint32{tt.c8, tt.c16, tt.c32} {
				want := textpos.Position{Line: tt.line, Character: character}
				got, err := m.Position(tt.offset, encodings[i])
				if err != nil || got != want {
					t.Errorf("Position(%d, %s) = %v, %v, want %v", tt.offset, encodings[i], got, err, want)
				}
				back, err := m.Offset(want, encodings[i])
				if err != nil || back != tt.roundsTo {
					t.Errorf("Offset(%v, %s) = %d, %v, want %d", want, encodings[i], back, err, tt.roundsTo)
				}
			}
			got, err := m.Point(tt.offset)
			if err != nil || got != tt.point {
				t.Errorf("Point(%d) = %v, %v, want %v", tt.offset, got, err, tt.point)
			}
			back, err := m.PointOffset(tt.point)
			if err != nil || back != tt.pointRoundsTo {
				t.Errorf("PointOffset(%v) = %d, %v, want %d", tt.point, back, err, tt.pointRoundsTo)
			}
		})
	}
}

func TestPastTheLine(t *testing.T) {
	for _, text := range []string{"aé\r\nb", "aé\nb", "aé"} {
		m := textpos.NewMapper([]byte(text))
		for _, enc := range encodings {
			for _, character := range []uint32{4, 5, 1 << 20, math.MaxInt32, math.MaxUint32} {
				got, err := m.Offset(textpos.Position{Character: character}, enc)
				if err != nil || got != len("aé") {
					t.Errorf("%q: Offset(0:%d, %s) = %d, %v, want the line's end, 3", text, character, enc, got, err)
				}
			}
		}
		for _, column := range []int{4, 5, math.MaxInt} {
			got, err := m.PointOffset(textpos.Point{Line: 1, Column: column})
			if err != nil || got != len("aé") {
				t.Errorf("%q: PointOffset(1:%d) = %d, %v, want the line's end, 3", text, column, got, err)
			}
		}
	}
}

func TestPointInsideCodePoint(t *testing.T) {
	m := textpos.NewMapper([]byte("\ufeffx😀"))
	for column := 2; column <= 5; column++ {
		got, err := m.PointOffset(textpos.Point{Line: 1, Column: column})
		if err != nil || got != 4 {
			t.Errorf("PointOffset(1:%d) = %d, %v, want 4, where the character starts", column, got, err)
		}
	}
}

func TestPositionErrors(t *testing.T) {
	m := textpos.NewMapper([]byte("é😀\nb"))
	tests := []struct {
		name string
		call func() error
		want string
	}{
		{"line past the end", func() error { _, err := m.Offset(textpos.Position{Line: 2}, textpos.UTF16); return err }, "2 lines"},
		{"largest line", func() error {
			_, err := m.Offset(textpos.Position{Line: math.MaxUint32}, textpos.UTF16)
			return err
		}, "2 lines"},
		{"between surrogates", func() error { _, err := m.Offset(textpos.Position{Character: 2}, textpos.UTF16); return err }, "inside a character"},
		{"inside utf-8", func() error { _, err := m.Offset(textpos.Position{Character: 1}, textpos.UTF8); return err }, "inside a character"},
		{"encoding in", func() error { _, err := m.Offset(textpos.Position{}, "utf-7"); return err }, "utf-7"},
		{"encoding out", func() error { _, err := m.Position(0, ""); return err }, "encoding"},
		{"negative offset", func() error { _, err := m.Position(-1, textpos.UTF8); return err }, "outside"},
		{"offset past the end", func() error { _, err := m.Position(9, textpos.UTF8); return err }, "outside"},
		{"point of a negative offset", func() error { _, err := m.Point(-1); return err }, "outside"},
		{"point past the end", func() error { _, err := m.Point(9); return err }, "outside"},
		{"line 0", func() error { _, err := m.PointOffset(textpos.Point{Line: 0, Column: 1}); return err }, "start at 1"},
		{"column 0", func() error { _, err := m.PointOffset(textpos.Point{Line: 1, Column: 0}); return err }, "start at 1"},
		{"point's line past the end", func() error { _, err := m.PointOffset(textpos.Point{Line: 3, Column: 1}); return err }, "2 lines"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.call(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want one with %q", err, tt.want)
			}
		})
	}
}

// naive is the rule of a position spelt out: walk the code points from the start
// and count.
func naive(text string, offset int, enc textpos.Encoding) textpos.Position {
	var p textpos.Position
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRuneInString(text[at:])
		if strings.HasPrefix(text[at:], "\r\n") {
			n = 2
		}
		if at+n > offset {
			return p
		}
		switch {
		case n == 2 && text[at] == '\r', r == '\n':
			p = textpos.Position{Line: p.Line + 1}
		case enc == textpos.UTF8:
			p.Character += uint32(n)
		case enc == textpos.UTF16 && r > 0xFFFF:
			p.Character += 2
		default:
			p.Character++
		}
		at += n
	}
	return p
}

// checkAll compares the mapper with the naive rule at an offset, there and back.
func checkAll(m *textpos.Mapper, text string, offset int) error {
	for _, enc := range encodings {
		want := naive(text, offset, enc)
		got, err := m.Position(offset, enc)
		if err != nil || got != want {
			return fmt.Errorf("Position(%d, %s) = %v, %v, want %v", offset, enc, got, err, want)
		}
		back, err := m.Offset(want, enc)
		if err != nil {
			return fmt.Errorf("Offset(%v, %s): %v", want, enc, err)
		}
		// The start of what the offset is inside of has the same position, and
		// no place before it has.
		if back > offset || offset-back >= utf8.UTFMax || naive(text, back, enc) != want {
			return fmt.Errorf("Offset(%v, %s) = %d, want the start of what is at %d", want, enc, back, offset)
		}
		if back > 0 && naive(text, back-1, enc) == want {
			return fmt.Errorf("Offset(%v, %s) = %d is not the start", want, enc, back)
		}
	}
	p, err := m.Point(offset)
	if err != nil {
		return err
	}
	want := naive(text, offset, textpos.UTF8)
	column := int(want.Character) + 1
	if want.Line == 0 && strings.HasPrefix(text, "\ufeff") {
		column = max(column-3, 1)
	}
	if p != (textpos.Point{Line: int(want.Line) + 1, Column: column}) {
		return fmt.Errorf("Point(%d) = %v, want %d:%d", offset, p, want.Line+1, column)
	}
	return nil
}

// Texts longer than the distance of the marks, so that each mark is crossed.
func TestLongTexts(t *testing.T) {
	texts := map[string]string{
		"one line":       strings.Repeat("aé😀\xff€", 500),
		"lines":          strings.Repeat("aé😀\r\n\xff€\n", 300),
		"ascii at first": strings.Repeat("x", 2000) + "é\n" + strings.Repeat("y", 2000) + "😀z",
		"bom":            "\ufeff" + strings.Repeat("€", 700),
	}
	for name, text := range texts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := textpos.NewMapper([]byte(text))
			for offset := 0; offset <= len(text); offset += 1 + offset%7 {
				if err := checkAll(m, text, offset); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func FuzzPosition(f *testing.F) {
	for _, text := range []string{"", "a", "a\r\nb", "\ufeffé\n😀", "a\rb\r", "\xff\xf0\x9f\x98\n\xed\xa0\x80", "\r\n\r\n"} {
		for offset := range uint(len(text) + 1) {
			f.Add(text, offset)
		}
	}
	f.Fuzz(func(t *testing.T, text string, offset uint) {
		if len(text) > 1<<14 {
			return
		}
		m := textpos.NewMapper([]byte(text))
		if err := checkAll(m, text, int(offset%uint(len(text)+1))); err != nil {
			t.Error(err)
		}
	})
}
