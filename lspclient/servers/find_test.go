//go:build linux

package servers_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/servers"
)

// program writes a program that prints text.
func program(t *testing.T, path, text string) {
	t.Helper()
	script(t, path, "cat <<'END'\n"+text+"\nEND\n")
}

func script(t *testing.T, path, body string) {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755)
	if err != nil {
		t.Fatal(err)
	}
}

const goplsSays = "golang.org/x/tools/gopls "

func TestFind(t *testing.T) {
	t.Parallel()
	clangdSays := func(v string) string { return "Debian clangd version " + v + " (1~deb12u1)\nFeatures: linux+grpc" }
	for _, tt := range []struct {
		name, server string
		programs     map[string]string // below a folder: what it says
		path         string            // folders, with spaces between
		want         string            // of programs; "" not found
		version      string
		rejected     []string
	}{
		{name: "nothing", server: "gopls", path: "a"},
		{
			name: "gopls", server: "gopls", path: "a b",
			programs: map[string]string{"b/gopls": goplsSays + "v0.23.0\n    golang.org/x/tools/gopls@v0.23.0 h1:x="},
			want:     "b/gopls", version: "v0.23.0",
		},
		{
			name: "too old", server: "gopls", path: "a",
			programs: map[string]string{"a/gopls": goplsSays + "v0.19.1"},
			rejected: []string{"gopls: version v0.19.1 is older than v0.20.0"},
		},
		{
			name: "the pinned version goes before the first", server: "gopls", path: "a b c",
			programs: map[string]string{"a/gopls": goplsSays + "v0.24.0", "b/gopls": goplsSays + "v0.23.0", "c/gopls": goplsSays + "v0.23.0"},
			want:     "b/gopls", version: "v0.23.0",
		},
		{
			name: "without the pinned version the first", server: "gopls", path: "a b",
			programs: map[string]string{"a/gopls": goplsSays + "v0.22.0", "b/gopls": goplsSays + "v0.24.0"},
			want:     "a/gopls", version: "v0.22.0",
		},
		{
			name: "an old one hides no later one", server: "gopls", path: "a b",
			programs: map[string]string{"a/gopls": goplsSays + "v0.9.9", "b/gopls": goplsSays + "v0.21.0"},
			want:     "b/gopls", version: "v0.21.0",
		},
		{
			name: "a pre-release is older than its release", server: "gopls", path: "a",
			programs: map[string]string{"a/gopls": goplsSays + "v0.20.0-pre.1"},
			rejected: []string{"gopls: version v0.20.0-pre.1 is older than v0.20.0"},
		},
		{
			name: "devel", server: "gopls", path: "a",
			programs: map[string]string{"a/gopls": goplsSays + "(devel)"},
			rejected: []string{"gopls: does not say which version it is"},
		},
		{
			name: "newest numbered clangd", server: "clangd", path: "a b",
			programs: map[string]string{
				"a/clangd-19": clangdSays("19.1.7"), "b/clangd-22": clangdSays("22.1.8"), "a/clangd-9": clangdSays("9.0.1"),
				"a/clangd-query-driver": clangdSays("99.0.0"), "a/clangd-": clangdSays("99.0.0"),
			},
			want: "b/clangd-22", version: "22.1.8",
		},
		{
			name: "plain clangd is older", server: "clangd", path: "a",
			programs: map[string]string{"a/clangd": clangdSays("19.1.7"), "a/clangd-22": clangdSays("22.1.8")},
			want:     "a/clangd-22", version: "22.1.8",
		},
		{
			name: "plain clangd is newer", server: "clangd", path: "a",
			programs: map[string]string{"a/clangd": clangdSays("23.0.0"), "a/clangd-22": clangdSays("22.1.8")},
			want:     "a/clangd", version: "23.0.0",
		},
		{
			name: "numbers, not text", server: "clangd", path: "a",
			programs: map[string]string{"a/clangd-100": clangdSays("100.1.0"), "a/clangd-99": clangdSays("99.2.0")},
			want:     "a/clangd-100", version: "100.1.0",
		},
		{
			name: "only old ones", server: "clangd", path: "a",
			programs: map[string]string{"a/clangd": clangdSays("14.0.6"), "a/clangd-18": clangdSays("18.1.3")},
			rejected: []string{"clangd: version 14.0.6 is older than 19", "clangd-18: version 18.1.3 is older than 19"},
		},
		{
			name: "a server that is not asked", server: "pyright", path: "a",
			programs: map[string]string{"a/pyright-langserver": "never"},
			want:     "a/pyright-langserver",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			for name, says := range tt.programs {
				program(t, filepath.Join(top, name), says)
			}
			f := servers.Finder{Env: []string{"PATH=" + os.Getenv("PATH")}}
			for dir := range strings.FieldsSeq(tt.path) {
				f.Path += mkdir(t, top, dir) + ":"
			}
			got, err := f.Find(t.Context(), mustServer(t, tt.server))
			if tt.want == "" {
				notFound, ok := errors.AsType[*servers.NotFoundError](err)
				if !ok {
					t.Fatalf("found %+v (%v), want a NotFoundError", got, err)
				}
				want := &servers.NotFoundError{Server: tt.server, Rejected: tt.rejected, Hint: mustServer(t, tt.server).InstallHint}
				if diff := cmp.Diff(want, notFound); diff != "" {
					t.Errorf("error (-want +got):\n%s", diff)
				}
				return
			}
			want := servers.Program{Path: filepath.Join(top, tt.want), Version: tt.version, Origin: servers.OriginPath}
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("error %v, program (-want +got):\n%s", err, diff)
			}
		})
	}
}

// B6: the workspace offers programs in every way it can.
func TestFindTakesNothingFromTheWorkspace(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	ws := mkdir(t, top, "ws")
	canary := filepath.Join(top, "canary")
	inside := filepath.Join(ws, "bin", "gopls")
	script(t, inside, "echo fired >"+canary+"\necho "+goplsSays+"v0.23.0\n")
	links := mkdir(t, top, "links") // a link on PATH that leads into the workspace
	symlink(t, inside, filepath.Join(links, "gopls"))
	outside := filepath.Join(top, "outside", "gopls")
	script(t, outside, "echo fired >"+canary+"\necho "+goplsSays+"v0.23.0\n")
	out := symlink(t, outside, filepath.Join(ws, "out")) // and one that leads through it
	through := mkdir(t, top, "through")
	symlink(t, out, filepath.Join(through, "gopls"))
	dirLink := symlink(t, filepath.Join(ws, "bin"), filepath.Join(top, "dir-link"))

	f := servers.Finder{
		Path:  strings.Join([]string{"", ".", "bin", filepath.Join(ws, "bin"), dirLink, links, through}, ":"),
		Avoid: []string{ws}, Cache: filepath.Join(ws, "cache"),
	}
	program(t, filepath.Join(ws, "cache", "servers", "gopls@v0.23.0", "gopls"), goplsSays+"v0.23.0")
	got, err := f.Find(t.Context(), mustServer(t, "gopls"))
	notFound, ok := errors.AsType[*servers.NotFoundError](err)
	if !ok {
		t.Fatalf("found %+v (%v)", got, err)
	}
	want := []string{"gopls: is inside the workspace", "gopls: is inside the workspace", "gopls installed by lspbridge: is inside the workspace"}
	if diff := cmp.Diff(want, notFound.Rejected); diff != "" {
		t.Errorf("rejected (-want +got):\n%s", diff)
	}
	if strings.Contains(err.Error(), top) {
		t.Errorf("the error names a path: %v", err)
	}
	absolute := mustServer(t, "gopls")
	absolute.Commands = []string{inside, "../gopls", "bin/gopls"}
	if p, err := f.Find(t.Context(), absolute); err == nil {
		t.Errorf("found %+v by its absolute path", p)
	}
	if _, err := os.Stat(canary); err == nil {
		t.Error("a program of the workspace was run")
	}
}

func TestFindRejects(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, body string
		mode       os.FileMode
		want       string
	}{
		{"rustup's stand-in", "echo \"error: 'rust-analyzer' is not installed for the toolchain 'stable' at /home/me\" >&2; exit 1", 0o755, "is rustup's stand-in, the component is not installed"},
		{"failure", "echo /home/me >&2; exit 3", 0o755, "--version failed: exit status 3"},
		{"not executable", "", 0o644, "is no executable file"},
		{"missing interpreter", "", 0o755, "--version failed: no such file or directory"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "rust-analyzer")
			script(t, path, tt.body)
			if tt.name == "missing interpreter" {
				err := os.WriteFile(path, []byte("#!/no/such/interpreter\n"), 0o755)
				if err != nil {
					t.Fatal(err)
				}
			}
			err := os.Chmod(path, tt.mode)
			if err != nil {
				t.Fatal(err)
			}
			_, err = servers.Finder{Path: dir, Env: []string{"PATH=" + os.Getenv("PATH")}}.Find(t.Context(), mustServer(t, "rust-analyzer"))
			notFound, ok := errors.AsType[*servers.NotFoundError](err)
			if !ok {
				t.Fatalf("error %v", err)
			}
			if diff := cmp.Diff([]string{"rust-analyzer: " + tt.want}, notFound.Rejected); diff != "" {
				t.Errorf("rejected (-want +got):\n%s", diff)
			}
		})
	}
}

// A program that floods its output or hangs, with a child that keeps the pipe
// open, holds nobody up.
func TestFindIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script(t, filepath.Join(dir, "flood", "gopls"), "echo "+goplsSays+"v0.23.0; head -c 50000000 /dev/zero\n")
	env := []string{"PATH=" + os.Getenv("PATH")}
	p, err := servers.Finder{Path: filepath.Join(dir, "flood"), Env: env}.Find(t.Context(), mustServer(t, "gopls"))
	if err != nil || p.Version != "v0.23.0" {
		t.Errorf("flood: %+v, %v", p, err)
	}

	pids := filepath.Join(dir, "pids")
	script(t, filepath.Join(dir, "hang", "gopls"), "sleep 1000 & echo $! >"+pids+"; echo; sleep 1000\n")
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	before := time.Now()
	_, err = servers.Finder{Path: filepath.Join(dir, "hang"), Env: env}.Find(ctx, mustServer(t, "gopls"))
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("hang: error %v", err)
	}
	if took := time.Since(before); took > 5*time.Second {
		t.Errorf("hang: %v", took)
	}
	child, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	stat := filepath.Join("/proc", strings.TrimSpace(string(child)), "stat")
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		state, err := os.ReadFile(stat)
		if err != nil || strings.Contains(string(state), ") Z ") {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a child of the hanging program is left")
		}
	}
}

func TestFindAsksInTheEnvironmentGiven(t *testing.T) {
	t.Setenv("CANARY", "secret")
	dir := t.TempDir()
	script(t, filepath.Join(dir, "gopls"), `echo "x v0.23.0$CANARY$MINE"`)
	p, err := servers.Finder{Path: dir, Env: []string{"MINE=-mine"}}.Find(t.Context(), mustServer(t, "gopls"))
	if err != nil || p.Version != "v0.23.0-mine" {
		t.Errorf("version %q (%v)", p.Version, err)
	}
}

func TestFindInstalled(t *testing.T) {
	t.Parallel()
	cache, dir := t.TempDir(), t.TempDir()
	installed := filepath.Join(cache, "servers", "gopls@v0.23.0", "gopls")
	program(t, installed, goplsSays+"v0.23.0")
	f := servers.Finder{Path: dir, Cache: cache, Env: []string{"PATH=" + os.Getenv("PATH")}}
	got, err := f.Find(t.Context(), mustServer(t, "gopls"))
	want := servers.Program{Path: installed, Version: "v0.23.0", Origin: servers.OriginInstalled}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("error %v, program (-want +got):\n%s", err, diff)
	}
	program(t, filepath.Join(dir, "gopls"), goplsSays+"v0.22.0")
	got, err = f.Find(t.Context(), mustServer(t, "gopls"))
	if err != nil || got.Origin != servers.OriginPath {
		t.Errorf("an acceptable program on PATH goes first: %+v, %v", got, err)
	}
	_, err = servers.Finder{}.Find(t.Context(), mustServer(t, "gopls"))
	if _, ok := errors.AsType[*servers.NotFoundError](err); !ok {
		t.Errorf("the zero Finder: %v", err)
	}
}

// TestFindAny: the first program wanted that is found and new enough is taken, and
// run as what it is.
func TestFindAny(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		programs map[string]string
		want     string
		argument string // the first
		rejected int
	}{
		{"both", map[string]string{"tsc": "Version 7.0.2", "typescript-language-server": "5.1.3"}, "tsc", "--lsp", 0},
		{"an older compiler", map[string]string{"tsc": "Version 5.9.3", "typescript-language-server": "5.1.3"}, "typescript-language-server", "--stdio", 0},
		{"one", map[string]string{"typescript-language-server": "5.1.3"}, "typescript-language-server", "--stdio", 0},
		{"an older compiler alone", map[string]string{"tsc": "Version 5.9.3"}, "", "", 1},
		{"none", nil, "", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, text := range tt.programs {
				program(t, filepath.Join(dir, name), text)
			}
			entry, p, err := servers.Finder{Path: dir, Env: []string{"PATH=" + os.Getenv("PATH")}}.FindAny(t.Context(), mustServer(t, "typescript"))
			var missing *servers.NotFoundError
			if tt.want == "" {
				if !errors.As(err, &missing) || len(missing.Rejected) != tt.rejected || missing.Hint == "" {
					t.Errorf("found %+v, error %v (%+v)", p, err, missing)
				}
				return
			}
			if err != nil || filepath.Base(p.Path) != tt.want || entry.Name != "typescript" || entry.Args[0] != tt.argument || len(entry.Extensions) == 0 {
				t.Errorf("found %+v as %+v, error %v", p, entry, err)
			}
		})
	}
}
