package terminal_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lspbridge/cmd/internal/terminal"
)

func TestSanitize(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain", "a\tb\n", "a\tb\n"},
		{"letters", "naïve 日本 😀", "naïve 日本 😀"},
		{"colour", "\x1b[31mred", `\x1b[31mred`},
		{"title", "\x1b]0;t\x07", `\x1b]0;t\x07`},
		{"carriage return", "ok\rno", `ok\rno`},
		{"backspace and delete", "a\bb\x7f", `a\x08b\x7f`},
		{"NUL", "a\x00", `a\x00`},
		{"C1 in UTF-8", "a\u009b31m", `a\u{009b}31m`},
		{"C1 as a byte", "a\x9b31m", `a\x9b31m`},
		{"not UTF-8", "a\xff\xfeb", `a\xff\xfeb`},
		{"the replacement character itself", "\uFFFD", "\uFFFD"},
		{"right-to-left override", "a\u202eb", `a\u{202e}b`},
		{"isolate", "\u2066x\u2069", `\u{2066}x\u{2069}`},
		{"zero width", "a\u200bb\ufeff", `a\u{200b}b\u{feff}`},
		{"tag", "a\U000E0041", `a\u{e0041}`},
		{"separators", "a\u2028b\u2029", `a\u{2028}b\u{2029}`},
		{"fillers", "\u3164\u115f\u1160\uffa0", `\u{3164}\u{115f}\u{1160}\u{ffa0}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := terminal.Sanitize(tt.in); got != tt.want {
				t.Errorf("Sanitize(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
	if got, want := terminal.Line("a\nb\tc"), `a\nb\tc`; got != want {
		t.Errorf("Line = %q, want %q", got, want)
	}
}

// FuzzSanitize: whatever goes in, nothing comes out that steers a terminal, and
// what needs no escape is left alone.
func FuzzSanitize(f *testing.F) {
	for _, seed := range []string{"", "a\x1b[2J", "\xff", "\u202e", "日本", "\U000E0020x", "\x9b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := terminal.Sanitize(s)
		if !utf8.ValidString(got) {
			t.Fatalf("Sanitize(%q) = %q is not UTF-8", s, got)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 {
				t.Fatalf("Sanitize(%q) = %q holds %U", s, got, r)
			}
		}
		if again := terminal.Sanitize(got); again != got {
			t.Fatalf("Sanitize twice: %q, then %q", got, again)
		}
	})
}

func TestEscapeJSONKeepsTheMeaning(t *testing.T) {
	want := "a\u009b \u202e \U000E0041 \x7f é 😀 \ufeff"
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	escaped := terminal.EscapeJSON(data)
	var got string
	if err := json.Unmarshal(escaped, &got); err != nil {
		t.Fatalf("%s: %v", escaped, err)
	}
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if s := string(escaped); terminal.Sanitize(s) != s {
		t.Errorf("%q still steers a terminal", s)
	}
}

func TestProgress(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	p := terminal.NewProgress(&out, func() time.Time { return now })
	p.Show("one")
	p.Show("too soon")
	now = now.Add(time.Second)
	p.Show("t\x1bwo\n")
	p.Clear()
	p.Clear()
	if got, want := out.String(), "\r\x1b[Kone\r\x1b[Kt\\x1bwo\\n\r\x1b[K"; got != want {
		t.Errorf("drawn %q, want %q", got, want)
	}
	var none *terminal.Progress
	none.Show("x")
	none.Clear()
}

func TestIs(t *testing.T) {
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if terminal.Is(f) || terminal.Is(nil) {
		t.Error("the null device and no file are no terminals")
	}
}
