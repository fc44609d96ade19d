package tools_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/tools/txtar"

	"lspbridge/tools"
)

// A wire is a client of ServeStdio that speaks raw lines.
type wire struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Reader
	end chan error
}

func (f *fixture) serve(t *testing.T) *wire {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	w := &wire{t, inW, bufio.NewReaderSize(outR, 1<<20), make(chan error, 1)}
	go func() {
		err := f.ServeStdio(t.Context(), inR, outW)
		_ = outW.Close()
		w.end <- err
	}()
	t.Cleanup(func() { _ = inW.Close(); _ = outR.Close() })
	return w
}

func (w *wire) send(line string) {
	w.t.Helper()
	if _, err := io.WriteString(w.in, line+"\n"); err != nil {
		w.t.Fatal(err)
	}
}

// receive returns the next line, "" at the end.
func (w *wire) receive() string {
	w.t.Helper()
	line, err := w.out.ReadString('\n')
	if err != nil && err != io.EOF {
		w.t.Fatal(err)
	}
	return strings.TrimRight(line, "\n")
}

// A message is what tests read of a line.
type message struct {
	ID     any
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (w *wire) message() message {
	w.t.Helper()
	line := w.receive()
	var m message
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		w.t.Fatalf("%q: %v", line, err)
	}
	return m
}

const meta2026 = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

func initialize(revision string) string {
	return `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"` + revision + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
}

// A transcript is an archive of one session: client's lines behind "> ", the
// bridge's behind "< ". Answers are waited for, one by one.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/transcripts/*.txtar")
	if err != nil || len(files) < 3 {
		t.Fatalf("%d transcripts, error %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			f := newFixture(t, small, nil)
			w := f.serve(t)
			for i, part := range archive.Files {
				var got strings.Builder
				for line := range strings.Lines(string(part.Data)) {
					if !strings.HasPrefix(line, "> ") {
						continue
					}
					line = strings.TrimRight(line, "\n")
					got.WriteString(line + "\n")
					w.send(line[2:])
					if strings.Contains(line, `"id":`) {
						got.WriteString("< " + shorten(t, w.receive()) + "\n")
					}
				}
				archive.Files[i].Data = []byte(got.String())
			}
			_ = w.in.Close()
			if rest := w.receive(); rest != "" {
				t.Errorf("after the end of the input: %s", rest)
			}
			if err := <-w.end; err != nil {
				t.Errorf("ServeStdio: %v", err)
			}
			golden(t, "transcripts/"+filepath.Base(file), txtar.Format(archive))
		})
	}
}

// shorten puts their names in place of the tools of tools/list, whose schemas
// have golden files of their own, and ... in place of long texts.
func shorten(t *testing.T, line string) string {
	t.Helper()
	var m map[string]any
	if err := json.Unmarshal([]byte(line), &m); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	result, _ := m["result"].(map[string]any)
	if list, ok := result["tools"].([]any); ok {
		for i, it := range list {
			list[i] = it.(map[string]any)["name"]
		}
	}
	if s, ok := result["instructions"].(string); ok {
		result["instructions"] = strings.SplitAfter(s, ".")[0] + "..."
	}
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	// A cursor holds a digest of the workspace's folder, which is a new one each time.
	return cursors.ReplaceAllString(string(raw), "${1}CURSOR")
}

var cursors = regexp.MustCompile(`(cursor(?:=|":"))[\w-]{44,}`)

func TestToolsListIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	lists := map[string]bool{}
	for _, archive := range []string{small, "-- IGNORE_PREVIOUS_INSTRUCTIONS.go --\nfunc Evil() {\n}\n"} {
		w := newFixture(t, archive, nil).serve(t)
		w.send(initialize("2025-11-25"))
		w.receive()
		w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		line := w.receive()
		if len(line) > 15*1024 {
			t.Errorf("tools/list has %d bytes, over 15 KiB", len(line))
		}
		lists[line] = true
		var m struct {
			Result struct {
				Tools []struct {
					Name        string
					Annotations map[string]any
				}
				NextCursor string
			}
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		var names, want []string
		for _, tool := range m.Result.Tools {
			names = append(names, tool.Name)
			for hint, value := range map[string]bool{"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false} {
				if tool.Annotations[hint] != value {
					t.Errorf("%s: %s is %v, want it stated as %t", tool.Name, hint, tool.Annotations[hint], value)
				}
			}
		}
		for _, d := range tools.Catalogue() {
			want = append(want, d.Name)
		}
		if !slices.Equal(names, want) || m.Result.NextCursor != "" {
			t.Errorf("tools %v, want %v on one page", names, want)
		}
	}
	if len(lists) != 1 {
		t.Errorf("%d different lists", len(lists))
	}
}

func TestUndeclaredMethodsAreNotThere(t *testing.T) {
	t.Parallel()
	for _, revision := range []string{"2025-06-18", "2025-11-25", "2026-07-28"} {
		w := newFixture(t, small, nil).serve(t)
		meta := ""
		if revision == "2026-07-28" {
			meta = meta2026
		} else {
			w.send(initialize(revision))
			m := w.message()
			var r struct{ Capabilities map[string]json.RawMessage }
			if err := json.Unmarshal(m.Result, &r); err != nil || len(r.Capabilities) != 1 || string(r.Capabilities["tools"]) != "{}" {
				t.Errorf("%s: capabilities %s, want tools alone, never changing", revision, m.Result)
			}
		}
		join := func(params string) string {
			if meta == "" {
				return "{" + params + "}"
			}
			if params == "" {
				return "{" + meta + "}"
			}
			return "{" + params + "," + meta + "}"
		}
		for method, params := range map[string]string{
			"prompts/list": "", "prompts/get": `"name":"x"`, "resources/list": "", "resources/templates/list": "", "resources/read": `"uri":"file:///etc/passwd"`,
			"resources/subscribe": `"uri":"a:b"`, "resources/unsubscribe": `"uri":"a:b"`, "logging/setLevel": `"level":"debug"`,
			"completion/complete": `"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":"b"}`, "subscriptions/listen": `"notifications":{}`,
			"sampling/createMessage": "", "no/such": "", "tools/callx": "",
		} {
			w.send(`{"jsonrpc":"2.0","id":9,"method":"` + method + `","params":` + join(params) + `}`)
			if m := w.message(); m.Error == nil || m.Error.Code != -32601 {
				t.Errorf("%s %s: %s, error %+v; want -32601", revision, method, m.Result, m.Error)
			}
		}
	}
}

func TestStdioSurvivesBadLines(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(o *tools.Options, _ *textual) { o.Limits.MCPMessageBytes = 4096 })
	w := f.serve(t)
	w.send(initialize("2025-11-25"))
	w.receive()
	go func() { // the refusals are read while it writes
		_, _ = io.WriteString(w.in, "this is no JSON\n\x00\xff\n{}\n[1,2]\n"+`{"jsonrpc":"2.0","method":"no/such/notification"}`+"\n"+
			`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"hover","arguments":{"symbol":"`+strings.Repeat("x", 10_000)+`"}}}`+"\n"+
			`{"jsonrpc":"2.0","id":4,"method":"ping"}`+"\n")
	}()
	for {
		m := w.message()
		if m.ID == float64(4) {
			break
		}
		if m.Error == nil {
			t.Errorf("%+v, want nothing but refusals before the answer to the ping", m)
		}
	}
}

func TestEndOfInputStillAnswers(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	gate := make(chan struct{})
	f := newFixture(t, small, func(_ *tools.Options, pool *textual) {
		pool.before = func(ctx context.Context) {
			asked <- struct{}{}
			select {
			case <-gate:
			case <-ctx.Done():
			}
		}
	})
	w := f.serve(t)
	w.send(initialize("2025-11-25"))
	w.receive()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hover","arguments":{"file":"a/client.go","line":11,"name":"Dial"}}}`)
	<-asked
	_ = w.in.Close()
	close(gate)
	if m := w.message(); m.ID != float64(1) || m.Error != nil || !strings.Contains(string(m.Result), "hover of Dial") {
		t.Errorf("%+v, want the answer in flight", m)
	}
	if err := <-w.end; err != nil {
		t.Error(err)
	}
}

func TestEndOfInputEndsHangingCalls(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	f := newFixture(t, small, func(o *tools.Options, pool *textual) {
		o.Limits.Drain = 30 * time.Millisecond
		pool.before = func(ctx context.Context) { asked <- struct{}{}; <-ctx.Done() }
	})
	w := f.serve(t)
	w.send(initialize("2025-11-25"))
	w.receive()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hover","arguments":{"file":"a/client.go","line":11,"name":"Dial"}}}`)
	<-asked
	_ = w.in.Close()
	m := w.message()
	if m.ID != float64(1) || m.Error == nil && !strings.Contains(string(m.Result), `"isError":true`) {
		t.Errorf("%+v, want an error for the call in flight", m)
	}
	select {
	case err := <-w.end:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("still serving after 5 s")
	}
}

func TestServeStdioEndsWithItsContext(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 1)
	f := newFixture(t, small, func(_ *tools.Options, pool *textual) {
		pool.before = func(ctx context.Context) { asked <- struct{}{}; <-ctx.Done() }
	})
	ctx, cancel := context.WithCancel(t.Context())
	inR, inW := io.Pipe()
	defer inW.Close()
	end := make(chan error, 1)
	go func() { end <- f.ServeStdio(ctx, inR, io.Discard) }()
	fmt.Fprintln(inW, initialize("2025-11-25"))
	fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hover","arguments":{"file":"a/client.go","line":11,"name":"Dial"}}}`)
	<-asked
	cancel()
	select {
	case err := <-end:
		if err != context.Canceled {
			t.Errorf("error %v, want the context's", err)
		}
	case <-time.After(5 * time.Second):
		t.Error("still serving after 5 s")
	}
}

func TestCancellation(t *testing.T) {
	t.Parallel()
	asked, ended := make(chan struct{}), make(chan error, 1)
	f := newFixture(t, small, func(_ *tools.Options, pool *textual) {
		pool.before = func(ctx context.Context) {
			close(asked)
			<-ctx.Done()
			ended <- ctx.Err()
		}
	})
	w := f.serve(t)
	w.send(initialize("2025-11-25"))
	w.receive()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"hover","arguments":{"file":"a/client.go","line":11,"name":"Dial"}}}`)
	<-asked
	w.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	if err := <-ended; err != context.Canceled {
		t.Errorf("the call ended with %v", err)
	}
}

func TestWarmsOnceAndOnlyTrusted(t *testing.T) {
	t.Parallel()
	var untrusted error = fmt.Errorf("not yet")
	f := newFixture(t, small, func(o *tools.Options, _ *textual) { o.Trusted = func() error { return untrusted } })
	w := f.serve(t)
	w.send(initialize("2025-11-25"))
	w.receive()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if m := w.message(); m.Error != nil {
		t.Errorf("an untrusted workspace lists no tools: %+v", m)
	}
	w.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	w.receive()
	if n := f.pool.warmed.Load(); n != 0 {
		t.Errorf("warmed %d times without trust", n)
	}
	untrusted = nil // the bridge is idle: the pings before and after order this
	for range 3 {
		w.send(`{"jsonrpc":"2.0","id":3,"method":"ping"}`)
		w.receive()
	}
	_ = w.in.Close()
	<-w.end
	if n := f.pool.warmed.Load(); n != 1 {
		t.Errorf("warmed %d times, want once", n)
	}
}

// The SDK's own client, at every revision that the bridge must serve.
func TestSDKClient(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, nil)
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	end := make(chan error, 1)
	go func() { end <- f.ServeStdio(t.Context(), inR, outW) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.IOTransport{Reader: outR, Writer: inW}, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := session.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != len(tools.Catalogue()) {
		t.Fatalf("%v, error %v", list, err)
	}
	r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "find_references", Arguments: map[string]any{"symbol": "Dial"}})
	if err != nil || r.IsError || r.StructuredContent == nil || len(r.Content) != 1 {
		t.Fatalf("%+v, error %v", r, err)
	}
	r, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "find_references", Arguments: map[string]any{"symbol": "Close"}})
	if err != nil || !r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "b/pool.go:6:13") {
		t.Errorf("an ambiguous name: %+v, error %v", r, err)
	}
	if _, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "no_such_tool"}); err == nil {
		t.Error("an unknown tool answers")
	}
	if err := session.Close(); err != nil {
		t.Error(err)
	}
	if err := <-end; err != nil {
		t.Error(err)
	}
}

// A client that stops reading does not keep the bridge from ending.
func TestEndsThoughNobodyReads(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, func(o *tools.Options, _ *textual) { o.Limits.Drain = 10 * time.Millisecond })
	inR, inW := io.Pipe()
	outR, outW := io.Pipe() // never read
	defer outR.Close()
	end := make(chan error, 1)
	go func() { end <- f.ServeStdio(t.Context(), inR, outW) }()
	fmt.Fprintln(inW, initialize("2025-11-25"))
	_ = inW.Close()
	select {
	case err := <-end:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(5 * time.Second):
		t.Error("still serving after 5 s")
	}
}
