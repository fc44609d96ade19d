package lspclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
)

// errMessage marks a body whose loss cannot be passed over: what it said is
// unknown, so the connection ends.
var errMessage = errors.New("broken message")

// parseMessage reads one body and repairs what servers get wrong and what would
// otherwise hang a call or end the connection: no "jsonrpc", result beside a
// null error, both at once, an id that comes back as 1.0 or "1", a BOM.
//
// A nil message without an error is an object that is no message of JSON-RPC; it
// is passed over. A body that is no JSON object, and an error reply by which the
// server says that it could not read a message of ours, are errors: a lost
// didChange would make later answers silently wrong.
func parseMessage(body []byte) (jsonrpc2.Message, error) {
	var members map[string]json.RawMessage // exact names; struct tags would match any case
	if err := json.Unmarshal(bytes.TrimPrefix(body, []byte(bom)), &members); err != nil {
		return nil, fmt.Errorf("%w: %s", errMessage, clip(err.Error(), 200))
	}
	id, idOK := parseID(members["id"])
	if raw, ok := members["method"]; ok {
		var method string
		if json.Unmarshal(raw, &method) != nil || method == "" {
			return nil, nil
		}
		return parseRequest(id, idOK, method, members["params"]), nil
	}
	fault, failed := members["error"]
	failed = failed && !isNull(fault)
	result, answered := members["result"]
	if !failed && !answered {
		if _, isReply := members["id"]; !isReply {
			return nil, nil
		}
		fault, failed = json.RawMessage(`{"code":-32603,"message":"the reply has neither a result nor an error"}`), true
	}
	if !failed {
		return jsonrpc2.NewResponse(ownID(id), jsonrpc2.RawMessage(result), nil), nil
	}
	wire := parseError(fault)
	if !id.IsValid() && (wire.Code == jsonrpc2.ParseError || wire.Code == jsonrpc2.InvalidRequest) {
		return nil, fmt.Errorf("%w: the server could not read a message: %s", errMessage, clip(wire.Message, 200))
	}
	return jsonrpc2.NewResponse(ownID(id), nil, wire), nil
}

// parseRequest makes a call of what has an id and a notification of what has
// none. An id that is neither number nor string cannot be answered under its own
// name; JSON-RPC 2.0 §5 answers it under null, which an invalid id stands for.
func parseRequest(id jsonrpc2.ID, idOK bool, method string, params json.RawMessage) jsonrpc2.Message {
	if isNull(params) {
		params = nil
	}
	if idOK && !id.IsValid() {
		return jsonrpc2.NewNotification(method, jsonrpc2.RawMessage(params))
	}
	return jsonrpc2.NewCall(id, method, jsonrpc2.RawMessage(params))
}

// parseID reads an id; a missing or null one is valid JSON-RPC and gives the zero
// ID. A number must be whole: 1.0 is 1.
func parseID(raw json.RawMessage) (id jsonrpc2.ID, ok bool) {
	if len(raw) == 0 || isNull(raw) {
		return jsonrpc2.ID{}, true
	}
	if raw[0] == '"' {
		var s string
		if json.Unmarshal(raw, &s) != nil {
			return jsonrpc2.ID{}, false
		}
		return jsonrpc2.NewStringID(s), true
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return jsonrpc2.NewNumberID(n), true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
		return jsonrpc2.ID{}, false
	}
	return jsonrpc2.NewNumberID(int64(f)), true
}

// ownID turns the id of a reply into the kind that the bridge gives its calls: a
// number, also where the server sent it back as a string.
func ownID(id jsonrpc2.ID) jsonrpc2.ID {
	if s, ok := id.StringValue(); ok {
		if n, err := strconv.ParseInt(s, 10, 64); err == nil {
			return jsonrpc2.NewNumberID(n)
		}
	}
	return id
}

// parseError reads an error object as far as it makes sense; what does not is
// shown as it came.
func parseError(raw json.RawMessage) *jsonrpc2.Error {
	var object struct {
		Code    json.Number
		Message string
	}
	if err := unmarshal(raw, &object); err != nil || object.Message == "" {
		object.Message = "error " + string(raw)
	}
	code := jsonrpc2.InternalError
	if f, err := object.Code.Float64(); err == nil && math.Abs(f) < math.MaxInt32 {
		code = jsonrpc2.Code(f)
	}
	return jsonrpc2.NewError(code, clip(object.Message, errorBytes))
}

// errorBytes bounds the text of an error reply.
const errorBytes = 4 << 10

// unmarshal decodes what fits: a member of the wrong type stays at its zero
// value and takes nothing else with it.
func unmarshal(raw json.RawMessage, v any) error {
	err := json.Unmarshal(raw, v)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) && wrong.Field != "" {
		return nil
	}
	return err
}

func isNull(raw json.RawMessage) bool { return bytes.Equal(raw, []byte("null")) }

// clip shortens s to at most n bytes, never within a character.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
