package textpos

import (
	"bytes"
	"fmt"
	"sort"
	"strings"
	"unicode/utf8"
)

// bom is the UTF-8 form of U+FEFF. Only at the start of a text is it a byte
// order mark.
const bom = "\ufeff"

// A Mapper converts between the notations for one text. It is immutable and
// safe for concurrent use.
//
// A line ends at "\n" or "\r\n", as it does for gopls, go vet, grep and git. LSP
// 3.17 §TextDocument lets a lone "\r" end a line too, and servers differ: gopls
// never counts it, clangd counts it in places it reports; see [Mapper.LoneCR].
//
// A byte that is not UTF-8 counts as one code unit in every encoding; see
// [Mapper.Sendable].
type Mapper struct {
	text   []byte
	starts []int  // offset of the first byte of each line; never empty
	units  []mark // nil when every byte is ASCII: then a unit is a byte
	valid  bool
	loneCR bool
}

// NewMapper returns the mapper of text, which must not change afterwards.
func NewMapper(text []byte) *Mapper {
	m := &Mapper{text: text, valid: true}
	m.starts = make([]int, 1, 1+bytes.Count(text, []byte{'\n'}))
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n')
		if n < 0 {
			break
		}
		at += n + 1
		m.starts = append(m.starts, at)
	}
	m.loneCR = hasLoneCR(text)
	m.units, m.valid = measure(text)
	return m
}

// Text returns the text. The caller must not change it.
func (m *Mapper) Text() []byte { return m.text }

// Sendable returns the text as a language server is sent it: valid UTF-8, each
// invalid byte replaced by one "?", so that offsets stay as they are.
func (m *Mapper) Sendable() string {
	if m.valid {
		return string(m.text)
	}
	var b strings.Builder
	b.Grow(len(m.text))
	for at := 0; at < len(m.text); {
		r, n := utf8.DecodeRune(m.text[at:])
		if r == utf8.RuneError && n == 1 {
			b.WriteByte('?')
		} else {
			b.Write(m.text[at : at+n])
		}
		at += n
	}
	return b.String()
}

// ValidUTF8 reports whether the text is valid UTF-8.
func (m *Mapper) ValidUTF8() bool { return m.valid }

// LoneCR reports whether the text has a "\r" that no "\n" follows. A server
// that ends a line there numbers the lines behind it higher than this mapper
// does, so positions exchanged with such a server about this text are not
// reliable.
func (m *Mapper) LoneCR() bool { return m.loneCR }

// Lines returns the number of lines; a text that ends in a line end has a last,
// empty line. It is at least 1.
func (m *Mapper) Lines() int { return len(m.starts) }

// Line returns the text of the 1-based line without BOM and line end, and false
// outside the text.
func (m *Mapper) Line(line int) (string, bool) {
	if line < 1 || line > len(m.starts) {
		return "", false
	}
	return string(m.text[m.firstColumn(line-1):m.lineEnd(line-1)]), true
}

// lineOf returns the 0-based line that holds offset.
func (m *Mapper) lineOf(offset int) int {
	return sort.SearchInts(m.starts, offset+1) - 1
}

// lineEnd returns the offset of the 0-based line's end, before "\n" or "\r\n".
func (m *Mapper) lineEnd(line int) int {
	if line+1 == len(m.starts) {
		return len(m.text)
	}
	end := m.starts[line+1] - 1
	if end > m.starts[line] && m.text[end-1] == '\r' {
		end--
	}
	return end
}

// firstColumn returns the offset of column 1 of the 0-based line.
func (m *Mapper) firstColumn(line int) int {
	if line == 0 && bytes.HasPrefix(m.text, []byte(bom)) {
		return len(bom)
	}
	return m.starts[line]
}

// align checks offset and moves it to the start of the code point, or of the
// "\r\n", that it is inside of.
func (m *Mapper) align(offset int) (int, error) {
	if offset < 0 || offset > len(m.text) {
		return 0, fmt.Errorf("offset %d is outside the text of %d bytes", offset, len(m.text))
	}
	if offset == len(m.text) {
		return offset, nil
	}
	if m.text[offset] == '\n' && offset > 0 && m.text[offset-1] == '\r' {
		return offset - 1, nil
	}
	return runeStart(m.text, offset), nil
}

// hasLoneCR reports whether text has a "\r" without a "\n" behind it.
func hasLoneCR(text []byte) bool {
	for {
		i := bytes.IndexByte(text, '\r')
		if i < 0 {
			return false
		}
		if i+1 == len(text) || text[i+1] != '\n' {
			return true
		}
		text = text[i+2:]
	}
}
