package lspclient

import (
	"encoding/json"
	"fmt"

	"go.lsp.dev/jsonrpc2"
)

// encode encodes parameters and results, which may hold types of package
// protocol; raw JSON goes as it is, nil is none. Text that is not UTF-8 is an
// error: protocol.Marshal would replace its bytes, and tell the server of a text
// that is not the file's.
//
// There is no decode: the typed decoders of package protocol fail a whole result
// for one odd value in it, drop members they do not know, and turn unions they
// do not recognise into zero values. Each question decodes its own result.
func encode(v any) (json.RawMessage, error) {
	if v == nil {
		return nil, nil
	}
	b, err := jsonrpc2.JSONCodec{}.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding %T: %w", v, err)
	}
	return b, nil
}
