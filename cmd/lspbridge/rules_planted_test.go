package main_test

import (
	"strings"
	"testing"
)

// Each rule is broken once, and the break is found; and what looks like a
// break and is none is left alone.
func TestRulesFindPlantedViolations(t *testing.T) {
	file := func(imports, body string) string {
		var b strings.Builder
		b.WriteString("package p\n")
		for dep := range strings.FieldsSeq(imports) {
			name, dep, ok := strings.Cut(dep, "=")
			if !ok {
				name, dep = "", name
			}
			b.WriteString("import " + name + " \"" + dep + "\"\n")
		}
		return b.String() + body
	}
	tests := []struct {
		name string
		path string
		text string
		want string // part of the only violation, "" for none
	}{
		{"textpos imports others", "lspclient/textpos/a.go", file("golang.org/x/text/width", ""), "standard library alone"},
		{"limits imports others", "limits/a.go", file("golang.org/x/sync/errgroup", ""), "standard library alone"},
		{"limits imports confine", "limits/a.go", file("lspbridge/limits/confine", ""), "not below it"},
		{"confine imports limits", "limits/confine/a.go", file("lspbridge/limits", ""), "not below it"},
		{"lspclient imports tools", "lspclient/a.go", file("lspbridge/tools", ""), "not below it"},
		{"lspclient imports edits", "lspclient/a.go", file("lspbridge/edits", ""), "not below it"},
		{"lspclient imports its test support", "lspclient/a.go", file("lspbridge/lspclient/lsptest", ""), "not below it"},
		{"edits imports lspclient", "edits/a.go", file("lspbridge/lspclient", ""), "not below it"},
		{"edits imports servers", "edits/a.go", file("lspbridge/lspclient/servers", ""), "not below it"},
		{"vdocs imports lspclient", "vdocs/a.go", file("lspbridge/lspclient", ""), "not below it"},
		{"vdocs imports edits", "vdocs/a.go", file("lspbridge/edits", ""), "not below it"},
		{"tools imports cmd", "tools/a.go", file("lspbridge/cmd/internal/cli", ""), "not below it"},
		{"cmd imports test support", "cmd/internal/cli/a.go", file("lspbridge/lspclient/lsptest", ""), "not below it"},
		{"a renamed import", "edits/a.go", file("x=lspbridge/lspclient", ""), "not below it"},
		{"a new package", "newthing/a.go", file("fmt", ""), "no layer"},
		{"a dot import", "edits/a.go", file(".=fmt", ""), "dot"},
		{"tools imports edits", "tools/a.go", file("lspbridge/edits lspbridge/vdocs lspbridge/lspclient lspbridge/limits", ""), ""},
		{"servers imports limits", "lspclient/servers/a.go", file("lspbridge/limits lspbridge/limits/confine", ""), ""},

		{"go-sdk in cmd", "cmd/internal/cli/a.go", file("github.com/modelcontextprotocol/go-sdk/mcp", ""), "for tools and cmd/internal/httpserve alone"},
		{"go-sdk in lspclient", "lspclient/a.go", file("github.com/modelcontextprotocol/go-sdk/mcp", ""), "alone"},
		{"go-sdk in tools", "tools/a.go", file("github.com/modelcontextprotocol/go-sdk/mcp", ""), ""},
		{"go.lsp.dev in tools", "tools/a.go", file("go.lsp.dev/protocol", ""), "for lspclient alone"},
		{"go.lsp.dev in servers", "lspclient/servers/a.go", file("go.lsp.dev/uri", ""), "for lspclient alone"},
		{"go.lsp.dev in lspclient", "lspclient/a.go", file("go.lsp.dev/protocol", ""), ""},
		{"go-diff in tools", "tools/a.go", file("github.com/sergi/go-diff/diffmatchpatch", ""), "for edits alone"},
		{"os/exec in cmd", "cmd/internal/cli/a.go", file("os/exec", ""), "for lspclient/... alone"},
		{"os/exec in servers", "lspclient/servers/a.go", file("os/exec", ""), ""},

		{"exit below cmd", "tools/a.go", file("os", "func f() { os.Exit(1) }"), "uses os.Exit"},
		{"exit through a renamed import", "tools/a.go", file("x=os", "func f() { x.Exit(1) }"), "uses os.Exit"},
		{"exit as a value", "tools/a.go", file("os", "var exit = os.Exit"), "uses os.Exit"},
		{"exit through log", "tools/a.go", file("log", "func f() { log.Fatal() }"), "uses log.Fatal"},
		{"stdout below cmd", "lspclient/a.go", file("os", "var w = os.Stdout"), "uses os.Stdout"},
		{"current folder in confine", "limits/confine/a.go", file("os", "func f() { os.Getwd() }"), "uses os.Getwd"},
		{"exit in cmd", "cmd/lspbridge/a.go", file("os", "func f() { os.Exit(1) }"), ""},
		{"exit in the helper", "lspclient/supervise/a.go", file("os", "func f() { os.Exit(1) }"), ""},
		{"a variable named os", "tools/a.go", file("fmt", "func f(os struct{ Exit func(int) }) { os.Exit(1) }"), ""},
		{"init", "tools/a.go", file("fmt", "func init() {}"), "init function"},
		{"a method named init", "tools/a.go", file("fmt", "type t int\nfunc (t) init() {}"), ""},

		{"write in tools", "tools/a.go", file("os", `func f() { os.WriteFile("a", nil, 0) }`), "only edits writes"},
		{"rename in cmd", "cmd/internal/cli/a.go", file("os", `func f() { os.Rename("a", "b") }`), "only edits writes"},
		{"open for writing in vdocs", "vdocs/a.go", file("os", `func f(r *os.Root) { r.OpenFile("a", os.O_RDWR, 0) }`), "only edits writes"},
		{"file made in the trust list's package", "cmd/internal/trust/a.go", file("os", `func f() { os.Create("a") }`), "only edits writes"},
		{"write in lspclient", "lspclient/a.go", file("os", `func f() { os.WriteFile("a", nil, 0) }`), "only edits writes"},
		{"write in edits", "edits/a.go", file("os", `func f() { os.WriteFile("a", nil, 0) }`), ""},
		{"open for reading in vdocs", "vdocs/a.go", file("os", `func f(r *os.Root) { r.OpenFile("a", os.O_RDONLY, 0) }`), ""},
		{"cache in servers", "lspclient/servers/a.go", file("os", `func f() { os.MkdirAll("a", 0) }`), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			vs, err := checkSource(tt.path, []byte(tt.text))
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tt.want == "" && len(vs) > 0:
				t.Errorf("found %v, want nothing", vs)
			case tt.want != "" && (len(vs) != 1 || !strings.Contains(vs[0].what, tt.want)):
				t.Errorf("found %v, want one with %q", vs, tt.want)
			case tt.want != "" && !strings.HasPrefix(vs[0].where, tt.path+":"):
				t.Errorf("found at %s, want %s", vs[0].where, tt.path)
			}
		})
	}
}

func TestMachinePathsAreFound(t *testing.T) {
	for _, p := range []string{"x /wo" + "rk/main", "/root/" + "go/bin", "\x00/tmp/" + "wt/x"} {
		if len(machinePaths([]byte(p))) != 1 {
			t.Errorf("%q is not found", p)
		}
	}
	if found := machinePaths([]byte("/home/me/project /tmp/x $HOME/go")); found != nil {
		t.Errorf("found %v", found)
	}
}
