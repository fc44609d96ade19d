package lspclient_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

// TestBranchIsSwitched: git replaces, adds and removes files, and folders with
// them; the question comes as soon as it is through.
func TestBranchIsSwitched(t *testing.T) {
	t.Parallel()
	gopls, git := lsptest.Require(t, "gopls"), lsptest.Require(t, "git")
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	use := func(pkg string, blank int) string {
		return "package " + pkg + "\n\nimport \"m\"\n" + strings.Repeat("\n", blank) + "var X = m.Shared()\n"
	}
	branch := func(name string, files map[string]string) (want []string) {
		run("checkout", "-q", "--orphan", name)
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if e.Name() != ".git" {
				os.RemoveAll(filepath.Join(dir, e.Name()))
			}
		}
		lsptest.WriteFiles(t, dir, files)
		run("add", "-A")
		run("commit", "-q", "-m", name)
		for file, text := range files {
			before, _, found := strings.Cut(text, "Shared")
			if found {
				want = append(want, fmt.Sprintf("%s:%d:%d", file, 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')))
			}
		}
		slices.Sort(want)
		return want
	}
	run("init", "-q")
	one, two := map[string]string{"go.mod": "module m\n\ngo 1.26\n"}, map[string]string{"go.mod": "module m\n\ngo 1.25\n"}
	one["a.go"], two["a.go"] = "package m\n\nfunc Shared() int { return 1 }\n", "package m\n\n// Moved.\n\nfunc Shared() int { return 2 }\n"
	for i := range 30 {
		both, left, right := fmt.Sprintf("b%d/b.go", i), fmt.Sprintf("l%d/l.go", i), fmt.Sprintf("r%d/r.go", i)
		one[both], two[both] = use("b", i%3), use("b", i%4)
		one[left], two[right] = use("l", 1), use("r", 2)
	}
	want := map[string][]string{"one": branch("one", one), "two": branch("two", two)}
	b := openReal(t, dir, "gopls", gopls)
	b.expect(t, "at first", "a.go", "Shared", want["two"]...)
	for i := range rounds(4, 20) {
		name := []string{"one", "two"}[i%2]
		run("checkout", "-q", name)
		b.expect(t, fmt.Sprintf("switch %d, to %s", i, name), "a.go", "Shared", want[name]...)
	}
}

// TestAFileGrowsWhileItIsRead: an answer of that time is right for some moment,
// or says that it may not be; the next one after it is whole.
func TestAFileGrowsWhileItIsRead(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "b.go": "package m\n\nvar B = Shared()\n"})
	b := openReal(t, dir, "gopls", gopls)
	b.expect(t, "at first", "a.go", "Shared", "a.go:3:6", "b.go:3:9")
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() {
		f, err := os.OpenFile(filepath.Join(dir, "b.go"), os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			stopped <- err
			return
		}
		defer f.Close()
		for n := 0; ; n++ {
			select {
			case <-stop:
				_, err := f.WriteString("\nvar C = Shared()\n")
				stopped <- err
				return
			default:
				if n > 100_000 { // 2 MB, under what is read of a file
					continue
				}
				if _, err := f.WriteString("// more and more\n"); err != nil {
					stopped <- err
					return
				}
			}
		}
	}()
	for range rounds(20, 200) {
		got, err := b.references(t, "a.go", "Shared")
		if err != nil {
			t.Errorf("while it grows: %v", err)
			break
		}
		if p := b.places(got); len(p) != 2 && got.Completeness.State == lspclient.Complete {
			t.Errorf("while it grows: %q, %+v", p, got.Completeness)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "b.go"))
	if err != nil {
		t.Fatal(err)
	}
	b.expect(t, "afterwards", "a.go", "Shared", "a.go:3:6", "b.go:3:9", fmt.Sprintf("b.go:%d:9", strings.Count(string(text), "\n")))
}
