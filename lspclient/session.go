package lspclient

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/servers"
	"lspbridge/lspclient/supervise"
)

// A session is one run of one language server, from its start to its end.
type session struct {
	srv     *server
	entry   servers.Server // as which the program was found; its name is that of srv
	program servers.Program
	proc    *supervise.Process
	stderr  *ring
	conn    wire
	events  *events
	hello   handshake
	gen     int
	began   time.Time
	project project     // what the build of the workspace looked like at the start
	goBuild *goBuild    // of a server that answers for the files the go command builds
	failing *uncompiled // of a server with a compile database
	lone    *uncompiled // and headers that were opened and do not compile by themselves
	docs    *documents
	// telling is held while the server is told about the disk, so that what it
	// is told keeps its order. It is a lock that a context can give up on.
	telling chan struct{}
	told    uint64 // seq of the disk state the server knows; guarded by telling
	abroad  abroad // guarded by telling
	epoch   uint64 // rises when the server is told of a change; guarded by telling
	// overriders is what was learnt about the declarations of the epoch.
	overriders overriderMemo
	crashed    bool // its connection ended and nobody wanted that; guarded by server.mu

	unanswered atomic.Int32 // requests in a row that had no answer within limits.CallTimeout
	ending     atomic.Bool  // it was asked to shut down: what it refuses now another one answers
	answered   atomic.Bool  // a request was answered since the start
	seeded     atomic.Bool  // a file was opened, so that indexing begins
	settled    atomic.Bool  // a server without a token of its own was quiet once
	endOnce    sync.Once
	ended      chan struct{}
	drained    chan struct{} // its stderr is read to the end
}

const (
	// goodbye bounds shutdown and exit, grace what descendants get between TERM
	// and KILL, farewell all of it; together under the 5 s of a bridge's end.
	goodbye  = time.Second
	grace    = 500 * time.Millisecond
	farewell = 4 * time.Second
	// maxHeader bounds the header block of one message.
	maxHeader = 8 << 10
	// writeStall is how long a server may leave its stdin unread.
	writeStall = 20 * time.Second
)

// open finds the program, starts it, and shakes hands.
func (s *server) open() (*session, error) {
	p, l := s.pool, s.pool.o.Limits
	limit := s.entry.StartupTimeout
	if limit <= 0 {
		limit = l.ServerStart
	}
	ctx, cancel := context.WithTimeout(p.life, limit)
	defer cancel()

	entry, prog, err := p.o.Finder.FindAny(ctx, s.entry)
	if err != nil {
		if nf := (*servers.NotFoundError)(nil); errors.As(err, &nf) {
			return nil, &Error{Code: CodeMissing, Server: s.entry.Name, Msg: oneLine(nf.Error()), Hint: nf.Hint, Err: err}
		}
		return nil, err
	}
	seq, err := p.syncFor(ctx, entry)
	if err != nil {
		return nil, &Error{Code: CodeFailed, Server: s.entry.Name, Msg: oneLine(err.Error()), Err: err}
	}
	sess := &session{
		srv: s, entry: entry, program: prog, began: time.Now(), told: seq,
		telling: make(chan struct{}, 1), ended: make(chan struct{}),
		stderr: &ring{size: stderrBytes},
	}
	sess.docs = newDocuments(sess, l.OpenDocuments)
	spec, err := s.spec(prog, sess)
	if err != nil {
		return nil, &Error{Code: CodeFailed, Server: s.entry.Name, Msg: fmt.Sprintf("%s: its private folders cannot be made", s.entry.Name), Hint: "the user's cache folder and the folder for temporary files must be writable; the log says which is not", Err: err}
	}
	if sess.proc, err = supervise.Start(p.o.Self, spec); err != nil {
		os.RemoveAll(spec.TmpDir)
		return nil, &Error{Code: CodeFailed, Server: s.entry.Name, Msg: fmt.Sprintf("%s could not be started", s.entry.Name), Hint: "see the log", Err: err}
	}
	sess.drained = make(chan struct{})
	go func() {
		defer close(sess.drained)
		sess.stderr.drain(sess.proc.Stderr)
	}()
	sess.events = newEvents(sess.entry, s.log, p.folders)
	sess.abroad.update(sess) // as they are before the server reads them
	if sess.failing != nil {
		sess.events.parsed = func(path string, fails bool) {
			if isHeader(path) { // which may need what others include before it
				sess.lone.set(path, fails)
			} else {
				sess.failing.set(path, fails)
			}
		}
	}
	sess.conn = dial(sess.proc.Stdin, sess.proc.Stdout, sess.events, wireOptions{
		MessageBytes: l.LSPMessageBytes, HeaderBytes: maxHeader, Queue: l.WriteQueue, Stall: writeStall,
		Stalled: sess.proc.Kill, Log: s.log.Debug,
	})
	hello, err := initialize(ctx, sess.conn, p.folders(), sess.entry.InitializationOptions)
	if err != nil {
		fault := sess.startFault(ctx, err, limit)
		sess.end()
		return nil, fault
	}
	sess.hello = hello
	if sess.goBuild != nil {
		// While the server loads; the first question that wants it finds it done.
		s.running.Go(func() { _, _ = sess.goBuild.unseen(p.life, p) })
	}
	s.running.Go(sess.watchMemory)
	s.log.Info("language server started", "server", s.entry.Name, "version", prog.Version, "origin", prog.Origin,
		"path", prog.Path, "pid", sess.proc.PID(), "encoding", hello.encoding, "ms", time.Since(sess.began).Milliseconds())
	sess.seed(ctx)
	return sess, nil
}

// memoryEvery is how often the memory of a server is looked at.
const memoryEvery = 2 * time.Second

// watchMemory ends a session whose processes hold more memory than they may, and
// returns with it.
func (sess *session) watchMemory() {
	tick := time.NewTicker(memoryEvery)
	defer tick.Stop()
	for {
		select {
		case <-sess.conn.done():
			return
		case <-tick.C:
		}
		if held, most := sess.proc.Memory(), sess.srv.pool.o.Limits.ServerMemory; held > most {
			sess.srv.retire(sess, fmt.Sprintf("it holds %d MiB of memory, over server_memory", held>>20))
			return
		}
	}
}

// spec prepares the private folders and the command line of a server.
func (s *server) spec(prog servers.Program, sess *session) (supervise.Spec, error) {
	p := s.pool
	private, err := p.private(s.entry.Name)
	if err != nil {
		return supervise.Spec{}, err
	}
	config := ""
	if sess.entry.Quirks.Telemetry {
		config = filepath.Join(private, "config")
		if err := servers.PrivateConfig(config); err != nil {
			return supervise.Spec{}, err
		}
	}
	args := append([]string(nil), sess.entry.Args...)
	sess.project = p.project(sess.entry)
	if sess.entry.Quirks.CompileCommands {
		dir := filepath.Join(private, "compile")
		units, _, err := servers.CompileDatabase(dir, sess.project.databases)
		if err != nil {
			// What could be read of the others is used; the answers say what
			// could not.
			sess.project.fault = p.databaseFault(err)
		}
		if err := servers.DropStaleIndex(dir, p.clangdSettings(), p.namedTexts()); err != nil {
			return supervise.Spec{}, err
		}
		sess.project.units, sess.project.files = units, map[confine.File]bool{}
		locate := p.o.Workspace.Locator()
		for _, u := range units {
			if f, ok := locate.Locate(u); ok {
				sess.project.files[f] = true
			}
		}
		sess.failing, sess.lone = openUncompiled(private, dir), &uncompiled{units: map[string]bool{}}
		sess.stderr.line = sess.failing.line
		if len(units) > 0 {
			args = append(args, "--compile-commands-dir="+dir)
		} else if i := slices.Index(args, "--background-index"); i >= 0 {
			// Left to itself it would look for a database, and keep the index
			// beside it, in the workspace.
			args[i] = "--background-index=false"
		}
	}
	tmp, err := os.MkdirTemp("", "lspbridge-")
	if err != nil {
		return supervise.Spec{}, err
	}
	var avoid []string
	for _, r := range p.o.Workspace.Roots() {
		avoid = append(avoid, r.Canonical)
	}
	env := servers.Environ(p.o.Environ, p.o.EnvNames, avoid, tmp, config)
	for _, name := range sortedKeys(sess.entry.Env) {
		env = append(env, name+"="+sess.entry.Env[name])
	}
	if sess.entry.Quirks.GoProgram && !slices.ContainsFunc(env, func(e string) bool { return strings.HasPrefix(e, "GOMEMLIMIT=") }) {
		// What is collected harder from then on should never reach the limit.
		env = append(env, fmt.Sprintf("GOMEMLIMIT=%d", p.o.Limits.ServerMemory/4*3))
	}
	if sess.entry.Quirks.GoBuild {
		sess.goBuild = newGoBuild(env, sess.entry.InitializationOptions)
	}
	return supervise.Spec{
		Path: prog.Path, Args: args, Dir: p.o.Workspace.Roots()[0].Canonical,
		Env: env, TmpDir: tmp, Grace: grace,
	}, nil
}

// startFault says why the handshake failed.
func (sess *session) startFault(ctx context.Context, err error, limit time.Duration) *Error {
	name := sess.entry.Name
	var re *responseError
	switch {
	case sess.srv.pool.life.Err() != nil:
		return &Error{Code: CodeClosed, Server: name, Msg: "the bridge is ending", Err: err}
	case ctx.Err() != nil:
		return &Error{Code: CodeFailed, Server: name, Method: protocol.MethodInitialize, Err: err,
			Msg: fmt.Sprintf("%s did not answer initialize within %s", name, limit), Hint: "raise --limit server_start=, or see the log"}
	case errors.As(err, &re):
		return &Error{Code: CodeFailed, Server: name, Method: protocol.MethodInitialize, Err: err,
			Msg: fmt.Sprintf("%s refused to initialize: %s", name, oneLine(re.Message))}
	}
	sess.srv.log.Warn("language server did not start", "server", name, "err", err, "stderr", sess.stderr.tail(4<<10))
	return &Error{Code: CodeFailed, Server: name, Method: protocol.MethodInitialize, Err: err,
		Msg: fmt.Sprintf("%s ended while it started", name), Hint: "its stderr is in the log"}
}

// fault says how a session that is over ended.
func (sess *session) fault() *Error {
	name := sess.entry.Name
	exit := sess.proc.Exit()
	if exit == "" {
		exit = "its connection broke"
	}
	return &Error{Code: CodeFailed, Server: name, Msg: fmt.Sprintf("%s ended unexpectedly (%s)", name, exit), Hint: "ask again: it is started anew", Err: sess.conn.err()}
}

// end says goodbye (LSP 3.17 §shutdown, §exit) and waits, within bounds, until
// no process and no goroutine of the session is left. It may be called often.
func (sess *session) end() {
	sess.ending.Store(true)
	sess.endOnce.Do(func() {
		defer close(sess.ended)
		if sess.conn != nil {
			ctx, cancel := context.WithTimeout(context.Background(), goodbye)
			if _, err := sess.conn.call(ctx, protocol.MethodShutdown, nil); err == nil {
				_ = sess.conn.notify(protocol.MethodExit, nil)
				select { // exiting by itself lets it keep its caches whole
				case <-sess.conn.done():
				case <-ctx.Done():
				}
			}
			cancel()
			sess.conn.close()
		}
		sess.proc.Stop()
		timer := time.NewTimer(farewell - goodbye)
		defer timer.Stop()
		select {
		case <-sess.proc.Done():
		case <-timer.C:
			sess.proc.Kill()
			<-sess.proc.Done()
		}
		// Nobody is left who could write to it, but for a process that even KILL
		// does not end.
		select {
		case <-sess.drained:
		case <-time.After(grace):
			sess.proc.Stderr.Close()
			<-sess.drained
		}
	})
	<-sess.ended
}

// seed opens one translation unit of the compile database, since clangd indexes
// nothing before the first file is opened.
func (sess *session) seed(ctx context.Context) {
	if sess.entry.Quirks.Readiness != servers.ReadyByToken {
		return
	}
	for _, unit := range sess.project.units {
		f, ok := sess.srv.pool.o.Workspace.Locate(unit)
		if !ok {
			continue
		}
		if !sess.lock(ctx) {
			return
		}
		doc, err := sess.docs.open(f)
		sess.unlock()
		if err == nil {
			sess.docs.release(doc)
			sess.seeded.Store(true)
			return
		}
	}
}

// lock takes the right to tell the server about the disk; it fails when ctx
// ends first.
func (sess *session) lock(ctx context.Context) bool {
	select {
	case sess.telling <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (sess *session) unlock() { <-sess.telling }

// languageID returns the LSP language id of a file of this server.
func (sess *session) languageID(name string) string {
	_, language, ok := sess.srv.pool.o.Catalog.For(name)
	if !ok {
		return strings.TrimPrefix(filepath.Ext(name), ".")
	}
	return language
}
