package cli

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// files is what stands where, in the tests of targets.
var files = map[string]pathKind{
	"a.go": pathFile, "dir/b.cc": pathFile, "dir": pathOther, "pipe": pathOther, "plain": pathFile,
	"odd:3:4": pathFile, "odd": pathFile, "we#ird.go": pathFile, "we": pathFile, "c:1": pathFile,
}

func kindOf(path string) pathKind { return files[path] }

func TestParseTarget(t *testing.T) {
	position := func(file string, line, column int) map[string]any {
		return map[string]any{"file": file, "line": line, "column": column}
	}
	named := func(file string, line int, name string) map[string]any {
		return map[string]any{"file": file, "line": line, "name": name}
	}
	inFile := func(file, symbol string) map[string]any { return map[string]any{"file": file, "symbol": symbol} }
	symbol := func(s string) map[string]any { return map[string]any{"symbol": s} }
	tests := map[string]map[string]any{
		"a.go:3:4":             position("a.go", 3, 4),
		"a.go:3:Close":         named("a.go", 3, "Close"),
		"a.go:3:ns::f":         named("a.go", 3, "ns::f"),
		"dir/b.cc:12:~Foo":     named("dir/b.cc", 12, "~Foo"),
		"a.go#Client.Close":    inFile("a.go", "Client.Close"),
		"a.go#(*Client).Close": inFile("a.go", "(*Client).Close"),
		"dir/b.cc#ns::C::m":    inFile("dir/b.cc", "ns::C::m"),
		"Close":                symbol("Close"),
		"(*Client).Close":      symbol("(*Client).Close"),
		"ns::Class::method":    symbol("ns::Class::method"),
		"limits.Budget":        symbol("limits.Budget"),
		"x/y/limits.Budget":    symbol("x/y/limits.Budget"),
		"dir":                  symbol("dir"),   // a folder's name can be a symbol's
		"plain":                symbol("plain"), // so can that of a program
		"operator+":            symbol("operator+"),

		// The longest path that is there wins.
		"odd:3:4:5:6":   position("odd:3:4", 5, 6),
		"odd:3:4#f":     inFile("odd:3:4", "f"),
		"odd:7:8":       position("odd", 7, 8),
		"we#ird.go#f":   inFile("we#ird.go", "f"),
		"we#ird.go:2:3": position("we#ird.go", 2, 3),
		"we#x":          inFile("we", "x"),
		"c:1:2:3":       position("c:1", 2, 3),
		"pipe:1:2":      position("pipe", 1, 2),

		// Without a path that is there the tool says which is not.
		"gone.go:3:4":                 position("gone.go", 3, 4),
		"gone:1:2:3":                  position("gone:1", 2, 3),
		"gone.go#f":                   inFile("gone.go", "f"),
		"/abs/gone.go:1:x":            named("/abs/gone.go", 1, "x"),
		"a.go:99999999999999999999:1": position("a.go", 1<<31-1, 1),
	}
	for in, want := range tests {
		t.Run(in, func(t *testing.T) {
			got, err := parseTarget(in, kindOf)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got.arguments(got.file)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestParseTargetErrors(t *testing.T) {
	tests := map[string]string{
		"":          "the target is empty",
		"a.go":      "a.go is a file: which name in it?",
		"dir/b.cc":  "dir/b.cc is a file: which name in it?",
		"odd:3:4":   "odd:3:4 is a file: which name in it?", // not a position in odd
		"a.go:3":    "a.go:3 is a line: which name on it?",
		"gone.go:3": "gone.go:3 is a line: which name on it?",
		"a.go:0:4":  "the target a.go:0:4 names line 0",
		"a.go:4:0":  "the target a.go:4:0 names column 0",
	}
	for in, want := range tests {
		t.Run(in, func(t *testing.T) {
			got, err := parseTarget(in, kindOf)
			if err == nil {
				t.Fatalf("no error, but %+v", got)
			}
			if err.Error() != want {
				t.Errorf("error %q, want %q", err, want)
			}
		})
	}
}

// FuzzParseTarget: a target is an error or exactly one of the forms a tool
// takes, and no part of it is invented.
func FuzzParseTarget(f *testing.F) {
	for in := range maps.Keys(files) {
		f.Add(in + ":1:2")
	}
	for _, in := range []string{"a.go#b", "ns::f", ":::", "a:0:0", "#", "a#", "9:9:9", "é:1:1"} {
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := parseTarget(s, kindOf)
		if err != nil {
			return
		}
		args := got.arguments(got.file)
		forms := 0
		for _, name := range []string{"symbol", "name", "column"} {
			if _, ok := args[name]; ok {
				forms++
			}
		}
		if forms != 1 {
			t.Fatalf("%q: %d forms in %v", s, forms, args)
		}
		if _, ok := args["line"]; ok && (got.line < 1 || got.file == "") {
			t.Fatalf("%q: %v", s, args)
		}
		rest := got.name + got.symbol
		if s[:len(got.file)] != got.file || s[len(s)-len(rest):] != rest {
			t.Fatalf("%q: file %q, name %q", s, got.file, rest)
		}
	})
}
