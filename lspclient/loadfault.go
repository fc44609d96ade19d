package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"
	"time"

	"lspbridge/limits/confine"
)

// faultWait bounds how long a server may take to say what is wrong with a file
// that its build rests on.
const faultWait = 3 * time.Second

// noPackage reports whether err is how gopls says that it knows no package of a
// file. Its errors have no codes.
func noPackage(err error) bool {
	var re *responseError
	return errors.As(err, &re) && strings.Contains(re.Message, "no package metadata")
}

// unloaded completes the error about a file whose package gopls does not know. A
// package that nothing keeps from being loaded, it may have taken for missing for
// good, when it was asked about a file before it was told of it: a new start heals
// that, and is tried once for a text of the file.
func (a *attempt) unloaded(ctx context.Context, f confine.File, refused *Error) error {
	sess, p := a.sess, a.sess.srv.pool
	refused.Hint = "the file's module or go.work does not load: `go list ./...` says why"
	outside, err := sess.goBuild.unseen(ctx, p)
	switch {
	case err != nil:
		return err
	case outside.unbuilt[f]:
		refused.Hint = fmt.Sprintf("the file is not built for %s: pass its tags with --setting gopls.buildFlags='[\"-tags=...\"]'", sess.goBuild.target())
		return refused
	case outside.has(f):
		return refused
	}
	if fault := sess.loadFault(ctx, f); fault != "" {
		refused.Msg += ": " + fault
		return refused
	}
	if sess.srv.heals(f) {
		sess.srv.replace(sess, "it does not know the package of a file that it could load")
		return errRestart
	}
	return refused
}

// heals reports whether the package of f was not yet missed with the text that f
// has now.
func (s *server) heals(f confine.File) bool {
	now, ok := s.pool.disk.state(f)
	if !ok || inTestdata(f) || ignoredByGo(f) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.missed[f] == now.stamp {
		return false
	}
	if s.missed == nil || len(s.missed) > maxMissed {
		s.missed = map[confine.File]confine.Stamp{}
	}
	s.missed[f] = now.stamp
	return true
}

// maxMissed bounds the files remembered as missed by their server.
const maxMissed = 1000

// loadFault returns what gopls says is wrong with the go.mod or go.work that a Go
// file belongs to, "go.mod:3: ...", or "" where it finds nothing wrong. It tells
// by publishing problems of those files (LSP 3.17 §publishDiagnostics), which
// cannot be pulled; first it publishes that there are none.
func (sess *session) loadFault(ctx context.Context, f confine.File) string {
	p := sess.srv.pool
	home := moduleOf(f, p.goModules())
	files := []confine.File{{Root: home.Root, Rel: path.Join(home.Rel, "go.mod")}}
	for rel := home.Rel; ; rel = path.Dir(rel) {
		files = append(files, confine.File{Root: home.Root, Rel: path.Join(rel, "go.work")})
		if rel == "." || rel == "/" {
			break
		}
	}
	for _, b := range files {
		if _, ok := p.disk.state(b); !ok {
			continue
		}
		if fault := sess.firstError(ctx, b); fault != "" {
			return fault
		}
	}
	return ""
}

// firstError returns the first error that the server publishes of a file.
func (sess *session) firstError(ctx context.Context, f confine.File) string {
	if !sess.lock(ctx) {
		return ""
	}
	doc, err := sess.docs.open(f)
	sess.unlock()
	if err != nil {
		return ""
	}
	defer sess.docs.release(doc)
	bound, cancel := context.WithTimeout(ctx, faultWait)
	defer cancel()
	pub, err := sess.quietly(bound, sess.docs.path(f), sess.docs.snapshot(doc).version, sess.srv.pool.o.Limits.Settle)
	if err != nil {
		return ""
	}
	var problems []struct {
		Severity int
		Message  string
		Range    struct{ Start struct{ Line int } }
	}
	if json.Unmarshal(pub.items, &problems) != nil {
		return ""
	}
	for _, d := range problems {
		if d.Severity <= 1 {
			// What the go command says stands behind how gopls ran it.
			said := d.Message
			if _, after, ok := strings.Cut(said, "stderr: "); ok {
				said = after
			}
			return fmt.Sprintf("%s:%d: %s", sess.srv.pool.o.Workspace.Shown(f), d.Range.Start.Line+1, oneLine(said))
		}
	}
	return ""
}
