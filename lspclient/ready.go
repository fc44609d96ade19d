package lspclient

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"lspbridge/lspclient/servers"
)

// awaitReady waits until the server's answers across files are whole, at most
// limits.ReadyWait, and notes in c what is still missing then. Three ends: ready,
// not ready in time, and never to be known.
func (sess *session) awaitReady(ctx context.Context, c *collector) error {
	limits := sess.srv.pool.o.Limits
	began := time.Now()
	defer func() { c.waited += time.Since(began) }()
	expire := time.NewTimer(limits.ReadyWait)
	defer expire.Stop()
	q := sess.entry.Quirks
	if q.Readiness == servers.ReadyBlocks {
		return nil
	}
	if q.CompileCommands && len(sess.project.units) == 0 {
		c.partial(sess.project.missing())
		return nil
	}
	if sess.project.fault != "" {
		c.partial(sess.project.fault)
	}
	for {
		active, ended, changed := sess.events.watch(q.ReadyToken)
		var settle <-chan time.Time
		switch {
		case q.Readiness == servers.ReadyByLog:
			if sess.events.logged() {
				return nil
			}
		case q.Readiness == servers.ReadyByToken:
			if _, busy := active[q.ReadyToken]; ended && !busy {
				return nil
			}
		case len(active) == 0:
			if sess.settled.Load() {
				return nil
			}
			settle = time.After(limits.Settle) // collected once nobody waits for it
		}
		text, done, total := progressOf(sess.entry.Name, active)
		report(ctx, text, done, total)
		select {
		case <-changed:
		case <-settle:
			if !sess.events.spoke() {
				c.unknown(fmt.Sprintf("%s does not say when it is ready; waited %s", sess.entry.Name, limits.Settle))
				return nil
			}
			sess.settled.Store(true)
			return nil
		case <-sess.conn.done():
			return errConnClosed
		case <-ctx.Done():
			if ctx.Err() == context.Canceled {
				return ctx.Err()
			}
			text, _, _ := progressOf(sess.entry.Name, active)
			return &Error{
				Code: CodeStarting, Server: sess.entry.Name,
				Msg:  fmt.Sprintf("%s, %s since its start", text, seconds(time.Since(sess.began))),
				Hint: "ask again in a while: it goes on",
			}
		case <-expire.C:
			sess.notReady(c, active)
			return nil
		}
	}
}

// unready reports whether the server has yet to say that it is ready; ended that
// the token of its readiness ended.
func (sess *session) unready(ended bool) bool {
	switch sess.entry.Quirks.Readiness {
	case servers.ReadyByToken:
		return !ended && len(sess.project.units) > 0
	case servers.ReadyByLog:
		return !sess.events.logged()
	}
	return false
}

// notReady notes why a wait for readiness ended without it.
func (sess *session) notReady(c *collector, active map[string]task) {
	token := sess.entry.Quirks.ReadyToken
	t, ok := active[token]
	switch {
	case ok:
		c.partial(indexing(t))
	case sess.entry.Quirks.Readiness == servers.ReadyByLog:
		c.partial(sess.entry.Name + " has not looked through its files")
	case token != "" && len(sess.project.units) > 0:
		c.partial(fmt.Sprintf("indexing 0/%d files", len(sess.project.units)))
	case token != "":
		c.partial("indexing has not begun")
	default:
		for _, name := range sortedKeys(active) {
			c.partial(active[name].describe())
		}
	}
	c.indexed = false
}

// counted matches the counters that servers put into progress messages.
var counted = regexp.MustCompile(`^(\d+)/(\d+)`)

// indexing puts the progress of an index into a reason: "indexing 41/210 files".
func indexing(t task) string {
	if m := counted.FindString(t.message); m != "" {
		return "indexing " + m + " files"
	}
	return t.describe()
}

// progressOf sums up what a server is busy with.
func progressOf(server string, active map[string]task) (text string, done, total int) {
	for _, token := range sortedKeys(active) {
		t := active[token]
		if m := counted.FindStringSubmatch(t.message); m != nil {
			done, _ = strconv.Atoi(m[1])
			total, _ = strconv.Atoi(m[2])
			return server + ": " + indexing(t), done, total
		}
		text = server + ": " + t.describe()
	}
	if text == "" {
		text = server + ": waiting until it is ready"
	}
	return text, 0, 0
}
