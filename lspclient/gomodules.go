package lspclient

import (
	"context"
	"fmt"
	"path"
	"strings"

	"lspbridge/limits/confine"
)

// maxSearched bounds the files in which a name is looked for to tell what a
// server cannot know of.
const maxSearched = 10_000

// judgeGo notes what gopls does not look at when it answers about a file, or
// about the workspace (nil), if it holds the name: files that the build leaves
// out, and files of modules that no go.work joins to the asked one. Of modules
// that are not joined gopls answers for one at a time.
func (sess *session) judgeGo(ctx context.Context, asked *confine.File, name string, c *collector) {
	p := sess.srv.pool
	out, err := sess.goBuild.outside(ctx, p)
	if err != nil {
		return // the caller's time is over: there is no answer to judge
	}
	if asked != nil && out[*asked] {
		c.partial(fmt.Sprintf("%s is not built for %s: files of its own build alone", p.o.Workspace.Shown(*asked), sess.goBuild.target()))
	}
	modules := p.goModules()
	home := confine.File{Rel: "."}
	if asked != nil {
		home = moduleOf(*asked, modules)
	}
	joined, work := p.goWork(home)
	if !joined[p.o.Workspace.Abs(home)] {
		joined = nil // a module that go.work does not name stands alone
	}
	far := func(f confine.File) bool {
		m := moduleOf(f, modules)
		return m != home && !joined[p.o.Workspace.Abs(m)]
	}
	holding, err := p.holding(ctx, name, maxSearched, func(f confine.File) bool {
		return path.Ext(f.Rel) == ".go" && !inTestdata(f) && !ignoredByGo(f) && (out[f] || far(f))
	})
	if err != nil {
		return
	}
	var unbuilt []confine.File
	others := map[string]bool{}
	for _, f := range holding {
		switch {
		case far(f):
			others[p.o.Workspace.Shown(moduleOf(f, modules))] = true
		case asked == nil || f != *asked:
			unbuilt = append(unbuilt, f)
		}
	}
	if len(unbuilt) > 0 {
		c.partial(fmt.Sprintf("not built for %s, and %s: %s", sess.goBuild.target(), holds(len(unbuilt), name), p.names(unbuilt)))
	}
	if len(others) > 0 {
		without := "without go.work"
		if work {
			without = "not joined by go.work"
		}
		c.partial(fmt.Sprintf("%d modules %s; %s outside the asked one: %s",
			len(modules), without, holds(len(others), name), strings.Join(sortedKeys(others)[:min(len(others), maxNamed)], ", ")))
	}
}

// goModules returns the folders of the workspace that hold a go.mod, Rel "." for
// a root.
func (p *Pool) goModules() map[confine.File]bool {
	modules := map[confine.File]bool{}
	p.disk.each(func(f confine.File) bool {
		if path.Base(f.Rel) == "go.mod" && !inTestdata(f) && !ignoredByGo(f) {
			modules[confine.File{Root: f.Root, Rel: path.Dir(f.Rel)}] = true
		}
		return true
	})
	return modules
}

// moduleOf returns the folder of the module that a file belongs to.
func moduleOf(f confine.File, modules map[confine.File]bool) confine.File {
	for dir := path.Dir(f.Rel); ; dir = path.Dir(dir) {
		if m := (confine.File{Root: f.Root, Rel: dir}); modules[m] {
			return m
		}
		if dir == "." || dir == "/" {
			return confine.File{Root: f.Root, Rel: "."}
		}
	}
}

// ignoredByGo reports whether the go command passes a file over: below a folder
// whose name begins with "_" or ".".
func ignoredByGo(f confine.File) bool {
	for dir := range strings.SplitSeq(path.Dir(f.Rel), "/") {
		if dir != "." && (strings.HasPrefix(dir, "_") || strings.HasPrefix(dir, ".")) {
			return true
		}
	}
	return false
}
