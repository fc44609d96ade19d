package lspclient

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConditionalWords(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want string
	}{
		"none":                {"int a;\n", ""},
		"a branch":            {"int a;\n#ifdef X\nint b;\n#endif\nint c;\n", "3:1 int, 3:5 b"},
		"both branches":       {"#if X\na\n#elif Y\nb\n#else\nc\n#endif\nd\n", "2:1 a, 4:1 b, 6:1 c"},
		"nested":              {"#if X\n# if Y\na\n# endif\nb\n#endif\nc\n", "3:1 a, 5:1 b"},
		"the guard":           {"// header\n#ifndef A_H\n#define A_H\nint a;\n#ifdef X\nint b;\n#endif\nint c;\n#endif // A_H\n", "6:1 int, 6:5 b"},
		"no guard":            {"#ifndef A\n#define B\na\n#endif\n", "3:1 a"},
		"comments":            {"#if X\n// a\n/* b\nc */ d // e \\\nf\ng\n#endif\n", "4:6 d, 6:1 g"},
		"literals":            {"#if X\n\"a \\\" b\" 'c' R\"x(d \" )\" e)x\" f 1'000 u8\"g\"\n#endif\n", "2:14 R, 2:30 f, 2:38 u8"},
		"directives":          {"#if defined(A) && \\\n  B\nc\n#define D E\n#endif\n", "3:1 c"},
		"an open string":      {"#if X\n\"a\nb\n#endif\nc\n", "3:1 b"},
		"a hash in a line":    {"#if X\na #endif\n#endif\nb\n", "2:1 a, 2:4 endif"},
		"no end":              {"#if X\na", "2:1 a"},
		"more ends than ifs":  {"#endif\n#if X\na\n#endif\n#endif\nb\n", "3:1 a"},
		"letters beyond":      {"#if X\nint größe;\n#endif\n", "2:1 int, 2:5 größe"},
		"an open comment":     {"#if X\n/* a\n", ""},
		"a backslash at last": {"#if X\n// a\\", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			conditionalWords([]byte(tt.text), func(w conditionalWord) { got = append(got, fmt.Sprintf("%d:%d %s", w.line, w.column, w.text)) })
			if diff := cmp.Diff(tt.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzConditionalWords(f *testing.F) {
	f.Add("#ifndef A\n#define A\n#if X\nint a; /* b */ \"c\" R\"(d)\"\n#endif\n#endif\n")
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Split(text, "\n")
		conditionalWords([]byte(text), func(w conditionalWord) {
			if w.line > len(lines) || !strings.HasPrefix(lines[w.line-1][w.column-1:], string(w.text)) {
				t.Fatalf("%q: %d:%d is not %q", text, w.line, w.column, w.text)
			}
		})
	})
}
