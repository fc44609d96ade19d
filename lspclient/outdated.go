package lspclient

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"lspbridge/limits/confine"
)

// A buildSystem is the set of files that a kind of build is described in, from
// which it makes a compile_commands.json.
type buildSystem struct {
	names      []string
	extensions []string
}

// buildSystems are looked for in this order; the first that a workspace has files
// of is taken for the one that made its compile databases. Makefiles are last: the
// others make such files too.
var buildSystems = []buildSystem{
	{[]string{"CMakeLists.txt", "CMakePresets.json"}, []string{".cmake"}},
	{[]string{"meson.build", "meson.options", "meson_options.txt"}, nil},
	{[]string{"BUILD", "BUILD.bazel", "WORKSPACE", "MODULE.bazel"}, []string{".bzl"}},
	{[]string{"BUILD.gn"}, []string{".gn", ".gni"}},
	{[]string{"SConstruct", "SConscript"}, nil},
	{[]string{"configure.ac", "Makefile.am"}, nil},
	{[]string{"Makefile", "makefile", "GNUmakefile"}, []string{".mk"}},
}

// system returns the index of the build system that a file of this name belongs
// to, or len(buildSystems).
func system(name string) int {
	for i, s := range buildSystems {
		if slices.Contains(s.names, name) || slices.Contains(s.extensions, path.Ext(name)) {
			return i
		}
	}
	return len(buildSystems)
}

// sameTime is the difference of modification times that a checkout of a database
// and of the files that make it can give them.
const sameTime = 2 * time.Second

// outdated remembers the reason for one state of the disk.
type outdated struct {
	mu     sync.Mutex
	seq    uint64
	reason string
}

// outdated says which compile database is older than a file of the build that
// makes it, "" if none is: of what such a database says of units and their
// commands nothing may be true any more.
func (p *Pool) outdated() string {
	seq := p.disk.current()
	p.stale.mu.Lock()
	defer p.stale.mu.Unlock()
	if p.stale.seq != seq || seq == 0 {
		p.stale.seq, p.stale.reason = seq, p.findOutdated()
	}
	return p.stale.reason
}

func (p *Pool) findOutdated() string {
	type known struct {
		file  confine.File
		mtime int64
	}
	var databases, makers []known
	first := len(buildSystems)
	p.disk.visit(func(f confine.File, s diskFile) bool {
		name := path.Base(f.Rel)
		if inTestdata(f) {
			return true
		}
		if name == "compile_commands.json" {
			databases = append(databases, known{f, s.stamp.MTime})
		} else if i := system(name); i <= first && i < len(buildSystems) {
			if i < first {
				first, makers = i, nil
			}
			makers = append(makers, known{f, s.stamp.MTime})
		}
		return true
	})
	byName := func(a, b known) int { return compareFiles(a.file, b.file) }
	slices.SortFunc(databases, byName)
	slices.SortFunc(makers, byName)
	folders := map[confine.File]bool{} // that builds are made in
	for _, d := range databases {
		if dir := (confine.File{Root: d.file.Root, Rel: path.Dir(d.file.Rel)}); dir.Rel != "." && p.holdsBuild(dir) {
			folders[dir] = true
		}
	}
	for _, d := range databases {
		for _, m := range makers {
			if m.file.Root == d.file.Root && m.mtime > d.mtime+int64(sameTime) && !made(m.file, folders) {
				ws := p.o.Workspace
				return fmt.Sprintf("%s is older than %s: files and flags may be missing until the build is configured again", ws.Shown(d.file), ws.Shown(m.file))
			}
		}
	}
	return ""
}

// holdsBuild reports whether a folder is one that a build is made in, apart from
// its sources.
func (p *Pool) holdsBuild(dir confine.File) bool {
	for _, made := range []string{"CMakeCache.txt", "build.ninja", "meson-info"} {
		if _, err := os.Lstat(filepath.Join(p.o.Workspace.Abs(dir), made)); err == nil {
			_, source := p.disk.state(confine.File{Root: dir.Root, Rel: path.Join(dir.Rel, "CMakeLists.txt")})
			return !source
		}
	}
	return false
}

// made reports whether a build wrote the file itself, or fetched it, when it was
// configured or later.
func made(f confine.File, folders map[confine.File]bool) bool {
	switch path.Base(f.Rel) {
	case "cmake_install.cmake", "CTestTestfile.cmake", "CPackConfig.cmake", "CPackSourceConfig.cmake":
		return true
	}
	for dir := path.Dir(f.Rel); dir != "."; dir = path.Dir(dir) {
		if base := path.Base(dir); base == "CMakeFiles" || base == "_deps" || folders[confine.File{Root: f.Root, Rel: dir}] {
			return true
		}
	}
	return false
}
