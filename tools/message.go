package tools

import (
	"encoding/json"
	"errors"
	"math"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// A refusal answers what cannot be taken as a message.
type refusal struct {
	id  json.RawMessage // nil when it cannot be known (JSON-RPC 2.0 §5)
	why string
}

// encode returns the refusal as a line, without its end.
func (r *refusal) encode() ([]byte, error) {
	return json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": r.id,
		"error": map[string]any{"code": jsonrpc.CodeInvalidRequest, "message": r.why},
	})
}

// decodeMessage decodes a line. One that is no JSON gives an error; one that is,
// and no message all the same, a refusal: somebody may wait for its answer.
func decodeMessage(line []byte) (jsonrpc.Message, *refusal, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(line, &fields); err != nil {
		if json.Valid(line) {
			return nil, &refusal{why: "a message is one JSON object; batches are not supported"}, nil
		}
		// The SDK reads the first value of a line that holds several.
		m, err := jsonrpc.DecodeMessage(line)
		return m, nil, err
	}
	id, given := fields["id"]
	if given && !exactID(id) {
		return nil, &refusal{why: "an id is a string, or an integer of at most 2^53"}, nil
	}
	m, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, &refusal{id: id, why: "this is no JSON-RPC 2.0 message, or is nested too deeply"}, nil
	}
	return m, nil, nil
}

// exactID reports whether an id comes back as it was sent. The SDK keeps numbers
// as int64, by way of float64: 1.5 would be answered as 1.
func exactID(id json.RawMessage) bool {
	var v any
	if json.Unmarshal(id, &v) != nil {
		return false
	}
	switch v := v.(type) {
	case nil, string:
		return true
	case float64:
		return v == math.Trunc(v) && math.Abs(v) < 1<<53
	}
	return false
}

// plainError bounds an error of the protocol and keeps the SDK's own types out
// of it.
func plainError(err error) *jsonrpc.Error {
	plain := jsonrpc.Error{Code: jsonrpc.CodeInternalError}
	var wire *jsonrpc.Error
	if errors.As(err, &wire) {
		plain.Code, plain.Data = wire.Code, wire.Data
	}
	plain.Message = err.Error()
	if strings.Contains(plain.Message, "unmarshaling") {
		plain.Message = "the params do not have the form that the method takes"
	}
	plain.Message = clipTo(plain.Message, maxMessageChars)
	return &plain
}
