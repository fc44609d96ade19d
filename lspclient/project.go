package lspclient

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/servers"
)

// A project is what the workspace's build looks like to one server: which files
// the server can know of. It is read when the server starts; a change of the
// build starts the server anew or is told to it.
type project struct {
	databases []string              // absolute paths of the compile databases found
	units     []string              // absolute paths of the translation units they name
	files     map[confine.File]bool // those of units that are inside the workspace
	fault     string                // why a database could not be used
}

const (
	// maxDatabases bounds the compile databases of one workspace.
	maxDatabases = 64
	// maxNamed bounds the files that a reason names.
	maxNamed = 5
)

// project looks the build of the workspace up in what the last sweep saw.
func (p *Pool) project(entry servers.Server) project {
	var out project
	if !entry.Quirks.CompileCommands {
		return out
	}
	var found []confine.File
	p.disk.each(func(f confine.File) bool {
		if path.Base(f.Rel) == "compile_commands.json" && !inTestdata(f) {
			found = append(found, f)
		}
		return true
	})
	// The one nearest to the root goes first: it wins where two name a file.
	slices.SortFunc(found, func(a, b confine.File) int {
		if d := strings.Count(a.Rel, "/") - strings.Count(b.Rel, "/"); d != 0 {
			return d
		}
		return compareFiles(a, b)
	})
	for _, f := range found[:min(len(found), maxDatabases)] {
		out.databases = append(out.databases, p.o.Workspace.Abs(f))
	}
	return out
}

// clangdSettings are the texts of the files that change commands of a compile
// database.
func (p *Pool) clangdSettings() []byte {
	var files []confine.File
	p.disk.each(func(f confine.File) bool {
		if path.Base(f.Rel) == ".clangd" {
			files = append(files, f)
		}
		return true
	})
	slices.SortFunc(files, compareFiles)
	var out []byte
	for _, f := range files {
		text, _, _ := p.o.Workspace.Read(f, p.o.Limits.FileBytes) // one that cannot be read says nothing
		out = append(fmt.Appendf(out, "%q %d ", p.o.Workspace.Abs(f), len(text)), text...)
	}
	return out
}

// databaseFault words why a compile database could not be used, by its answer
// path.
func (p *Pool) databaseFault(err error) string {
	if broken := (*servers.DatabaseError)(nil); errors.As(err, &broken) {
		if f, ok := p.o.Workspace.Locate(broken.Path); ok {
			return fmt.Sprintf("%s cannot be used: %s", p.o.Workspace.Shown(f), oneLine(broken.Err.Error()))
		}
	}
	return "the private compile database cannot be written"
}

// missing says why a server that needs a compile database knows opened files
// only.
func (pr project) missing() string {
	switch {
	case pr.fault != "":
		return pr.fault + ": opened files only"
	case len(pr.databases) > 0:
		return "compile_commands.json names no files: opened files only"
	}
	return "no compile_commands.json: opened files only"
}

// judge notes what the server cannot know of, if it holds the name asked
// about: files of other modules, files outside the compile database, files that do
// not compile.
func (a *attempt) judge(ctx context.Context, q question) {
	sess, asked, name, c := a.sess, a.snap.doc, a.name, a.c
	pr := sess.project
	if sess.entry.Quirks.CompileCommands && len(pr.units) > 0 {
		if reason := sess.srv.pool.outdated(); reason != "" {
			c.partial(reason)
		}
	}
	if name == "" {
		return
	}
	switch {
	case sess.entry.Quirks.CompileCommands:
		if len(pr.units) > 0 {
			sess.judgeUnits(ctx, asked, name, c)
		}
	case sess.goBuild != nil && q.exhaustive:
		sess.judgeGo(ctx, q.file, sess.near(asked, name), name, a)
	}
}

// judgeUnits looks for source files that no compile database names and that the
// server was not shown otherwise.
func (sess *session) judgeUnits(ctx context.Context, asked *document, name string, c *collector) {
	p, units := sess.srv.pool, sess.project.files
	outside, err := p.holding(ctx, name, maxNamed+1, func(f confine.File) bool {
		entry, _, ok := p.o.Catalog.For(path.Base(f.Rel))
		return ok && entry.Name == sess.entry.Name && !isHeader(f.Rel) && !units[f] && !inTestdata(f) && !sess.docs.knows(f)
	})
	if err != nil {
		return
	}
	if len(outside) > 0 {
		c.partial(fmt.Sprintf("outside compile_commands.json, and %s: %s", holds(len(outside), name), p.names(outside)))
	}
	// Of a header that was opened, clangd knows from then on what it makes of
	// the header alone.
	if asked != nil && isHeader(asked.file.Rel) {
		sess.awaitRead(ctx, asked.file, sess.docs.snapshot(asked).version)
	}
	for _, set := range []struct {
		reason string
		paths  []string
	}{{"does not compile", sess.failing.list()}, {"was opened and does not compile by itself", sess.lone.list()}} {
		failing := map[confine.File]bool{}
		for _, path := range set.paths {
			if f, ok := p.o.Workspace.Locate(path); ok {
				failing[f] = true
			}
		}
		broken, err := p.holding(ctx, name, maxNamed+1, func(f confine.File) bool { return failing[f] })
		if err == nil && len(broken) > 0 {
			c.partial(fmt.Sprintf("%s, and %s: %s", set.reason, holds(len(broken), name), p.names(broken)))
		}
	}
	// What includes what is remembered, so that no text is read but that of the
	// headers in doubt.
	included := p.includes.reached(ctx, p.disk, func(f confine.File) bool { return units[f] || sess.docs.knows(f) })
	if asked != nil && isHeader(asked.file.Rel) && !included[path.Base(asked.file.Rel)] {
		c.partial(fmt.Sprintf("no file of compile_commands.json includes %s: how it is compiled is a guess of %s", p.o.Workspace.Shown(asked.file), sess.entry.Name))
	}
	headers, err := p.holding(ctx, name, maxNamed+1, func(f confine.File) bool {
		return isHeader(f.Rel) && !included[path.Base(f.Rel)] && !inTestdata(f) && (asked == nil || f != asked.file)
	})
	if err == nil && len(headers) > 0 {
		c.partial(fmt.Sprintf("included by no file of compile_commands.json, and %s: %s", holds(len(headers), name), p.names(headers)))
	}
}

// isHeader reports whether a file is one that others include: it has no command
// of its own.
func isHeader(name string) bool {
	switch path.Ext(name) {
	case ".h", ".H", ".hh", ".hp", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".inc", ".tpp", ".tcc", ".txx", ".cuh":
		return true
	}
	return false
}

func holds(n int, name string) string {
	if n == 1 {
		return fmt.Sprintf("1 holds %q", name)
	}
	return fmt.Sprintf("%d hold %q", n, name)
}

// names lists files for a reason, not too many.
func (p *Pool) names(fs []confine.File) string {
	var out []string
	for _, f := range fs[:min(len(fs), maxNamed)] {
		out = append(out, p.o.Workspace.Shown(f))
	}
	if len(fs) > maxNamed {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
