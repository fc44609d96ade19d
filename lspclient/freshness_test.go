package lspclient_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/servers"
)

// openReal returns a pool over dir whose only server is the built-in entry of
// name, run from program.
func openReal(t *testing.T, dir, name, program string) *bench {
	t.Helper()
	return openRealWith(t, dir, name, program, confine.Options{}, t.TempDir())
}

func openRealWith(t *testing.T, dir, name, program string, o confine.Options, cache string) *bench {
	t.Helper()
	for _, entry := range servers.Builtin().Servers {
		if entry.Name == name {
			for i := range entry.Instead {
				entry.Instead[i].Commands = []string{filepath.Base(program)}
			}
			entry.Commands = []string{filepath.Base(program)}
			return openWith(t, dir, filepath.Dir(program), entry, o, cache, nil)
		}
	}
	t.Fatalf("no built-in server is named %s", name)
	return nil
}

// expect asks for references and wants exactly these places, and all of them.
func (b *bench) expect(t *testing.T, when, file, word string, want ...string) {
	t.Helper()
	got, err := b.references(t, file, word)
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	var starts []string
	for _, p := range b.places(got) {
		start, _, _ := strings.Cut(p, "-")
		starts = append(starts, start)
	}
	if diff := cmp.Diff(want, starts); diff != "" {
		t.Errorf("%s (-want +got):\n%s", when, diff)
	}
	if got.Completeness.State != lspclient.Complete {
		t.Errorf("%s: %+v", when, got.Completeness)
	}
}

// TestGoplsLoadsWhatIsNew: gopls by itself does not load a package in a new
// folder, nor every test variant of an old one, and answers the first references
// after a package's files went from what is left.
func TestGoplsLoadsWhatIsNew(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "b.go": "package m\n\nvar B = Shared()\n",
	})
	b := openReal(t, dir, "gopls", gopls)
	b.expect(t, "at first", "a.go", "Shared", "a.go:3:6", "b.go:3:9")

	b.write(t, "sub/s.go", "package sub\n\nimport \"m\"\n\nvar S = m.Shared()\n")
	b.expect(t, "a new package", "a.go", "Shared", "a.go:3:6", "b.go:3:9", "sub/s.go:5:11")

	b.write(t, "sub/s_test.go", "package sub\n\nimport \"m\"\n\nvar T = m.Shared()\n")
	b.expect(t, "a test of it", "a.go", "Shared", "a.go:3:6", "b.go:3:9", "sub/s.go:5:11", "sub/s_test.go:5:11")

	b.write(t, "a_test.go", "package m_test\n\nimport \"m\"\n\nvar T = m.Shared()\n")
	b.expect(t, "an external test", "a.go", "Shared", "a.go:3:6", "a_test.go:5:11", "b.go:3:9", "sub/s.go:5:11", "sub/s_test.go:5:11")

	b.write(t, "i_test.go", "package m\n\nvar I = Shared()\n")
	b.expect(t, "an internal test beside it", "a.go", "Shared", "a.go:3:6", "a_test.go:5:11", "b.go:3:9", "i_test.go:3:9", "sub/s.go:5:11", "sub/s_test.go:5:11")

	b.write(t, "t/only_test.go", "package t_test\n\nimport \"m\"\n\nvar O = m.Shared()\n")
	b.expect(t, "a package of tests alone", "a.go", "Shared", "a.go:3:6", "a_test.go:5:11", "b.go:3:9", "i_test.go:3:9", "sub/s.go:5:11", "sub/s_test.go:5:11", "t/only_test.go:5:11")

	if err := os.RemoveAll(filepath.Join(dir, "sub")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "i_test.go")); err != nil {
		t.Fatal(err)
	}
	b.expect(t, "a package gone", "a.go", "Shared", "a.go:3:6", "a_test.go:5:11", "b.go:3:9", "t/only_test.go:5:11")

	want := []string{"a.go:3:6", "a_test.go:5:11", "b.go:3:9"}
	for i := range 25 { // more than are asked about one by one
		b.write(t, fmt.Sprintf("n%02d/n.go", i), "package n\n\nimport \"m\"\n\nvar N = m.Shared()\n")
		want = append(want, fmt.Sprintf("n%02d/n.go:5:11", i))
	}
	b.expect(t, "many new packages", "a.go", "Shared", append(want, "t/only_test.go:5:11")...)

	// The open file itself changes what it imports.
	b.write(t, "a.go", "package m\n\nimport \"os\"\n\nfunc Shared() int { return len(os.Args) }\n")
	want[0] = "a.go:5:6"
	b.expect(t, "new imports of the open file", "a.go", "Shared", append(want, "t/only_test.go:5:11")...)
}

// TestClangdHearsOfTheDisk: clangd by itself never looks at the disk again.
func TestClangdHearsOfTheDisk(t *testing.T) {
	for _, name := range []string{"clangd-22", "clangd-19"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clangd := lsptest.Require(t, name)
			dir := t.TempDir()
			files := map[string]string{"def.cpp": "#include \"a.h\"\nint shared(int x) { return x; }\n"}
			for i := range 4 {
				files[fmt.Sprintf("f%d.cpp", i)] = fmt.Sprintf("#include \"mid.h\"\nint f%d() { return shared(1); }\n", i)
			}
			lsptest.WriteFiles(t, dir, map[string]string{"compile_commands.json": lsptest.CompileCommands(t, dir, files)})
			files["a.h"], files["mid.h"] = "#pragma once\nint shared(int x);\n", "#pragma once\n#include \"a.h\"\n"
			lsptest.WriteFiles(t, dir, files)
			b := openReal(t, dir, "clangd", clangd)
			uses := []string{"f0.cpp:2:19", "f1.cpp:2:19", "f2.cpp:2:19", "f3.cpp:2:19"}
			b.expect(t, "at first", "def.cpp", "shared", append([]string{"a.h:2:5", "def.cpp:2:5"}, uses...)...)

			b.write(t, "f3.cpp", "#include \"mid.h\"\n\n\nint f3() { return shared(1); }\n")
			uses[3] = "f3.cpp:4:19"
			b.expect(t, "a closed file", "def.cpp", "shared", append([]string{"a.h:2:5", "def.cpp:2:5"}, uses...)...)

			b.write(t, "def.cpp", "\n#include \"a.h\"\nint shared(int x) { return x; }\nint more() { return shared(2); }\n")
			b.expect(t, "the open file", "def.cpp", "shared", append([]string{"a.h:2:5", "def.cpp:3:5", "def.cpp:4:21"}, uses...)...)

			for i := range 5 {
				lines := strings.Repeat("\n", i%2)
				b.write(t, "def.cpp", lines+"\n#include \"a.h\"\nint shared(int x) { return x; }\nint more() { return shared(2); }\n")
				b.expect(t, "an open file that is not asked about", "f0.cpp", "shared",
					append([]string{"a.h:2:5", fmt.Sprintf("def.cpp:%d:5", 3+i%2), fmt.Sprintf("def.cpp:%d:21", 4+i%2)}, uses...)...)
			}

			b.write(t, "new.cpp", "#include \"a.h\"\nint n() { return shared(3); }\n")
			b.expect(t, "a new file", "def.cpp", "shared", append([]string{"a.h:2:5", "def.cpp:3:5", "def.cpp:4:21"}, append(uses[:4:4], "new.cpp:2:18")...)...)

			if err := os.Remove(filepath.Join(dir, "new.cpp")); err != nil {
				t.Fatal(err)
			}
			b.expect(t, "a file gone", "def.cpp", "shared", append([]string{"a.h:2:5", "def.cpp:3:5", "def.cpp:4:21"}, uses...)...)

			b.write(t, "a.h", "#pragma once\n\n\nint shared(int x);\ninline int h() { return shared(4); }\n")
			b.expect(t, "a header that others include", "def.cpp", "shared", append([]string{"a.h:4:5", "a.h:5:25", "def.cpp:3:5", "def.cpp:4:21"}, uses...)...)

			// Its users call another function now, without a change of theirs.
			b.write(t, "mid.h", "#pragma once\n#include \"a.h\"\n#define shared other\nint other(int x);\n")
			b.expect(t, "a macro in a header between", "def.cpp", "shared", "a.h:4:5", "a.h:5:25", "def.cpp:3:5", "def.cpp:4:21")

			b.write(t, "mid.h", "#pragma once\n#include \"a.h\"\n")
			lsptest.WriteFiles(t, dir, map[string]string{"extra.cpp": "#include \"a.h\"\nint e() { return shared(5); }\n"})
			with := map[string]string{"def.cpp": "", "extra.cpp": "", "f0.cpp": "", "f1.cpp": "", "f2.cpp": "", "f3.cpp": ""}
			lsptest.WriteFiles(t, dir, map[string]string{"compile_commands.json": lsptest.CompileCommands(t, dir, with)})
			b.expect(t, "another compile database", "def.cpp", "shared", append([]string{"a.h:4:5", "a.h:5:25", "def.cpp:3:5", "def.cpp:4:21", "extra.cpp:2:18"}, uses...)...)
		})
	}
}

// TestClangdReadsOpenFilesThatChanged: clangd takes the new text of an open file
// into its index some time after it answers about that file.
func TestClangdReadsOpenFilesThatChanged(t *testing.T) {
	for _, name := range []string{"clangd-22", "clangd-19"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clangd := lsptest.Require(t, name)
			dir := t.TempDir()
			use := func(line int) string {
				return "#include \"a.h\"\n#include <string>\n" + strings.Repeat("\n", line-3) + "int f() { return shared(); }\n"
			}
			files := map[string]string{"def.cpp": "#include \"a.h\"\nint shared() { return 1; }\n", "use.cpp": use(3)}
			lsptest.WriteFiles(t, dir, map[string]string{"compile_commands.json": lsptest.CompileCommands(t, dir, files), "a.h": "#pragma once\nint shared();\n"})
			lsptest.WriteFiles(t, dir, files)
			b := openReal(t, dir, "clangd", clangd)
			b.expect(t, "at first", "use.cpp", "shared", "a.h:2:5", "def.cpp:2:5", "use.cpp:3:18")
			for line := 4; line < 14; line++ {
				b.write(t, "use.cpp", use(line))
				b.expect(t, fmt.Sprintf("use.cpp changed, it is open, line %d", line), "def.cpp", "shared", "a.h:2:5", "def.cpp:2:5", fmt.Sprintf("use.cpp:%d:18", line))
			}
		})
	}
}

// TestGoplsSeesWhatItsCacheHides: gopls reads a file again only when its inode
// or its modification time is another; an unpacked archive and a copy that
// preserves times bring neither.
func TestGoplsSeesWhatItsCacheHides(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "b.go": "package m\n\nvar B = Shared()\n\n",
	})
	old := time.Now().Add(-time.Hour)
	preserve := func() {
		if err := os.Chtimes(filepath.Join(dir, "b.go"), old, old); err != nil {
			t.Fatal(err)
		}
	}
	preserve()
	b := openReal(t, dir, "gopls", gopls)
	b.expect(t, "at first", "a.go", "Shared", "a.go:3:6", "b.go:3:9")
	b.write(t, "b.go", "package m\n\n\nvar B = Shared()\n")
	preserve()
	b.expect(t, "the same size and time", "a.go", "Shared", "a.go:3:6", "b.go:4:9")
}

// TestGoplsSeesAFolderInPlaceOfAFile: told that a file went and that one in a
// folder of its name came, gopls does not load the new package.
func TestGoplsSeesAFolderInPlaceOfAFile(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	const use = "package p\n\nimport \"m\"\n\nvar V = m.Shared()\n"
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod": "module m\n\ngo 1.26\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "p/x.go": use,
	})
	b := openReal(t, dir, "gopls", gopls)
	b.expect(t, "a file", "p/x.go", "Shared", "a.go:3:6", "p/x.go:5:11")
	if err := os.Remove(filepath.Join(dir, "p/x.go")); err != nil {
		t.Fatal(err)
	}
	b.write(t, "p/x.go/y.go", use)
	b.expect(t, "a folder of its name", "a.go", "Shared", "a.go:3:6", "p/x.go/y.go:5:11")
	if err := os.RemoveAll(filepath.Join(dir, "p/x.go")); err != nil {
		t.Fatal(err)
	}
	b.write(t, "p/x.go", use)
	b.expect(t, "a file again", "a.go", "Shared", "a.go:3:6", "p/x.go:5:11")
}

// TestGoplsIsNotFooledByInodes: gopls takes a file for one it has read before when
// inode and modification time are the same, whatever the name. File systems give
// the inode of a replaced file to the next new one.
func TestGoplsIsNotFooledByInodes(t *testing.T) {
	t.Parallel()
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	long := time.Now().Add(-time.Hour)
	// replace puts a text in the place of a file as editors do, with the times of
	// an archive whose files all have the same.
	replace := func(name, text string) {
		t.Helper()
		fresh, file := filepath.Join(dir, ".new"), filepath.Join(dir, name)
		if err := os.WriteFile(fresh, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(fresh, long, long); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(fresh, file); err != nil {
			t.Fatal(err)
		}
	}
	lsptest.WriteFiles(t, dir, map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m.go": "package m\n\nfunc Shared() int { return 1 }\n"})
	replace("a.go", "package m\n\nvar A = Shared()\n")
	replace("b.go", "package m\n\nvar B = 1\n")
	b := openReal(t, dir, "gopls", gopls)
	b.expect(t, "at first", "m.go", "Shared", "a.go:3:9", "m.go:3:6")

	for i := range 4 {
		lines := strings.Repeat("\n", i)
		replace("a.go", lines+"package m\n\nvar A = 1\n")
		replace("b.go", lines+"package m\n\nvar B = Shared()\n")
		b.expect(t, "both replaced", "m.go", "Shared", fmt.Sprintf("b.go:%d:9", 3+i), "m.go:3:6")
		replace("b.go", lines+"package m\n\nvar B = 1\n")
		replace("a.go", lines+"package m\n\nvar A = Shared()\n")
		b.expect(t, "and again", "m.go", "Shared", fmt.Sprintf("a.go:%d:9", 3+i), "m.go:3:6")
	}
}

// TestGoplsHealsWithItsModule: while the module does not load there is an error,
// never an answer; when it loads again the answer is whole.
func TestGoplsHealsWithItsModule(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	dir := t.TempDir()
	const good = "module m\n\ngo 1.26\n"
	lsptest.WriteFiles(t, dir, map[string]string{
		"go.mod": good + "\nrequire (((\n", "a.go": "package m\n\nfunc Shared() int { return 1 }\n", "p/p.go": "package p\n\nimport \"m\"\n\nvar P = m.Shared()\n",
	})
	b := openReal(t, dir, "gopls", gopls)
	if got, err := b.references(t, "a.go", "Shared"); err == nil {
		t.Errorf("broken go.mod: %v, %+v, want an error", b.places(got), got.Completeness)
	} else if e := (*lspclient.Error)(nil); !errors.As(err, &e) || !strings.Contains(e.Hint, "go list") {
		t.Errorf("broken go.mod: error %v without a hint what to do", err)
	}
	b.write(t, "go.mod", good)
	b.expect(t, "mended", "a.go", "Shared", "a.go:3:6", "p/p.go:5:11")
	b.write(t, "go.mod", "module m\n\ngo 1.99\n")
	if got, err := b.references(t, "a.go", "Shared"); err == nil && got.Completeness.State == lspclient.Complete && len(got.Items) != 2 {
		t.Errorf("go 1.99: %v, %+v, want an error or all", b.places(got), got.Completeness)
	}
	b.write(t, "go.mod", good)
	b.expect(t, "mended again", "a.go", "Shared", "a.go:3:6", "p/p.go:5:11")
}
