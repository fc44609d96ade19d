package lspclient

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"go.lsp.dev/protocol"

	"lspbridge/limits/confine"
	"lspbridge/lspclient/textpos"
)

// A CodeAction is one change that a server offers for a range (LSP 3.17
// §codeAction). Title and Disabled are one line of the server's own words.
type CodeAction struct {
	Title     string
	Kind      string // "quickfix", "refactor.extract.function"; "" where the server gave none
	Preferred bool
	Disabled  string // why it cannot be done now; "" when it can
	// Command is true when the server would run a command of its own after the
	// edit, or in place of one. The bridge never does.
	Command bool
	Steps   []EditStep // in order; nil without an edit
	HasEdit bool
	// Fault is why the action's edit is not there although the server has one.
	Fault *Error
}

// CodeActions are the actions of a range, in the order of the server.
type CodeActions struct {
	Answer
	Items []CodeAction
}

// maxActions bounds the actions of one answer.
const maxActions = 64

// CodeActions asks which changes the server offers for a range of a file, kinds
// limited to only and what is below them ("refactor" holds "refactor.inline")
// where it is not empty. Edits that the server leaves for later are asked for
// (§codeAction_resolve); no command is run.
func (p *Pool) CodeActions(ctx context.Context, f confine.File, within textpos.PointRange, only []string) (CodeActions, error) {
	s, err := p.server(f)
	if err != nil {
		return CodeActions{}, err
	}
	method := protocol.MethodTextDocumentCodeAction
	var out CodeActions
	out.Completeness, err = s.ask(ctx, question{method: method, exact: true, file: &f}, func(ctx context.Context, a *attempt) error {
		out.Items, out.AtLeast = nil, false
		r, err := positionRange(a.snap.text, within, a.sess.hello.encoding)
		if err != nil {
			return &Error{Code: CodeBadFile, Msg: oneLine(err.Error()), Err: err}
		}
		asked := map[string]any{"triggerKind": 1, "diagnostics": []json.RawMessage{}} // invoked
		if wants(only, "quickfix") || slices.ContainsFunc(only, func(o string) bool { return strings.HasPrefix(o, "quickfix.") }) {
			found, err := a.diagnosed(ctx, r)
			if err != nil {
				return err
			}
			asked["diagnostics"] = found
		}
		if len(only) > 0 {
			asked["only"] = only
		}
		params := docParams(a.snap.doc.uri)
		params["range"], params["context"] = r, asked
		raw, err := a.call(ctx, method, params)
		if err != nil {
			return err
		}
		elements, err := elementsOf(raw)
		if err != nil {
			return a.unreadable(method, err)
		}
		left, odd := newEditRoom(p.o.Limits), 0
		for _, e := range elements {
			if len(out.Items) == maxActions {
				out.AtLeast = true
				a.c.partial("the list of actions is cut at 64")
				break
			}
			action, ok, err := a.action(ctx, e, only, left)
			if err != nil {
				return err
			}
			if !ok {
				odd++
			} else if len(only) == 0 || wants(only, action.Kind) {
				out.Items = append(out.Items, action)
			}
		}
		if odd > 0 {
			a.c.partial(count(odd, "action") + " that the server sent cannot be read")
		}
		if len(out.Items) == 0 {
			a.doubtNothing()
		}
		return nil
	})
	out.Server = s.entry.Name
	return out, err
}

// wants reports whether a kind is one of only, or below one. No list wants all.
func wants(only []string, kind string) bool {
	return len(only) == 0 || slices.ContainsFunc(only, func(o string) bool {
		return o == "" || kind == o || strings.HasPrefix(kind, o+".")
	})
}

// action reads one Command | CodeAction. ok is false when it is neither. An edit
// that cannot be previewed costs its action alone.
func (a *attempt) action(ctx context.Context, raw json.RawMessage, only []string, left *editRoom) (out CodeAction, ok bool, err error) {
	type wire struct {
		Title       string `json:"title"`
		Kind        string `json:"kind"`
		IsPreferred bool   `json:"isPreferred"`
		Disabled    *struct {
			Reason string `json:"reason"`
		} `json:"disabled"`
		Edit    json.RawMessage `json:"edit"`
		Command json.RawMessage `json:"command"`
		Data    json.RawMessage `json:"data"`
	}
	var w wire
	if json.Unmarshal(raw, &w) != nil || w.Title == "" {
		return out, false, nil
	}
	out = CodeAction{Title: strings.Clone(oneLine(w.Title)), Kind: strings.Clone(clip(w.Kind, 200)), Preferred: w.IsPreferred, Command: given(w.Command)}
	if w.Disabled != nil {
		if out.Disabled = strings.Clone(oneLine(w.Disabled.Reason)); out.Disabled == "" {
			out.Disabled = "no reason given"
		}
		return out, true, nil
	}
	if len(only) > 0 && !wants(only, out.Kind) {
		return out, true, nil
	}
	if !given(w.Edit) && given(w.Data) && a.sess.resolvesActions() {
		resolved, err := a.call(ctx, protocol.MethodCodeActionResolve, raw)
		var refused *Error
		switch {
		case errors.As(err, &refused) && (refused.Code == CodeRefused || refused.Code == CodeTimeout) && ctx.Err() == nil:
			out.Fault = refused
			return out, true, nil
		case err != nil:
			return out, false, err
		}
		var more wire
		if json.Unmarshal(resolved, &more) != nil {
			out.Fault = a.unreadable(protocol.MethodCodeActionResolve, nil)
			return out, true, nil
		}
		w.Edit, out.Command = more.Edit, out.Command || given(more.Command)
	}
	if !given(w.Edit) {
		return out, true, nil
	}
	out.HasEdit = true
	out.Steps, err = a.editsOf(protocol.MethodTextDocumentCodeAction, w.Edit, left)
	if err != nil {
		if !errors.As(err, &out.Fault) {
			return out, false, err
		}
		out.Steps = nil
	}
	return out, true, nil
}

// given reports whether an optional member is there.
func given(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }

// resolvesActions reports whether the server has codeAction/resolve.
func (sess *session) resolvesActions() bool {
	options := append(sess.events.registered(protocol.MethodTextDocumentCodeAction), sess.hello.capabilities["codeActionProvider"])
	for _, raw := range options {
		var o struct{ ResolveProvider bool }
		if json.Unmarshal(raw, &o) == nil && o.ResolveProvider {
			return true
		}
	}
	return false
}

// diagnosed returns the diagnostics that touch a range, as the server sent them:
// quick fixes are fixes of the diagnostics that the question names.
func (a *attempt) diagnosed(ctx context.Context, r textpos.PositionRange) ([]json.RawMessage, error) {
	var raw json.RawMessage
	var err error
	if a.pulls() {
		raw, err = a.pull(ctx)
	} else {
		raw, err = a.published(ctx, a.sess.srv.pool.o.Limits.Settle)
	}
	var nothing *unknownError
	switch {
	case errors.As(err, &nothing):
		a.c.partial("quick fixes may be missing: " + nothing.why)
		return []json.RawMessage{}, nil
	case err != nil:
		return nil, err
	}
	items, err := elementsOf(raw)
	if err != nil {
		return nil, a.unreadable(protocol.MethodTextDocumentDiagnostic, err)
	}
	out := []json.RawMessage{}
	for _, item := range items {
		var d struct{ Range *textpos.PositionRange }
		if json.Unmarshal(item, &d) == nil && d.Range != nil && touches(*d.Range, r) {
			out = append(out, item)
		}
	}
	return out, nil
}

// touches reports whether two ranges share a place, their ends included.
func touches(a, b textpos.PositionRange) bool {
	after := func(p, q textpos.Position) bool {
		return p.Line > q.Line || p.Line == q.Line && p.Character > q.Character
	}
	return !after(a.Start, b.End) && !after(b.Start, a.End)
}
