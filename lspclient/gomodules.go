package lspclient

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strings"

	"go.lsp.dev/protocol"
	"golang.org/x/mod/module"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// maxSearched bounds the files in which a name is looked for to tell what a
// server cannot know of.
const maxSearched = 10_000

// judgeGo notes what gopls does not look at when it answers about a file, or
// about the workspace (nil), if it holds the name: files that the build leaves
// out, and files of modules that no go.work joins to the asked one. Of modules
// that are not joined gopls answers for one at a time. near says that the name can
// stand for the same thing in the folder of the asked file alone.
func (sess *session) judgeGo(ctx context.Context, asked *confine.File, near bool, name string, a *attempt) {
	p, c := sess.srv.pool, a.c
	outside, err := sess.goBuild.unseen(ctx, p)
	if err != nil {
		return // the caller's time is over: there is no answer to judge
	}
	out, unparsed := outside.unbuilt, outside.unparsed
	if asked != nil && out[*asked] {
		c.partial(fmt.Sprintf("%s is not built for %s: files of its own build alone", p.o.Workspace.Shown(*asked), sess.goBuild.target()))
	}
	modules := p.goModules()
	home := confine.File{Rel: "."}
	if asked != nil {
		home = moduleOf(*asked, modules)
	}
	joined, work := sess.goWork(home)
	ignores := p.ignoring(modules)
	if !joined[p.o.Workspace.Abs(home)] {
		joined = nil // a module that go.work does not name stands alone
	}
	alone := !modules[home] && !work && !p.moduleAbove(home.Root)
	far := func(f confine.File) bool {
		m := moduleOf(f, modules)
		if alone && m == home { // without a module a folder stands by itself
			return asked == nil && path.Dir(f.Rel) != "." || asked != nil && path.Dir(f.Rel) != path.Dir(asked.Rel)
		}
		return m != home && !joined[p.o.Workspace.Abs(m)]
	}
	// Of such a folder gopls knows what others import.
	aside := func(f confine.File) bool {
		m := moduleOf(f, modules)
		return a.conv.seen[f] == nil && (sess.goBuild.filteredOut(f) || ignoredIn(withinModule(f, m), ignores[m]))
	}
	holding, err := p.holding(ctx, name, maxSearched, func(f confine.File) bool {
		if near && (f.Root != asked.Root || path.Dir(f.Rel) != path.Dir(asked.Rel)) {
			return false
		}
		return path.Ext(f.Rel) == ".go" && !inTestdata(f) && !ignoredByGo(f) && (outside.has(f) || misnamed(f, modules) || far(f) || aside(f))
	})
	if err != nil {
		return
	}
	var unbuilt, unread, clashing, unnamed, lone, apart []confine.File
	others := map[string]bool{}
	for _, f := range holding {
		switch {
		case far(f) && alone && moduleOf(f, modules) == home:
			lone = append(lone, f)
		case far(f):
			others[p.o.Workspace.Shown(moduleOf(f, modules))] = true
		case misnamed(f, modules):
			unnamed = append(unnamed, f)
		case aside(f):
			apart = append(apart, f)
		case unparsed[f]:
			unread = append(unread, f)
		case outside.clashing[f]:
			clashing = append(clashing, f)
		case asked == nil || f != *asked:
			unbuilt = append(unbuilt, f)
		}
	}
	if len(unbuilt) > 0 {
		c.partial(fmt.Sprintf("not built for %s, and %s: %s", sess.goBuild.target(), holds(len(unbuilt), name), p.names(unbuilt)))
	}
	if len(unread) > 0 {
		c.partial(fmt.Sprintf("does not parse, and %s: %s", holds(len(unread), name), p.names(unread)))
	}
	if len(clashing) > 0 {
		c.partial(fmt.Sprintf("in folders with files of several packages, of which one is loaded, and %s: %s", holds(len(clashing), name), p.names(clashing)))
	}
	if len(unnamed) > 0 {
		c.partial(fmt.Sprintf("in a folder whose name is in no Go import path, and %s: %s", holds(len(unnamed), name), p.names(unnamed)))
	}
	if len(apart) > 0 {
		c.partial(fmt.Sprintf("in a folder that go.mod or the settings of %s ignore, and %s: %s", sess.entry.Name, holds(len(apart), name), p.names(apart)))
	}
	if used := p.inAssembly(ctx, asked, near, name); len(used) > 0 {
		c.partial(fmt.Sprintf("in assembly, which %s does not read, and %s: %s", sess.entry.Name, holds(len(used), name), p.names(used)))
	}
	if len(lone) > 0 {
		c.partial(fmt.Sprintf("no go.mod, so each folder stands by itself; outside it %s: %s", holds(len(lone), name), p.names(lone)))
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

// near reports whether a name in an open Go file can stand for the same thing in
// files of its folder alone: it is not exported (Go specification, §Exported
// identifiers), and does not name the package, as imports elsewhere do.
func (sess *session) near(asked *document, name string) bool {
	if asked == nil || token.IsExported(name) {
		return false
	}
	text := sess.docs.snapshot(asked).text.Text()
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.PackageClauseOnly)
	return err == nil && file.Name.Name != name
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

// misnamed reports whether the go command refuses the import path of the package
// in a file's folder, for the names of folders in it.
func misnamed(f confine.File, modules map[confine.File]bool) bool {
	dir := path.Dir(f.Rel)
	if home := moduleOf(f, modules).Rel; home != "." {
		dir = strings.TrimPrefix(strings.TrimPrefix(dir, home), "/")
	}
	return dir != "" && dir != "." && module.CheckImportPath("m/"+dir) != nil
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

// moduleAbove reports whether a folder above a root holds a go.mod.
func (p *Pool) moduleAbove(root int) bool {
	for dir := filepath.Dir(p.o.Workspace.Roots()[root].Canonical); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && info.Mode().IsRegular() {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// maxProbed bounds the files that are asked about to find out whether their
// packages are loaded.
const maxProbed = 3

// probe notes files that hold name in packages that gopls could not load: then
// an empty list of symbols says nothing. It asks about the files themselves.
func (a *attempt) probe(ctx context.Context) error {
	p := a.sess.srv.pool
	outside, err := a.sess.goBuild.unseen(ctx, p)
	if err != nil {
		return err
	}
	files, err := p.holding(ctx, a.name, maxProbed, func(f confine.File) bool {
		return path.Ext(f.Rel) == ".go" && !inTestdata(f) && !ignoredByGo(f) && !outside.unbuilt[f]
	})
	if err != nil {
		return err
	}
	for _, f := range files {
		uri, err := p.uri(f)
		if err != nil {
			continue
		}
		params := docParams(uri)
		params["position"] = textpos.Position{}
		var failed *Error
		if _, err := a.call(ctx, protocol.MethodTextDocumentHover, params); errors.As(err, &failed) && (failed.Code == CodeRefused || failed.Code == CodeUnloaded) {
			why := a.sess.loadFault(ctx, f)
			if why == "" {
				why = "`go list ./...` says why"
			}
			a.c.partial(fmt.Sprintf("%s holds %q and is in no package that could be loaded: %s", p.o.Workspace.Shown(f), a.name, why))
		} else if err != nil {
			return err
		}
	}
	return nil
}
