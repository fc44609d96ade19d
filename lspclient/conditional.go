package lspclient

import (
	"bytes"
	"hash/maphash"
	"slices"
	"unicode/utf8"
)

// A conditional word stands in code that the preprocessor may leave out
// (ISO C++ [cpp.cond]): a server that knows one way to compile a file knows
// nothing of the other branches, and does not say so.
type conditionalWord struct {
	text         []byte
	line, column int // 1-based, column in bytes
}

// conditionalWords calls visit for each identifier between #if, #ifdef or #ifndef
// and its #endif that is in no comment and no literal. The guard around a whole
// header is no such condition. It reads as much of C and C++ as that takes.
func conditionalWords(text []byte, visit func(conditionalWord)) {
	s := conditionalScanner{text: text, line: 1, guard: guardOf(text)}
	for s.at < len(s.text) {
		s.next(visit)
	}
}

type conditionalScanner struct {
	text  []byte
	at    int
	line  int
	start int // of the line
	guard []byte
	open  []bool // conditions around at; false is the guard
	depth int    // true ones
	fresh bool   // nothing but blanks stands before at on its line
}

// next takes one token, or a byte that is none.
func (s *conditionalScanner) next(visit func(conditionalWord)) {
	c := s.text[s.at]
	if s.at == 0 {
		s.fresh = true
	}
	rest := s.text[s.at:]
	switch {
	case c == '\n':
		s.newline()
	case c == ' ' || c == '\t' || c == '\r':
		s.at++
	case bytes.HasPrefix(rest, []byte("//")):
		s.skip(lineLength(rest))
	case bytes.HasPrefix(rest, []byte("/*")):
		s.skip(end(rest, 2, "*/"))
	case c == '#' && s.fresh:
		s.directive(rest[:lineLength(rest)])
	case c == '"' && s.at > 0 && s.text[s.at-1] == 'R':
		open := bytes.IndexByte(rest, '(')
		if open < 0 || open > 17 {
			s.at++
			return
		}
		s.skip(end(rest, open, ")"+string(rest[1:open])+`"`))
	case c == '"' || c == '\'' && !(s.at > 0 && isWordByte(s.text[s.at-1])):
		s.skip(literal(rest))
		s.fresh = false
	default:
		s.fresh = false
		r, n := utf8.DecodeRune(rest)
		if !identifierRune(r) {
			s.at += n
			return
		}
		word := rest[:n]
		for {
			r, n := utf8.DecodeRune(rest[len(word):])
			if n == 0 || !identifierRune(r) {
				break
			}
			word = rest[:len(word)+n]
		}
		if s.depth > 0 && (c < '0' || c > '9') {
			visit(conditionalWord{word, s.line, s.at - s.start + 1})
		}
		s.at += len(word)
	}
}

func (s *conditionalScanner) newline() {
	s.at++
	s.line, s.start, s.fresh = s.line+1, s.at, true
}

// skip passes n bytes over, lines among them.
func (s *conditionalScanner) skip(n int) {
	for range n {
		if s.text[s.at] == '\n' {
			s.newline()
		} else {
			s.at++
		}
	}
}

// directive takes a directive with its continued lines. Words in it belong to no
// branch.
func (s *conditionalScanner) directive(line []byte) {
	switch word := firstWord(line[1:]); string(word) {
	case "if", "ifdef", "ifndef":
		rest := bytes.TrimLeft(line[1:], " \t")[len(word):]
		isGuard := len(s.open) == 0 && s.guard != nil && bytes.Equal(firstWord(rest), s.guard) && string(word) == "ifndef"
		s.open = append(s.open, !isGuard)
		if !isGuard {
			s.depth++
		}
	case "endif":
		if n := len(s.open); n > 0 {
			if s.open[n-1] {
				s.depth--
			}
			s.open = s.open[:n-1]
		}
	}
	s.skip(len(line))
}

// guardOf returns the name that guards a whole header against a second inclusion:
// its first directive asks for it and its second defines it.
func guardOf(text []byte) []byte {
	var guard []byte
	n := 0
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
		if !ok {
			continue
		}
		word := firstWord(rest)
		name := firstWord(bytes.TrimLeft(rest, " \t")[len(word):])
		if n++; n == 1 {
			if string(word) != "ifndef" {
				return nil
			}
			guard = name
			continue
		}
		if string(word) == "define" && bytes.Equal(name, guard) {
			return guard
		}
		return nil
	}
	return nil
}

func firstWord(text []byte) []byte {
	text = bytes.TrimLeft(text, " \t")
	n := 0
	for n < len(text) && isWordByte(text[n]) {
		n++
	}
	return text[:n]
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= utf8.RuneSelf
}

// lineLength is the length of a line without its end, with those it goes on in
// after a backslash.
func lineLength(text []byte) int {
	for at := 0; ; {
		i := bytes.IndexByte(text[at:], '\n')
		if i < 0 {
			return len(text)
		}
		at += i
		if !bytes.HasSuffix(bytes.TrimSuffix(text[:at], []byte("\r")), []byte("\\")) {
			return at
		}
		at++
	}
}

// end is the length of text up to and with the first mark behind from.
func end(text []byte, from int, mark string) int {
	if i := bytes.Index(text[from:], []byte(mark)); i >= 0 {
		return from + i + len(mark)
	}
	return len(text)
}

// literal is the length of the string or character that text begins with; one
// that is not closed ends with its line.
func literal(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '\n':
			return i
		case text[0]:
			return i + 1
		}
	}
	return len(text)
}

// conditionalSums are the sums of the distinct words that [conditionalWords]
// finds, sorted.
func conditionalSums(text []byte) []uint32 {
	if !bytes.Contains(text, []byte("#if")) && !bytes.Contains(text, []byte("# ")) && !bytes.Contains(text, []byte("#\t")) {
		return nil
	}
	var sums []uint32
	conditionalWords(text, func(w conditionalWord) { sums = append(sums, wordSum(w.text)) })
	slices.Sort(sums)
	return slices.Clip(slices.Compact(sums))
}

func wordSum(word []byte) uint32 { return uint32(maphash.Bytes(sumSeed, word)) }
