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
	var uris []string
	for _, c := range changes {
		if c.kind != fileCreated {
			continue
		}
		if len(uris) == maxCycle {
			return errRestart
		}
		if uri, err := sess.srv.pool.uri(c.file); err == nil {
			uris = append(uris, uri)
		}
	}
	var wg sync.WaitGroup
	for _, uri := range uris {
		wg.Go(func() {
			params := docParams(uri)
			params["position"] = textpos.Position{}
			// An error is an answer too: the server is through with the file.
			_, _ = sess.conn.call(ctx, protocol.MethodTextDocumentHover, params)
		})
	}
	wg.Wait()
	_, _ = sess.conn.call(ctx, protocol.MethodWorkspaceSymbol, map[string]string{"query": noSymbol})
	return ctx.Err()
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
