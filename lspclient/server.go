package lspclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/servers"
)

// A server is one entry of the catalog within a pool: at most one process at a
// time, started when first asked, shared by all callers.
type server struct {
	pool  *Pool
	entry servers.Server
	log   *slog.Logger
	slots chan struct{} // one token for each call under way

	mu       sync.Mutex
	closed   bool
	current  *session
	starting *start
	gen      int // counts the starts that succeeded
	restarts restarts
	notYet   time.Time                      // before which no start begins
	lastErr  *Error                         // of the last start, for status
	missed   map[confine.File]confine.Stamp // files whose package the server did not know, though nothing was wrong
	idle     *time.Timer
	running  sync.WaitGroup // starts and ends under way
}

// A start is one start of a server that several callers wait for.
type start struct {
	since time.Time
	done  chan struct{}
	sess  *session
	err   error
}

// session returns the running session, starting the server when none runs. The
// start goes on when ctx ends: the next caller finds it further along.
func (s *server) session(ctx context.Context) (*session, error) {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil, &Error{Code: CodeClosed, Server: s.entry.Name, Msg: "the bridge is ending"}
	}
	if s.current != nil {
		defer s.mu.Unlock()
		s.touch()
		return s.current, nil
	}
	if s.starting == nil {
		if err := s.giveUp(); err != nil {
			s.mu.Unlock()
			return nil, err
		}
		s.starting = &start{since: time.Now(), done: make(chan struct{})}
		s.running.Add(1)
		go s.run(s.starting)
	}
	st := s.starting
	s.mu.Unlock()

	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-st.done:
			return st.sess, st.err
		case <-tick.C:
			report(ctx, fmt.Sprintf("%s: starting, %s", s.entry.Name, seconds(time.Since(st.since))), 0, 0)
		case <-ctx.Done():
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil, ctx.Err()
			}
			return nil, s.stillStarting(st.since)
		}
	}
}

func (s *server) stillStarting(since time.Time) *Error {
	return &Error{
		Code: CodeStarting, Server: s.entry.Name,
		Msg:  fmt.Sprintf("%s is still starting, %s so far; loading goes on", s.entry.Name, seconds(time.Since(since))),
		Hint: "ask again in a while",
	}
}

// giveUp refuses another start when too many of late never served an answer; mu
// is held.
func (s *server) giveUp() *Error {
	l := s.pool.o.Limits
	retry, givenUp := s.restarts.givenUp(time.Now(), l.RestartWindow, l.Restarts)
	if !givenUp {
		return nil
	}
	msg := fmt.Sprintf("%s ended %d times within %s without serving an answer", s.entry.Name, len(s.restarts.ends), l.RestartWindow)
	if s.lastErr != nil {
		msg += ": " + s.lastErr.Msg
	}
	return &Error{
		Code: CodeFailed, Server: s.entry.Name, Msg: msg,
		Hint: fmt.Sprintf("see the log for its stderr; it is tried again in %s", seconds(time.Until(retry))),
	}
}

// run performs one start, once it is time, and hands its outcome to all who wait
// for it.
func (s *server) run(st *start) {
	defer s.running.Done()
	s.mu.Lock()
	wait := time.NewTimer(time.Until(s.notYet))
	s.mu.Unlock()
	defer wait.Stop()
	select {
	case <-wait.C:
	case <-s.pool.life.Done():
	}
	sess, err := s.open()
	s.mu.Lock()
	s.starting = nil
	switch {
	case err != nil:
		st.err = err
		s.lastErr = asError(err, s.entry.Name)
		if s.lastErr.Code == CodeFailed {
			s.failed()
		}
	case s.closed:
		st.err = &Error{Code: CodeClosed, Server: s.entry.Name, Msg: "the bridge is ending"}
	default:
		s.gen++
		sess.gen = s.gen
		st.sess, s.current, s.lastErr = sess, sess, nil
		s.touch()
		s.running.Add(1)
		go s.mourn(sess)
	}
	closed := s.closed
	s.mu.Unlock()
	if closed && sess != nil {
		sess.end()
	}
	close(st.done)
}

// mourn waits for the end of a session and makes room for the next one.
func (s *server) mourn(sess *session) {
	defer s.running.Done()
	<-sess.conn.done()
	unwanted := s.lost(sess)
	sess.end()
	if unwanted {
		err := sess.fault()
		s.mu.Lock()
		s.lastErr = err
		s.mu.Unlock()
		s.log.Warn("language server ended", "server", s.entry.Name, "exit", sess.proc.Exit(), "cause", sess.conn.err(), "stderr", sess.stderr.tail(4<<10))
	}
}

// lost makes room after a session whose connection ended; a caller that meets the
// end need not wait for mourn to do it. It reports whether nobody wanted the end.
func (s *server) lost(sess *session) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current == sess {
		s.current = nil
		sess.crashed = true
		if sess.answered.Load() {
			s.restarts.served()
			s.notYet = time.Time{}
		} else {
			s.failed()
		}
	}
	return sess.crashed
}

// failed notes the end of a run that served no answer; mu is held.
func (s *server) failed() {
	now := time.Now()
	s.restarts.barren(now)
	s.notYet = now.Add(s.restarts.backoff())
}

// replace ends a session on purpose, so that the next call starts afresh.
func (s *server) replace(sess *session, why string) {
	if s.detach(sess, why) {
		defer s.running.Done()
		sess.end()
	}
}

// retire is replace for a caller who does not wait for the end.
func (s *server) retire(sess *session, why string) {
	if s.detach(sess, why) {
		go func() {
			defer s.running.Done()
			sess.end()
		}()
	}
}

// detach makes room for the next session. It reports whether sess was the current
// one, which the caller then ends, and after that calls s.running.Done.
func (s *server) detach(sess *session, why string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != sess {
		return false
	}
	s.current = nil
	s.running.Add(1)
	s.log.Info("language server is restarted", "server", s.entry.Name, "why", why)
	return true
}

// touch puts off the idle end; mu is held.
func (s *server) touch() {
	after := s.pool.o.Limits.ServerIdle
	if after <= 0 {
		return
	}
	if s.idle == nil {
		s.idle = time.AfterFunc(after, s.idled)
		return
	}
	s.idle.Reset(after)
}

// idled ends a server that nobody asked for a while.
func (s *server) idled() {
	s.mu.Lock()
	sess := s.current
	if len(s.slots) > 0 && sess != nil {
		s.touch()
		sess = nil
	}
	s.mu.Unlock()
	if sess != nil {
		s.replace(sess, "idle")
	}
}

// close ends the server for good and waits for it.
func (s *server) close() {
	s.mu.Lock()
	s.closed = true
	sess := s.current
	s.current = nil
	if s.idle != nil {
		s.idle.Stop()
	}
	s.mu.Unlock()
	if sess != nil {
		sess.end()
	}
	s.running.Wait()
}

// seconds prints a duration in whole seconds.
func seconds(d time.Duration) string {
	return fmt.Sprintf("%d s", int(d.Round(time.Second)/time.Second))
}

// asError gives any error the package's own type.
func asError(err error, server string) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return &Error{Code: CodeFailed, Server: server, Msg: fmt.Sprintf("%s failed: %s", server, oneLine(err.Error())), Err: err}
}
