package lspclient

import (
	"context"
	"errors"
	"fmt"
	"time"

	"lspbridge/lspclient/servers"
	"lspbridge/lspclient/textpos"
)

// A ServerStatus describes one server for server_status and doctor.
type ServerStatus struct {
	Name       string
	State      string // "not started", "starting", "indexing", "ready", "failed", "missing"
	Version    string
	Origin     string // of the program: "PATH", "installed by lspbridge"
	Path       string // for doctor and the log alone
	Readiness  string // "indexing 41/210 files", "starting, 12 s"
	Executes   servers.Executes
	Generation int // counts its starts
	OpenFiles  int
	Encoding   textpos.Encoding
	Error      string
	Hint       string
	Methods    []string // what it can do, LSP method names, sorted
}

// Status describes the servers of the catalog that the workspace has files for
// and those that were started. It never waits for a server to start; a program
// that was not started yet is looked up.
func (p *Pool) Status(ctx context.Context) ([]ServerStatus, error) {
	langs, err := p.Languages(ctx)
	if err != nil {
		return nil, err
	}
	wanted := map[string]bool{}
	for _, l := range langs {
		wanted[l.Server] = true
	}
	var out []ServerStatus
	for _, entry := range p.o.Catalog.Servers {
		if st, ok := p.servers[entry.Name].status(ctx, wanted[entry.Name]); ok {
			out = append(out, st)
		}
	}
	return out, nil
}

// Watching returns how many folders of the workspace are watched for changes.
// Where none is, why says why, and each question walks through all folders.
func (p *Pool) Watching() (folders int, why string) { return p.disk.watching() }

func (s *server) status(ctx context.Context, wanted bool) (ServerStatus, bool) {
	s.mu.Lock()
	sess, st, lastErr, gen := s.current, s.starting, s.lastErr, s.gen
	s.mu.Unlock()
	if !wanted && sess == nil && st == nil && gen == 0 && lastErr == nil {
		return ServerStatus{}, false
	}
	out := ServerStatus{Name: s.entry.Name, Executes: s.entry.Executes, Generation: gen}
	switch {
	case sess != nil:
		out.Version, out.Origin, out.Path = sess.program.Version, sess.program.Origin, sess.program.Path
		out.Encoding, out.OpenFiles, out.Methods = sess.hello.encoding, len(sess.docs.all()), sess.hello.methods()
		out.State, out.Executes = "ready", sess.entry.Executes
		active, ended, _ := sess.events.watch(sess.entry.Quirks.ReadyToken)
		waiting := sess.unready(ended)
		if len(active) > 0 || waiting {
			out.State = "indexing"
			out.Readiness, _, _ = progressOf(s.entry.Name, active)
		}
		return out, true
	case st != nil:
		out.State, out.Readiness = "starting", fmt.Sprintf("starting, %s", seconds(time.Since(st.since)))
		return out, true
	case lastErr != nil && lastErr.Code != CodeMissing:
		out.State, out.Error, out.Hint = "failed", lastErr.Msg, lastErr.Hint
		return out, true
	}
	out.State = "not started"
	entry, prog, err := s.pool.o.Finder.FindAny(ctx, s.entry)
	if nf := (*servers.NotFoundError)(nil); errors.As(err, &nf) {
		out.State, out.Error, out.Hint = "missing", oneLine(nf.Error()), nf.Hint
	} else if err == nil {
		out.Version, out.Origin, out.Path, out.Executes = prog.Version, prog.Origin, prog.Path, entry.Executes
	}
	return out, true
}
