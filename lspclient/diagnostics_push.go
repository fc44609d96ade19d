package lspclient

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.lsp.dev/protocol"
)

// published waits for what the server publishes of the asked text by itself.
func (a *attempt) published(ctx context.Context, settle time.Duration) (json.RawMessage, error) {
	sess, name := a.sess, a.sess.entry.Name
	q := sess.entry.Quirks
	if q.LoadsWhenAsked {
		// A question for symbols waits for all that is loading: what is published
		// before that is about an earlier state.
		if _, err := a.call(ctx, protocol.MethodWorkspaceSymbol, map[string]string{"query": noSymbol}); err != nil && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	if q.FinalWhenOpened {
		settle = 0
		if err := a.reopen(ctx); err != nil {
			return nil, err
		}
	}
	file := a.snap.doc.file
	bound, cancel := context.WithTimeout(ctx, sess.srv.pool.o.Limits.CallTimeout)
	defer cancel()
	pub, err := sess.quietly(bound, sess.docs.path(file), a.snap.version, settle)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case pub.count == 0:
		return nil, &unknownError{fmt.Sprintf("%s published nothing about this text within %s", name, sess.srv.pool.o.Limits.CallTimeout)}
	case pub.oversize:
		return nil, &unknownError{fmt.Sprintf("%s published more about %s than is kept", name, sess.srv.pool.o.Workspace.Shown(file))}
	case pub.unnamed && emptyList(pub.items):
		return nil, &unknownError{fmt.Sprintf("%s published no problem, and does not say of which text", name)}
	case pub.unnamed:
		a.c.partial(name + " does not say which text its diagnostics are about")
	}
	return pub.items, nil
}

// reopen opens the asked document anew if it was changed since it was opened.
func (a *attempt) reopen(ctx context.Context) error {
	if !a.sess.lock(ctx) {
		return ctx.Err()
	}
	defer a.sess.unlock()
	doc, err := a.sess.docs.reopen(a.snap.doc)
	if err != nil {
		return err
	}
	if doc != a.snap.doc {
		a.reopened = append(a.reopened, doc)
		a.snap = a.sess.docs.snapshot(doc)
	}
	return nil
}

// emptyList reports whether items are [] or null.
func emptyList(items json.RawMessage) bool {
	text := strings.TrimSpace(string(items))
	return text == "null" || strings.HasPrefix(text, "[") && strings.TrimSpace(text[1:]) == "]" || text == ""
}

// quietly waits until the server published about version of the document at path, and
// then nothing for settle. When ctx ends first the publication is what there is:
// its count is 0 if none is about version.
func (sess *session) quietly(ctx context.Context, path string, version int32, settle time.Duration) (publication, error) {
	var quiet <-chan time.Time
	last := 0
	for {
		pub, open, changed := sess.events.publication(path)
		about := open && pub.count > 0 && (pub.version >= version || pub.unnamed && !sess.entry.Quirks.FinalWhenOpened)
		if about && (settle <= 0 || pub.count != last) {
			if settle <= 0 {
				return pub, nil
			}
			last, quiet = pub.count, time.After(settle)
		}
		select {
		case <-quiet:
			return pub, nil
		case <-changed:
		case <-sess.conn.done():
			return publication{}, sess.conn.err()
		case <-ctx.Done():
			return publication{}, nil
		}
	}
}

// sortDiagnostics puts problems into the order of the text, the worst first where
// several are at one place, whatever order the server found them in.
func sortDiagnostics(list []Diagnostic) {
	rank := func(d Diagnostic) int { return slices.Index(Severities(), d.Severity) }
	slices.SortStableFunc(list, func(a, b Diagnostic) int {
		return cmp.Or(compareLocations(a.Place, b.Place), cmp.Compare(rank(a), rank(b)),
			strings.Compare(a.Source, b.Source), strings.Compare(a.Code, b.Code), strings.Compare(a.Message, b.Message))
	})
}
