package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"
	"unicode/utf8"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/textpos"
	"lspbridge/vdocs"
)

// Options configures [New]. Workspace, Pool, Limits and Refs are required.
type Options struct {
	Workspace *confine.Workspace
	Pool      Servers // a *lspclient.Pool
	Limits    limits.Budget
	Refs      *vdocs.Store
	// Trusted returns nil when the workspace may be served, else why not: an
	// [*Error] is what the caller gets, the text of any other goes into the log.
	// It is asked on every call. nil trusts.
	Trusted func() error
	Redact  *Redactor // nil hides no folder
	Version string
	Toolset Toolset      // "" is Core
	Log     *slog.Logger // nil logs nothing
}

// A Bridge answers the tools for one workspace. It is safe for concurrent use.
type Bridge struct {
	ws      *confine.Workspace
	pool    Servers
	limits  limits.Budget
	refs    *vdocs.Store
	trusted func() error
	redact  *Redactor
	version string
	toolset Toolset
	log     *slog.Logger

	tools map[string]tool // by name; never changes after New
	tag   digest          // of the workspace, in cursors
	slots slots
	warm  sync.Once
}

// New returns a bridge over o.
func New(o Options) (*Bridge, error) {
	if o.Workspace == nil || o.Pool == nil || o.Refs == nil {
		return nil, errors.New("tools: Workspace, Pool and Refs are required")
	}
	if o.Trusted == nil {
		o.Trusted = func() error { return nil }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	b := &Bridge{
		ws: o.Workspace, pool: o.Pool, limits: o.Limits, refs: o.Refs, trusted: o.Trusted, redact: o.Redact,
		version: o.Version, toolset: o.Toolset, log: o.Log, tools: map[string]tool{}, tag: workspaceDigest(o.Workspace),
		slots: slots{size: max(1, o.Limits.SessionCalls)},
	}
	for _, t := range o.Toolset.tools() {
		b.tools[t.name] = t
	}
	return b, nil
}

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

// A question is a call on its way to its answer.
type question struct {
	ctx     context.Context // of this call; a question lives no longer
	b       *Bridge
	tool    tool
	args    arguments
	owner   string
	unpaged bool
	server  string // that named the places being rendered

	text   *textpos.Mapper // of the file read last, nil before the first
	textOf confine.File
}

// Call asks a tool. It never panics and never returns later than the limits say.
func (b *Bridge) Call(ctx context.Context, c Call) Result {
	ctx, cancel := context.WithTimeout(ctx, b.limits.CallTotal)
	defer cancel()
	r, err := b.answer(ctx, c)
	if err != nil {
		b.log.Debug("question not answered", "tool", clipWord(c.Tool), "error", err)
		return Result{Err: b.toError(ctx, err)}
	}
	raw, err := encode(r.structured)
	if err != nil {
		return Result{Err: b.toError(ctx, err)}
	}
	// Pages are bounded already; this holds what has none.
	if n := max(utf8.RuneCountInString(r.text), utf8.RuneCount(raw)); n > b.limits.ResponseChars {
		return Result{Err: usagef("answer_too_large", "ask about less, or page with max_items and max_chars",
			"the answer has %d characters, over the limit of %d (response_chars)", n, b.limits.ResponseChars)}
	}
	return Result{Text: r.text, Structured: raw, State: r.state}
}

// answer runs a tool's handler inside a slot of its owner.
func (b *Bridge) answer(ctx context.Context, c Call) (r reply, err error) {
	defer b.recovered(&err)
	t, ok := b.tools[c.Tool]
	if !ok {
		return reply{}, b.unknownTool(c.Tool)
	}
	if err := b.admit(); err != nil {
		return reply{}, err
	}
	args, e := decodeArguments(c.Args, t.params, b.limits.ArgumentChars)
	if e != nil {
		return reply{}, e
	}
	release, e := b.slots.take(ctx, c.Owner)
	if e != nil {
		return reply{}, e
	}
	defer release()
	ctx = b.reporting(ctx, c.Progress)
	q := &question{ctx: ctx, b: b, tool: t, args: args, owner: c.Owner, unpaged: c.Unpaged}
	return t.run(q)
}

// admit refuses every question of a workspace that may not be served, or is gone.
func (b *Bridge) admit() error {
	if err := b.checkTrust(); err != nil {
		return err
	}
	if err := b.ws.Check(); err != nil {
		b.log.Warn("workspace gone", "error", err)
		return &Error{
			Class: ClassUsage, Code: "workspace_gone", Message: "the workspace folder was removed, moved or replaced since lspbridge started",
			Hint: "start lspbridge again in the folder as it is now",
		}
	}
	return nil
}

// reporting returns a context whose calls report progress; nil reports nothing.
func (b *Bridge) reporting(ctx context.Context, progress lspclient.Progress) context.Context {
	if progress == nil {
		return ctx
	}
	return lspclient.WithProgress(ctx, func(text string, done, total int) {
		progress(oneLine(b.redact.Error(text)), done, total)
	})
}

func (b *Bridge) unknownTool(name string) *Error {
	if e := b.toolset.notServed(name); e != nil {
		return e
	}
	var names []string
	for _, t := range b.toolset.tools() {
		names = append(names, t.name)
	}
	hint := "the tools are: " + strings.Join(names, ", ")
	if near := nearest(name, names, 1); len(near) > 0 {
		hint = "did you mean " + near[0] + "?"
	}
	return usagef("unknown_tool", hint, "there is no tool %q", clipWord(name))
}

// checkTrust refuses a workspace that no person trusts: its language servers
// would run its code.
func (b *Bridge) checkTrust() error {
	err := b.trusted()
	if err == nil {
		return nil
	}
	var own *Error
	if errors.As(err, &own) {
		return own
	}
	b.log.Info("workspace not trusted", "error", err)
	return &Error{
		Class: ClassRefused, Code: "untrusted",
		Message: "the workspace is not trusted, and language servers run its code",
		Hint:    "a person who trusts it runs: lspbridge trust DIR",
	}
}

// recovered turns a panic into an error: one broken question is not the end of
// the bridge.
func (b *Bridge) recovered(err *error) {
	if v := recover(); v != nil {
		b.log.Error("panic", "value", fmt.Sprint(v), "stack", string(debug.Stack()))
		*err = fmt.Errorf("panic: %v", v)
	}
}

// warmUp starts the servers of a trusted workspace, once, in the background.
func (b *Bridge) warmUp() {
	if b.trusted() == nil {
		b.warm.Do(b.pool.Warm)
	}
}
