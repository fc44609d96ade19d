package edits_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lspbridge/edits"
)

// gitApply runs git apply of patch on a file named name with the bytes before,
// and compares what is there then.
func gitApply(t *testing.T, name string, before, after []byte, patch string) {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: ", err)
	}
	dir := t.TempDir()
	file := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, before, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), git, "apply", "--whitespace=nowarn", "-")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_DIR="+filepath.Join(dir, "none"), "LC_ALL=C")
	cmd.Stdin = strings.NewReader(patch)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\npatch:\n%s\nbefore: %q\nafter: %q", err, out, patch, before, after)
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("after git apply: %v\npatch:\n%s", err, patch)
	}
	if !bytes.Equal(got, after) {
		t.Fatalf("git apply gave %q, want %q\npatch:\n%s", got, after, patch)
	}
}

// randomText joins lines of a small alphabet, so that many repeat.
func randomText(r *rand.Rand) []string {
	parts := []string{"a\n", "b\n", "\n", "c\r\n", "\r\n", "-d\n", "+e\n", " f\n", "\\ No newline at end of file\n", "@@ -1 +1 @@\n", "é\xff\r\n", "--- a/x\n"}
	ls := make([]string, r.IntN(25))
	for i := range ls {
		ls[i] = parts[r.IntN(len(parts))]
	}
	return ls
}

// change edits some lines, and at times takes the last line's end.
func change(r *rand.Rand, ls []string) []string {
	var out []string
	for _, l := range ls {
		switch r.IntN(8) {
		case 0:
		case 1:
			out = append(out, l, "new\n")
		case 2:
			out = append(out, "x"+l)
		default:
			out = append(out, l)
		}
	}
	return out
}

func bytesOf(r *rand.Rand, ls []string) []byte {
	text := strings.Join(ls, "")
	if r.IntN(4) == 0 {
		text = strings.TrimSuffix(text, "\n")
	}
	return []byte(text)
}

func TestGitAppliesTheDiff(t *testing.T) {
	t.Parallel()
	names := []string{"a.go", "d/e/f.go", "my file.go", " a", "b "}
	if runtime.GOOS != "windows" {
		names = append(names, "q\"uote", "back\\slash", "tab\there", "new\nline", "é", "日本/😀.go", "\x1b[31m", "\x7f", "bad\xff", "a\t b")
	}
	if runtime.GOOS == "darwin" {
		names = names[:len(names)-2] // its file systems keep UTF-8 only
	}
	r := rand.New(rand.NewPCG(20, 26))
	for i := range 300 {
		before := randomText(r)
		after := change(r, before)
		switch i % 15 {
		case 0:
			before = nil
		case 1:
			after = nil
		case 2:
			after = randomText(r)
		}
		a, b := bytesOf(r, before), bytesOf(r, after)
		name, context := names[i%len(names)], 1+r.IntN(4)
		d, err := edits.Unified(name, a, b, context)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Equal(a, b) != (d.Text == "") {
			t.Fatalf("diff of %q and %q: %q", a, b, d.Text)
		}
		if d.Text != "" {
			gitApply(t, name, a, b, d.Text)
		}
	}
}
