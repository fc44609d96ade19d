package textpos_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/textpos"
)

func TestLines(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"empty", "", []string{""}},
		{"no end", "a", []string{"a"}},
		{"one end", "a\n", []string{"a", ""}},
		{"only ends", "\n\n", []string{"", "", ""}},
		{"crlf", "a\r\nb\r\n", []string{"a", "b", ""}},
		{"crlf at once", "\r\n", []string{"", ""}},
		{"mixed", "a\nb\r\nc", []string{"a", "b", "c"}},
		{"lone cr stays", "a\rb\nc", []string{"a\rb", "c"}},
		{"two cr", "a\r\r\nb", []string{"a\r", "b"}},
		{"cr at the end", "a\r", []string{"a\r"}},
		{"bom", "\ufeffa\nb", []string{"a", "b"}},
		{"bom alone", "\ufeff", []string{""}},
		{"bom then crlf", "\ufeff\r\nb", []string{"", "b"}},
		{"bom elsewhere is text", "a\n\ufeffb", []string{"a", "\ufeffb"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := textpos.NewMapper([]byte(tt.text))
			if got := m.Lines(); got != len(tt.want) {
				t.Errorf("Lines() = %d, want %d", got, len(tt.want))
			}
			for i, want := range tt.want {
				if got, ok := m.Line(i + 1); got != want || !ok {
					t.Errorf("Line(%d) = %q, %v, want %q", i+1, got, ok, want)
				}
			}
			for _, line := range []int{-1, 0, len(tt.want) + 1} {
				if got, ok := m.Line(line); ok {
					t.Errorf("Line(%d) = %q, want none", line, got)
				}
			}
		})
	}
}

func TestLoneCR(t *testing.T) {
	for text, want := range map[string]bool{
		"": false, "a\r\nb\r\n": false, "\r\n\r\n": false, "a\n": false,
		"a\rb": true, "a\r": true, "a\r\r\n": true, "a\r\n\rb": true,
	} {
		if got := textpos.NewMapper([]byte(text)).LoneCR(); got != want {
			t.Errorf("LoneCR(%q) = %v, want %v", text, got, want)
		}
	}
}

func TestSendable(t *testing.T) {
	tests := []struct {
		name, text, want string
		valid            bool
	}{
		{"ascii", "a\n", "a\n", true},
		{"bom is kept", "\ufeffé😀", "\ufeffé😀", true},
		{"replacement character is valid", "\ufffd", "\ufffd", true},
		{"stray byte", "a\xffb", "a?b", false},
		{"cut sequence", "\xf0\x9f\x98", "???", false},
		{"surrogate half", "\xed\xa0\x80é", "???é", false},
		{"overlong", "\xc0\x80", "??", false},
		{"continuation alone", "é\xa9", "é?", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := textpos.NewMapper([]byte(tt.text))
			got := m.Sendable()
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Sendable (-want +got):\n%s", diff)
			}
			if m.ValidUTF8() != tt.valid {
				t.Errorf("ValidUTF8() = %v, want %v", m.ValidUTF8(), tt.valid)
			}
			if len(got) != len(tt.text) || !utf8.ValidString(got) {
				t.Errorf("Sendable() = %q: want valid UTF-8 of %d bytes", got, len(tt.text))
			}
		})
	}
}

// One line of 4 MiB with a character that is not ASCII at its start is the
// worst case for a mapper that counts a line from its start.
func BenchmarkLongLine(b *testing.B) {
	text := []byte("é" + strings.Repeat("x", 4<<20))
	m := textpos.NewMapper(text)
	for b.Loop() {
		p, err := m.Position(len(text)-1, textpos.UTF16)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := m.Offset(p, textpos.UTF16); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNewMapper(b *testing.B) {
	text := []byte(strings.Repeat("func é(x int) {}\r\n", (4<<20)/19))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		textpos.NewMapper(text)
	}
}
