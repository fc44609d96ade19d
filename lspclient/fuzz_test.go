package lspclient

import (
	"bytes"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"go.lsp.dev/jsonrpc2"
)

// FuzzFrames feeds any bytes to the stream: it ends, in memory that grows with
// the input alone, and reads the same however the bytes come in.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		"",
		"Content-Length: 2\r\n\r\n{}",
		"Content-Length: 0\r\n\r\nContent-Length: 41\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":[null]}",
		"noise\nContent-Type: x\nContent-Length: 25\n\n{\"id\":1.0,\"method\":\"a/b\"}",
		"xContent-Length: 47\r\n\r\n{\"id\":null,\"error\":{\"code\":\"x\",\"message\":\"y\"}}",
		"\ufeffcontent-length:999999999\r\n\r\n{",
		"Content-Length: -1\r\n\r\n",
		strings.Repeat("x", 5000),
	} {
		f.Add([]byte(seed))
	}
	o := wireOptions{MessageBytes: 1 << 30, HeaderBytes: 256}
	f.Fuzz(func(t *testing.T, in []byte) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		whole := newStream(bytes.NewReader(in), o)
		var seen []string
		var end error
		for end == nil {
			var msg jsonrpc2.Message
			if msg, end = whole.next(); end == nil {
				seen = append(seen, describe(msg))
				checkRaw(t, msg)
			}
		}
		runtime.ReadMemStats(&after)
		// Decoding, logging and describing cost a multiple of the input, a claimed
		// length costs nothing.
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20+1000*uint64(len(in)) {
			t.Errorf("%d bytes of input cost %d bytes", len(in), used)
		}

		parts := newStream(iotest.OneByteReader(bytes.NewReader(in)), o)
		for i := 0; ; i++ {
			msg, err := parts.next()
			if err != nil {
				if i != len(seen) || err.Error() != end.Error() {
					t.Errorf("byte by byte it ends after %d messages with %v; want %d and %v", i, err, len(seen), end)
				}
				return
			}
			if i >= len(seen) || describe(msg) != seen[i] {
				t.Fatalf("byte by byte, message %d is %s", i, describe(msg))
			}
		}
	})
}

// checkRaw checks that what a message carries is JSON.
func checkRaw(t *testing.T, msg jsonrpc2.Message) {
	t.Helper()
	var raw jsonrpc2.RawMessage
	switch m := msg.(type) {
	case *jsonrpc2.Call:
		raw = m.Params()
	case *jsonrpc2.Notification:
		raw = m.Params()
	case *jsonrpc2.Response:
		raw = m.Result()
		if wire := (*jsonrpc2.Error)(nil); m.Err() != nil && (!errors.As(m.Err(), &wire) || len(wire.Message) > errorBytes+len("…")) {
			t.Errorf("unbounded error %v", m.Err())
		}
	}
	if raw != nil && !json.Valid(raw) {
		t.Errorf("%s carries %q", describe(msg), raw)
	}
}

// FuzzHandler gives any method and parameters to the handler: a request gets one
// well-formed answer, a notification nothing.
func FuzzHandler(f *testing.F) {
	for method, params := range map[string]string{
		"workspace/configuration":         `{"items":[{"section":"known"}]}`,
		"client/registerCapability":       `{"registrations":[{"id":"1","method":"m"}]}`,
		"client/unregisterCapability":     `{"unregisterations":[{"id":"1"}]}`,
		"window/workDoneProgress/create":  `{"token":1}`,
		"$/progress":                      `{"token":"t","value":{"kind":"end"}}`,
		"window/logMessage":               `{"type":1,"message":"x"}`,
		"textDocument/publishDiagnostics": `{}`,
		"workspace/applyEdit":             `{}`,
		"x\xff/refresh":                   ``,
	} {
		f.Add(method, []byte(params))
	}
	f.Fuzz(func(t *testing.T, method string, params []byte) {
		h := &handler{events: &testEvents{}, log: func(msg string, args ...any) {
			if msg == "panic" {
				t.Error(args...)
			}
		}}
		h.notification(method, params)
		_, body, ok := bytes.Cut(h.request(jsonrpc2.NewCall(jsonrpc2.NewNumberID(1), method, params)), []byte("\r\n\r\n"))
		var answer map[string]json.RawMessage
		if err := json.Unmarshal(body, &answer); !ok || err != nil {
			t.Fatalf("answered %q, %v", body, err)
		}
		_, hasResult := answer["result"]
		_, hasError := answer["error"]
		if hasResult == hasError || string(answer["id"]) != "1" {
			t.Errorf("answered %s", body)
		}
	})
}
