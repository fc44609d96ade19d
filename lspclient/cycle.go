package lspclient

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sync"
	"time"

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
func (sess *session) cycle(ctx context.Context, changes []change, c *collector) error {
	disk := sess.srv.pool.disk
	var roots []confine.File
	affected := map[confine.File]bool{} // of files that still exist
	created := map[confine.File]bool{}
	for _, ch := range changes {
		switch name := path.Base(ch.file.Rel); {
		case name == ".clang-format" || name == ".clang-tidy":
			continue // read anew at each use
		case isBuildFile(name), !sess.served(ch.file): // the latter cannot be opened
			return errRestart
		}
		roots = append(roots, ch.file)
		if ch.kind != fileDeleted {
			affected[ch.file] = true
		}
		created[ch.file] = ch.kind == fileCreated
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
			if !slices.Contains(users, f) {
				continue // its own text changed: refreshed like every open document
			}
			if err := sess.docs.close(doc); err != nil {
				return err
			}
		}
		doc, err := sess.docs.open(f)
		if errors.Is(err, errQueueFull) || errors.Is(err, errConnClosed) {
			return err
		}
		var refused *confine.Error
		if errors.As(err, &refused) && refused.Reason == confine.TooLarge {
			return errRestart // the server reads it by itself then
		}
		if err != nil {
			continue // gone again, or unreadable: the next sweep says so
		}
		opened = append(opened, doc)
	}
	if err := sess.settle(ctx, opened, c); err != nil {
		return err
	}
	for _, doc := range opened {
		if sess.entry.Quirks.NewWhenOpened && created[doc.file] {
			continue // until it is let go of for others the server has noticed it
		}
		if err := sess.docs.close(doc); err != nil {
			return err
		}
	}
	return nil
}

// settleWait is how long a server may take to read one text, beyond what the
// answer to a question about it takes.
const settleWait = 10 * time.Second

// settle waits until the server is through with the texts of open documents, so
// that its index holds them. The answer to a question about a document shows
// that it was parsed, and makes that happen now; the publication of its
// diagnostics, that the index took it in (which may come later). What is not
// read in time makes the answer partial. telling is held.
func (sess *session) settle(ctx context.Context, docs []*document, c *collector) error {
	var wg sync.WaitGroup
	late := make([]bool, len(docs))
	for i, doc := range docs {
		snap := sess.docs.snapshot(doc)
		if read, _ := sess.events.hasRead(sess.docs.path(doc.file), snap.version); read {
			continue
		}
		wg.Go(func() {
			// An error is an answer too: the server is through with the file.
			_, _ = sess.conn.call(ctx, protocol.MethodTextDocumentDocumentSymbol, docParams(doc.uri))
			late[i] = !sess.entry.Quirks.InOrder && !sess.awaitRead(ctx, doc.file, snap.version)
		})
	}
	wg.Wait()
	select {
	case <-sess.conn.done():
		return sess.conn.err()
	default:
	}
	for i, doc := range docs {
		if late[i] {
			c.partial(fmt.Sprintf("%s has not read %s", sess.entry.Name, sess.srv.pool.o.Workspace.Shown(doc.file)))
		}
	}
	return ctx.Err()
}

// awaitRead waits until the server published diagnostics of a version.
func (sess *session) awaitRead(ctx context.Context, f confine.File, version int32) bool {
	timer := time.NewTimer(settleWait)
	defer timer.Stop()
	for {
		read, changed := sess.events.hasRead(sess.docs.path(f), version)
		if read {
			return true
		}
		select {
		case <-changed:
		case <-timer.C:
			return false
		case <-ctx.Done():
			return false
		case <-sess.conn.done():
			return false
		}
	}
}

func docParams(uri string) map[string]any {
	return map[string]any{"textDocument": map[string]string{"uri": uri}}
}
