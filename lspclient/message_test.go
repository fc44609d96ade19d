package lspclient

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// describe puts a message into one line: "call 1 m {params}", "notification m",
// "result 1 {...}", "error 1 -32601 text".
func describe(msg jsonrpc2.Message) string {
	switch m := msg.(type) {
	case nil:
		return "nothing"
	case *jsonrpc2.Call:
		return fmt.Sprintf("call %q %s %s", m.ID(), m.Method(), m.Params())
	case *jsonrpc2.Notification:
		return fmt.Sprintf("notification %s %s", m.Method(), m.Params())
	case *jsonrpc2.Response:
		if wire := (*jsonrpc2.Error)(nil); errors.As(m.Err(), &wire) {
			return fmt.Sprintf("error %q %d %s", m.ID(), wire.Code, wire.Message)
		}
		return fmt.Sprintf("result %q %s", m.ID(), m.Result())
	}
	return fmt.Sprintf("%T", msg)
}

func TestParseMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"call", `{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":1}}`, `call #1 m {"a":1}`},
		{"call by string", `{"jsonrpc":"2.0","id":"1","method":"m"}`, `call "1" m `},
		{"call by 1.0", `{"id":1.0,"method":"m"}`, `call #1 m `},
		{"call by 1.5", `{"id":1.5,"method":"m"}`, `call null m `},
		{"call by an object", `{"id":{},"method":"m"}`, `call null m `},
		{"notification", `{"jsonrpc":"2.0","method":"m","params":[1]}`, `notification m [1]`},
		{"null id", `{"id":null,"method":"m","params":null}`, `notification m `},
		{"escaped method", `{"method":"a\/b"}`, `notification a/b `},
		{"other case", `{"Method":"m","ID":1}`, `nothing`},
		{"method and result", `{"id":1,"method":"m","result":1}`, `call #1 m `},
		{"no method", `{"method":7,"id":1}`, `nothing`},

		{"result", `{"jsonrpc":"2.0","id":1,"result":[1, 2]}`, `result #1 [1, 2]`},
		{"null result", `{"jsonrpc":"2.0","id":1,"result":null}`, `result #1 null`},
		{"result and null error", `{"id":1,"result":{"a":"\u00e9"},"error":null}`, `result #1 {"a":"\u00e9"}`},
		{"error and null result", `{"id":1,"result":null,"error":{"code":-1,"message":"x"}}`, `error #1 -1 x`},
		{"both", `{"id":1,"result":[],"error":{"code":-1,"message":"x"}}`, `error #1 -1 x`},
		{"no version", `{"id":7,"result":1}`, `result #7 1`},
		{"id 1.0", `{"id":1.0,"result":1}`, `result #1 1`},
		{"id 1e2", `{"id":1e2,"result":1}`, `result #100 1`},
		{"string id", `{"id":"12","result":1}`, `result #12 1`},
		{"null id result", `{"id":null,"result":1}`, `result null 1`},
		{"odd id", `{"id":[1],"result":1}`, `result null 1`},
		{"huge id", `{"id":1e300,"result":1}`, `result null 1`},
		{"BOM", "\ufeff" + `{"id":1,"result":1}`, `result #1 1`},
		{"id twice", `{"id":1,"id":2,"result":1}`, `result #2 1`},

		{"code 0", `{"id":1,"error":{"code":0,"message":"no"}}`, `error #1 0 no`},
		{"no code", `{"id":1,"error":{"message":"no"}}`, `error #1 -32603 no`},
		{"code 1.0", `{"id":1,"error":{"code":-32601.0,"message":"no"}}`, `error #1 -32601 no`},
		{"code too large", `{"id":1,"error":{"code":1e20,"message":"no"}}`, `error #1 -32603 no`},
		{"code a string", `{"id":1,"error":{"code":"E1","message":"no"}}`, `error #1 -32603 error {"code":"E1","message":"no"}`},
		{"error a string", `{"id":1,"error":"boom"}`, `error #1 -32603 error "boom"`},
		{"error without a message", `{"id":1,"error":{"code":-32000}}`, `error #1 -32000 error {"code":-32000}`},
		{"null id error", `{"id":null,"error":{"code":-32601,"message":"no"}}`, `error null -32601 no`},
		{"neither", `{"id":1}`, `error #1 -32603 the reply has neither a result nor an error`},
		{"null error alone", `{"id":1,"error":null}`, `error #1 -32603 the reply has neither a result nor an error`},

		{"empty object", `{}`, `nothing`},
		{"null", `null`, `nothing`},
		{"array", `[{"id":1,"result":1}]`, `broken message`},
		{"string", `"x"`, `broken message`},
		{"no JSON", `{"id":1,"result":`, `broken message`},
		{"two values", `{"id":1,"result":1} x`, `broken message`},
		{"broken within", `{"id":1,"result":{"a" 1}}`, `broken message`},
		{"too deep", `{"id":1,"result":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}`, `broken message`},
		{"parse error", `{"id":null,"error":{"code":-32700,"message":"bad"}}`, `broken message: the server could not read a message: bad`},
		{"invalid request", `{"error":{"code":-32600,"message":"bad"}}`, `broken message: the server could not read a message: bad`},
		{"parse error of a call", `{"id":3,"error":{"code":-32700,"message":"bad"}}`, `error #3 -32700 bad`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			msg, err := parseMessage([]byte(c.in))
			got := describe(msg)
			if err != nil {
				if got = err.Error(); !errors.Is(err, errMessage) || !strings.HasPrefix(got, c.want) {
					t.Errorf("error %q; want %q", got, c.want)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestParseErrorBounded: an error may embed the whole payload.
func TestParseErrorBounded(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		`{"id":1,"error":{"message":"` + strings.Repeat("é", 1<<20) + `"}}`,
		`{"id":1,"error":"` + strings.Repeat("é", 1<<20) + `"}`,
	} {
		msg, err := parseMessage([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		text := msg.(*jsonrpc2.Response).Err().Error()
		if len(text) > errorBytes+len("…") || strings.ContainsRune(text, '\ufffd') {
			t.Errorf("%d bytes, valid %v", len(text), !strings.ContainsRune(text, '\ufffd'))
		}
	}
}

func TestEncode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   any
		want string
	}{
		{map[string]any{"text": "a<b> & é \u2028"}, "{\"text\":\"a<b> & é \u2028\"}"},
		{json.RawMessage(`{"a" : 1}`), `{"a" : 1}`},
		{json.RawMessage(nil), `null`},
		{nil, ``},
		{struct {
			A []int           `json:"a"`
			B json.RawMessage `json:"b"`
		}{B: json.RawMessage(`[1]`)}, `{"a":[],"b":[1]}`},
		{protocol.InitializedParams{}, `{}`},
		{protocol.DidChangeTextDocumentParams{
			ContentChanges: []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangeWholeDocument{Text: "<é>"}},
		}, `{"textDocument":{"uri":"","version":0},"contentChanges":[{"text":"<é>"}]}`},
	} {
		got, err := encode(c.in)
		if err != nil || string(got) != c.want {
			t.Errorf("encode(%v) = %s, %v; want %s", c.in, got, err, c.want)
		}
	}
	for _, v := range []any{
		map[string]any{"text": "\xff"},
		protocol.DidChangeTextDocumentParams{
			ContentChanges: []protocol.TextDocumentContentChangeEvent{&protocol.TextDocumentContentChangeWholeDocument{Text: "\xff"}},
		},
	} {
		if got, err := encode(v); err == nil {
			t.Errorf("text that is not UTF-8 became %q", got)
		}
	}
}
