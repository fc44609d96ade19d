package lsptest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// do does actions in turn; m is the message they react to.
func (s *server) do(actions []Action, m Message) error {
	for _, a := range actions {
		for _, step := range []func(Action, Message) error{s.doWait, s.doSend, s.doAwait, s.doRest} {
			if err := step(a, m); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *server) doWait(a Action, _ Message) error {
	if a.Sleep > 0 {
		if err := s.pause(a.Sleep, nil); err != nil {
			return err
		}
	}
	if a.Hold {
		return s.pause(0, s.release)
	}
	return nil
}

func (s *server) doSend(a Action, m Message) error {
	method := cmp.Or(a.Notify, a.Request)
	if method == "" {
		return nil
	}
	name, err := json.Marshal(method)
	if err != nil {
		return err
	}
	body := `,"method":` + string(name)
	if a.Params != "" {
		body += `,"params":` + s.fill(a.Params, m)
	}
	for range max(a.Count, 1) {
		id := ""
		if a.Request != "" {
			id = `,"id":` + s.newID(method)
		}
		if err := s.send(`{"jsonrpc":"2.0"` + id + body + `}`); err != nil {
			return err
		}
	}
	return nil
}

// newID makes the id of a request: strings and numbers in turn, since servers
// use both.
func (s *server) newID(method string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nextID++
	id := strconv.Itoa(s.nextID)
	if s.nextID%2 == 0 {
		id = `"` + id + `"`
	}
	s.sent[id] = method
	return id
}

func (s *server) doAwait(a Action, _ Message) error {
	if a.Await == "" {
		return nil
	}
	for {
		s.mu.Lock()
		answered, replied := !slices.Contains(slices.Collect(maps.Values(s.sent)), a.Await), s.replied
		s.mu.Unlock()
		if answered {
			return nil
		}
		if err := s.pause(0, replied); err != nil {
			return err
		}
	}
}

func (s *server) doRest(a Action, m Message) error {
	if a.Raw != "" {
		if err := s.write(s.fill(a.Raw, m)); err != nil {
			return err
		}
	}
	const line = "fake language server: this line is one of very many on stderr\n"
	for left := a.Stderr; left > 0; left -= len(line) {
		if _, err := io.WriteString(s.stderr, line); err != nil {
			return fmt.Errorf("stderr: %w", err)
		}
	}
	if a.StopReading {
		s.mu.Lock()
		s.deaf = true
		s.mu.Unlock()
	}
	if a.Exit != nil {
		if s.exit != nil {
			s.exit(*a.Exit)
		}
		return errExit{*a.Exit}
	}
	return nil
}

// String tells a message in a test's failure.
func (m Message) String() string {
	kind := "call"
	switch {
	case m.Reply:
		kind = "reply to"
	case len(m.ID) == 0:
		kind = "notification"
	}
	return strings.TrimSpace(fmt.Sprintf("%s %s %s%s%s", kind, m.Method, m.Params, m.Result, m.Error))
}
