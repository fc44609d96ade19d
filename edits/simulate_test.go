package edits_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspbridge/edits"
	"lspbridge/lspclient/textpos"
)

// A memory is a tree of files in memory. A name that ends in a slash is a folder;
// one that a file lies in needs none.
type memory map[string]string

func (m memory) Node(p string) edits.Node {
	if _, ok := m[p]; ok {
		return edits.RegularFile
	}
	for name := range m {
		if strings.HasPrefix(name, p+"/") {
			return edits.Folder
		}
	}
	return edits.Missing
}

func (m memory) Read(p string) ([]byte, error) {
	text, ok := m[p]
	if !ok {
		return nil, os.ErrNotExist
	}
	return []byte(text), nil
}

func (m memory) Below(folder string, most int) ([]string, bool, error) {
	var out []string
	for _, name := range m.files() {
		if strings.HasPrefix(name, folder+"/") {
			out = append(out, name)
		}
	}
	return out[:min(len(out), most)], len(out) > most, nil
}

// files are the names of the files.
func (m memory) files() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(m)), func(name string) bool { return strings.HasSuffix(name, "/") })
}

// naive does a step on a copy of the tree, one file after the other, or says that
// it cannot be done.
func (m memory) naive(s edits.Step) (memory, bool) {
	out := maps.Clone(m)
	for name := range m {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			out[dir+"/"] = ""
		}
	}
	switch op := s.Op; op.Kind {
	case "":
		text, ok := m[s.Path]
		if !ok || text != string(s.Before) {
			return nil, false
		}
		after, ok := naiveApply(text, s.Edits)
		if !ok {
			return nil, false
		}
		out[s.Path] = after
	case textpos.CreateFile:
		if !m.room(op.Path) {
			return nil, false
		}
		switch n := m.Node(op.Path); {
		case n != edits.Missing && op.IgnoreIfExists && !op.Overwrite:
			return out, true
		case n == edits.Folder || n == edits.RegularFile && !op.Overwrite:
			return nil, false
		}
		out[op.Path] = ""
	case textpos.RenameFile:
		from, to := m.Node(op.Path), m.Node(op.NewPath)
		switch {
		case op.Path == op.NewPath:
			return out, true
		case from == edits.Missing || from == edits.Folder && strings.HasPrefix(op.NewPath, op.Path+"/") || !m.room(op.NewPath):
			return nil, false
		case to != edits.Missing && op.IgnoreIfExists && !op.Overwrite:
			return out, true
		case to != edits.Missing && (!op.Overwrite || from != edits.RegularFile || to != edits.RegularFile):
			return nil, false
		}
		for name, text := range maps.Clone(out) {
			if name == op.Path || strings.HasPrefix(name, op.Path+"/") {
				delete(out, name)
				out[op.NewPath+name[len(op.Path):]] = text
			}
		}
	case textpos.DeleteFile:
		switch n := m.Node(op.Path); {
		case n == edits.Missing:
			return out, op.IgnoreIfNotExists
		case n == edits.Folder && !op.Recursive:
			if below, _, _ := m.Below(op.Path, 1); len(below) > 0 {
				return nil, false
			}
		}
		for name := range maps.Clone(out) {
			if name == op.Path || strings.HasPrefix(name, op.Path+"/") {
				delete(out, name)
			}
		}
	}
	return out, true
}

func (m memory) room(p string) bool {
	for dir := path.Dir(p); dir != "."; dir = path.Dir(dir) {
		if m.Node(dir) == edits.RegularFile {
			return false
		}
	}
	return true
}

// done makes of a tree what a change says: what its files are in the end, and
// where its operations take the folders of the others.
func done(m memory, c edits.Change) memory {
	out := maps.Clone(m)
	final := memory{}
	for _, f := range c.Files {
		switch {
		case f.Deleted:
			delete(out, f.Path)
			continue
		case f.From != "":
			text := out[f.From]
			delete(out, f.From)
			if f.After == nil {
				final[f.Path] = text
				continue
			}
		default:
			delete(out, f.Path)
		}
		final[f.Path] = string(f.After)
	}
	for _, op := range c.Operations {
		if !op.Folder {
			continue
		}
		for name, text := range maps.Clone(out) {
			if strings.HasPrefix(name, op.Path+"/") {
				delete(out, name)
				if op.Kind == textpos.RenameFile {
					out[op.NewPath+name[len(op.Path):]] = text
				}
			}
		}
	}
	maps.Copy(out, final)
	return out
}

var memoryPaths = []string{"a", "b", "d/x", "d/y", "d/e/z", "f/x", "d", "f", "d/e", "f/g"}

// randomSteps returns steps most of which can be done, and the tree after them;
// ok is false when the last one cannot.
func randomSteps(r *rand.Rand, m memory, n int) (steps []edits.Step, after memory, ok bool) {
	pick := func() string { return memoryPaths[r.IntN(len(memoryPaths))] }
	after = m
	for range n {
		var s edits.Step
		switch r.IntN(5) {
		case 0:
			s.Op = textpos.FileOp{Kind: textpos.CreateFile, Path: pick(), Overwrite: r.IntN(3) == 0, IgnoreIfExists: r.IntN(3) == 0}
		case 1, 2:
			s.Op = textpos.FileOp{Kind: textpos.RenameFile, Path: pick(), NewPath: pick(), Overwrite: r.IntN(2) == 0, IgnoreIfExists: r.IntN(3) == 0}
		case 3:
			s.Op = textpos.FileOp{Kind: textpos.DeleteFile, Path: pick(), Recursive: r.IntN(2) == 0, IgnoreIfNotExists: r.IntN(2) == 0}
		}
		if s.Op.Kind == "" {
			names := after.files()
			if len(names) == 0 {
				continue
			}
			s.Path = names[r.IntN(len(names))]
			s.Before = []byte(after[s.Path])
			at := r.IntN(len(s.Before) + 1)
			s.Edits = []textpos.Edit{{Start: at, End: min(at+r.IntN(3), len(s.Before)), New: []string{"", "n", "new\n"}[r.IntN(3)]}}
		}
		next, ok := after.naive(s)
		steps = append(steps, s)
		if !ok {
			return steps, after, false
		}
		after = next
	}
	return steps, after, true
}

// only keeps the files.
func (m memory) only() memory {
	maps.DeleteFunc(m, func(name, _ string) bool { return strings.HasSuffix(name, "/") })
	return m
}

// FuzzSimulate holds a simulation against doing the steps on the tree itself.
func FuzzSimulate(f *testing.F) {
	for i := range uint64(200) {
		f.Add(i, i*7, byte(i%9))
	}
	f.Fuzz(func(t *testing.T, seed, more uint64, n byte) {
		m := memory{"a": "1\n2\n3\n", "b": "b", "d/x": "x\n", "d/y": "", "d/e/z": "z\nz\n", "f/x": "q\r\nr\n"}
		steps, want, ok := randomSteps(rand.New(rand.NewPCG(seed, more)), m, int(n%12))
		before := maps.Clone(m)
		c, err := edits.Simulate(m, steps, 3)
		if (err == nil) != ok {
			t.Fatalf("steps %+v: error %v, want one: %v", steps, err, !ok)
		}
		if !maps.Equal(m, before) {
			t.Fatalf("the tree is now %v", m)
		}
		if err != nil {
			return
		}
		want = want.only()
		if got := done(m, c); !maps.Equal(got, want) {
			t.Fatalf("steps %+v\ngive %v\nwant %v\nchange %+v", steps, got, want, c)
		}
		if c.NothingToDo && !maps.Equal(want, m) {
			t.Fatalf("steps %+v: nothing to do, and %v becomes %v", steps, m, want)
		}
		again, err := edits.Simulate(m, steps, 3)
		if err != nil || again.Digest != c.Digest || fmt.Sprint(again) != fmt.Sprint(c) {
			t.Fatalf("steps %+v: two answers, %v", steps, err)
		}
	})
}

// TestGitAppliesAChange: the diffs of a change without folder operations, applied
// in order by git, give the files after.
func TestGitAppliesAChange(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed: ", err)
	}
	r := rand.New(rand.NewPCG(3, 17))
	applied := 0
	for range 4000 {
		m := memory{"a": "1\n2\n3\n", "b": "b", "d/x": "x\n y\n", "d/e/z": "z\nz\n", "f/x": "q\r\nr\n", "sp ace/é\t": "n\n"}
		steps, want, ok := randomSteps(r, m, 1+r.IntN(6))
		if !ok {
			continue
		}
		c, err := edits.Simulate(m, steps, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Files) == 0 || slices.ContainsFunc(c.Operations, func(o edits.Operation) bool { return o.Folder }) ||
			slices.ContainsFunc(c.Files, func(f edits.FileChange) bool { return f.NoText }) {
			continue
		}
		if applied++; applied > 150 {
			break
		}
		var patch strings.Builder
		for _, f := range c.Files {
			patch.WriteString(f.Diff.Text)
		}
		dir := t.TempDir()
		for name, text := range m {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.CommandContext(t.Context(), git, "apply", "--whitespace=nowarn", "-")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_NOSYSTEM=1",
			"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_DIR="+filepath.Join(dir, "none"), "LC_ALL=C")
		cmd.Stdin = strings.NewReader(patch.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git apply: %v\n%s\nsteps %+v\n%s", err, out, steps, patch.String())
		}
		got := memory{}
		err = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := os.ReadFile(p)
			rel, _ := filepath.Rel(dir, p)
			got[filepath.ToSlash(rel)] = string(text)
			return err
		})
		if err != nil || !maps.Equal(got, want.only()) {
			t.Fatalf("git apply gives %v\nwant %v, error %v\nsteps %+v\n%s", got, want, err, steps, patch.String())
		}
	}
	if applied < 100 {
		t.Errorf("%d changes applied, want more", applied)
	}
}

func TestSimulateRefuses(t *testing.T) {
	t.Parallel()
	m := memory{"a": "text", "d/x": "x", "d/y": "y", "bad": "\xff"}
	op := func(kind textpos.FileOpKind, from, to string) edits.Step {
		return edits.Step{Op: textpos.FileOp{Kind: kind, Path: from, NewPath: to}}
	}
	edit := func(p, before string, es ...textpos.Edit) edits.Step {
		return edits.Step{Path: p, Before: []byte(before), Edits: es}
	}
	for name, test := range map[string]struct {
		steps []edits.Step
		says  string
	}{
		"another text":   {[]edits.Step{edit("a", "text", textpos.Edit{New: "x"}), edit("a", "text")}, "another text"},
		"overlap":        {[]edits.Step{edit("a", "text", textpos.Edit{Start: 0, End: 3}, textpos.Edit{Start: 2, End: 4})}, "overlaps"},
		"out of it":      {[]edits.Step{edit("a", "text", textpos.Edit{Start: 0, End: 5})}, "outside"},
		"not UTF-8":      {[]edits.Step{edit("bad", "\xff", textpos.Edit{New: "x"})}, "not UTF-8"},
		"gone":           {[]edits.Step{op(textpos.DeleteFile, "a", ""), edit("a", "text")}, "does not exist"},
		"moved away":     {[]edits.Step{op(textpos.RenameFile, "d", "e"), edit("d/x", "x")}, "does not exist"},
		"exists":         {[]edits.Step{op(textpos.CreateFile, "a", "")}, "exists"},
		"target exists":  {[]edits.Step{op(textpos.RenameFile, "a", "d/x")}, "exists"},
		"into itself":    {[]edits.Step{op(textpos.RenameFile, "d", "d/e")}, "into itself"},
		"a full folder":  {[]edits.Step{op(textpos.DeleteFile, "d", "")}, "not empty"},
		"below a file":   {[]edits.Step{op(textpos.CreateFile, "a/b", "")}, "no folder"},
		"upwards":        {[]edits.Step{op(textpos.CreateFile, "../b", "")}, "no path"},
		"absolute":       {[]edits.Step{op(textpos.RenameFile, "a", "/etc/x")}, "no path"},
		"another kind":   {[]edits.Step{op("copy", "a", "")}, "unknown kind"},
		"a folder's end": {[]edits.Step{edit("d", "")}, "no regular file"},
	} {
		if _, err := edits.Simulate(m, test.steps, 3); err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want %q in it", name, err, test.says)
		}
	}
}

// A folder whose files were all moved away goes with nothing in it.
func TestSimulatePackageRename(t *testing.T) {
	t.Parallel()
	m := memory{"p/a.go": "package p\n", "p/b.txt": "b\n"}
	steps := []edits.Step{
		{Path: "p/a.go", Before: []byte("package p\n"), Edits: []textpos.Edit{{Start: 8, End: 9, New: "q"}}},
		{Op: textpos.FileOp{Kind: textpos.RenameFile, Path: "p/a.go", NewPath: "q/a.go"}},
		{Op: textpos.FileOp{Kind: textpos.RenameFile, Path: "p/b.txt", NewPath: "q/b.txt"}},
		{Op: textpos.FileOp{Kind: textpos.DeleteFile, Path: "p", Recursive: true}},
	}
	c, err := edits.Simulate(m, steps, 3)
	if err != nil {
		t.Fatal(err)
	}
	const want = "diff --git a/p/a.go b/q/a.go\nrename from p/a.go\nrename to q/a.go\n--- a/p/a.go\n+++ b/q/a.go\n@@ -1 +1 @@\n-package p\n+package q\n" +
		"diff --git a/p/b.txt b/q/b.txt\nsimilarity index 100%\nrename from p/b.txt\nrename to q/b.txt\n"
	var got strings.Builder
	for _, f := range c.Files {
		got.WriteString(f.Diff.Text)
	}
	last := c.Operations[len(c.Operations)-1]
	if got.String() != want || len(c.Operations) != 3 || !last.Folder || last.Files != 0 {
		t.Errorf("operations %+v, diffs\n%s\nwant\n%s", c.Operations, got.String(), want)
	}
}
