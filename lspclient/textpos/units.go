package textpos

import (
	"sort"
	"unicode/utf8"
)

// markStep is the number of bytes between two marks: a conversion decodes at
// most about that many, however long the line is.
const markStep = 1024

// A mark counts the code units before an offset, which starts a code point.
type mark struct {
	offset, utf16, utf32 int
}

// count returns the units of enc before the mark.
func (k mark) count(enc Encoding) int {
	switch enc {
	case UTF16:
		return k.utf16
	case UTF32:
		return k.utf32
	default:
		return k.offset
	}
}

// step moves the mark over the code point at its offset.
func (k *mark) step(text []byte) (valid bool) {
	if text[k.offset] < utf8.RuneSelf {
		k.offset++
		k.utf16++
		k.utf32++
		return true
	}
	r, n := utf8.DecodeRune(text[k.offset:])
	k.offset += n
	k.utf32++
	k.utf16++
	if r > 0xFFFF {
		k.utf16++ // a surrogate pair
	}
	return r != utf8.RuneError || n > 1
}

// measure returns the marks of text, none when it is all ASCII, and whether it
// is valid UTF-8.
func measure(text []byte) (marks []mark, valid bool) {
	ascii := 0
	for ascii < len(text) && text[ascii] < utf8.RuneSelf {
		ascii++
	}
	if ascii == len(text) {
		return nil, true
	}
	valid = true
	marks = make([]mark, 0, len(text)/markStep+1)
	var k mark
	for next := 0; k.offset < len(text); {
		if k.offset >= next {
			marks = append(marks, k)
			next = k.offset + markStep
		}
		if !k.step(text) {
			valid = false
		}
	}
	return marks, valid
}

// unitsBefore returns the number of code units of the text before offset, which
// starts a code point.
func (m *Mapper) unitsBefore(offset int, enc Encoding) int {
	if m.units == nil || enc == UTF8 {
		return offset
	}
	i := sort.Search(len(m.units), func(i int) bool { return m.units[i].offset > offset })
	k := m.units[i-1]
	for k.offset < offset {
		k.step(m.text)
	}
	return k.count(enc)
}

// offsetOf returns the offset before which the text has count code units. exact
// is false when that is inside the code point at the offset.
func (m *Mapper) offsetOf(count int, enc Encoding) (offset int, exact bool) {
	if m.units == nil {
		return count, true
	}
	if enc == UTF8 {
		if count == len(m.text) {
			return count, true
		}
		start := runeStart(m.text, count)
		return start, start == count
	}
	i := sort.Search(len(m.units), func(i int) bool { return m.units[i].count(enc) > count })
	k := m.units[i-1]
	for k.count(enc) < count {
		before := k
		k.step(m.text)
		if k.count(enc) > count {
			return before.offset, false
		}
	}
	return k.offset, true
}

// runeStart returns the start of the code point that holds the byte at offset;
// a byte that is not UTF-8 stands for itself.
func runeStart(text []byte, offset int) int {
	for start := offset; start >= 0 && start > offset-utf8.UTFMax; start-- {
		if !utf8.RuneStart(text[start]) {
			continue
		}
		if _, n := utf8.DecodeRune(text[start:]); start+n > offset {
			return start
		}
		break
	}
	return offset
}
