//go:build unix

package confine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"lspbridge/limits/confine"

	"github.com/google/go-cmp/cmp"
)

func TestOpenRefuses(t *testing.T) {
	p := newPlace(t)
	home := filepath.Join(p.base, "home")
	write(t, home+"/project/a.go", "")
	if err := os.Symlink(home, p.base+"/home-link"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/", p.base+"/slash"); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(p.base+"/fifo", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(p.base+"/bad\xff", 0o755); err != nil {
		t.Skipf("the file system takes UTF-8 names alone: %v", err)
	}
	if err := os.Symlink("bad\xff", p.base+"/to-bad"); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		dirs   []string
		reason confine.Reason
	}{
		{"none", nil, confine.NoFolders},
		{"empty", []string{""}, confine.Empty},
		{"relative", []string{"ws"}, confine.NotAbsolute},
		{"dot", []string{"."}, confine.NotAbsolute},
		{"slash", []string{"/"}, confine.WholeSystem},
		{"slashes", []string{"//"}, confine.WholeSystem},
		{"slash by dots", []string{p.ws + strings.Repeat("/..", 40)}, confine.WholeSystem},
		{"slash by a link", []string{p.base + "/slash"}, confine.WholeSystem},
		{"slash by proc", []string{"/proc/self/root"}, confine.WholeSystem},
		{"home", []string{home}, confine.HomeFolder},
		{"home with a slash", []string{home + "/"}, confine.HomeFolder},
		{"home by a link", []string{p.base + "/home-link"}, confine.HomeFolder},
		{"home by dots", []string{home + "/project/.."}, confine.HomeFolder},
		{"missing", []string{p.base + "/no"}, confine.NoFolder},
		{"dead link", []string{p.ws + "/dead.go"}, confine.NoFolder},
		{"loop", []string{p.ws + "/loop"}, confine.NoFolder},
		{"under a file", []string{p.ws + "/a.go/x"}, confine.NoFolder},
		{"file", []string{p.ws + "/a.go"}, confine.NotFolder},
		{"fifo", []string{p.base + "/fifo"}, confine.NotFolder},
		{"NUL", []string{p.ws + "\x00"}, confine.HasNUL},
		{"not UTF-8", []string{p.base + "/bad\xff"}, confine.NotUTF8},
		{"not UTF-8 by a link", []string{p.base + "/to-bad"}, confine.NotUTF8},
		{"twice", []string{p.ws, p.ws}, confine.TwiceGiven},
		{"twice by a slash", []string{p.ws, p.ws + "/"}, confine.TwiceGiven},
		{"twice by a link", []string{p.ws, p.link}, confine.TwiceGiven},
		{"nested", []string{p.ws, p.ws + "/sub"}, confine.NestedFolders},
		{"nested the other way", []string{p.ws + "/sub", p.ws}, confine.NestedFolders},
		{"nested by a link", []string{p.base + "/outside", p.ws, p.link + "/sub/deep"}, confine.NestedFolders},
		{"the second is missing", []string{p.ws, p.base + "/no"}, confine.NoFolder},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w, err := confine.Open(tt.dirs, confine.Options{Home: home})
			if err == nil {
				w.Close()
				t.Fatalf("Open(%q) is accepted, want %q", tt.dirs, tt.reason)
			}
			if e, ok := errors.AsType[*confine.Error](err); !ok || e.Reason != tt.reason {
				t.Fatalf("Open(%q) = %v, want %q", tt.dirs, err, tt.reason)
			}
			if msg := err.Error(); strings.ContainsAny(msg, "\x00\n") || !utf8.ValidString(msg) {
				t.Errorf("error is not fit for a line: %q", err)
			}
		})
	}
}

func TestRootsAsSpelled(t *testing.T) {
	p := newPlace(t)
	write(t, p.base+"/far/deep/x.go", "")
	if err := os.Symlink("../far/deep", p.base+"/outside/jump"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ dir, shown, canonical string }{
		{p.ws, p.ws, p.ws},
		{p.ws + "/", p.ws, p.ws},
		{p.link, p.link, p.ws},
		{p.base + "//./link/", p.link, p.ws},
		{p.ws + "/../link", p.link, p.ws},
		// Lexically outside/jump/.. is outside, and in truth it is far.
		{p.base + "/outside/jump/..", p.base + "/far", p.base + "/far"},
	} {
		w := open(t, confine.Options{Home: "/no/such/home"}, tt.dir)
		want := []confine.Root{{Name: filepath.Base(tt.shown), Shown: tt.shown, Canonical: tt.canonical}}
		if d := cmp.Diff(want, w.Roots()); d != "" {
			t.Errorf("roots of %q (-want +got):\n%s", tt.dir, d)
		}
	}
}

func TestRootNames(t *testing.T) {
	base := t.TempDir()
	for _, tt := range []struct{ dirs, names []string }{
		{[]string{"x/app", "x/lib"}, []string{"app", "lib"}},
		{[]string{"x/app", "y/app", "z/app"}, []string{"app", "app-2", "app-3"}},
		{[]string{"x/app", "y/app", "z/app-2"}, []string{"app", "app-3", "app-2"}},
		{[]string{"z/app-2", "x/app", "y/app"}, []string{"app-2", "app", "app-3"}},
		{[]string{"x/ü b", "y/ü b"}, []string{"ü b", "ü b-2"}},
	} {
		var dirs []string
		for _, d := range tt.dirs {
			dirs = append(dirs, filepath.Join(base, d))
			if err := os.MkdirAll(filepath.Join(base, d), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		var names []string
		for _, r := range open(t, confine.Options{}, dirs...).Roots() {
			names = append(names, r.Name)
		}
		if d := cmp.Diff(tt.names, names); d != "" {
			t.Errorf("names of %q (-want +got):\n%s", tt.dirs, d)
		}
	}
}

func TestSeveralRoots(t *testing.T) {
	p := newPlace(t)
	w := open(t, confine.Options{Excluded: func(path string) bool { return path == "outside/sub/b.go" }}, p.link, p.base+"/outside")
	for _, tt := range []struct {
		path   string
		want   confine.File
		reason confine.Reason
		text   string
	}{
		{"link/a.go", confine.File{Root: 0, Rel: "a.go"}, "", "ws/a.go"},
		{"outside/secret.go", confine.File{Root: 1, Rel: "secret.go"}, "", "outside/secret.go"},
		{"./outside//secret.go", confine.File{Root: 1, Rel: "secret.go"}, "", "outside/secret.go"},
		{p.base + "/outside/secret.go", confine.File{Root: 1, Rel: "secret.go"}, "", "outside/secret.go"},
		{p.ws + "/a.go", confine.File{Root: 0, Rel: "a.go"}, "", "ws/a.go"},
		// A link from one root into the other stays inside the workspace.
		{"link/out-rel/secret.go", confine.File{Root: 1, Rel: "secret.go"}, "", "outside/secret.go"},
		{"link/lo-abs.go", confine.File{Root: 0, Rel: "lo-abs.go"}, "", "outside/secret.go"},
		{"link/lo-rel.go", confine.File{Root: 0, Rel: "lo-rel.go"}, "", "outside/secret.go"},
		{"link/out-sibling/a.go", confine.File{}, confine.LeadsOut, ""},
		{"link/out-rel/sub/b.go", confine.File{}, confine.Excluded, ""},
		{"outside/sub/b.go", confine.File{}, confine.Excluded, ""},
		{"link", confine.File{}, confine.IsRoot, ""},
		{"ws/a.go", confine.File{}, confine.NoSuchRoot, ""},
		{"a.go", confine.File{}, confine.NoSuchRoot, ""},
		{".", confine.File{}, confine.NoSuchRoot, ""},
		{"../link/a.go", confine.File{}, confine.DotDot, ""},
		{"link/../outside/secret.go", confine.File{}, confine.DotDot, ""},
		{p.ws + "/../outside/secret.go", confine.File{}, confine.DotDot, ""},
	} {
		f, err := w.File(tt.path)
		if tt.reason != "" {
			if e, ok := errors.AsType[*confine.Error](err); !ok || e.Reason != tt.reason {
				t.Errorf("File(%q) = %v, %v, want %q", tt.path, f, err, tt.reason)
			}
			continue
		}
		if err != nil || f != tt.want {
			t.Errorf("File(%q) = %v, %v, want %v", tt.path, f, err, tt.want)
			continue
		}
		if text, _, err := w.Read(f, 100); string(text) != tt.text {
			t.Errorf("Read(%q) = %q, %v, want %q", tt.path, text, err, tt.text)
		}
		if again, err := w.File(w.Shown(f)); err != nil || again != f {
			t.Errorf("File(%q), as shown, = %v, %v, want %v", w.Shown(f), again, err, f)
		}
	}
}
