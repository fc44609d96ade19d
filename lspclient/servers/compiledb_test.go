//go:build linux

package servers_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/servers"
)

func write(t *testing.T, path, text string) string {
	t.Helper()
	mkdir(t, filepath.Dir(path))
	err := os.WriteFile(path, []byte(text), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// mergedIn reads the merged database as clangd would.
func mergedIn(t *testing.T, dir string) []map[string]any {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "compile_commands.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []map[string]any
	err = json.Unmarshal(data, &entries)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

func TestCompileDatabase(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	dir := filepath.Join(t.TempDir(), "private", "db")
	one := write(t, filepath.Join(ws, "build", "compile_commands.json"), `[
		{"directory": "/abs", "file": "a.cpp", "command": "g++ -DX=\"<&>\" -c a.cpp", "output": "a.o"},
		{"directory": "..", "file": "src/b.cpp", "arguments": ["g++", "-c", "src/b.cpp"], "own": [1, 2]},
		{"directory": ".", "file": "/abs/a.cpp", "command": "second command of a"},
		{"file": "a.cpp",   "directory": "/abs", "command": "g++ -DX=\"<&>\" -c a.cpp", "output": "a.o"}
	]`)
	two := write(t, filepath.Join(ws, "nested", "compile_commands.json"), `[
		{"directory": "..", "file": "src/b.cpp", "arguments": ["g++", "-c", "src/b.cpp"], "own": [1, 2]},
		{"directory": "/abs", "file": "x/../c.cpp", "command": "cc"}]`)
	link := symlink(t, one, filepath.Join(ws, "compile_commands.json"))

	units, changed, err := servers.CompileDatabase(dir, []string{one, two, link})
	if err != nil || !changed {
		t.Errorf("changed %v, error %v", changed, err)
	}
	if diff := cmp.Diff([]string{"/abs/a.cpp", ws + "/src/b.cpp", "/abs/c.cpp"}, units); diff != "" {
		t.Errorf("units (-want +got):\n%s", diff)
	}
	a := map[string]any{"directory": "/abs", "file": "a.cpp", "command": `g++ -DX="<&>" -c a.cpp`, "output": "a.o"}
	b := map[string]any{"directory": ws, "file": "src/b.cpp", "arguments": []any{"g++", "-c", "src/b.cpp"}, "own": []any{1.0, 2.0}}
	want := []map[string]any{
		a, b,
		{"directory": ws + "/build", "file": "/abs/a.cpp", "command": "second command of a"},
		{"directory": "/abs", "file": "x/../c.cpp", "command": "cc"},
	}
	if diff := cmp.Diff(want, mergedIn(t, dir)); diff != "" {
		t.Errorf("merged (-want +got):\n%s", diff)
	}
	if names := list(t, dir); len(names) != 1 {
		t.Errorf("the private folder holds %q", names)
	}
	info, err := os.Stat(filepath.Join(dir, "compile_commands.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v (%v)", info.Mode(), err)
	}

	// The same again is not written: a new file would make clangd start over.
	units, changed, err = servers.CompileDatabase(dir, []string{one, two, link})
	again, statErr := os.Stat(filepath.Join(dir, "compile_commands.json"))
	if err != nil || statErr != nil || changed || len(units) != 3 || !os.SameFile(info, again) {
		t.Errorf("again: %d units, changed %v, error %v, %v", len(units), changed, err, statErr)
	}
	write(t, two, `[]`)
	units, changed, err = servers.CompileDatabase(dir, []string{one, two})
	if err != nil || !changed || len(units) != 2 {
		t.Errorf("after a change: %q, changed %v, error %v", units, changed, err)
	}
	for _, want := range []bool{true, false} {
		units, changed, err = servers.CompileDatabase(dir, nil)
		if err != nil || changed != want || len(units) != 0 || len(list(t, dir)) != 0 {
			t.Errorf("nothing found: %q, changed %v (want %v), error %v, left %q", units, changed, want, err, list(t, dir))
		}
	}
}

func list(t *testing.T, dir string) []string {
	t.Helper()
	var names []string
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestCompileDatabaseBroken(t *testing.T) {
	t.Parallel()
	ok := `{"directory": "/abs", "file": "ok.cpp", "command": "cc"}`
	for _, tt := range []struct {
		name, text, says string
		units            int // of the broken one
	}{
		{"no JSON", `[{`, "is no compile database: unexpected end", 0},
		{"no array", `{}`, "is no compile database", 0},
		{"entry is a number", `[` + ok + `, 1]`, "entry 2: is no object", 1},
		{"no file", `[{"directory": "/abs", "command": "cc"}, ` + ok + `]`, "entry 1: has no file", 1},
		{"no directory", `[{"file": "a", "command": "cc"}]`, "entry 1: has no file or no directory", 0},
		{"no command", `[{"directory": "/abs", "file": "a"}]`, "neither command nor arguments", 0},
		{"many", `[1, 2, 3, ` + ok + `]`, "entry 1: is no object with directory, file, and command or arguments, and 2 more like it", 1},
		{"missing", "", "no such file", 0},
		{"a folder", "", "is no regular file", 0},
		{"a FIFO", "", "is no regular file", 0},
		{"too large", "", "is over 67108864 bytes", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ws, dir := t.TempDir(), t.TempDir()
			good := write(t, filepath.Join(ws, "good", "compile_commands.json"), `[{"directory": "/abs", "file": "good.cpp", "command": "cc"}]`)
			broken := filepath.Join(ws, "broken", "compile_commands.json")
			switch tt.name {
			case "missing":
			case "a folder":
				mkdir(t, broken)
			case "a FIFO":
				mkdir(t, filepath.Dir(broken))
				err := syscall.Mkfifo(broken, 0o600)
				if err != nil {
					t.Fatal(err)
				}
			case "too large":
				write(t, broken, "")
				err := os.Truncate(broken, 64<<20+1)
				if err != nil {
					t.Fatal(err)
				}
			default:
				write(t, broken, tt.text)
			}
			units, changed, err := servers.CompileDatabase(dir, []string{broken, good})
			if len(units) != tt.units+1 || !changed || units[tt.units] != "/abs/good.cpp" {
				t.Errorf("the others: units %q, changed %v", units, changed)
			}
			database, ok := errors.AsType[*servers.DatabaseError](err)
			if !ok {
				t.Fatalf("error %v, want a DatabaseError", err)
			}
			if database.Path != broken || !strings.HasPrefix(err.Error(), "broken/compile_commands.json: ") ||
				!strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), ws) {
				t.Errorf("error %q of %s: want it to say %q and no path", err, database.Path, tt.says)
			}
		})
	}
}

func TestCompileDatabaseCannotBeWritten(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	file := write(t, filepath.Join(ws, "file"), "")
	good := write(t, filepath.Join(ws, "compile_commands.json"), `[{"directory": "/abs", "file": "good.cpp", "command": "cc"}]`)
	_, _, err := servers.CompileDatabase(filepath.Join(file, "db"), []string{good})
	if err == nil || !strings.Contains(err.Error(), "private compile database") {
		t.Errorf("error %v", err)
	}
}

func TestFindCompileDatabases(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	// In the order they are to come.
	found := []string{".", "build", "linked-file", "out", "z", "build/debug", "out/Release", "a/b/c"}
	var want []string
	for _, dir := range found {
		want = append(want, filepath.Join(ws, dir, "compile_commands.json"))
	}
	for _, dir := range append(found, ".git", "node_modules", "a/node_modules/x", "a/b/c/d") {
		if dir != "linked-file" {
			write(t, filepath.Join(ws, dir, "compile_commands.json"), "[]")
		}
	}
	mkdir(t, ws, "linked-file")
	symlink(t, "../build/compile_commands.json", filepath.Join(ws, "linked-file", "compile_commands.json"))
	symlink(t, filepath.Join(ws, "a", "b", "c"), filepath.Join(ws, "linked-folder"))
	mkdir(t, ws, "folder", "compile_commands.json")
	got, err := servers.FindCompileDatabases(ws)
	if err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestFindCompileDatabasesIsBounded(t *testing.T) {
	t.Parallel()
	ws := t.TempDir()
	for i := range 65 {
		write(t, filepath.Join(ws, strconv.Itoa(i), "compile_commands.json"), "[]")
	}
	got, err := servers.FindCompileDatabases(ws)
	if err == nil || len(got) != 64 {
		t.Errorf("%d databases, error %v: want 64 and what is missing", len(got), err)
	}
}
