package cli

import (
	"crypto/sha256"
	"encoding/base32"
	"log/slog"
	"path/filepath"
	"strings"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/servers"
	"lspbridge/tools"
	"lspbridge/vdocs"
)

// A session is the bridge of one run over one workspace.
type session struct {
	workspace *confine.Workspace
	catalog   servers.Catalog
	finder    servers.Finder
	pool      *lspclient.Pool
	bridge    *tools.Bridge
	trusted   func() error // nil error: the workspace may be served
}

// open makes the session that the flags describe. Nothing is started.
func (a *app) open(f *startFlags, budget limits.Budget) (*session, error) {
	log := a.logger(f.logLevel.value)
	ws, err := a.openWorkspace(f.workspace, f.exclude)
	if err != nil {
		return nil, err
	}
	s := &session{workspace: ws, finder: a.finder(ws.Roots()), trusted: func() error { return nil }}
	if !f.trust {
		s.trusted = func() error { return a.checkTrust(ws.Roots()) }
	}
	if err := a.start(s, f, budget, log); err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// start fills in the pool and the bridge of s.
func (a *app) start(s *session, f *startFlags, budget limits.Budget, log *slog.Logger) error {
	for _, name := range f.env {
		if name == "" || strings.ContainsAny(name, "=\x00") {
			return usage("write --env NAME; its value is the one it has here", "%q is no name of an environment variable", name)
		}
	}
	var err error
	if s.catalog, err = a.catalog(f.placeFlags, log); err != nil {
		return err
	}
	s.pool, err = lspclient.New(lspclient.Options{
		Workspace: s.workspace,
		Limits:    budget,
		Catalog:   s.catalog,
		Finder:    s.finder,
		Environ:   a.env.Environ,
		EnvNames:  f.env,
		Self:      a.env.Self,
		CacheDir:  a.cacheDir(),
		Log:       log,
	})
	if err != nil {
		return err
	}
	chain := a.toolchain()
	s.bridge, err = tools.New(tools.Options{
		Workspace: s.workspace,
		Pool:      s.pool,
		Limits:    budget,
		Refs: vdocs.NewStore(vdocs.Options{
			Workspace: workspaceTag(s.workspace),
			Max:       budget.VirtualRefs,
			TTL:       budget.VdocTTL,
			Now:       a.env.Now,
			Roots:     chain.roots(),
		}),
		Trusted: s.trusted,
		Redact:  a.redactor(s.workspace, chain),
		Version: a.version(),
		Toolset: f.toolset,
		Log:     log,
	})
	return err
}

// close ends every language server of the session.
func (s *session) close() {
	if s.pool != nil {
		s.pool.Close()
	}
	// Only folders were opened, for reading.
	_ = s.workspace.Close()
}

// finder looks programs up for a workspace with these roots.
func (a *app) finder(roots []confine.Root) servers.Finder {
	var avoid []string
	for _, r := range roots {
		avoid = append(avoid, r.Canonical)
	}
	return servers.Finder{
		Path:  a.env.getenv("PATH"),
		Avoid: avoid,
		Cache: a.cacheDir(),
		Env:   servers.Environ(a.env.Environ, nil, avoid, "", ""),
	}
}

// cacheDir is the bridge's own cache folder, "" without one.
func (a *app) cacheDir() string { return below(a.env.Cache, programName) }

// stateDir is the bridge's own state folder, "" without one.
func (a *app) stateDir() string { return below(a.env.State, programName) }

func below(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// workspaceTag names a workspace inside opaque references without telling where
// it is: the same folders give the same tag.
func workspaceTag(ws *confine.Workspace) string {
	h := sha256.New()
	for _, r := range ws.Roots() {
		h.Write([]byte(r.Canonical + "\x00")) // a hash never fails
	}
	return strings.ToLower(base32.HexEncoding.EncodeToString(h.Sum(nil)[:5]))
}
