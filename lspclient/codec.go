package lspclient

import (
	"encoding/json"
	"fmt"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// codec encodes what is sent and leaves what is received as it came: the typed
// decoders of package protocol fail a whole result for one odd value in it, drop
// members they do not know, and turn unions they do not recognise into zero
// values. Each question decodes its own result.
type codec struct{}

var _ jsonrpc2.Codec = codec{}

// Marshal encodes v, unions of package protocol included. Text that is not UTF-8
// is an error: replacing bytes would tell the server of a text that is not the
// file's.
func (codec) Marshal(v any) ([]byte, error) {
	switch raw := v.(type) {
	case jsonrpc2.RawMessage:
		return encoded(raw), nil
	case json.RawMessage:
		return encoded(raw), nil
	}
	return protocol.Marshal(v)
}

// Unmarshal stores data in v, a *json.RawMessage. Each frame has memory of its
// own, so that nothing is copied and nothing is overwritten later.
func (codec) Unmarshal(data []byte, v any) error {
	raw, ok := v.(*json.RawMessage)
	if !ok {
		return fmt.Errorf("results are raw, not %T", v)
	}
	*raw = data
	return nil
}

func encoded(raw []byte) []byte {
	if raw == nil {
		return []byte("null")
	}
	return raw
}
