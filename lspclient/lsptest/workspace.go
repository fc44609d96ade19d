package lsptest

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"
)

// Workspace writes the files of a txtar archive into a temporary folder of the
// test and returns the folder's canonical path.
func Workspace(t testing.TB, archive string) string {
	t.Helper()
	files := map[string]string{}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		if _, twice := files[f.Name]; twice {
			t.Fatalf("the archive holds %s twice", f.Name)
		}
		files[f.Name] = string(f.Data)
	}
	if len(files) == 0 {
		t.Fatal("the archive holds no file")
	}
	dir := tempDir(t)
	WriteFiles(t, dir, files)
	return dir
}

// CPPWorkspace writes a project of [CPP] with its compile_commands.json into a
// temporary folder of the test and returns the folder's canonical path.
func CPPWorkspace(t testing.TB, seed uint64, units int) string {
	t.Helper()
	dir, files := tempDir(t), CPP(seed, units)
	files["compile_commands.json"] = CompileCommands(t, dir, files)
	WriteFiles(t, dir, files)
	return dir
}

// GoWorkspace writes a module of [GoModule] into a temporary folder of the test
// and returns the folder's canonical path.
func GoWorkspace(t testing.TB, p GoProject) string {
	t.Helper()
	dir := tempDir(t)
	WriteFiles(t, dir, GoModule(p))
	return dir
}

func tempDir(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// WriteFiles writes files, whose names are relative to dir with slashes, and
// makes the folders they need.
func WriteFiles(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if !filepath.IsLocal(name) {
			t.Fatalf("%q leads out of the workspace", name)
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
