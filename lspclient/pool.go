package lspclient

import (
	"context"
	"log/slog"

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
	// Excluded file paths are already refused by Workspace.
}

// A Pool is the set of language servers of one workspace: at most one process
// for each server of the catalog, started when first asked, shared by all
// callers. It is safe for concurrent use.
type Pool struct{}

// New returns a pool; nothing is started.
func New(o Options) (*Pool, error) { panic("todo") }

// Close ends every server and returns when no process and no goroutine is left,
// within 5 s.
func (p *Pool) Close() { panic("todo") }

// Warm starts, in the background, the servers whose files the workspace has.
func (p *Pool) Warm() { panic("todo") }

// A Progress is told what a call waits for: "gopls: starting, 3 s",
// "clangd: indexing 41/210 files".
type Progress func(text string, done, total int)

// WithProgress returns a context whose calls report progress.
func WithProgress(ctx context.Context, report Progress) context.Context { panic("todo") }

// Definition asks where the thing at a place is defined, declared, or where its
// type is.
func (p *Pool) Definition(ctx context.Context, f confine.File, at Locate, kind DefinitionKind) (Locations, error) {
	panic("todo")
}

// Implementations asks for the implementations of an interface, a type or a
// method, or for the interfaces it implements.
func (p *Pool) Implementations(ctx context.Context, f confine.File, at Locate) (Locations, error) {
	panic("todo")
}

// References asks for every use of the thing at a place.
func (p *Pool) References(ctx context.Context, f confine.File, at Locate, includeDeclaration bool) (Locations, error) {
	panic("todo")
}

// Hover asks for the signature and the documentation of the thing at a place.
func (p *Pool) Hover(ctx context.Context, f confine.File, at Locate) (Hover, error) { panic("todo") }

// DocumentSymbols asks for the outline of a file.
func (p *Pool) DocumentSymbols(ctx context.Context, f confine.File) (Symbols, error) { panic("todo") }

// WorkspaceSymbols asks the server named server for the symbols that match
// query; what matches is the server's own idea.
func (p *Pool) WorkspaceSymbols(ctx context.Context, server, query string) (Symbols, error) {
	panic("todo")
}

// Formatting asks what formatting would change in a file, or in a range of it.
func (p *Pool) Formatting(ctx context.Context, f confine.File, within *textpos.PointRange) (Formatting, error) {
	panic("todo")
}

// ServerFor returns the name of the server and the language id of a file.
func (p *Pool) ServerFor(f confine.File) (server, language string, ok bool) { panic("todo") }

// A Language is one server whose files the workspace has outside testdata
// folders, with the number of such files.
type Language struct {
	Server string
	Files  int
}

// Languages lists the servers that the workspace has files for.
func (p *Pool) Languages(ctx context.Context) ([]Language, error) { panic("todo") }

// FilesHolding returns the files of a server that hold the bytes of name, at
// most max, sorted. It reads the disk, never a server.
func (p *Pool) FilesHolding(ctx context.Context, server, name string, max int) ([]confine.File, error) {
	panic("todo")
}

// A ServerStatus describes one server for server_status and doctor.
type ServerStatus struct {
	Name       string
	State      string // "not started", "starting", "ready", "indexing", "failed", "missing"
	Version    string
	Origin     string // of the program: "PATH", "installed by lspbridge"
	Path       string // for doctor and the log alone
	Readiness  string // "indexing 41/210 files", "starting, 12 s"
	Executes   servers.Executes
	Generation int
	Restarts   int
	OpenFiles  int
	Encoding   textpos.Encoding
	Error      string
	Hint       string
	Methods    []string // what it can do, LSP method names, sorted
}

// Status describes the servers of the catalog that the workspace has files for
// and those that were started. It never waits for a server.
func (p *Pool) Status() []ServerStatus { panic("todo") }
