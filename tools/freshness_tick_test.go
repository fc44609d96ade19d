package tools_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
)

// TestFreshnessTick writes two texts of one size within one tick of the file
// system's clock, with a question under way between them: neither size nor times
// tell the second from the first, where the kernel's time stamps are as coarse as
// that. The next question is about the second.
func TestFreshnessTick(t *testing.T) {
	t.Parallel()
	const (
		goText  = "package user\n\nimport \"example.com/tick/lib\"\n\nfunc Use(n int) int { return lib.Target(n) + lib.Tarcat(n) }\n"
		cppText = "#include \"api.h\"\n\nint use(int n) { return target(n) + tarcat(n); }\n"
	)
	goFiles := map[string]string{
		"go.mod":       "module example.com/tick\n\ngo 1.24\n",
		"lib/lib.go":   "package lib\n\nfunc Target(n int) int { return n }\n\nfunc Tarcat(n int) int { return n }\n",
		"user/user.go": goText,
	}
	cppFiles := map[string]string{
		"api.h":    "#pragma once\n\nint target(int n);\nint tarcat(int n);\n",
		"impl.cpp": "#include \"api.h\"\n\nint target(int n) { return n; }\nint tarcat(int n) { return n; }\n",
		"user.cpp": cppText,
	}
	for _, c := range []struct {
		server, program, name, other string
		files                        map[string]string
		user, declares               string // the file that changes, and one that does not
		times                        int
	}{
		{"gopls", "gopls", "Target", "Tarcat", goFiles, "user/user.go", "lib/lib.go", 40},
		{"clangd", "clangd-19", "target", "tarcat", cppFiles, "user.cpp", "impl.cpp", 10},
		{"clangd", "clangd-22", "target", "tarcat", cppFiles, "user.cpp", "impl.cpp", 10},
	} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			program := lsptest.Require(t, c.program)
			p := newProject(t, c.name, c.files, *seed)
			if c.server == "clangd" {
				p.write("compile_commands.json", lsptest.CompileCommands(t, p.dir, c.files), inPlace)
			}
			bridge := startBridge(t, p.dir, c.server, program, limits.Default())
			at := p.stands(c.declares)[0] // which does not change
			ask := func() answer {
				return bridge.call(t.Context(), t, referencesTool, map[string]any{"file": at.file, "line": at.line, "name": c.name})
			}
			if got, want := ask(), spelled(p); compare(got.places, want) != "" {
				t.Fatalf("at first: %+v; want %q", got, want)
			}
			if full() {
				c.times *= 10
			}
			same := 0
			for i := range c.times {
				nextTick(t, p.dir)
				first := p.swap(p.files[c.user], c.other)
				p.overwrite(c.user, first)
				wantFirst, before := spelled(p), modified(t, p, c.user)
				under := make(chan answer, 1)
				go func() { under <- ask() }()
				time.Sleep(time.Duration(i%6) * 500 * time.Microsecond) // anywhere in the question
				second := first
				for second == first || len(second) != len(first) {
					second = p.swap(first, c.other)
				}
				p.overwrite(c.user, second)
				want := spelled(p)
				if modified(t, p, c.user).Equal(before) {
					same++
				}
				if got := <-under; got.err != "" || compare(got.places, wantFirst) != "" && compare(got.places, want) != "" {
					t.Errorf("round %d, while the file changed: %+v; want %q or %q", i, got, wantFirst, want)
				}
				if got := ask(); got.err != "" || got.state != "complete" || compare(got.places, want) != "" {
					t.Fatalf("round %d: %+v; want %q", i, got, want)
				}
			}
			t.Logf("%d of %d times both texts were written within one tick", same, c.times)
		})
	}
}

// overwrite puts a text of the same size over that of a file. At no time is the
// file empty, as it is when it is truncated first.
func (p *project) overwrite(name, text string) {
	p.t.Helper()
	f, err := os.OpenFile(filepath.Join(p.dir, filepath.FromSlash(name)), os.O_WRONLY, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		p.t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		p.t.Fatal(err)
	}
	p.files[name] = text
}

// spelled lists where the name of a project stands.
func spelled(p *project) []string {
	built, _ := p.places()
	return built
}

func modified(t *testing.T, p *project, name string) time.Time {
	t.Helper()
	info, err := os.Stat(filepath.Join(p.dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}

// nextTick returns when the clock of the file system has just moved on.
func nextTick(t *testing.T, dir string) {
	t.Helper()
	file := filepath.Join(dir, ".tick")
	stamp := func() time.Time {
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		return info.ModTime()
	}
	for first := stamp(); stamp().Equal(first); {
	}
}
