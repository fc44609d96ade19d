package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A question is what one request to a server needs before it can be sent.
type question struct {
	method     string        // that the server must have; "" needs none
	crossFile  bool          // the answer rests on more than the asked file
	exhaustive bool          // and is worth little unless it holds every place there is
	file       *confine.File // opened first; nil asks about the workspace
	at         Locate        // nil asks about the whole file
	shows      int           // how often the server was shown more files for it
	exact      bool          // an answer that may not belong to the files as they are is an error
}

// maxAttempts bounds how often one question is asked because the files changed,
// or the server ended, while it was under way.
const maxAttempts = 3

// errModified says that the server gave a request up because a document or its
// own state changed meanwhile (LSP 3.17 §errorCodes): it wants to be asked again.
var errModified = errors.New("the server gave the request up, since something changed")

const (
	contentModified = -32801
	serverCancelled = -32802
)

// maxUnanswered is the number of requests in a row without an answer in time that
// a server is taken to hang after.
const maxUnanswered = 3

// An attempt is one try at a question: the server is up to date with the disk,
// the asked file is open, and its text stays as it is until the attempt is
// checked.
type attempt struct {
	sess     *session
	c        *collector
	snap     snapshot
	pos      textpos.Position
	name     string // the identifier asked about, as far as letters and digits go
	conv     *converter
	reopened []*document // pinned by the attempt itself
}

// ask is the one path of every request: take a slot, flush what changed on disk,
// open the asked file, call, convert, and check that nothing changed meanwhile.
// body calls and converts; it may run more than once and keeps nothing of an
// earlier run.
func (s *server) ask(ctx context.Context, q question, body func(context.Context, *attempt) error) (Completeness, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return Completeness{}, &Error{Code: CodeBusy, Server: s.entry.Name, Msg: fmt.Sprintf("%s has %d calls under way; none ended in time", s.entry.Name, cap(s.slots)), Hint: "ask again"}
		}
		return Completeness{}, ctx.Err()
	}
	var c *collector
	for n := 0; n < maxAttempts; n++ {
		waited := time.Duration(0)
		if c != nil {
			waited = c.waited
		}
		c = newCollector()
		c.waited = waited
		sure, err := s.attempt(ctx, q, c, body)
		if errors.Is(err, errShown) {
			q.shows, n = q.shows+1, n-1
			continue
		}
		switch last := n == maxAttempts-1; {
		case errors.Is(err, errRestart) && !last, errors.Is(err, errConnClosed) && !last && ctx.Err() == nil, errors.Is(err, errModified) && !last:
			continue
		case errors.Is(err, errModified):
			return Completeness{}, &Error{Code: CodeChanged, Server: s.entry.Name, Method: q.method, Err: err,
				Msg: fmt.Sprintf("%s gave %s up each time, since files changed meanwhile", s.entry.Name, q.method), Hint: "ask again"}
		case errors.Is(err, errRestart), errors.Is(err, errConnClosed):
			return Completeness{}, s.ended(err)
		case err != nil:
			return Completeness{}, s.timely(err, q.method)
		case !sure && !last:
			continue
		case !sure && q.exact:
			return Completeness{}, &Error{Code: CodeChanged, Server: s.entry.Name, Method: q.method, Msg: "files changed each time while " + s.entry.Name + " was asked", Hint: "ask again when nothing writes to them"}
		case !sure:
			c.partial("files changed while the question was answered")
		}
		break
	}
	return c.done(), nil
}

// ended is the error of a question whose server ended each time it was asked.
func (s *server) ended(cause error) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lastErr != nil {
		return s.lastErr
	}
	return &Error{Code: CodeFailed, Server: s.entry.Name, Msg: s.entry.Name + " ended while it was asked", Hint: "ask again: it is started anew", Err: cause}
}

// timely gives an end of the caller's time the package's own error.
func (s *server) timely(err error, method string) error {
	var own *Error
	if errors.As(err, &own) || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return &Error{
		Code: CodeTimeout, Server: s.entry.Name, Method: method, Err: err,
		Msg: fmt.Sprintf("%s could not be asked %s in time", s.entry.Name, method), Hint: "ask again, or raise --limit call_total=",
	}
}

// attempt tries once. sure is false when the disk changed meanwhile in a way that
// the answer may not show.
func (s *server) attempt(ctx context.Context, q question, c *collector, body func(context.Context, *attempt) error) (sure bool, err error) {
	sess, err := s.session(ctx)
	if err != nil {
		return false, err
	}
	c.gen = sess.gen
	defer func() {
		if errors.Is(err, errConnClosed) {
			s.lost(sess)
		}
	}()
	if q.method != "" && !sess.can(q.method) {
		return false, sess.lacks(q.method)
	}
	// A server that waits for nobody is brought up to date after it is ready:
	// what changes while it gets ready is then part of the answer.
	if q.crossFile {
		if !sess.seeded.Load() && q.file != nil {
			// The asked file is then the one that sets the indexing off.
			_, release, err := sess.fresh(ctx, q.file, c)
			release()
			if err != nil {
				return false, s.untold(sess, err)
			}
			sess.seeded.Store(true)
		}
		if err := sess.awaitReady(ctx, c); err != nil {
			return false, err
		}
		if q.file == nil {
			if err := sess.openProjects(ctx, c); err != nil {
				return false, s.untold(sess, err)
			}
		}
	}
	snap, release, err := sess.fresh(ctx, q.file, c)
	defer release()
	if err != nil {
		return false, s.untold(sess, err)
	}
	a := &attempt{sess: sess, c: c, snap: snap}
	defer func() {
		for _, doc := range a.reopened {
			sess.docs.release(doc)
		}
	}()
	a.conv = newConverter(a)
	if q.at != nil {
		offset, err := q.at(snap.text)
		if err != nil {
			return false, err
		}
		if a.pos, err = snap.text.Position(offset, sess.hello.encoding); err != nil {
			return false, &Error{Code: CodeBadFile, Msg: oneLine(err.Error()), Err: err}
		}
		a.name = identifierAt(snap.text.Text(), offset)
	}
	if err := body(ctx, a); err != nil {
		return false, err
	}
	for _, dir := range s.pool.disk.unreadable() {
		if q.crossFile {
			c.partial("folder cannot be read: " + dir)
		}
	}
	if q.crossFile {
		if err := a.show(ctx, q); err != nil {
			return false, s.untold(sess, err)
		}
		a.judge(ctx, q)
		a.judgeBranches(ctx, q)
	}
	return a.unchanged(), nil
}

// untold handles that a session could not be brought up to date: one that can
// never be right any more is replaced.
func (s *server) untold(sess *session, err error) error {
	switch {
	case errors.Is(err, errQueueFull):
		s.replace(sess, "it does not read its input")
		return errRestart
	case errors.Is(err, errRestart):
		s.replace(sess, "many files or the build changed")
	}
	return err
}

// call sends one request of the attempt. Until the server has answered anything
// it may still be loading, and only the caller's own deadline counts; after that
// each request has limits.CallTimeout.
func (a *attempt) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	sess, name := a.sess, a.sess.entry.Name
	bound, loading := ctx, !sess.answered.Load()
	if !loading {
		var cancel context.CancelFunc
		bound, cancel = context.WithTimeout(ctx, sess.srv.pool.o.Limits.CallTimeout)
		defer cancel()
	} else {
		stop := sess.tellLoading(ctx)
		defer stop()
	}
	raw, err := sess.conn.call(bound, method, params)
	var re *responseError
	if err == nil || errors.As(err, &re) {
		sess.unanswered.Store(0)
	}
	if err != nil && sess.ending.Load() && ctx.Err() == nil {
		return nil, errConnClosed // also where the server still says so itself
	}
	switch {
	case err == nil:
		sess.answered.Store(true)
		return raw, nil
	case errors.As(err, &re) && re.Code == methodNotFound:
		sess.answered.Store(true)
		return nil, sess.lacks(method) // though it announced a method of the family
	case errors.As(err, &re):
		sess.answered.Store(true)
		if re.Code == contentModified || re.Code == serverCancelled {
			return nil, errModified
		}
		refused := &Error{Code: CodeRefused, Server: name, Method: method, Msg: fmt.Sprintf("%s: %s", name, oneLine(re.Message)), Err: err}
		if strings.ContainsRune(re.Message, utf8.RuneError) {
			refused.Hint = "the name of a file in the workspace may be no UTF-8, which no server can be asked about: give it another name"
		}
		if sess.goBuild != nil && noPackage(err) {
			refused.Code = CodeUnloaded
			if a.snap.doc != nil {
				return nil, a.unloaded(ctx, a.snap.doc.file, refused)
			}
		}
		return nil, refused
	case errors.Is(err, context.Canceled):
		return nil, err
	case errors.Is(err, context.DeadlineExceeded) && loading:
		return nil, &Error{
			Code: CodeStarting, Server: name, Method: method, Err: err,
			Msg:  fmt.Sprintf("%s is still loading the workspace, %s so far", name, seconds(time.Since(sess.began))),
			Hint: "ask again in a while: loading goes on",
		}
	case errors.Is(err, context.DeadlineExceeded):
		if ctx.Err() == nil && sess.unanswered.Add(1) == maxUnanswered {
			sess.srv.retire(sess, fmt.Sprintf("%d requests in a row had no answer", maxUnanswered))
		}
		return nil, &Error{
			Code: CodeTimeout, Server: name, Method: method, Err: err,
			Msg:  fmt.Sprintf("%s did not answer %s in time", name, method),
			Hint: "ask again, or raise --limit call_timeout=",
		}
	}
	return nil, err
}

// tellLoading reports progress while a server loads, until stop is called.
func (sess *session) tellLoading(ctx context.Context) (stop func()) {
	quit, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-ctx.Done():
				return
			case <-tick.C:
				report(ctx, fmt.Sprintf("%s: loading the workspace, %s", sess.entry.Name, seconds(time.Since(sess.began))), 0, 0)
			}
		}
	}()
	return func() { close(quit); <-done }
}

// can reports whether the server has a method, announced or registered.
func (sess *session) can(method string) bool {
	if method == protocol.MethodTextDocumentPublishDiagnostics {
		return true // every server may publish
	}
	if method == protocol.MethodTextDocumentSemanticTokensFull && len(sess.events.registered(registerSemanticTokens)) > 0 {
		return true
	}
	return sess.hello.announces(method) || len(sess.events.registered(method)) > 0
}

// methodNotFound is the code of JSON-RPC 2.0 §5.1.
const methodNotFound = -32601

// lacks is the error of a method that the server does not have.
func (sess *session) lacks(method string) *Error {
	entry := sess.entry
	e := &Error{Code: CodeUnsupported, Server: entry.Name, Method: method, Msg: strings.TrimSpace(entry.Name+" "+sess.program.Version) + " has no " + method}
	if since := entry.MethodSince[method]; since != "" {
		e.Hint = fmt.Sprintf("%s %s has it", entry.Name, since)
	}
	return e
}

// params is the TextDocumentPositionParams of the attempt (LSP 3.17).
func (a *attempt) params() map[string]any {
	return map[string]any{"textDocument": map[string]string{"uri": a.snap.doc.uri}, "position": a.pos}
}

// unchanged reports whether the answer still belongs to what was asked: the
// asked text is the one the server knows, and each file a place was read from is
// as the server was told.
func (a *attempt) unchanged() bool {
	if a.snap.doc != nil && !a.sess.docs.current(a.snap) {
		return false
	}
	return a.conv.consistent()
}
