//go:build unix

package confine_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspbridge/limits/confine"
)

// place is a folder that holds a workspace, what must stay out of reach, and
// links in every direction.
type place struct {
	base string // canonical
	ws   string // canonical root of the workspace
	link string // the same, through a link
}

func newPlace(t testing.TB) place {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{base: base, ws: filepath.Join(base, "ws"), link: filepath.Join(base, "link")}
	for _, f := range []string{
		"ws/a.go", "ws/sub/b.go", "ws/sub/deep/c.go", "ws/with space.go", "ws/100%20.go", "ws/#hash.go",
		"ws/grün.go", "ws/日本/語.go", "ws/😀.go", "ws/back\\slash.go", "ws/new\nline.go", "ws/..dots.go", "ws/.../d.go",
		"ws/file:/x.go", "ws/~/home.go", "ws/-flag.go", "ws/ws/inner.go", "ws/hidden/secret.go",
		"ws-evil/a.go", "outside/secret.go", "outside/sub/b.go",
	} {
		write(t, filepath.Join(base, f), f)
	}
	for name, dest := range map[string]string{
		"link": "ws",

		"ws/in-rel": "sub", "ws/in-abs": p.ws + "/sub", "ws/in-chain": "in-rel", "ws/in-self": ".",
		"ws/in-back": "../ws/sub", "ws/in-link": p.link + "/sub", "ws/sub/in-up": "..",
		"ws/in-hidden": "hidden",

		"ws/out-rel": "../outside", "ws/out-abs": base + "/outside", "ws/out-up": "..", "ws/out-chain": "out-rel",
		"ws/out-sibling": "../ws-evil", "ws/out-root": "/", "ws/out-proc": "/proc/self/root", "ws/sub/out-deep": "../../outside",

		"ws/l-rel.go": "a.go", "ws/l-abs.go": p.ws + "/a.go", "ws/l-chain.go": "l-abs.go", "ws/l-hidden.go": "hidden/secret.go",
		"ws/lo-rel.go": "../outside/secret.go", "ws/lo-abs.go": base + "/outside/secret.go", "ws/lo-chain.go": "lo-rel.go",
		"ws/lo-passwd": "/etc/passwd", "ws/lo-back.go": "out-rel/../ws/a.go",
		"ws/dead.go": "nothing", "ws/dead-out": "../nothing", "ws/loop": "loop",
	} {
		if err := os.Symlink(dest, filepath.Join(base, name)); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, o confine.Options, dirs ...string) *confine.Workspace {
	t.Helper()
	w, err := confine.Open(dirs, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return w
}

func hidden(path string) bool { return path == "hidden" || strings.HasPrefix(path, "hidden/") }

// Paths below the root. Each stands for three spellings: relative, and absolute
// through either form of the root.
var below = []struct {
	path   string
	rel    string         // of the File, when it is taken
	reason confine.Reason // when it is refused
	text   string         // what is read, "" for a file that does not exist
}{
	// Plain names, and names that look like something else.
	{"a.go", "a.go", "", "ws/a.go"},
	{"sub/b.go", "sub/b.go", "", "ws/sub/b.go"},
	{"sub/deep/c.go", "sub/deep/c.go", "", "ws/sub/deep/c.go"},
	{"with space.go", "with space.go", "", "ws/with space.go"},
	{"100%20.go", "100%20.go", "", "ws/100%20.go"},
	{"100 .go", "100 .go", "", ""}, // nothing is decoded
	{"#hash.go", "#hash.go", "", "ws/#hash.go"},
	{"grün.go", "grün.go", "", "ws/grün.go"},
	{"gru\u0308n.go", "gru\u0308n.go", "", ""}, // nothing is normalised
	{"日本/語.go", "日本/語.go", "", "ws/日本/語.go"},
	{"😀.go", "😀.go", "", "ws/😀.go"},
	{"back\\slash.go", "back\\slash.go", "", "ws/back\\slash.go"},
	{"sub\\b.go", "sub\\b.go", "", ""},
	{"new\nline.go", "new\nline.go", "", "ws/new\nline.go"},
	{"..dots.go", "..dots.go", "", "ws/..dots.go"},
	{".../d.go", ".../d.go", "", "ws/.../d.go"},
	{"file:/x.go", "file:/x.go", "", "ws/file:/x.go"},
	{"file:///x.go", "file:/x.go", "", "ws/file:/x.go"},
	{"~/home.go", "~/home.go", "", "ws/~/home.go"},
	{"-flag.go", "-flag.go", "", "ws/-flag.go"},
	{"ws/inner.go", "ws/inner.go", "", "ws/ws/inner.go"},
	{"A.GO", "A.GO", "", ""},
	{"C:/a.go", "C:/a.go", "", ""},
	{"con", "con", "", ""},
	{"a.go:stream", "a.go:stream", "", ""},
	{"%2e%2e/outside/secret.go", "%2e%2e/outside/secret.go", "", ""},
	{"..%2foutside", "..%2foutside", "", ""},
	{"．．/outside/secret.go", "．．/outside/secret.go", "", ""}, // full-width dots
	{"..\\outside\\secret.go", "..\\outside\\secret.go", "", ""},
	{". ./a.go", ". ./a.go", "", ""},
	{".. /a.go", ".. /a.go", "", ""},

	// Need not exist.
	{"new.go", "new.go", "", ""},
	{"new/dir/x.go", "new/dir/x.go", "", ""},
	{"a.go/under-a-file", "a.go/under-a-file", "", ""},
	{strings.Repeat("d/", 200) + "x.go", strings.Repeat("d/", 200) + "x.go", "", ""},
	{strings.Repeat("n", 5000), strings.Repeat("n", 5000), "", ""},

	// Spellings of the same name.
	{"./a.go", "a.go", "", "ws/a.go"},
	{"././/a.go", "a.go", "", "ws/a.go"},
	{"sub//b.go", "sub/b.go", "", "ws/sub/b.go"},
	{"sub/./b.go", "sub/b.go", "", "ws/sub/b.go"},
	{"sub/../a.go", "a.go", "", "ws/a.go"},
	{"sub/deep/../b.go", "sub/b.go", "", "ws/sub/b.go"},
	{"sub/deep/../../a.go", "a.go", "", "ws/a.go"},
	{"a.go/", "a.go", "", "ws/a.go"},
	{"a.go/.", "a.go", "", "ws/a.go"},
	{strings.Repeat("sub/../", 100) + "a.go", "a.go", "", "ws/a.go"},

	// Out by "..".
	{"..", "", confine.DotDot, ""},
	{"../", "", confine.DotDot, ""},
	{"../..", "", confine.DotDot, ""},
	{"../outside/secret.go", "", confine.DotDot, ""},
	{"../ws/a.go", "", confine.DotDot, ""}, // though it comes back
	{"../ws-evil/a.go", "", confine.DotDot, ""},
	{"../link/a.go", "", confine.DotDot, ""},
	{"./../outside/secret.go", "", confine.DotDot, ""},
	{".//..//outside/secret.go", "", confine.DotDot, ""},
	{"sub/../../outside/secret.go", "", confine.DotDot, ""},
	{"sub/deep/../../../outside/secret.go", "", confine.DotDot, ""},
	{"new/../../outside/secret.go", "", confine.DotDot, ""},
	{"a.go/../../outside/secret.go", "", confine.DotDot, ""},
	{strings.Repeat("../", 50) + "etc/passwd", "", confine.DotDot, ""},
	{"in-rel/../../outside/secret.go", "", confine.DotDot, ""},
	{"in-self/../a.go", "", confine.DotDot, ""},

	// The workspace itself.
	{".", "", confine.IsRoot, ""},
	{"./", "", confine.IsRoot, ""},
	{"sub/..", "", confine.IsRoot, ""},

	// Bytes that are no path.
	{"a.go\x00", "", confine.HasNUL, ""},
	{"\x00", "", confine.HasNUL, ""},
	{"a.go\x00/../../outside/secret.go", "", confine.HasNUL, ""},
	{"a\xff.go", "", confine.NotUTF8, ""},
	{"\xc0\xae\xc0\xae/outside/secret.go", "", confine.NotUTF8, ""}, // overlong dots
	{"\xed\xa0\x80.go", "", confine.NotUTF8, ""},                    // half a surrogate pair

	// Links that stay inside: folders are resolved, a last element is kept.
	{"in-rel/b.go", "sub/b.go", "", "ws/sub/b.go"},
	{"in-abs/b.go", "sub/b.go", "", "ws/sub/b.go"},
	{"in-chain/b.go", "sub/b.go", "", "ws/sub/b.go"},
	{"in-back/b.go", "sub/b.go", "", "ws/sub/b.go"},
	{"in-link/b.go", "sub/b.go", "", "ws/sub/b.go"},
	{"in-self/a.go", "a.go", "", "ws/a.go"},
	{"in-self/in-self/in-rel/deep/c.go", "sub/deep/c.go", "", "ws/sub/deep/c.go"},
	{"sub/in-up/sub/in-up/a.go", "a.go", "", "ws/a.go"},
	{"in-rel/deep/../b.go", "sub/b.go", "", "ws/sub/b.go"},
	{"in-rel/../a.go", "a.go", "", "ws/a.go"}, // the parent of sub
	{"sub/in-up/../a.go", "", confine.DotDot, ""},
	{"in-rel/new.go", "sub/new.go", "", ""},
	{"l-rel.go", "l-rel.go", "", "ws/a.go"},
	{"l-abs.go", "l-abs.go", "", "ws/a.go"},
	{"l-chain.go", "l-chain.go", "", "ws/a.go"},
	{"in-self/l-abs.go", "l-abs.go", "", "ws/a.go"},

	// Links that lead out.
	{"out-rel/secret.go", "", confine.LeadsOut, ""},
	{"out-rel", "", confine.LeadsOut, ""},
	{"out-rel/new.go", "", confine.LeadsOut, ""},
	{"out-rel/sub/b.go", "", confine.LeadsOut, ""},
	{"out-rel/../ws/a.go", "", confine.LeadsOut, ""},
	{"out-rel/../a.go", "", confine.LeadsOut, ""},
	{"out-abs/secret.go", "", confine.LeadsOut, ""},
	{"out-chain/secret.go", "", confine.LeadsOut, ""},
	{"out-up/outside/secret.go", "", confine.LeadsOut, ""},
	{"out-up/ws/a.go", "", confine.LeadsOut, ""},
	{"out-sibling/a.go", "", confine.LeadsOut, ""},
	{"out-root/etc/passwd", "", confine.LeadsOut, ""},
	{"out-proc/etc/passwd", "", confine.LeadsOut, ""},
	{"sub/out-deep/secret.go", "", confine.LeadsOut, ""},
	{"in-rel/out-deep/secret.go", "", confine.LeadsOut, ""},
	{"lo-rel.go", "", confine.LeadsOut, ""},
	{"lo-abs.go", "", confine.LeadsOut, ""},
	{"lo-chain.go", "", confine.LeadsOut, ""},
	{"lo-passwd", "", confine.LeadsOut, ""},
	{"in-self/lo-rel.go", "", confine.LeadsOut, ""},
	{"dead.go", "", confine.DeadLink, ""},
	{"dead-out", "", confine.DeadLink, ""},
	{"dead-out/x.go", "", confine.DeadLink, ""},
	{"loop", "", confine.DeadLink, ""},
	{"loop/a.go", "", confine.DeadLink, ""},

	// Excluded, also by another way.
	{"hidden/secret.go", "", confine.Excluded, ""},
	{"hidden", "", confine.Excluded, ""},
	{"sub/../hidden/secret.go", "", confine.Excluded, ""},
	{"in-hidden/secret.go", "", confine.Excluded, ""},
	{"in-self/hidden/secret.go", "", confine.Excluded, ""},
	{"l-hidden.go", "", confine.Excluded, ""},
}

func TestVectors(t *testing.T) {
	p := newPlace(t)
	w := open(t, confine.Options{Excluded: hidden}, p.link)
	count := 0
	check := func(spelled, rel string, reason confine.Reason, text string, absolute bool) {
		t.Helper()
		count++
		label := spelled[:min(len(spelled), 80)]
		f, err := w.File(spelled)
		at, ok := w.Locate(spelled)
		located, okMemo := w.Locator().Locate(spelled)
		if at != located || ok != okMemo {
			t.Errorf("Locate(%q) = %v, %v, and through a locator %v, %v", label, at, ok, located, okMemo)
		}
		if want := absolute && reason == ""; ok != want || ok && at != f {
			t.Errorf("Locate(%q) = %v, %v, want %v, %v", label, at, ok, f, want)
		}
		if reason != "" {
			got, isError := errors.AsType[*confine.Error](err)
			if !isError || got.Reason != reason {
				t.Errorf("File(%q) = %q, %v, want the error %q", label, f.Rel, err, reason)
				return
			}
			checkSilent(t, p, spelled, err)
			return
		}
		if err != nil || f.Rel != rel || f.Root != 0 {
			t.Errorf("File(%q) = %q, %v, want %q", label, f.Rel, err, rel)
			return
		}
		if got, want := w.Abs(f), p.ws+"/"+rel; got != want {
			t.Errorf("Abs(%q) = %q, want %q", label, got, want)
		}
		if got := w.Shown(f); got != rel {
			t.Errorf("Shown(%q) = %q, want %q", label, got, rel)
		}
		got, stamp, err := w.Read(f, 1000)
		if string(got) != text || (err == nil) != (text != "") {
			t.Errorf("Read(%q) = %q, %v, want %q", label, got, err, text)
		}
		if err != nil {
			checkSilent(t, p, spelled, err)
			return
		}
		if info, err := w.Stat(f); err != nil || confine.StampOf(info) != stamp {
			t.Errorf("Stat(%q) = %v, %v, and Read's stamp is %v", label, info, err, stamp)
		}
	}
	for _, v := range below {
		check(v.path, v.rel, v.reason, v.text, false)
		check(p.ws+"/"+v.path, v.rel, v.reason, v.text, true)
		check(p.link+"/"+v.path, v.rel, v.reason, v.text, true)
	}
	for _, v := range []struct {
		path   string
		reason confine.Reason
	}{
		{"", confine.Empty},
		{p.ws, confine.IsRoot},
		{p.link, confine.IsRoot},
		{p.ws + "//", confine.IsRoot},
		{"/", confine.Outside},
		{"//", confine.Outside},
		{"/etc/passwd", confine.Outside},
		{"/a.go", confine.Outside},
		{p.base, confine.Outside},
		{p.base + "/outside/secret.go", confine.Outside},
		{p.ws + "-evil/a.go", confine.Outside},
		{p.ws + "-evil", confine.Outside},
		{p.ws + "x", confine.Outside},
		{p.link + "-evil/a.go", confine.Outside},
		{strings.TrimSuffix(p.ws, "s"), confine.Outside},
		{strings.ToUpper(p.ws) + "/a.go", confine.Outside},
		{p.ws + " /a.go", confine.Outside},
		{p.ws + "\\a.go", confine.Outside},
		{p.base + "/outside/../ws/a.go", confine.Outside},
		{p.base + "/ws-evil/../ws/a.go", confine.Outside},
		{"/.." + p.ws + "/a.go", confine.Outside},
		{"/proc/self/root" + p.ws + "/a.go", confine.Outside},
		{"/proc/self/cwd/a.go", confine.Outside},
		{"/proc/self/root/etc/passwd", confine.Outside},
		{"/proc/self/fd/0", confine.Outside},
		{"/dev/zero", confine.Outside},
		{"/dev/fd/0", confine.Outside},
		{p.ws + "/../outside/secret.go", confine.DotDot},
		{p.ws + "/../ws/a.go", confine.DotDot},
		{p.link + "/../ws/a.go", confine.DotDot},
		{p.ws + "/sub/../../ws-evil/a.go", confine.DotDot},
		{p.ws + "\x00/a.go", confine.HasNUL},
		{p.ws + "/\xff", confine.NotUTF8},
	} {
		check(v.path, "", v.reason, "", true)
	}
	check("/"+p.ws+"/a.go", "a.go", "", "ws/a.go", true)
	check("/."+p.ws+"/./a.go", "a.go", "", "ws/a.go", true)
	if count < 200 {
		t.Errorf("%d spellings, want at least 200", count)
	}
}

// checkSilent checks that an error is one line and tells of no place outside
// that the caller did not spell.
func checkSilent(t *testing.T, p place, spelled string, err error) {
	t.Helper()
	msg := err.Error()
	if strings.ContainsAny(msg, "\n\x00") || len(msg) > 2000 {
		t.Errorf("error for %q is no short line: %q", spelled, msg)
	}
	for _, secret := range []string{p.base, "outside/", "etc/passwd", "/proc/", "nothing"} {
		if strings.Contains(msg, secret) && !strings.Contains(spelled, secret) {
			t.Errorf("error for %q names %q: %q", spelled, secret, msg)
		}
	}
	if wrapped := errors.Unwrap(err); wrapped != nil && strings.Contains(wrapped.Error(), "/") {
		t.Errorf("error for %q wraps a path: %q", spelled, wrapped)
	}
}

func TestLocateWantsAbsolute(t *testing.T) {
	p := newPlace(t)
	w := open(t, confine.Options{}, p.ws)
	if f, ok := w.Locate("a.go"); ok {
		t.Errorf("Locate took a relative path for %v", f)
	}
}

func TestHidden(t *testing.T) {
	dir := t.TempDir()
	w, err := confine.Open([]string{dir}, confine.Options{Excluded: func(path string) bool { return path == "secret.go" }})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for path, want := range map[string]bool{
		filepath.Join(dir, "secret.go"): true, filepath.Join(dir, "open.go"): false, "/etc/passwd": false, "secret.go": false, "": false,
	} {
		if got := w.Hidden(path); got != want {
			t.Errorf("Hidden(%q) = %v, want %v", path, got, want)
		}
	}
}
