package lspclient

import (
	"context"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/protocol"
)

// A Readiness says how ready one server is for questions across files.
type Readiness struct {
	Answer
	Version string        // of the program; "" when it did not start
	Files   int           // of the workspace that are the server's, outside testdata folders
	Took    time.Duration // until it was ready, or given up
	Err     error         // why nothing is known of its readiness
}

// Ready starts every server whose files the workspace has, side by side, and
// waits until each is ready, at most limits.ReadyWait. The server with the most
// files comes first. An error is of the workspace; a server's own is in its
// Readiness.
func (p *Pool) Ready(ctx context.Context) ([]Readiness, error) {
	languages, err := p.Languages(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Readiness, len(languages))
	waits := &waits{texts: make([]string, len(languages))}
	var wg sync.WaitGroup
	for i, l := range languages {
		wg.Go(func() {
			own := WithProgress(ctx, func(text string, _, _ int) { waits.set(ctx, i, text) })
			out[i] = p.servers[l.Server].ready(own)
			out[i].Files = l.Files
			waits.set(ctx, i, "")
		})
	}
	wg.Wait()
	return out, nil
}

// ready starts the server and waits until it is ready. A server that blocks until
// it has loaded says so with the answer to a question that nothing matches.
func (s *server) ready(ctx context.Context) Readiness {
	began := time.Now()
	out := Readiness{Answer: Answer{Server: s.entry.Name}}
	out.Completeness, out.Err = s.ask(ctx, question{crossFile: true}, func(ctx context.Context, a *attempt) error {
		out.Version = a.sess.program.Version
		if !a.sess.can(protocol.MethodWorkspaceSymbol) {
			return nil
		}
		_, err := a.call(ctx, protocol.MethodWorkspaceSymbol, map[string]string{"query": noSymbol})
		return err
	})
	out.Took = time.Since(began)
	return out
}

// waits joins what several servers are waited for into one line.
type waits struct {
	mu    sync.Mutex
	texts []string // by server; "" for one that is waited for no longer
}

// set replaces the text of server i and reports the line to ctx.
func (w *waits) set(ctx context.Context, i int, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts[i] = text
	var parts []string
	for _, t := range w.texts {
		if t != "" {
			parts = append(parts, t)
		}
	}
	if len(parts) > 0 {
		report(ctx, strings.Join(parts, "; "), 0, 0)
	}
}
