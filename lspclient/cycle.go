package lspclient

import (
	"context"
	"path"
	"sync"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
)

// maxCycle is the number of files above which a new start is cheaper than
// opening and closing each.
const maxCycle = 20

// cycle brings a server that is deaf to the disk up to date: each closed file
// that changed is opened and closed, and so is each file that includes one, for
// what the server remembers of it was built with the old text. An answer about
// the open file is the sign that the server has read it. telling is held.
func (sess *session) cycle(ctx context.Context, changes []change) error {
	disk := sess.srv.pool.disk
	var roots []confine.File
	affected := map[confine.File]bool{} // of files that still exist
	for _, c := range changes {
		switch name := path.Base(c.file.Rel); {
		case name == ".clang-format" || name == ".clang-tidy":
			continue // read anew at each use
		case buildFiles[name]:
			return errRestart
		}
		roots = append(roots, c.file)
		if c.kind != fileDeleted {
			affected[c.file] = true
		}
	}
	users := sess.srv.pool.includes.users(ctx, disk, roots)
	for _, f := range users {
		affected[f] = true
	}
	if len(affected) > maxCycle {
		return errRestart
	}
	var opened []*document
	defer func() {
		for _, doc := range opened {
			sess.docs.release(doc)
		}
	}()
	for f := range affected {
		if doc := sess.docs.get(f); doc != nil {
			if !contains(users, f) {
				continue // its own text changed: refreshed like every open document
			}
			if err := sess.docs.close(doc); err != nil {
				return err
			}
		}
		doc, err := sess.docs.open(f)
		if err != nil {
			continue // gone again, or unreadable: the next sweep says so
		}
		opened = append(opened, doc)
	}
	if err := sess.digested(ctx, opened); err != nil {
		return err
	}
	for _, doc := range opened {
		if err := sess.docs.close(doc); err != nil {
			return err
		}
	}
	return nil
}

// digested waits until the server has read the latest text of open documents: an
// answer about one of them comes after that. Without it an answer about another
// file still shows what the server knew before.
func (sess *session) digested(ctx context.Context, docs []*document) error {
	var wg sync.WaitGroup
	for _, doc := range docs {
		wg.Go(func() {
			// An error is an answer too: the server is through with the file.
			_, _ = sess.conn.call(ctx, protocol.MethodTextDocumentDocumentSymbol, docParams(doc.uri))
		})
	}
	wg.Wait()
	return ctx.Err()
}

func contains(fs []confine.File, f confine.File) bool {
	for _, g := range fs {
		if g == f {
			return true
		}
	}
	return false
}

func docParams(uri string) map[string]any {
	return map[string]any{"textDocument": map[string]string{"uri": uri}}
}
