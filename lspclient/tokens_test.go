package lspclient

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"lspbridge/lspclient/textpos"
)

var testLegend = legend{TokenTypes: []string{"type", "function", ""}, TokenModifiers: []string{"readonly", "static"}}

func TestDecodeTokens(t *testing.T) {
	t.Parallel()
	const text = "ab é😀x\r\nfunc\n\nend"
	for name, c := range map[string]struct {
		enc    textpos.Encoding
		data   []uint32
		want   string // type(modifiers)=text, ...
		faults tokenFaults
	}{
		"none":                    {enc: textpos.UTF16},
		"relative to the last":    {enc: textpos.UTF16, data: []uint32{0, 0, 2, 0, 0, 0, 3, 1, 1, 1}, want: "type()=ab function(readonly)=é"},
		"a pair counts two":       {enc: textpos.UTF16, data: []uint32{0, 4, 2, 0, 0, 0, 2, 1, 1, 3}, want: "type()=😀 function(readonly,static)=x"},
		"a pair counts one":       {enc: textpos.UTF32, data: []uint32{0, 4, 1, 0, 0, 0, 1, 1, 1, 2}, want: "type()=😀 function(static)=x"},
		"a pair counts its bytes": {enc: textpos.UTF8, data: []uint32{0, 5, 4, 0, 0, 0, 4, 1, 1, 2}, want: "type()=😀 function(static)=x"},
		"another line":            {enc: textpos.UTF16, data: []uint32{0, 3, 1, 0, 0, 1, 0, 4, 1, 0, 2, 0, 3, 0, 0}, want: "type()=é function()=func type()=end"},
		"numbers left over":       {enc: textpos.UTF16, data: []uint32{0, 0, 2, 0, 0, 1, 0}, want: "type()=ab", faults: tokenFaults{rest: 2}},
		"past its line":           {enc: textpos.UTF16, data: []uint32{1, 0, 9, 0, 0, 2, 0, 3, 0, 0}, want: "type()=func type()=end", faults: tokenFaults{long: 1}},
		"over the line's end":     {enc: textpos.UTF16, data: []uint32{0, 6, 3, 0, 0}, want: "type()=x", faults: tokenFaults{long: 1}},
		"begins past its line":    {enc: textpos.UTF16, data: []uint32{1, 5, 1, 0, 0, 2, 0, 3, 0, 0}, want: "type()=end", faults: tokenFaults{outside: 1}},
		"begins at a line's end":  {enc: textpos.UTF16, data: []uint32{1, 4, 1, 0, 0}, faults: tokenFaults{outside: 1}},
		"inside a pair":           {enc: textpos.UTF16, data: []uint32{0, 5, 1, 0, 0, 1, 0, 4, 0, 0}, want: "type()=func", faults: tokenFaults{outside: 1}},
		"past the text":           {enc: textpos.UTF16, data: []uint32{0, 0, 2, 0, 0, 4, 0, 1, 0, 0, 0, 0, 1, 0, 0}, want: "type()=ab", faults: tokenFaults{overflow: true}},
		"the largest numbers":     {enc: textpos.UTF16, data: []uint32{1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 0, 0}, faults: tokenFaults{overflow: true}},
		"a long way right":        {enc: textpos.UTF16, data: []uint32{0, 1<<31 - 1, 1 << 31, 0, 0}, faults: tokenFaults{overflow: true}},
		"a type of no name":       {enc: textpos.UTF16, data: []uint32{0, 0, 2, 7, 0, 1, 0, 4, 2, 1}, want: "()=ab (readonly)=func", faults: tokenFaults{unnamed: 2}},
		"a modifier of no name":   {enc: textpos.UTF16, data: []uint32{0, 0, 2, 0, 1 << 31}, want: "type()=ab", faults: tokenFaults{unnamed: 1}},
		"an empty token":          {enc: textpos.UTF16, data: []uint32{0, 2, 0, 0, 0}, want: "type()="},
	} {
		tokens, faults := decodeTokens(textpos.NewMapper([]byte(text)), c.enc, c.data, testLegend)
		var got []string
		for _, tok := range tokens {
			got = append(got, fmt.Sprintf("%s(%s)=%s", tok.typ, strings.Join(tok.modifiers, ","), text[tok.start:tok.end]))
		}
		if strings.Join(got, " ") != c.want || faults != c.faults {
			t.Errorf("%s: %q, faults %+v; want %q, %+v", name, got, faults, c.want, c.faults)
		}
	}
}

func TestNumbers(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]string{
		`[]`:                    "[] true",
		`[1,2,3]`:               "[1 2 3] true",
		`[1,-2,3]`:              "[1] false",
		`[1,2.5,3]`:             "[1] false",
		`[1,"2"]`:               "[1] false",
		`[1,4294967296]`:        "[1] false",
		`{"a":1}`:               "[] false",
		`"x"`:                   "[] false",
		``:                      "[] false",
		`[1,` + `[2],3,4,5,6]`:  "[1] false",
		`[1,null,2]`:            "[1] false",
		`[0, 4294967295, 1, 0]`: "[0 4294967295 1 0] true",
	} {
		list, whole := numbers([]byte(raw))
		if got := fmt.Sprint(append([]uint32{}, list...), whole); got != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

// FuzzTokens decodes any numbers for any text: every token is a part of one line
// at the place that a naive reading gives, and what is left out is counted.
func FuzzTokens(f *testing.F) {
	f.Add("ab é😀x\r\nfunc\n\nend", []byte{0, 0, 2, 0, 0, 0, 3, 1, 1, 1}, byte(0))
	f.Add("\ufeffab\n", []byte{1, 0, 2, 0, 0, 0}, byte(1))
	f.Add("", []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, byte(2))
	f.Add("a\xff\xfeb\n", []byte{0, 1, 200, 9, 255}, byte(0))
	f.Fuzz(func(t *testing.T, text string, raw []byte, which byte) {
		enc := []textpos.Encoding{textpos.UTF16, textpos.UTF8, textpos.UTF32}[which%3]
		var data []uint32
		for _, b := range raw {
			n := uint32(b)
			if b > 250 { // some very large ones
				n = binary.LittleEndian.Uint32([]byte{b, b, b, b}) << (b % 4)
			}
			data = append(data, n)
		}
		m := textpos.NewMapper([]byte(text))
		tokens, faults := decodeTokens(m, enc, data, testLegend)
		if faults.rest != len(data)%fields {
			t.Errorf("%d numbers left over of %d", faults.rest, len(data))
		}
		if whole := len(data) / fields; !faults.overflow && len(tokens)+faults.outside != whole || len(tokens)+faults.outside > whole {
			t.Errorf("%d tokens and %d outside, of %d", len(tokens), faults.outside, whole)
		}
		i := 0
		var line, character uint64
		for ; len(data) >= fields && i < len(tokens); data = data[fields:] {
			if data[0] != 0 {
				character = 0
			}
			line, character = line+uint64(data[0]), character+uint64(data[1])
			start, end, ok := naive(text, enc, line, character, character+uint64(data[2]))
			if !ok {
				continue
			}
			if tok := tokens[i]; tok.start != start || tok.end != end {
				t.Errorf("token %d is [%d,%d), want [%d,%d) of %q", i, tok.start, tok.end, start, end, text)
			}
			i++
		}
		if i != len(tokens) {
			t.Errorf("%d tokens, of which a naive reading has %d", len(tokens), i)
		}
	})
}

// naive counts through a line. ok is false for a token that begins outside the
// line, or begins or ends inside a character.
func naive(text string, enc textpos.Encoding, line, from, to uint64) (start, end int, ok bool) {
	lines := strings.SplitAfter(text, "\n")
	if line >= uint64(len(lines)) {
		return 0, 0, false
	}
	at := 0
	for _, l := range lines[:line] {
		at += len(l)
	}
	body := lines[line]
	if strings.HasSuffix(body, "\n") {
		body = strings.TrimSuffix(strings.TrimSuffix(body, "\n"), "\r")
	}
	start, end = -1, at+len(body)
	units := uint64(0)
	for i := 0; ; {
		if units == from {
			start = at + i
		}
		if units == to {
			return start, at + i, start >= 0
		}
		if i == len(body) {
			break
		}
		r, n := utf8.DecodeRuneInString(body[i:])
		i += n
		before := units
		switch {
		case enc == textpos.UTF8:
			units += uint64(n)
		case enc == textpos.UTF16 && r > 0xFFFF:
			units += 2
		default:
			units++
		}
		if before < from && from < units || before < to && to < units {
			return 0, 0, false
		}
	}
	// It reaches past the line: what is left of it must not be empty.
	return start, end, start >= 0 && start < end
}
