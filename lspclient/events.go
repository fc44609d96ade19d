package lspclient

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"lspbridge/lspclient/servers"
)

// events keeps what one running server said by itself. It implements
// serverEvents; its lock is never held while something is waited for.
type events struct {
	entry    servers.Server
	log      *slog.Logger
	rootsFor func() []workspaceFolder

	mu            sync.Mutex
	active        map[string]task // work-done progress under way, by token
	everDone      map[string]bool // tokens that ended at least once
	changed       chan struct{}   // closed and replaced at each change of the above
	dynamic       map[string]registration
	published     published
	namesVersions bool // the server says which version its diagnostics are about
	ready         bool // it logged what says that it is
	// parsed, when not nil, is told whether an open document has errors.
	parsed func(path string, fails bool)
}

// A task is one work-done progress (LSP 3.17 §workDoneProgress).
type task struct {
	title, message string
	percentage     int // 0 to 100; -1 when the server gave none
}

// A registration is a capability that the server registered after initialize.
type registration struct {
	method  string
	options json.RawMessage
}

func newEvents(entry servers.Server, log *slog.Logger, folders func() []workspaceFolder) *events {
	return &events{
		entry: entry, log: log, rootsFor: folders,
		active: map[string]task{}, everDone: map[string]bool{},
		changed: make(chan struct{}), dynamic: map[string]registration{}, published: published{},
	}
}

// What a server can make the bridge remember.
const (
	maxActive  = 1024    // tokens, registrations
	maxToken   = 1 << 10 // bytes of a token, or an id and method of a registration
	maxOptions = 1 << 20 // bytes of the options of all registrations
)

func (e *events) progress(token, kind, title, message string, percentage *uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(token) > maxToken {
		return
	}
	switch kind {
	case "begin", "report":
		t, ok := e.active[token]
		if !ok && len(e.active) >= maxActive && token != e.entry.Quirks.ReadyToken {
			return
		}
		if title != "" {
			t.title = oneLine(title)
		}
		if message != "" || kind == "begin" {
			t.message = oneLine(message)
		}
		t.percentage = -1
		if percentage != nil {
			t.percentage = int(min(*percentage, 100))
		}
		e.active[strings.Clone(token)] = t
	case "end":
		delete(e.active, token)
		if len(e.everDone) < maxActive || token == e.entry.Quirks.ReadyToken {
			e.everDone[strings.Clone(token)] = true
		}
	default:
		return
	}
	e.signal()
}

// signal wakes everybody who waits for a change; mu is held.
func (e *events) signal() {
	close(e.changed)
	e.changed = make(chan struct{})
}

// watch returns what is under way, and a channel that is closed when that
// changes.
func (e *events) watch(token string) (active map[string]task, ended bool, changed <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	active = make(map[string]task, len(e.active))
	for k, v := range e.active {
		active[k] = v
	}
	return active, e.everDone[token], e.changed
}

// spoke reports whether the server ever reported progress to its end.
func (e *events) spoke() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.everDone) > 0
}

// describe puts a task into a few words: "indexing 41/210".
func (t task) describe() string {
	switch {
	case t.title == "" && t.message == "":
		return "working"
	case t.message == "":
		if t.percentage >= 0 {
			return fmt.Sprintf("%s %d%%", t.title, t.percentage)
		}
		return t.title
	default:
		return strings.TrimSpace(t.title + " " + t.message)
	}
}

// logged reports whether the server logged the message that says it is ready.
func (e *events) logged() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ready
}

func (e *events) message(level int, text string) {
	if slices.ContainsFunc(e.entry.Quirks.ReadyLog, func(start string) bool { return strings.HasPrefix(text, start) }) {
		e.mu.Lock()
		e.ready = true
		e.signal()
		e.mu.Unlock()
	}
	lv := slog.LevelDebug
	if level == 1 {
		lv = slog.LevelInfo
	}
	e.log.Log(context.Background(), lv, "server message", "server", e.entry.Name, "level", level, "bytes", len(text))
}

func (e *events) register(id, method string, options json.RawMessage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	held := len(options) - len(e.dynamic[id].options)
	for _, r := range e.dynamic {
		held += len(r.options)
	}
	if _, known := e.dynamic[id]; !known && len(e.dynamic) >= maxActive || len(id)+len(method) > maxToken || held > maxOptions {
		if method == protocol.MethodWorkspaceDidChangeWatchedFiles {
			// Told of all files, it hears of those it meant.
			e.dynamic["\x00over the bounds"] = registration{protocol.MethodWorkspaceDidChangeWatchedFiles, json.RawMessage("false")}
		}
		e.log.Warn("registration over the bounds ignored", "server", e.entry.Name, "method", clip(method, 200))
		return
	}
	e.dynamic[strings.Clone(id)] = registration{strings.Clone(method), bytes.Clone(options)}
}

func (e *events) unregister(id, _ string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.dynamic, id)
}

// registered returns the options of every dynamic registration of method.
func (e *events) registered(method string) []json.RawMessage {
	e.mu.Lock()
	defer e.mu.Unlock()
	var out []json.RawMessage
	for _, id := range sortedKeys(e.dynamic) {
		if r := e.dynamic[id]; r.method == method {
			out = append(out, r.options)
		}
	}
	return out
}

func (e *events) configuration(section, _ string) json.RawMessage {
	return e.entry.Configuration(section)
}

func (e *events) folders() []workspaceFolder { return e.rootsFor() }

func (e *events) refresh(string) {
	// The bridge keeps no answers that a refresh could make stale.
}

// oneLine makes a server's words fit into one line of bounded length.
func oneLine(s string) string {
	const most = 300
	s = strings.Join(strings.Fields(s), " ")
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
