package tools

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestIdentifiers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ language, line, want string }{
		{"go", "func (c *Client) Close() error {", "7:c 10:Client 18:Close 26:error"},
		{"go", "\tvar x2, _y = 0x1F, 1e5 // note", "6:x2 10:_y (note)"},
		{"go", `	fmt.Println("hi there", 'x', b)`, "2:fmt 6:Println (hi) (there) (x) 31:b"},
		{"go", "\tnil, int /* old */ + \"a\\\"b\" + c", "2:nil 7:int (old) (a) (b) 32:c"},
		{"go", "日本 := é", "1:日本 11:é"},
		{"cpp", "  int n = it's;", "7:n 11:it 14:s"}, // an apostrophe without a partner
		{"cpp", "  Box::~Box() = default;", "3:Box 9:Box"},
		{"cpp", "bool operator()(int) const;", "6:operator()"},
		{"cpp", "Box &operator [](int i);", "1:Box 6:operator [] 22:i"},
		{"cpp", "int x = 1'000'000;", "5:x"},
		{"javascript", "const $el = a$b;", "7:$el 13:a$b"},
		{"python", "def f(x):  # why", "5:f 7:x (why)"},
		{"rust", "fn f<'a>(x: &'a str) {", "4:f 7:a 10:x 15:a 17:str"},
		{"cobol", "MOVE a TO b", "1:MOVE 6:a 8:TO 11:b"}, // no keywords are known
		{"go", "", ""},
	} {
		var got []string
		for _, id := range identifiers(test.line, test.language) {
			if id.code {
				got = append(got, fmt.Sprintf("%d:%s", id.column(), id.name))
			} else {
				got = append(got, "("+id.name+")")
			}
			if test.line[id.start:id.end] != id.name {
				t.Errorf("%q: %q does not stand at [%d,%d)", test.line, id.name, id.start, id.end)
			}
		}
		if s := strings.Join(got, " "); s != test.want {
			t.Errorf("%s %q:\n got %s\nwant %s", test.language, test.line, s, test.want)
		}
	}
}

func TestSplitName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"Close":                          {"Close"},
		"Client.Close":                   {"Client", "Close"},
		"(*Client).Close":                {"Client", "Close"},
		"(Client).Close":                 {"Client", "Close"},
		"lsp.(*Client).Close":            {"lsp", "Client", "Close"},
		"(*List[T]).Push":                {"List", "Push"},
		"List[map[string]int].Push":      {"List", "Push"},
		"Close()":                        {"Close"},
		"Client.Close(ctx, x.Y)":         {"Client", "Close"},
		"example.com/m/lsp.Client.Close": {"example.com/m/lsp", "Client", "Close"},
		"gopkg.in/yaml.v3":               {"gopkg.in/yaml", "v3"},
		"ns::Class::method":              {"ns", "Class", "method"},
		"::global":                       {"global"},
		"Box<std::pair<int, int>>::get":  {"Box", "get"},
		"Box::~Box":                      {"Box", "~Box"},
		"Box::operator<":                 {"Box", "operator<"},
		"operator ==":                    {"operator=="},
		"ns::operator()":                 {"ns", "operator()"},
		"operators.Close":                {"operators", "Close"},
		"":                               nil,
		"...":                            nil,
	} {
		if d := cmp.Diff(want, splitName(name)); d != "" {
			t.Errorf("splitName(%q) (-want +got):\n%s", name, d)
		}
	}
}

func TestQualified(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		container, name string
		want            []string
	}{
		{"example.com/m/lsp", "Client.Close", []string{"example.com/m/lsp", "Client", "Close"}},
		{"example.com/m/lsp", "lsp.Client", []string{"example.com/m/lsp", "Client"}},
		{"example.com/m/lsp", "example.com/m/lsp.Client", []string{"example.com/m/lsp", "Client"}},
		{"example.com/m/v2", "lsp.Client", []string{"example.com/m/v2", "lsp", "Client"}},
		{"main", "main", []string{"main", "main"}},
		{"geo::impl", "area", []string{"geo", "impl", "area"}},
		{"", "x", []string{"x"}},
	} {
		if d := cmp.Diff(test.want, qualified(test.container, test.name)); d != "" {
			t.Errorf("%q %q (-want +got):\n%s", test.container, test.name, d)
		}
	}
	whole := []string{"example.com/m/lsp", "Client", "Close"}
	for want, ok := range map[string]bool{
		"Close": true, "Client.Close": true, "lsp.Client.Close": true, "m/lsp.Client.Close": true, "example.com/m/lsp.Client.Close": true,
		"sp.Client.Close": false, "Pool.Close": false, "lsp.Close": false, "Clos": false, "x.example.com/m/lsp.Client.Close": false,
	} {
		if got := hasSuffix(whole, splitName(want)); got != ok {
			t.Errorf("%s names %v: %t, want %t", want, whole, got, ok)
		}
	}
}

func TestNearest(t *testing.T) {
	t.Parallel()
	names := []string{"Client", "Close", "Server", "client", "Clinic"}
	for name, want := range map[string][]string{
		"Clinet": {"Client", "client", "Clinic"}, "Closee": {"Close"}, "server": {"Server"}, "Zebra": nil, "": nil, strings.Repeat("x", 1000): nil,
	} {
		if d := cmp.Diff(want, nearest(name, names, 5)); d != "" {
			t.Errorf("nearest(%.10q) (-want +got):\n%s", name, d)
		}
	}
}

func TestStripLinks(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain text":                                 "plain text",
		"see [docs](https://evil.example/x) now":     "see docs now",
		"see [`a.B` on pkg](https://pkg.go.dev/a#B)": "see `a.B` on pkg",
		"![pixel](https://evil.example/p.png) x":     "pixel x",
		"[![pixel](p.png)](file:///etc/passwd)":      "pixel",
		"[x](file:///home/me/a.go#L3)":               "x",
		"`F[int](x)` and F[int](x)":                  "`F[int](x)` and F[int](x)",
		"``a ` [x](http://e)`` [y](http://e)":        "``a ` [x](http://e)`` y",
		"`open [x](http://e)":                        "`open x",
		"\\[x](http://e)":                            "\\[x](http://e)",
		"```go\n[x](http://e)\n```\n[y](http://e)":   "```go\n[x](http://e)\n```\ny",
		"~~~\n```\n[x](http://e)\n~~~\n[y](/e)":      "~~~\n```\n[x](http://e)\n~~~\ny",
		"<file:///etc/passwd> <T> <b>":               " <T> <b>",
		"[a [b] c](http://e(1)/x)":                   "a [b] c",
		"[unclosed](http://e":                        "[unclosed](http://e",
		"[a][b] [c]":                                 "[a][b] [c]",
		"":                                           "",
	} {
		if got := stripLinks(in); got != want {
			t.Errorf("stripLinks(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestClipTo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in    string
		chars int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"日本語x", 3, "日本…"}, {"日本語", 3, "日本語"}, {"", 3, ""}} {
		if got := clipTo(test.in, test.chars); got != test.want {
			t.Errorf("clipTo(%q, %d) = %q, want %q", test.in, test.chars, got, test.want)
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add(cursor{offset: 7}.String())
	f.Add("")
	f.Add("AQAA")
	f.Add(strings.Repeat("_", 44))
	f.Fuzz(func(t *testing.T, text string) {
		c, e := parseCursor(text)
		if e != nil {
			return
		}
		// What is taken is exactly what would be given: no cursor has two spellings.
		if got := c.String(); got != text {
			t.Errorf("%q is taken, and is spelled %q", text, got)
		}
	})
}

func FuzzArguments(f *testing.F) {
	f.Add(`{"file":"a.go","line":1,"column":2}`)
	f.Add(`{"symbol":"(*Client).Close"}`)
	f.Add(`{"file":"a.go","line":1.0,"name":"x","occurrence":2}`)
	f.Add(`{"a":[[[[{}]]]]}`)
	f.Add(`{"kinds":["x"],"kinds":null}`)
	params := append(targetParams(), param{name: "kinds", typ: typeStrings}, param{name: "flag", typ: typeBoolean})
	f.Fuzz(func(t *testing.T, raw string) {
		args, e := decodeArguments([]byte(raw), params, 500)
		if e != nil {
			if e.Message == "" || e.Code == "" || utf8.RuneCountInString(e.Text()) > 2000 {
				t.Errorf("error %+v", e)
			}
			return
		}
		target, e := parseTarget(args, 100)
		if e != nil {
			return
		}
		// A target that is taken has the parts that its form needs.
		switch target.form {
		case formColumn:
			if target.file == "" || target.line < 1 || target.column < 1 {
				t.Errorf("%q: %+v", raw, target)
			}
		case formName:
			if target.file == "" || target.line < 1 || target.name == "" {
				t.Errorf("%q: %+v", raw, target)
			}
		case formSymbol:
			for _, p := range splitName(target.symbol) {
				if p == "" {
					t.Errorf("%q has an empty part", target.symbol)
				}
			}
		}
	})
}

func FuzzIdentifiers(f *testing.F) {
	f.Add("func (c *Client) Close() error {", "go", 8)
	f.Add("bool operator()(int) const; ~Box", "cpp", 3)
	f.Add("'`\"\\", "go", 1)
	f.Fuzz(func(t *testing.T, line, language string, column int) {
		ids := identifiers(line, language)
		end := 0
		for _, id := range ids {
			if id.start < end || id.end <= id.start || id.end > len(line) || line[id.start:id.end] != id.name {
				t.Fatalf("%q: %+v", line, id)
			}
			end = id.end
		}
		if column < 1 {
			return
		}
		if id, ok := touching(line, ids, column, language); ok && (column-1 < id.start || column-1 > id.end) {
			t.Errorf("%q: column %d is said to touch %+v", line, column, id)
		}
		stripLinks(line)
		splitName(line)
	})
}
