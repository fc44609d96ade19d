package lspclient

import (
	"context"
	"path"
	"slices"
	"sync"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// noSymbol is a query that matches nothing: its answer is awaited for the work
// that the server does before it.
const noSymbol = "\u2063lspbridge"

// load makes a server that loads packages only when asked load what it was just
// told of, and waits until it has. gopls forgets a package whose files appeared
// or went, or does not know it yet, and answers the first references after that
// from what is left. A question about each new file loads its package; a
// question for symbols waits for everything that was forgotten. telling is held.
func (sess *session) load(ctx context.Context, changes []change) error {
	if swapped(changes) {
		return errRestart // gopls keeps what it knew of the name
	}
	if slices.ContainsFunc(changes, func(c change) bool { return c.veiled }) {
		return errRestart // gopls goes by inode and modification time
	}
	var created []confine.File
	for _, c := range changes {
		if c.kind == fileCreated {
			created = append(created, c.file)
		}
	}
	if len(created) > maxCycle {
		return errRestart
	}
	var wg sync.WaitGroup
	missed := make([]bool, len(created))
	for i, f := range created {
		wg.Go(func() { missed[i] = !sess.loads(ctx, f) })
	}
	wg.Wait()
	_, _ = sess.conn.call(ctx, protocol.MethodWorkspaceSymbol, map[string]string{"query": noSymbol})
	for i, f := range created {
		if missed[i] && sess.poisoned(ctx, f) {
			return errRestart
		}
	}
	return ctx.Err()
}

// loads makes the server load the package of a file, and reports whether it knows
// one. Another error is an answer too: the server is through with the file.
func (sess *session) loads(ctx context.Context, f confine.File) bool {
	uri, err := sess.srv.pool.uri(f)
	if err != nil {
		return true
	}
	params := docParams(uri)
	params["position"] = textpos.Position{}
	_, err = sess.conn.call(ctx, protocol.MethodTextDocumentHover, params)
	return !noPackage(err)
}

// poisoned reports whether the server misses a file of a package that it knows: it
// was asked about the file before it was told that there is one, and would miss it
// for good.
func (sess *session) poisoned(ctx context.Context, f confine.File) bool {
	if path.Ext(f.Rel) != ".go" || sess.goBuild == nil {
		return false
	}
	p := sess.srv.pool
	outside, err := sess.goBuild.unseen(ctx, p)
	if err != nil || outside.has(f) {
		return false
	}
	var siblings []confine.File
	p.disk.each(func(s confine.File) bool {
		if s != f && s.Root == f.Root && path.Dir(s.Rel) == path.Dir(f.Rel) && path.Ext(s.Rel) == ".go" && !outside.has(s) {
			siblings = append(siblings, s)
		}
		return len(siblings) < 1
	})
	return len(siblings) > 0 && sess.loads(ctx, siblings[0]) && sess.srv.heals(f)
}

// swapped reports whether a file became a folder, or a folder a file.
func swapped(changes []change) bool {
	kinds := map[confine.File]changeKind{}
	for _, c := range changes {
		if c.kind != fileChanged {
			kinds[c.file] = c.kind
		}
	}
	for f, kind := range kinds {
		for dir := path.Dir(f.Rel); dir != "."; dir = path.Dir(dir) {
			above := kinds[confine.File{Root: f.Root, Rel: dir}]
			if kind == fileCreated && above == fileDeleted || kind == fileDeleted && above == fileCreated {
				return true
			}
		}
	}
	return false
}
