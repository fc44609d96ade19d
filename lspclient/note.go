package lspclient

import (
	"encoding/json"
	"errors"
	"strconv"

	"go.lsp.dev/protocol"
)

// messageBytes bounds the text of one message of a server.
const messageBytes = 8 << 10

// note takes one notification. What cannot be read is an error, which is logged;
// a member of the wrong type alone is none, so that the end of a progress is
// seen though its message is a number.
func (h *handler) note(method string, params json.RawMessage) error {
	switch method {
	case protocol.MethodProgress:
		return h.progress(params)
	case protocol.MethodTextDocumentPublishDiagnostics:
		if len(params) == 0 {
			return errors.New("no parameters")
		}
		h.events.diagnostics(params)
	case protocol.MethodWindowLogMessage, protocol.MethodWindowShowMessage:
		var p struct {
			Type    int
			Message string
		}
		if err := unmarshal(params, &p); err != nil {
			return err
		}
		if p.Type < int(protocol.MessageTypeError) || p.Type > int(protocol.MessageTypeDebug) {
			p.Type = int(protocol.MessageTypeLog)
		}
		h.events.message(p.Type, clip(p.Message, messageBytes))
	case protocol.MethodTelemetryEvent, protocol.MethodLogTrace, protocol.MethodCancelRequest:
		// Telemetry goes nowhere, traces are not asked for, and a request is
		// answered before it could be cancelled.
	default:
		return errors.New("unknown method")
	}
	return nil
}

// progress takes $/progress. Values without a kind are partial results, which
// are never asked for.
func (h *handler) progress(params json.RawMessage) error {
	var p struct{ Token, Value json.RawMessage }
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	token, ok := tokenText(p.Token)
	if !ok {
		return errors.New("the token is neither a number nor a string")
	}
	var v struct {
		Kind, Title, Message string
		Percentage           json.RawMessage
	}
	if err := unmarshal(p.Value, &v); err != nil {
		return err
	}
	switch v.Kind {
	case "begin", "report", "end":
		h.events.progress(token, v.Kind, v.Title, v.Message, percentage(v.Percentage))
		return nil
	}
	return errors.New("no kind of progress")
}

// percentage reads a whole number from 0 to 100; servers send fractions, and
// more than 100.
func percentage(raw json.RawMessage) *uint32 {
	var f float64
	if len(raw) == 0 || isNull(raw) || json.Unmarshal(raw, &f) != nil {
		return nil
	}
	n := uint32(min(max(f, 0), 100))
	return &n
}

// tokenText returns a progress token as text; a number in decimal.
func tokenText(raw json.RawMessage) (string, bool) {
	id, ok := parseID(raw)
	if s, isString := id.StringValue(); isString {
		return s, true
	}
	n, isNumber := id.Number()
	if !ok || !isNumber {
		return "", false
	}
	return strconv.FormatInt(n, 10), true
}
