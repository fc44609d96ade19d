package lspclient

import (
	"encoding/json"
	"slices"
	"strings"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

const (
	methodRegister   = protocol.MethodClientRegisterCapability
	methodUnregister = protocol.MethodClientUnregisterCapability
)

// answer gives each request of a server its fixed answer. Nothing a server asks
// for changes a file, opens a window or runs a command.
func (h *handler) answer(method string, params json.RawMessage) (any, error) {
	switch method {
	case protocol.MethodWorkspaceConfiguration:
		return h.configuration(params)
	case protocol.MethodWorkspaceWorkspaceFolders:
		return h.events.folders(), nil
	case methodRegister:
		return h.register(params)
	case methodUnregister:
		return h.unregister(params)
	case protocol.MethodWindowWorkDoneProgressCreate:
		var p struct{ Token json.RawMessage }
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, invalidParams("%v", err)
		}
		if _, ok := tokenText(p.Token); !ok {
			return nil, invalidParams("the token is neither a number nor a string")
		}
		return nil, nil
	case protocol.MethodWindowShowMessageRequest:
		var p struct{ Message string }
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, invalidParams("%v", err)
		}
		h.log("question of the server left unanswered", "text", clip(p.Message, messageBytes))
		return nil, nil
	case protocol.MethodWindowShowDocument:
		var p struct{ URI string }
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, invalidParams("%v", err)
		}
		return json.RawMessage(`{"success":false}`), nil
	case protocol.MethodWorkspaceApplyEdit:
		// Whatever it asks for, also where that cannot be read.
		return json.RawMessage(`{"applied":false,"failureReason":"this client never applies edits that a server asks for"}`), nil
	}
	if strings.HasPrefix(method, "workspace/") && strings.HasSuffix(method, "/refresh") {
		h.events.refresh(method)
		return nil, nil
	}
	return nil, jsonrpc2.NewError(jsonrpc2.MethodNotFound, clip("method not found: "+method, 200))
}

// configuration answers an array as long as the items asked for; gopls takes
// anything else for "no folders" and fails every call from then on.
func (h *handler) configuration(params json.RawMessage) (any, error) {
	var p struct{ Items []json.RawMessage }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalidParams("%v", err)
	}
	if p.Items == nil {
		return nil, invalidParams("no items")
	}
	values := make([]json.RawMessage, len(p.Items))
	for i, raw := range p.Items {
		var item struct{ Section, ScopeURI string }
		if unmarshal(raw, &item) == nil {
			values[i] = h.events.configuration(item.Section, item.ScopeURI)
		}
		if !json.Valid(values[i]) {
			values[i] = json.RawMessage("null")
		}
	}
	all, err := json.Marshal(values)
	return json.RawMessage(all), err
}

// register notes new capabilities. Commands are left out: none is ever run.
func (h *handler) register(params json.RawMessage) (any, error) {
	var p struct {
		Registrations []struct {
			ID, Method      string
			RegisterOptions json.RawMessage
		}
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalidParams("%v", err)
	}
	if p.Registrations == nil {
		return nil, invalidParams("no registrations")
	}
	for _, r := range p.Registrations {
		if r.Method == protocol.MethodWorkspaceExecuteCommand {
			h.log("registration of commands ignored", "id", clip(r.ID, 200))
			continue
		}
		h.events.register(r.ID, r.Method, r.RegisterOptions)
	}
	return nil, nil
}

// unregister takes capabilities back. LSP spells the member "unregisterations";
// some servers correct it.
func (h *handler) unregister(params json.RawMessage) (any, error) {
	type unregistration struct{ ID, Method string }
	var p struct{ Unregisterations, Unregistrations []unregistration }
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, invalidParams("%v", err)
	}
	if p.Unregisterations == nil && p.Unregistrations == nil {
		return nil, invalidParams("no unregisterations")
	}
	for _, u := range slices.Concat(p.Unregisterations, p.Unregistrations) {
		h.events.unregister(u.ID, u.Method)
	}
	return nil, nil
}
