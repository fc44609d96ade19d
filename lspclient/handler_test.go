package lspclient

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/jsonrpc2"

	"lspbridge/lspclient/lsptest"
)

// TestRequests: every request of a server has its fixed answer, whatever shape it
// comes in.
func TestRequests(t *testing.T) {
	t.Parallel()
	refused := func(code int) string { return fmt.Sprintf("code %d", code) }
	const invalid, unknown = -32602, -32601
	for _, c := range []struct {
		method, params string
		want           string // the result, or the code
		events         []string
	}{
		{
			"workspace/configuration", `{"items":[{"section":"known","scopeUri":"file:///w"},{"section":"other"},{}]}`, `[{"a":1},null,null]`,
			[]string{"configuration known file:///w", "configuration other ", "configuration  "},
		},
		{
			"workspace/configuration", `{"items":[7,null,{"section":7,"scopeUri":"file:///w"}]}`, `[null,null,null]`,
			[]string{"configuration  ", "configuration  file:///w"},
		},
		{"workspace/configuration", `{"items":[]}`, `[]`, nil},
		{"workspace/configuration", `{}`, refused(invalid), nil},
		{"workspace/configuration", `{"items":{}}`, refused(invalid), nil},
		{"workspace/configuration", `[]`, refused(invalid), nil},
		{"workspace/configuration", ``, refused(invalid), nil},
		{"workspace/workspaceFolders", ``, `[{"uri":"file:///w","name":"w"}]`, nil},
		{
			"client/registerCapability", `{"registrations":[{"id":"1","method":"a/b","registerOptions":{"x":[1]}},{"id":"2","method":"c"}]}`, `null`,
			[]string{`register 1 a/b {"x":[1]}`, `register 2 c `},
		},
		{"client/registerCapability", `{"registrations":[{"id":"1","method":"workspace/executeCommand","registerOptions":{"commands":["rm"]}}]}`, `null`, nil},
		{"client/registerCapability", `{"registrations":"all"}`, refused(invalid), nil},
		{"client/registerCapability", `{}`, refused(invalid), nil},
		{"client/unregisterCapability", `{"unregisterations":[{"id":"1","method":"a/b"}]}`, `null`, []string{"unregister 1 a/b"}},
		{"client/unregisterCapability", `{"unregistrations":[{"id":"1","method":"a/b"}]}`, `null`, []string{"unregister 1 a/b"}},
		{"client/unregisterCapability", `{}`, refused(invalid), nil},
		{"window/workDoneProgress/create", `{"token":"t"}`, `null`, nil},
		{"window/workDoneProgress/create", `{"token":7}`, `null`, nil},
		{"window/workDoneProgress/create", `{"token":{}}`, refused(invalid), nil},
		{"window/workDoneProgress/create", `{}`, refused(invalid), nil},
		{"window/showMessageRequest", `{"type":1,"message":"Delete all?","actions":[{"title":"Yes"}]}`, `null`, nil},
		{"window/showMessageRequest", `"x"`, refused(invalid), nil},
		{"window/showDocument", `{"uri":"http://localhost/","external":true}`, `{"success":false}`, nil},
		{"window/showDocument", `7`, refused(invalid), nil},
		{"workspace/applyEdit", `{"edit":{"changes":{"file:///w/a":[]}}}`, `applied false`, nil},
		{"workspace/applyEdit", `7`, `applied false`, nil},
		{"workspace/applyEdit", ``, `applied false`, nil},
		{"workspace/semanticTokens/refresh", ``, `null`, []string{"refresh workspace/semanticTokens/refresh"}},
		{"workspace/diagnostic/refresh", `null`, `null`, []string{"refresh workspace/diagnostic/refresh"}},
		{"workspace/executeCommand", `{"command":"rm"}`, refused(unknown), nil},
		{"$/anything", `{}`, refused(unknown), nil},
		{"no/such", `{}`, refused(unknown), nil},
	} {
		t.Run(c.method+" "+c.params, func(t *testing.T) {
			t.Parallel()
			script := lsptest.Script{Start: []lsptest.Action{{Request: c.method, Params: c.params}}}
			inBubble(t, script, testOptions(), func(t *testing.T, w wire, fake *lsptest.Fake, events *testEvents) {
				got := fake.AwaitReplies(t, c.method, 1)[0]
				var failed struct{ Code int }
				text := string(got.Result)
				if len(got.Error) > 0 {
					if err := json.Unmarshal(got.Error, &failed); err != nil {
						t.Fatal(err)
					}
					text = refused(failed.Code)
				}
				if strings.HasPrefix(text, `{"applied":false,"failureReason":"`) {
					text = "applied false"
				}
				if text != c.want {
					t.Errorf("answered %s; want %s", text, c.want)
				}
				if diff := cmp.Diff(c.events, events.got()); diff != "" {
					t.Errorf("events (-want +got):\n%s", diff)
				}
			})
		})
	}
}

// TestNotifications: odd ones are dropped, the rest arrives in wire order, and
// the connection lives through all of them.
func TestNotifications(t *testing.T) {
	t.Parallel()
	sent := []struct {
		method, params string
		want           string // "" is dropped
	}{
		{"$/progress", `{"token":"t","value":{"kind":"begin","title":"Indexing","percentage":0}}`, `progress t begin "Indexing" "" 0`},
		{"$/progress", `{"token":7,"value":{"kind":"report","message":"1/2","percentage":33.4}}`, `progress 7 report "" "1/2" 33`},
		{"$/progress", `{"token":7.0,"value":{"kind":"report","message":5,"percentage":250}}`, `progress 7 report "" "" 100`},
		{"$/progress", `{"token":"t","value":{"kind":"report","percentage":-1}}`, `progress t report "" "" 0`},
		{"$/progress", `{"token":"t","value":{"kind":"report","percentage":"x"}}`, `progress t report "" "" -`},
		{"$/progress", `{"token":"t","value":{"kind":"end","message":{}}}`, `progress t end "" "" -`},
		{"$/progress", `{"token":{},"value":{"kind":"end"}}`, ``},
		{"$/progress", `{"value":{"kind":"end"}}`, ``},
		{"$/progress", `{"token":"t","value":[{"uri":"file:///a"}]}`, ``},
		{"$/progress", `{"token":"t"}`, ``},
		{"$/progress", `7`, ``},
		{"$/progress", ``, ``},
		{"textDocument/publishDiagnostics", `{"uri":"odd:uri","diagnostics":[{"line":-1,"code":1.5}]}`, `diagnostics {"uri":"odd:uri","diagnostics":[{"line":-1,"code":1.5}]}`},
		{"textDocument/publishDiagnostics", ``, ``},
		{"window/logMessage", `{"type":4,"message":"hello"}`, `message 4 hello`},
		{"window/showMessage", `{"type":1,"message":"boom"}`, `message 1 boom`},
		{"window/showMessage", `{"type":99,"message":"x"}`, `message 4 x`},
		{"window/logMessage", `{"type":"1","message":"x"}`, `message 4 x`},
		{"window/logMessage", `[]`, ``},
		{"telemetry/event", `{"secret":1}`, ``},
		{"$/cancelRequest", `{"id":1}`, ``},
		{"no/such", `{}`, ``},
		{"window/logMessage", `{"type":3,"message":"last"}`, `message 3 last`},
	}
	var script lsptest.Script
	var want []string
	for _, n := range sent {
		script.Start = append(script.Start, lsptest.Action{Notify: n.method, Params: n.params})
		if n.want != "" {
			want = append(want, n.want)
		}
	}
	inBubble(t, script, testOptions(), func(t *testing.T, w wire, _ *lsptest.Fake, events *testEvents) {
		if _, err := w.call(t.Context(), "shutdown", nil); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, events.got()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// TestOrder: notifications and registrations keep the order of the wire.
func TestOrder(t *testing.T) {
	t.Parallel()
	var script lsptest.Script
	var want []string
	for i := range 200 {
		id := fmt.Sprint(i)
		script.Start = append(script.Start,
			lsptest.Action{Notify: "window/logMessage", Params: `{"type":3,"message":"` + id + `"}`},
			lsptest.Action{Request: "client/registerCapability", Params: `{"registrations":[{"id":"` + id + `","method":"m"}]}`},
			lsptest.Action{Request: "client/unregisterCapability", Params: `{"unregisterations":[{"id":"` + id + `","method":"m"}]}`},
		)
		want = append(want, "message 3 "+id, "register "+id+" m ", "unregister "+id+" m")
	}
	o := testOptions()
	o.Queue = 1000 // the fake server writes all before it reads
	inBubble(t, script, o, func(t *testing.T, w wire, _ *lsptest.Fake, events *testEvents) {
		if _, err := w.call(t.Context(), "shutdown", nil); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff(want, events.got()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	})
}

// TestPanic: a fault in what handles a message is that message's alone.
func TestPanic(t *testing.T) {
	t.Parallel()
	script := lsptest.Script{Start: []lsptest.Action{
		{Notify: "window/logMessage", Params: `{"message":"panic"}`},
		{Request: "workspace/configuration", Params: `{"items":[{"section":"panic"}]}`},
		{Request: "client/registerCapability", Params: `{"registrations":[{"id":"panic"}]}`},
		{Notify: "window/logMessage", Params: `{"message":"fine"}`},
	}}
	synctest.Test(t, func(t *testing.T) {
		fake := lsptest.Start(t, script)
		events := &testEvents{onAny: func(line string) {
			if strings.Contains(line, "panic") {
				panic(line)
			}
		}}
		var mu sync.Mutex
		logged := 0
		o := testOptions()
		o.Log = func(msg string, _ ...any) {
			mu.Lock()
			defer mu.Unlock()
			if msg == "panic" {
				logged++
			}
		}
		w := dial(fake.In, fake.Out, events, o)
		defer w.close()
		for _, method := range []string{"workspace/configuration", "client/registerCapability"} {
			got := fake.AwaitReplies(t, method, 1)[0]
			if !strings.Contains(string(got.Error), "-32603") || strings.Contains(string(got.Error), "panic") {
				t.Errorf("%s answered %s", method, got.Error)
			}
		}
		if _, err := w.call(t.Context(), "shutdown", nil); err != nil {
			t.Error(err)
		}
		if diff := cmp.Diff([]string{"message 4 fine"}, events.got()); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		mu.Lock()
		defer mu.Unlock()
		if logged != 3 {
			t.Errorf("%d panics logged", logged)
		}
	})
}

// TestRequestBesideCall: a server that asks back before it answers gets its
// answer, more often than there are slots.
func TestRequestBesideCall(t *testing.T) {
	t.Parallel()
	const times = 3 * requestsAtOnce
	script := on("ask", lsptest.Reaction{
		Before: []lsptest.Action{{Request: "workspace/configuration", Params: `{"items":[{}]}`, Count: times, Await: "workspace/configuration"}},
		Result: `"answer"`,
	})
	inBubble(t, script, testOptions(), func(t *testing.T, w wire, fake *lsptest.Fake, _ *testEvents) {
		if got, err := w.call(t.Context(), "ask", nil); string(got) != `"answer"` {
			t.Errorf("%s, %v", got, err)
		}
		synctest.Wait() // the fake answers before it has noted the last reply
		if n := len(fake.Replies("workspace/configuration")); n != times {
			t.Errorf("%d replies", n)
		}
	})
}

// TestRequestStorm: a server that asks for ever and reads nothing cannot make the
// bridge hold more than its bounds, and is ended by the stall clock.
func TestRequestStorm(t *testing.T) {
	t.Parallel()
	script := lsptest.Script{Start: []lsptest.Action{{Request: "workspace/configuration", Params: `{"items":[{}]}`, Count: 1 << 30}}}
	o := testOptions()
	var stalls int
	o.Stalled = func() { stalls++ }
	inBubble(t, script, o, func(t *testing.T, w wire, _ *lsptest.Fake, events *testEvents) {
		synctest.Wait()
		if n, most := len(events.got()), o.Queue+2*requestsAtOnce; n > most {
			t.Errorf("%d requests in hand; want at most %d", n, most)
		}
		began := time.Now()
		<-w.done()
		if took := time.Since(began); took > o.Stall {
			t.Errorf("ended after %s", took)
		}
		synctest.Wait()
		if stalls != 1 {
			t.Errorf("reported %d times", stalls)
		}
	})
}

// TestAnswerIDs: an answer carries the very id of its request; one that cannot be
// repeated is refused under null (JSON-RPC 2.0 §5).
func TestAnswerIDs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, want string }{
		{`7`, `"id":7,"result":null`},
		{`"7"`, `"id":"7","result":null`},
		{`"a\"é"`, `"id":"a\"é","result":null`},
		{`7.0`, `"id":7,"result":null`},
		{`-1`, `"id":-1,"result":null`},
		{`7.5`, `"id":null,"error":{"code":-32600`},
		{`true`, `"id":null,"error":{"code":-32600`},
		{`[1]`, `"id":null,"error":{"code":-32600`},
	} {
		msg, err := parseMessage([]byte(`{"id":` + c.id + `,"method":"window/workDoneProgress/create","params":{"token":1}}`))
		if err != nil {
			t.Fatal(err)
		}
		h := &handler{events: &testEvents{}, log: func(string, ...any) {}}
		if got := string(h.request(msg.(*jsonrpc2.Call))); !strings.Contains(got, c.want) {
			t.Errorf("id %s answered %s; want %s", c.id, got, c.want)
		}
	}
}
