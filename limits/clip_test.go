package limits_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"lspbridge/limits"
)

func TestClip(t *testing.T) {
	tests := []struct {
		name       string
		line       string
		start, end int
		max        int
		want       string
		clipped    bool
	}{
		{"empty", "", 0, 0, 5, "", false},
		{"fits", "abcde", 1, 2, 5, "abcde", false},
		{"fits by characters though not by bytes", "ééééé", 0, 2, 5, "ééééé", false},
		{"cut after", "abcdefghij", 0, 1, 5, "abcd…", true},
		{"cut before", "abcdefghij", 9, 10, 5, "…ghij", true},
		{"cut on both sides", "abcdefghij", 4, 6, 6, "…defg…", true},
		{"one sided room goes to the other", "abcdefghij", 1, 2, 7, "abcdef…", true},
		{"multibyte context", "éééééaééééé", 10, 11, 5, "…éaé…", true},
		{"emoji is one character", "😀😀😀😀😀😀", 8, 12, 3, "…😀…", true},
		{"place as long as the room", "abcdefghij", 3, 6, 5, "…def…", true},
		{"place too long shows its beginning", "abcdefghij", 2, 9, 5, "…cde…", true},
		{"place at the start too long", "abcdefghij", 0, 9, 5, "abcd…", true},
		{"place to the end just fits", "abcdefghij", 6, 10, 5, "…ghij", true},
		{"place to the end is one too long", "abcdefghij", 5, 10, 5, "…fgh…", true},
		{"start inside a character", "ééééé", 5, 6, 3, "…é…", true},
		{"end inside a character", "abéde", 2, 3, 3, "…é…", true},
		{"start beyond the line", "abcdefghij", 99, 120, 5, "…ghij", true},
		{"negative start", "abcdefghij", -5, -1, 5, "abcd…", true},
		{"end before start", "abcdefghij", 9, 2, 5, "…ghij", true},
		{"invalid bytes are characters", "\xff\xff\xff\xff\xff", 2, 3, 3, "…\xff…", true},
		{"two characters", "abc", 1, 2, 2, "…", true},
		{"one character", "abc", 1, 2, 1, "…", true},
		{"no character", "abc", 1, 2, 0, "", true},
		{"negative", "abc", 1, 2, -3, "", true},
		{"nothing of nothing", "", 0, 0, 0, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, clipped := limits.Clip(tt.line, tt.start, tt.end, tt.max)
			if got != tt.want || clipped != tt.clipped {
				t.Errorf("Clip(%q, %d, %d, %d) = %q, %v, want %q, %v", tt.line, tt.start, tt.end, tt.max, got, clipped, tt.want, tt.clipped)
			}
		})
	}
}

// A minified file of one line must not cost its length for each place in it.
func TestClipHugeLineIsCheap(t *testing.T) {
	line := strings.Repeat("é", 32<<20)
	r := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			limits.Clip(line, 32<<20, 32<<20+2, 400)
		}
	})
	// Scanning 64 MiB takes over 10 ms; looking at 400 characters, about 5 µs.
	if took := r.NsPerOp(); took > 2_000_000 {
		t.Errorf("Clip took %d ns in a line of 64 MiB", took)
	}
}

func FuzzClip(f *testing.F) {
	f.Add("func (b *Budget) Set(name, value string) error", 17, 20, 20)
	f.Add("é😀\xff…", 2, 6, 3)
	f.Add("", 0, 0, 0)
	f.Fuzz(func(t *testing.T, line string, start, end, max int) {
		max %= 1000
		got, clipped := limits.Clip(line, start, end, max)
		if !clipped {
			if got != line {
				t.Fatalf("not clipped, yet %q became %q", line, got)
			}
			return
		}
		if n := utf8.RuneCountInString(line); n <= max {
			t.Fatalf("clipped though %d characters fit into %d", n, max)
		}
		if n := utf8.RuneCountInString(got); max > 0 && n > max || max <= 0 && n > 0 {
			t.Fatalf("%d characters, at most %d are allowed: %q", n, max, got)
		}
		if utf8.ValidString(line) && !utf8.ValidString(got) {
			t.Fatalf("a character was split: %q", got)
		}
		if max < 3 {
			return
		}
		// The text without its marks stands in the line, and is cut just
		// where a mark says so.
		for _, lead := range []string{"", limits.Mark} {
			for _, tail := range []string{"", limits.Mark} {
				body, ok := strings.CutPrefix(got, lead)
				body, ok2 := strings.CutSuffix(body, tail)
				if !ok || !ok2 || lead+tail == "" {
					continue
				}
				if lead == "" && !strings.HasPrefix(line, body) || tail == "" && !strings.HasSuffix(line, body) {
					continue
				}
				if strings.Contains(line, body) {
					if 0 <= start && start < end && end <= len(line) && utf8.ValidString(line) &&
						utf8.RuneCountInString(line[start:end]) <= max-2 && !strings.Contains(body, line[start:end]) && utf8.ValidString(line[start:end]) {
						t.Fatalf("the place %q is missing in %q", line[start:end], got)
					}
					return
				}
			}
		}
		t.Fatalf("%q is no marked part of %q", got, line)
	})
}
