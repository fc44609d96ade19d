package tools_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"lspbridge/lspclient/lsptest"
)

// vouched returns want with those places of got that clangd left out although it
// knows them: it forgets the definition of a method that overrides the asked one
// when a file was open that includes the declaration. Such a place is right if
// clangd itself leads from it to the declaration, which it tells of. References
// hold both; what a pure virtual method is defined as holds the definition.
func (o *clangdOracle) vouched(t *testing.T, tool string, got, want []string) []string {
	t.Helper()
	all := slices.Clone(want)
	for _, p := range got {
		m := span.FindStringSubmatch(p)
		if m == nil || slices.Contains(want, p) {
			continue
		}
		line, _ := strconv.Atoi(m[2])
		column, _ := strconv.Atoi(m[3])
		back := o.ask(t, definitionTool, question{file: m[1], line: line, column: column}) // from a definition to its declaration
		if len(back.places) != 1 || !slices.Contains(want, back.places[0]) {
			continue
		}
		if tool == definitionTool {
			all = slices.DeleteFunc(all, func(d string) bool { return d == back.places[0] })
		}
		all = append(all, p)
	}
	return all
}

// A clangdOracle is a clangd of its own whose index is complete.
type clangdOracle struct {
	raw  *lsptest.Raw
	dir  string
	mu   sync.Mutex // guards the rest
	open map[string]bool
	told map[string]answer
}

// startClangd starts a clangd on the project in dir, with the flags that the
// bridge's answers are held against, and returns when its index is complete.
func startClangd(t *testing.T, program, dir string) *clangdOracle {
	t.Helper()
	private := t.TempDir()
	text, err := os.ReadFile(filepath.Join(dir, "compile_commands.json"))
	if err != nil {
		t.Fatal(err)
	}
	lsptest.WriteFiles(t, private, map[string]string{"compile_commands.json": string(text)})
	o := &clangdOracle{dir: dir, open: map[string]bool{}, told: map[string]answer{}, raw: lsptest.StartRaw(t, lsptest.RawOptions{
		Program: program, Dir: dir,
		Args: []string{
			"--background-index", "--background-index-priority=normal", "--limit-references=0", "--limit-results=0",
			"--rename-file-limit=0", "--compile-commands-dir=" + private,
		},
	})}
	first := ""
	_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error {
		if first == "" && strings.HasSuffix(path, ".cpp") {
			first = path
		}
		return nil
	})
	o.raw.Open(first, "cpp") // nothing is indexed before a file is open
	o.open[first] = true
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := o.raw.AwaitProgress(ctx, "backgroundIndexProgress"); err != nil {
		t.Fatal(err)
	}
	return o
}

// ask returns what clangd says. The files of the project do not change, so a
// question is asked once.
func (o *clangdOracle) ask(t *testing.T, tool string, q question) answer {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()
	key := fmt.Sprint(tool, q)
	if a, ok := o.told[key]; ok {
		return a
	}
	path := filepath.Join(o.dir, filepath.FromSlash(q.file))
	if !o.open[path] {
		o.raw.Open(path, "cpp")
		o.open[path] = true
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	found, err := askRaw(ctx, o.raw, o.dir, tool, q, byteColumn)
	if err != nil {
		return answer{err: err.Error()}
	}
	var a answer
	for _, l := range found {
		rel, err := filepath.Rel(o.dir, l.path)
		switch {
		case err == nil && filepath.IsLocal(rel):
			a.places = append(a.places, placeAt(filepath.ToSlash(rel), l.line, l.column, l.endLine, l.endColumn))
		default:
			a.places = append(a.places, outside(l.path, l.line))
		}
	}
	slices.Sort(a.places)
	o.told[key] = a
	return a
}
