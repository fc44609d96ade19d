package lspclient

import (
	"encoding/json"
	"fmt"
	"sync"
)

// testEvents records what a server sent by itself, a line each.
type testEvents struct {
	mu    sync.Mutex
	lines []string
	onAny func(line string) // called before the line is noted; may panic
}

func (e *testEvents) add(format string, args ...any) {
	line := fmt.Sprintf(format, args...)
	if e.onAny != nil {
		e.onAny(line)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.lines = append(e.lines, line)
}

func (e *testEvents) got() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return append([]string(nil), e.lines...)
}

func (e *testEvents) progress(token, kind, title, message string, percentage *uint32) {
	p := "-"
	if percentage != nil {
		p = fmt.Sprint(*percentage)
	}
	e.add("progress %s %s %q %q %s", token, kind, title, message, p)
}
func (e *testEvents) diagnostics(params json.RawMessage) { e.add("diagnostics %s", params) }
func (e *testEvents) message(level int, text string)     { e.add("message %d %s", level, text) }
func (e *testEvents) register(id, method string, options json.RawMessage) {
	e.add("register %s %s %s", id, method, options)
}
func (e *testEvents) unregister(id, method string) { e.add("unregister %s %s", id, method) }
func (e *testEvents) refresh(method string)        { e.add("refresh %s", method) }

// configuration knows the section "known".
func (e *testEvents) configuration(section, scope string) json.RawMessage {
	e.add("configuration %s %s", section, scope)
	if section == "known" {
		return json.RawMessage(`{"a":1}`)
	}
	return nil
}

func (e *testEvents) folders() []workspaceFolder {
	return []workspaceFolder{{URI: "file:///w", Name: "w"}}
}
