package tools_test

import (
	"testing"

	"lspbridge/tools"
)

func TestRedactor(t *testing.T) {
	t.Parallel()
	r := tools.NewRedactor(
		tools.Folder{Path: "/home/me/my work@1"}, tools.Folder{Path: "/real/ws"}, tools.Folder{Path: "/home/me", Shown: "~"},
		tools.Folder{Path: "/usr/local/go", Shown: "$GOROOT"}, tools.Folder{Path: "/home/me/go/pkg/mod", Shown: "$GOMODCACHE"},
		tools.Folder{Path: "", Shown: "no"}, tools.Folder{Path: "/", Shown: "no"}, tools.Folder{Path: "rel", Shown: "no"},
	)
	for in, want := range map[string]string{
		"nothing here":                                          "nothing here",
		"/real/ws/a/b.go:3: bad":                                "a/b.go:3: bad",
		"in /real/ws":                                           "in .",
		"in /real/ws/":                                          "in ./",
		"see /real/ws.":                                         "see ..",
		"/real/ws-evil/a":                                       "/real/ws-evil/a",
		"/real/wsx":                                             "/real/wsx",
		"x/real/ws/a":                                           "x/real/ws/a", // a relative path
		"/mnt/real/ws/a":                                        "/mnt/real/ws/a",
		"-I/real/ws/include":                                    "-Iinclude",
		"(/real/ws/a.go) '/home/me/x'":                          "(a.go) '~/x'",
		"/home/me/go/pkg/mod/x@v1/y.go":                         "$GOMODCACHE/x@v1/y.go", // the innermost
		"/home/me/.cache and /home/meter":                       "~/.cache and /home/meter",
		"/usr/local/go/src/fmt/print.go":                        "$GOROOT/src/fmt/print.go",
		"file:///usr/local/go/src/fmt/print.go":                 "$GOROOT/src/fmt/print.go",
		"[x](file:///real/ws/a.go#L3)":                          "[x](a.go#L3)",
		"/home/me/my work@1/a.go":                               "a.go",
		"file:///home/me/my%20work@1/a.go":                      "a.go",
		"file:///home/me/my%20work%401/a.go":                    "a.go",
		"<file:///srv/secret/key.h>":                            "<key.h>",
		"twice /real/ws/a:/real/ws/b":                           "twice a:b",
		"an API path /api/v1/users stays, it is documentation.": "an API path /api/v1/users stays, it is documentation.",
	} {
		if got := r.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"open /srv/secret/x.h: no such file":    "open …/x.h: no such file",
		"open /real/ws/x.h: no such file":       "open x.h: no such file",
		"at:/srv/secret/x.h, //srv/secret/y.h":  "at:…/x.h, …/y.h",
		"install Go: https://go.dev/dl":         "install Go: https://go.dev/dl",
		"2/3 files, 4 / 5":                      "2/3 files, 4 / 5",
		"a.go:3 textDocument/references failed": "a.go:3 textDocument/references failed",
	} {
		if got := r.Error(in); got != want {
			t.Errorf("Error(%q) = %q, want %q", in, got, want)
		}
	}
	var none *tools.Redactor
	if got := none.Text("/home/me"); got != "/home/me" {
		t.Errorf("no redactor changes the text to %q", got)
	}
}
