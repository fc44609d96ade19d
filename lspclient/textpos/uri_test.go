package textpos_test

import (
	"path"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"lspbridge/lspclient/textpos"
)

func TestURIRoundTrip(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of this test have no drive letter")
	}
	tests := []struct{ path, uri string }{
		{"/", "file:///"},
		{"/a/b.go", "file:///a/b.go"},
		{"/a b", "file:///a%20b"},
		{"/a%20b", "file:///a%2520b"},
		{"/a%2520b", "file:///a%252520b"},
		{"/a#b", "file:///a%23b"},
		{"/a?b", "file:///a%3Fb"},
		{"/mod@v1.2.3/x.go", "file:///mod%40v1.2.3/x.go"},
		{"/c++/v1", "file:///c%2B%2B/v1"},
		{"/[a]{b}", "file:///%5Ba%5D%7Bb%7D"},
		{"/é/日本", "file:///%C3%A9/%E6%97%A5%E6%9C%AC"},
		{"/😀", "file:///%F0%9F%98%80"},
		{"/C:/x", "file:///C:/x"},
		{`/a\b`, "file:///a%5Cb"},
		{"/a\nb", "file:///a%0Ab"},
		{"/~x/._-", "file:///~x/._-"},
		{"/a&b=c;d,e!f'g(h)*$", "file:///a%26b%3Dc%3Bd%2Ce%21f%27g%28h%29%2A%24"},
	}
	for _, tt := range tests {
		got, err := textpos.PathURI(tt.path)
		if err != nil || got != tt.uri {
			t.Errorf("PathURI(%q) = %q, %v, want %q", tt.path, got, err, tt.uri)
		}
		back, err := textpos.URIPath(tt.uri)
		if err != nil || back != tt.path {
			t.Errorf("URIPath(%q) = %q, %v, want %q", tt.uri, back, err, tt.path)
		}
	}
}

// Servers spell one path in several ways.
func TestURIPathSpellings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("paths of this test have no drive letter")
	}
	tests := map[string]string{
		"file:///m@v1/x.go":        "/m@v1/x.go",
		"file:///m%40v1/x.go":      "/m@v1/x.go",
		"file:///c++/v1":           "/c++/v1",
		"file:///c%2b%2B/v1":       "/c++/v1",
		"file:///%61":              "/a",
		"file:///é":                "/é",
		"file:///a b":              "/a b",
		"file:///C%3A/x":           "/C:/x",
		"FILE:///a":                "/a",
		"file://localhost/a":       "/a",
		"file://LOCALHOST/a":       "/a",
		"file:/a":                  "/a",
		"file:////a":               "/a",
		"file:///a//b/./c/../d/":   "/a/b/d",
		"file:///../../etc/passwd": "/etc/passwd",
		"file:///a/%2e%2e/b":       "/b",
		"file:///a%2Fb":            "/a/b",
		"file:///a%252e":           "/a%2e",
		"file:///%25%32%30":        "/%20",
		"file:///a%E2%80%AEb":      "/a\u202eb",
		"file:///" + strings.Repeat("a/", 9) + "..": "/a/a/a/a/a/a/a/a",
	}
	for uri, want := range tests {
		got, err := textpos.URIPath(uri)
		if err != nil || got != want {
			t.Errorf("URIPath(%q) = %q, %v, want %q", uri, got, err, want)
		}
	}
}

func TestURIPathRefuses(t *testing.T) {
	tests := []struct{ name, uri, want string }{
		{"empty", "", "scheme"},
		{"plain path", "/a/b", "scheme"},
		{"http", "http://localhost/a", `"http"`},
		{"untitled", "untitled:Untitled-1", `"untitled"`},
		{"host", "file://host/a", "another host"},
		{"host with port", "file://localhost:80/a", "another host"},
		{"user", "file://me@localhost/a", "another host"},
		{"host that is a path's start", "file://a", "another host"},
		{"no path", "file://", "absolute"},
		{"nothing", "file:", "absolute"},
		{"relative", "file:a/b", "absolute"},
		{"encoded slash first", "file:%2Fa", "absolute"},
		{"nul", "file:///a%00b", "NUL"},
		{"raw nul", "file:///a\x00b", "control"},
		{"raw newline", "file:///a\nb", "control"},
		{"cut escape", "file:///a%4", "bad escape"},
		{"percent at the end", "file:///a%", "bad escape"},
		{"bad digits", "file:///a%zz", "bad escape"},
		{"signed digits", "file:///a%+1", "bad escape"},
		{"not utf-8", "file:///a%ff", "UTF-8"},
		{"raw, not utf-8", "file:///a\xff", "UTF-8"},
		{"encoded surrogate half", "file:///%ED%A0%80", "UTF-8"},
		{"query", "file:///a?b", "raw '?'"},
		{"fragment", "file:///a#b", "raw '#'"},
		{"space before", " file:///a", "scheme"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := textpos.URIPath(tt.uri)
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("URIPath(%q) = %q, %v, want an error with %q", tt.uri, got, err, tt.want)
			}
		})
	}
	long := "file:///" + strings.Repeat("x", 1<<20) + "%zz"
	if _, err := textpos.URIPath(long); err == nil || len(err.Error()) > 1000 {
		t.Error("the error of a long URI repeats it all, or is missing")
	}
}

func TestPathURIRefuses(t *testing.T) {
	for p, want := range map[string]string{
		"": "absolute", "a": "absolute", "./a": "absolute", "/a\x00": "NUL", "/a\xff": "UTF-8",
	} {
		if got, err := textpos.PathURI(p); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("PathURI(%q) = %q, %v, want an error with %q", p, got, err, want)
		}
	}
}

func TestScheme(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///a": "file", "FILE:///a": "file", "jdt://x": "jdt", "vscode-remote://x": "vscode-remote",
		"a+b.c-1:x": "a+b.c-1", "": "", "/a:b": "", "a": "", ":x": "", "1a:x": "", "é:x": "",
		`C:\x`: "", "c:/x": "", "a b:x": "", "file": "", "-ab:x": "", "f@le:x": "", "fi[e:x": "",
	} {
		if got := textpos.Scheme(uri); got != want {
			t.Errorf("Scheme(%q) = %q, want %q", uri, got, want)
		}
	}
}

func FuzzPathURI(f *testing.F) {
	for _, p := range []string{"/", "/a b", "/a%20b", "/#?@+[]", "/é😀", "/C:/x", "//a", "/a/../b", "/\x01\x7f"} {
		f.Add(p)
	}
	f.Fuzz(func(t *testing.T, p string) {
		uri, err := textpos.PathURI(p)
		if err != nil {
			if strings.HasPrefix(p, "/") && utf8.ValidString(p) && !strings.Contains(p, "\x00") && runtime.GOOS != "windows" {
				t.Fatalf("PathURI(%q): %v", p, err)
			}
			return
		}
		for i := range len(uri) {
			if c := uri[i]; c <= ' ' || c >= 0x7f {
				t.Fatalf("PathURI(%q) = %q holds the byte %#x", p, uri, c)
			}
		}
		back, err := textpos.URIPath(uri)
		if err != nil {
			t.Fatalf("URIPath(%q): %v", uri, err)
		}
		if runtime.GOOS != "windows" && back != path.Clean(p) {
			t.Fatalf("%q came back from %q as %q", p, uri, back)
		}
	})
}

func FuzzURIPath(f *testing.F) {
	for _, uri := range []string{"file:///a%20b", "file://host/a", "file:/a", "file:///%00", "file:///%2e%2e/x", "file:", "x:y", "file:///a%", "file://localhost/C:/x"} {
		f.Add(uri)
	}
	f.Fuzz(func(t *testing.T, uri string) {
		p, err := textpos.URIPath(uri)
		if err != nil {
			return
		}
		if !utf8.ValidString(p) || strings.Contains(p, "\x00") {
			t.Fatalf("URIPath(%q) = %q", uri, p)
		}
		if runtime.GOOS != "windows" && (!path.IsAbs(p) || path.Clean(p) != p) {
			t.Fatalf("URIPath(%q) = %q is not absolute and clean", uri, p)
		}
		again, err := textpos.PathURI(p)
		if err != nil {
			t.Fatalf("PathURI(%q): %v", p, err)
		}
		if back, err := textpos.URIPath(again); err != nil || back != p {
			t.Fatalf("%q came back from %q as %q, %v", p, again, back, err)
		}
	})
}
