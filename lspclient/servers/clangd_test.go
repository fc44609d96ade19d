//go:build linux

package servers_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/servers"
)

// tree lists all files below a folder with their contents.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var text []byte
			text, err = os.ReadFile(path)
			files[path] = string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// With its compile database in a private folder clangd keeps the index there,
// understands relative entries, and writes nothing into the workspace.
func TestClangdKeepsItsIndexPrivate(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"clangd-19", "clangd-22"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			p := require(t, "clangd", command)
			root, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			private := filepath.Join(t.TempDir(), "db")
			write(t, filepath.Join(root, "include", "f.h"), "int f();\n")
			write(t, filepath.Join(root, "src", "a.cpp"), "#include \"f.h\"\nint f() { return VALUE; }\n")
			write(t, filepath.Join(root, "src", "b.cpp"), "#include \"f.h\"\nint g() { return f(); }\n")
			write(t, filepath.Join(root, "build", "compile_commands.json"), `[
				{"directory": "..", "file": "src/a.cpp", "command": "c++ -Iinclude -DVALUE=1 -c src/a.cpp"},
				{"directory": "..", "file": "src/b.cpp", "arguments": ["c++", "-Iinclude", "-c", "src/b.cpp"]}]`)
			found, err := servers.FindCompileDatabases(root)
			if err != nil {
				t.Fatal(err)
			}
			units, _, err := servers.CompileDatabase(private, found)
			if err != nil || len(units) != 2 {
				t.Fatalf("units %q (%v)", units, err)
			}
			before := tree(t, root)

			s := mustServer(t, "clangd")
			s.Args = append(s.Args, "--compile-commands-dir="+private)
			home := t.TempDir()
			env := servers.Environ([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}, nil, []string{root}, t.TempDir(), "")
			r := startRaw(t, s, p.Path, env, root)
			uri := "file://" + units[0]
			r.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
				"uri": uri, "languageId": "cpp", "version": 1, "text": before[units[0]],
			}})
			var clean, indexed bool
			r.until(func(m rawMessage) bool {
				switch m.Method {
				case "textDocument/publishDiagnostics":
					var params struct {
						URI         string
						Diagnostics []struct{ Message string }
					}
					_ = json.Unmarshal(m.Params, &params)
					if params.URI == uri && len(params.Diagnostics) > 0 {
						t.Errorf("a.cpp is not compiled as the database says: %s", m.Params)
					}
					clean = clean || params.URI == uri
				case "$/progress":
					indexed = indexed || strings.Contains(string(m.Params), "backgroundIndexProgress") && strings.Contains(string(m.Params), `"end"`)
				}
				return clean && indexed
			})
			references := string(r.call("textDocument/references", map[string]any{
				"textDocument": map[string]any{"uri": uri},
				"position":     map[string]any{"line": 1, "character": 4},
				"context":      map[string]any{"includeDeclaration": true},
			}))
			for _, file := range []string{"include/f.h", "src/a.cpp", "src/b.cpp"} {
				if !strings.Contains(references, file) {
					t.Errorf("no reference in %s: %s", file, references)
				}
			}
			r.call("shutdown", nil)
			if diff := cmp.Diff(before, tree(t, root)); diff != "" {
				t.Errorf("the workspace changed (-before +after):\n%s", diff)
			}
			shards, err := os.ReadDir(filepath.Join(private, ".cache", "clangd", "index"))
			if err != nil || len(shards) < 3 {
				t.Errorf("%d shards of the index (%v), want one a file", len(shards), err)
			}
			if diff := cmp.Diff([]string{".cache", "compile_commands.json"}, list(t, private)); diff != "" {
				t.Errorf("the private folder (-want +got):\n%s", diff)
			}
		})
	}
}
