package lspclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"sync"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient/servers"
	"lspbridge/lspclient/textpos"
)

// Options configures [New]. Workspace, Limits, Catalog and Self are required.
type Options struct {
	Workspace *confine.Workspace
	Limits    limits.Budget
	Catalog   servers.Catalog
	Finder    servers.Finder
	Environ   []string     // the bridge's own environment
	EnvNames  []string     // further names that pass to servers (--env)
	Self      string       // absolute path of the program that runs supervise.Main
	CacheDir  string       // the user's cache folder of the bridge
	Log       *slog.Logger // nil logs nothing
}

// A Pool is the set of language servers of one workspace: at most one process
// for each server of the catalog, started when first asked, shared by all
// callers. It is safe for concurrent use.
type Pool struct {
	o        Options
	disk     *disk
	includes *includes
	stale    outdated
	servers  map[string]*server // by name; never changes after New
	life     context.Context    // the documented lifetime of the pool: ends with Close
	cancel   context.CancelFunc

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup // what goes on in the background; none begins once closed
}

// New returns a pool; nothing is started.
func New(o Options) (*Pool, error) {
	if o.Workspace == nil || o.Self == "" {
		return nil, errors.New("lspclient: Workspace and Self are required")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	p := &Pool{o: o, servers: map[string]*server{}}
	p.life, p.cancel = context.WithCancel(context.Background())
	tracked := func(name string) bool {
		_, _, ok := o.Catalog.For(name)
		return ok || isBuildFile(name) || path.Ext(name) == ".s" || system(name) < len(buildSystems)
	}
	p.disk = newDisk(o.Workspace, tracked, max(o.Limits.FileBytes, searchedBytes), o.Limits.Watches)
	p.includes = &includes{ws: o.Workspace, fileCap: max(o.Limits.FileBytes, searchedBytes), wants: func(name string) bool {
		s, _, ok := o.Catalog.For(name)
		return ok && s.Quirks.DeafToDisk
	}}
	for _, entry := range o.Catalog.Servers {
		p.servers[entry.Name] = &server{pool: p, entry: entry, log: o.Log, slots: make(chan struct{}, max(1, o.Limits.ServerCalls))}
	}
	return p, nil
}

// Close ends every server and returns when no process and no goroutine is left,
// within 5 s.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range p.servers {
		wg.Go(s.close)
	}
	p.cancel()
	wg.Wait()
	p.work.Wait()
	p.disk.close()
}

// Warm starts, in the background, the servers whose files the workspace has.
func (p *Pool) Warm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return
	}
	p.work.Go(func() {
		langs, err := p.Languages(p.life)
		if err != nil {
			p.o.Log.Warn("the workspace cannot be looked through", "err", err)
			return
		}
		for _, l := range langs {
			p.work.Go(func() {
				if _, err := p.servers[l.Server].session(p.life); err != nil {
					p.o.Log.Info("language server is not warmed", "server", l.Server, "err", err)
				}
			})
		}
	})
}

// server returns the server of a file.
func (p *Pool) server(f confine.File) (*server, error) {
	name := path.Base(f.Rel)
	entry, _, ok := p.o.Catalog.For(name)
	if !ok {
		return nil, &Error{
			Code: CodeNoServer, Msg: fmt.Sprintf("no language server is known for %s", p.o.Workspace.Shown(f)),
			Hint: "add one to servers.json, or ask about a file of a known language",
		}
	}
	return p.servers[entry.Name], nil
}

// ServerFor returns the name of the server and the language id of a file.
func (p *Pool) ServerFor(f confine.File) (server, language string, ok bool) {
	entry, language, ok := p.o.Catalog.For(path.Base(f.Rel))
	return entry.Name, language, ok
}

// uri returns the URI that language servers know f by.
func (p *Pool) uri(f confine.File) (string, error) {
	uri, err := textpos.PathURI(p.o.Workspace.Abs(f))
	if err != nil {
		return "", &Error{Code: CodeBadFile, Msg: fmt.Sprintf("%s has a name that no URI can carry", p.o.Workspace.Shown(f)), Err: err}
	}
	return uri, nil
}

// folders are the workspace's roots as language servers get them.
func (p *Pool) folders() []workspaceFolder {
	var out []workspaceFolder
	for _, r := range p.o.Workspace.Roots() {
		if uri, err := textpos.PathURI(r.Canonical); err == nil {
			out = append(out, workspaceFolder{uri, r.Name})
		}
	}
	return out
}

// private returns the folder in the user's cache that a server of this workspace
// keeps its own files in.
func (p *Pool) private(server string) (string, error) {
	h := sha256.New()
	for _, r := range p.o.Workspace.Roots() {
		fmt.Fprintf(h, "%s\x00", r.Canonical)
	}
	dir := filepath.Join(p.o.CacheDir, "workspaces", hex.EncodeToString(h.Sum(nil))[:32], server)
	return dir, os.MkdirAll(dir, 0o700)
}

// A Progress is told what a call waits for: "gopls: starting, 3 s",
// "clangd: indexing 41/210 files". total is 0 where nothing is counted.
type Progress func(text string, done, total int)

type progressKey struct{}

// WithProgress returns a context whose calls report progress.
func WithProgress(ctx context.Context, report Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// Report tells the caller of ctx what is waited for, as the pool itself does.
func Report(ctx context.Context, text string, done, total int) { report(ctx, text, done, total) }

func report(ctx context.Context, text string, done, total int) {
	if f, ok := ctx.Value(progressKey{}).(Progress); ok && f != nil {
		f(text, done, total)
	}
}
