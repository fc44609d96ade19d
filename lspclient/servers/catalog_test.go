package servers_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/servers"
)

func TestFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ file, server, language string }{
		{"main.go", "gopls", "go"},
		{"a/b.c/main.go", "gopls", "go"},
		{"MAIN.GO", "gopls", "go"},
		{"go.mod", "gopls", "go.mod"},
		{"sub/go.work", "gopls", "go.work"},
		{"go.sum", "gopls", "go.sum"},
		{"my.go.mod", "", ""},
		{"other.mod", "", ""},
		{"a.c", "clangd", "c"},
		{"a.C", "clangd", "cpp"},
		{"a.cc", "clangd", "cpp"},
		{"a.Cpp", "clangd", "cpp"},
		{"a.cxx", "clangd", "cpp"},
		{"a.h", "clangd", "cpp"},
		{"a.hh", "clangd", "cpp"},
		{"a.hpp", "clangd", "cpp"},
		{"a.hxx", "clangd", "cpp"},
		{"a.ipp", "clangd", "cpp"},
		{"a.inl", "clangd", "cpp"},
		{"a.m", "clangd", "objective-c"},
		{"a.mm", "clangd", "objective-cpp"},
		{"a.cu", "clangd", "cuda-cpp"},
		{"lib.rs", "rust-analyzer", "rust"},
		{"a.d.ts", "typescript", "typescript"},
		{"a.tsx", "typescript", "typescriptreact"},
		{"a.pyi", "pyright", "python"},
		{"Makefile", "", ""},
		{"go", "", ""},
		{".", "", ""},
		{"", "", ""},
		{"a.txt", "", ""},
	} {
		s, language, ok := servers.Builtin().For(tt.file)
		if s.Name != tt.server || language != tt.language || ok != (tt.server != "") {
			t.Errorf("For(%q) = %q, %q, %v, want %q, %q", tt.file, s.Name, language, ok, tt.server, tt.language)
		}
	}
}

// The bridge's promises hang on these.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	c := servers.Builtin()
	if diff := cmp.Diff([]string{"gopls", "clangd", "rust-analyzer", "typescript", "pyright"}, c.Names()); diff != "" {
		t.Errorf("servers (-want +got):\n%s", diff)
	}
	owner := map[string]string{}
	for _, s := range c.Servers {
		if s.Origin != servers.OriginBuiltin || s.InstallHint == "" || s.Executes == "" || len(s.Commands) == 0 {
			t.Errorf("%s lacks an origin, a hint, a class or a command: %+v", s.Name, s)
		}
		for extension := range s.Extensions {
			if other := owner[extension]; other != "" {
				t.Errorf("%s and %s both serve %s", other, s.Name, extension)
			}
			owner[extension] = s.Name
		}
	}
	clangd, _ := c.Server("clangd")
	for _, arg := range []string{"--background-index", "--limit-references=0", "--limit-results=0", "--rename-file-limit=0"} {
		if !contains(clangd.Args, arg) {
			t.Errorf("clangd is started without %s", arg)
		}
	}
	gopls, _ := c.Server("gopls")
	if got := string(gopls.Configuration("gopls")); got != string(gopls.InitializationOptions) {
		t.Errorf("workspace/configuration gives %s, initializationOptions %s", got, gopls.InitializationOptions)
	}
	if _, ok := c.Server("nosuch"); ok {
		t.Error("a server nobody knows")
	}
}

func contains(list []string, want string) bool {
	for _, s := range list {
		if s == want {
			return true
		}
	}
	return false
}
