package vdocs_test

import (
	"strings"
	"testing"

	"lspbridge/vdocs"
)

func TestDisplay(t *testing.T) {
	s := vdocs.NewStore(vdocs.Options{Roots: []string{
		"/go/src", "/go/src/vendor", "/home/me/go/pkg/mod/", "/usr/include", "/", "relative", "",
	}})
	tests := []struct {
		name  string
		place vdocs.Place
		want  string
	}{
		{"below a root", file("/go/src/fmt/print.go"), "fmt/print.go"},
		{"the longest root", file("/go/src/vendor/x/y.go"), "x/y.go"},
		{"root with a slash at its end", file("/home/me/go/pkg/mod/a.b/c@v1.0.0/d/e.go"), "a.b/c@v1.0.0/d/e.go"},
		{"folder that only starts like a root", file("/usr/include-evil/a/b.h"), "a/b.h"},
		{"a root itself", file("/usr/include"), "usr/include"},
		{"elsewhere", file("/home/me/secret/project/x.h"), "project/x.h"},
		{"one element", file("/x.h"), "x.h"},
		{"the root of all", file("/"), "document"},
		{"path that is not clean", vdocs.Place{Path: "/go/src/../../etc/shadow"}, "etc/shadow"},
		{"space and non-ASCII stay", file("/usr/include/é 😀.h"), "é 😀.h"},
		{"escape sequence", file("/a/b\x1b[2J\r\n.h"), `a/b\u{1b}[2J\u{d}\u{a}.h`},
		{"C1 control", file("/a/\u009b31m"), `a/\u{9b}31m`},
		{"turned direction", file("/a/\u202egnp.h"), `a/\u{202e}gnp.h`},
		{"zero width", file("/a/x\u200b\ufeff\u2060.h"), `a/x\u{200b}\u{feff}\u{2060}.h`},
		{"line separator", file("/a/x\u2028y"), `a/x\u{2028}y`},
		{"tag characters", file("/a/x\U000e0041"), `a/x\u{e0041}`},
		{"filler", file("/a/\u3164"), `a/\u{3164}`},
		{"not UTF-8", vdocs.Place{Path: "/a/x\xff\xfe"}, `a/x\xff\xfe`},
		{"replacement character prints", vdocs.Place{Path: "/a/\ufffd"}, "a/\ufffd"},
		{"file without a path", vdocs.Place{URI: "file://host/etc/passwd"}, "a document"},
		{"nothing", vdocs.Place{}, "a document"},
		{"jdt", vdocs.Place{URI: "jdt://contents/rt.jar/java.lang/String.class?=p/%5C/usr%5C/lib#x"}, "jdt:java.lang/String.class"},
		{"escaped path", vdocs.Place{URI: "deno:%2Fhome%2Fme%2Fsecret%2Fx.ts"}, "deno:secret/x.ts"},
		{"backslashes", vdocs.Place{URI: `deno:C:\Users\me\secret\x.ts`}, "deno:secret/x.ts"},
		{"escaped twice", vdocs.Place{URI: "deno:%252Fhome%252Fme%252Fx.ts"}, "deno:document"},
		{"bad escape", vdocs.Place{URI: "deno:/home/me/%zz/x"}, "deno:document"},
		{"credentials", vdocs.Place{URI: "https://me:password@host/x"}, "a document of scheme https"},
		{"scheme and path contradict", vdocs.Place{URI: "http://x/y", Path: "/home/me/y"}, "a document of scheme http"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.want + " (outside the workspace)"
			if got := s.Display(tt.place); got != want {
				t.Errorf("Display = %q, want %q", got, want)
			}
		})
	}
}

func TestDisplayIsBounded(t *testing.T) {
	s := vdocs.NewStore(vdocs.Options{Roots: []string{"/r"}})
	for _, p := range []vdocs.Place{
		file("/r/" + strings.Repeat("é/", 1<<18) + "end.h"),
		{URI: "jdt:/" + strings.Repeat("é", 1<<18) + "/end.h"},
		{URI: strings.Repeat("x", 1<<20) + ":end.h"},
	} {
		got := s.Display(p)
		if len(got) > 400 || !strings.HasSuffix(got, " (outside the workspace)") || strings.Contains(got, `\x`) {
			t.Errorf("Display gives %d bytes: %.80q", len(got), got)
		}
	}
}
