package lspclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
)

// A server with rules about projects ([servers.Projects]) answers for those of
// which a file is open, and says nothing of other files. So before a question
// about the workspace a file of each project is opened; and when files hold the
// name asked about, are in no such project, and have no place in the answer, they
// are opened too, and the question is asked again.

const (
	// maxSeeds bounds the projects that are opened for a question about the
	// workspace.
	maxSeeds = 8
	// maxShown bounds the files of no project that are opened for one question, so
	// that all of them are open at once.
	maxShown = 16
	// maxShows bounds how often a question is asked again because of them.
	maxShows = 3
)

// errShown says that the server was shown files that the answer may lack.
var errShown = errors.New("the server was shown more files")

// configs reads the configurations that the rules name, by folder.
func (sess *session) configs() map[confine.File]projectConfig {
	p, rules := sess.srv.pool, sess.entry.Quirks.Projects
	var files, scripts []confine.File
	p.disk.each(func(f confine.File) bool {
		if name := path.Base(f.Rel); slices.Contains(rules.Configs, name) || rules.Mentions[name] != "" {
			files = append(files, f)
		} else if rules.Scripts && sess.served(f) {
			scripts = append(scripts, f)
		}
		return true
	})
	second := behind(scripts)
	slices.SortFunc(files, compareFiles)
	out := map[confine.File]projectConfig{}
	for _, f := range files {
		dir := confine.File{Root: f.Root, Rel: path.Dir(f.Rel)}
		if mention := rules.Mentions[path.Base(f.Rel)]; mention != "" {
			text, _, err := p.o.Workspace.Read(f, p.o.Limits.FileBytes)
			if err == nil && bytes.Contains(text, []byte(mention)) {
				out[dir] = projectConfig{dir: dir, unread: true}
			}
			continue
		}
		// Of several in a folder the first name of the rules counts.
		if _, ok := out[dir]; !ok || path.Base(f.Rel) == rules.Configs[0] {
			c := readProjectConfig(p.o.Workspace, f, p.o.Limits.FileBytes)
			c.tight, c.second = rules.Scripts, second
			out[dir] = c
		}
	}
	return out
}

// nearest returns the configuration that counts for a file.
func nearest(configs map[confine.File]projectConfig, f confine.File) (projectConfig, bool) {
	for dir := path.Dir(f.Rel); ; dir = path.Dir(dir) {
		if c, ok := configs[confine.File{Root: f.Root, Rel: dir}]; ok {
			return c, true
		}
		if dir == "." || dir == "/" {
			return projectConfig{}, false
		}
	}
}

// passedOver reports whether the server looks at no file below the folders of f.
func (sess *session) passedOver(f confine.File) bool {
	if !sess.entry.Quirks.Projects.Hidden {
		return false
	}
	return slices.ContainsFunc(strings.Split(path.Dir(f.Rel), "/"), func(dir string) bool {
		return dir == "__pycache__" || strings.HasPrefix(dir, ".") && dir != "."
	})
}

// served reports whether a file is one of the server's.
func (sess *session) served(f confine.File) bool {
	entry, _, ok := sess.srv.pool.o.Catalog.For(path.Base(f.Rel))
	return ok && entry.Name == sess.entry.Name
}

// openProjects opens a file of each project, for a question that names no file.
func (sess *session) openProjects(ctx context.Context, c *collector) error {
	rules := sess.entry.Quirks.Projects
	if !rules.Any() {
		return nil
	}
	configs := sess.configs()
	first := map[confine.File]confine.File{} // of each project, by its folder
	var lone *confine.File                   // of none
	var files []confine.File
	sess.srv.pool.disk.each(func(f confine.File) bool {
		if sess.served(f) && !inTestdata(f) && !sess.passedOver(f) {
			files = append(files, f)
		}
		return true
	})
	slices.SortFunc(files, compareFiles)
	for _, f := range files {
		if cfg, ok := nearest(configs, f); ok && cfg.holds(f) {
			if _, known := first[cfg.dir]; !known {
				first[cfg.dir] = f
			}
		} else if lone == nil {
			lone = &f
		}
	}
	var open []confine.File
	for _, f := range first {
		open = append(open, f)
	}
	slices.SortFunc(open, compareFiles)
	if lone != nil && (len(open) == 0 || rules.Whole) {
		open = append(open, *lone)
	}
	if len(open) > maxSeeds {
		c.partial(fmt.Sprintf("%d projects, of which %d are open", len(open), maxSeeds))
		open = open[:maxSeeds]
	}
	return sess.showAll(ctx, open)
}

// showAll opens files that are not open. What cannot be opened the server cannot
// know either.
func (sess *session) showAll(ctx context.Context, files []confine.File) error {
	if !sess.lock(ctx) {
		return ctx.Err()
	}
	defer sess.unlock()
	for _, f := range files {
		doc, err := sess.docs.open(f)
		if errors.Is(err, errQueueFull) || errors.Is(err, errConnClosed) {
			return err
		}
		if err == nil {
			sess.docs.release(doc)
		}
	}
	return nil
}

// show opens files that may belong into the answer, and returns errShown if there
// were any.
func (a *attempt) show(ctx context.Context, q question) error {
	sess := a.sess
	rules := sess.entry.Quirks.Projects
	if !rules.Any() || a.name == "" {
		return nil
	}
	p, configs := sess.srv.pool, sess.configs()
	open := map[confine.File]bool{} // projects, by their folder
	for _, doc := range sess.docs.all() {
		if cfg, ok := nearest(configs, doc.file); ok && cfg.holds(doc.file) {
			open[cfg.dir] = true
		}
	}
	var lone []confine.File                     // in no project, as far as can be seen
	unopened := map[confine.File]confine.File{} // one file of each project that is not open
	holding, err := p.holding(ctx, a.name, maxSearched, func(f confine.File) bool {
		if !sess.served(f) || sess.passedOver(f) || inTestdata(f) || a.conv.seen[f] != nil || q.file != nil && f == *q.file {
			return false
		}
		if cfg, ok := nearest(configs, f); ok && cfg.holds(f) {
			return !rules.Whole && !open[cfg.dir]
		} else if !ok {
			return !rules.Whole
		}
		return true
	})
	if err != nil {
		return err
	}
	for _, f := range holding {
		if cfg, ok := nearest(configs, f); !ok || !cfg.holds(f) {
			lone = append(lone, f)
		} else if _, known := unopened[cfg.dir]; !known {
			unopened[cfg.dir] = f
		}
	}
	unsure := func(files []confine.File) {
		a.c.partial(fmt.Sprintf("in no project that %s has open, and %s: %s", sess.entry.Name, holds(len(files), a.name), p.names(files)))
	}
	if len(lone) > maxShown {
		unsure(lone)
		lone = nil
	}
	show := slices.DeleteFunc(lone, func(f confine.File) bool { return sess.docs.get(f) != nil })
	for _, f := range unopened {
		show = append(show, f)
	}
	slices.SortFunc(show, compareFiles)
	switch {
	case len(show) == 0:
		return a.otherProjects(ctx, q, configs)
	case q.shows >= maxShows || len(unopened) > maxSeeds:
		unsure(show)
		return a.otherProjects(ctx, q, configs)
	}
	if err := sess.showAll(ctx, show); err != nil {
		return err
	}
	return errShown
}

// otherProjects notes files of other projects that hold the name, of a server that
// tells calls inside one project alone.
func (a *attempt) otherProjects(ctx context.Context, q question, configs map[confine.File]projectConfig) error {
	sess := a.sess
	if q.method != protocol.MethodTextDocumentPrepareCallHierarchy || !sess.entry.Quirks.CallsOfOneProject || q.file == nil {
		return nil
	}
	home, _ := nearest(configs, *q.file)
	others, err := sess.srv.pool.holding(ctx, a.name, maxNamed+1, func(f confine.File) bool {
		cfg, ok := nearest(configs, f)
		return sess.served(f) && !inTestdata(f) && a.conv.seen[f] == nil && !(ok && cfg.dir == home.dir && cfg.holds(f))
	})
	if len(others) > 0 {
		a.c.partial(fmt.Sprintf("%s tells the calls of one project, and outside it %s: %s", sess.entry.Name, holds(len(others), a.name), sess.srv.pool.names(others)))
	}
	return err
}
