package tools

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/vdocs"
)

// Options configures [New].
type Options struct {
	Workspace *confine.Workspace
	Pool      *lspclient.Pool
	Limits    limits.Budget
	Refs      *vdocs.Store
	// Trusted returns nil when the workspace may be served, else why not. It is
	// asked on every call. nil trusts.
	Trusted func() error
	Redact  *Redactor
	Version string
	Log     *slog.Logger
}

// A Bridge answers the tools for one workspace. It is safe for concurrent use.
type Bridge struct{}

// New returns a bridge over o.
func New(o Options) (*Bridge, error) { panic("todo") }

// ServeStdio serves one MCP client over in and out, newline-delimited JSON, until
// in ends: answers in flight are then still written for limits.Drain. A line that
// is not JSON is dropped and logged.
func (b *Bridge) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error { panic("todo") }

// A Call is one question asked of a tool.
type Call struct {
	Tool  string
	Args  json.RawMessage // a JSON object; nil means {}
	Owner string          // session or token that asks; "" is the command line
	// Unpaged answers with every item up to limits.ResponseChars, for callers
	// that print all pages.
	Unpaged  bool
	Progress lspclient.Progress // nil reports nothing
}

// A Result is the answer of a tool: text and structure, each whole by itself.
type Result struct {
	Text       string
	Structured json.RawMessage // a JSON object; nil with Err
	Err        *Error          // the question was not answered
	State      lspclient.State // completeness, for exit codes; "" where it has none
}

// Call asks a tool. It never panics and never returns later than the limits say.
func (b *Bridge) Call(ctx context.Context, c Call) Result { panic("todo") }

// A Class of errors decides the exit code of a command.
type Class int

// The classes.
const (
	ClassUsage      Class = iota // bad arguments; a target that is bad, unknown or ambiguous: 2
	ClassIncomplete              // not ready in time: 3
	ClassServer                  // a language server is missing or failed: 4
	ClassRefused                 // trust, writes, outside the workspace: 5
)

// An Error is a question that got no answer: one line, then what to do next.
type Error struct {
	Class      Class    `json:"-"`
	Code       string   `json:"code"` // snake_case, stable
	Message    string   `json:"message"`
	Hint       string   `json:"hint,omitempty"`
	Candidates []string `json:"candidates,omitempty"` // places or names to choose from
}

func (e *Error) Error() string { return e.Message }

// A Redactor hides folders of this machine in text that a server made: roots
// become workspace-relative, and known folders $GOROOT, $GOMODCACHE, ~.
type Redactor struct{}

// A Definition is one tool of the catalogue, for tools/list and its printers.
type Definition struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	ReadOnly     bool
}

// Catalogue lists the tools in their fixed order.
func Catalogue() []Definition { panic("todo") }
