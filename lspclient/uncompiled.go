package lspclient

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

// uncompiled knows the translation units of a server that do not compile: its
// index of them may lack anything. clangd says so in its log alone, when it
// indexes a unit, and takes what it has from its store at the next start. So the
// names are kept in a file, and what is stored of those units is thrown away
// before the next start: they are indexed, and judged, anew.
type uncompiled struct {
	keep string // file of names, "" keeps none

	mu    sync.Mutex
	units map[string]bool // by absolute path
	kept  int64           // bytes in the file
}

const (
	// maxKept bounds the file of names.
	maxKept = 1 << 20
	// maxUncompiled bounds the names remembered.
	maxUncompiled = 100_000
)

// openUncompiled reads the names that an earlier run left in dir, whose compile
// database folder is compile, and throws their stored index away.
func openUncompiled(dir, compile string) *uncompiled {
	u := &uncompiled{keep: filepath.Join(dir, "uncompiled"), units: map[string]bool{}}
	names := readOutside(u.keep, maxKept+4<<10)
	if names == nil {
		return u
	}
	bases := map[string]bool{}
	for line := range strings.Lines(string(names.Text())) {
		bases[filepath.Base(strings.TrimSuffix(line, "\n"))] = true
	}
	index := filepath.Join(compile, ".cache", "clangd", "index")
	shards, err := os.ReadDir(index)
	if err != nil && !os.IsNotExist(err) {
		return u
	}
	for _, s := range shards { // main.cpp.0123456789ABCDEF.idx
		base := strings.TrimSuffix(s.Name(), ".idx")
		if bases[strings.TrimSuffix(base, filepath.Ext(base))] && os.Remove(filepath.Join(index, s.Name())) != nil {
			return u // the names stay
		}
	}
	_ = os.Remove(u.keep) // names that stay cost an indexing too much, and no more
	return u
}

var uncompiledLine = regexp.MustCompile(`(?:Failed to compile (.+), index may be incomplete|Indexing (.+) failed: )`)

// line takes one line of the server's log.
func (u *uncompiled) line(line []byte) {
	if m := uncompiledLine.FindSubmatch(line); m != nil {
		if name := string(append(bytes.Clone(m[1]), m[2]...)); filepath.IsAbs(name) {
			u.set(filepath.Clean(name), true)
		}
	}
}

// set notes whether a unit fails to compile.
func (u *uncompiled) set(path string, fails bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !fails {
		delete(u.units, path)
		return
	}
	if u.units[path] || len(u.units) >= maxUncompiled {
		return
	}
	u.units[path] = true
	if u.keep == "" || u.kept > maxKept || strings.ContainsRune(path, '\n') {
		return
	}
	f, err := os.OpenFile(u.keep, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	defer f.Close()
	n, _ := f.WriteString(path + "\n")
	u.kept += int64(n)
}

// fails reports whether a unit fails to compile.
func (u *uncompiled) fails(path string) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.units[path]
}

// list returns the units that fail.
func (u *uncompiled) list() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return sortedKeys(u.units)
}
