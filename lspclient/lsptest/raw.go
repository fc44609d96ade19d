package lsptest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// RawOptions says how [StartRaw] starts a language server. Program and Dir are
// required.
type RawOptions struct {
	Program string // absolute path
	Args    []string
	Dir     string // the only workspace folder, and where the server is started
	// Env is added to the environment of the test.
	Env []string
	// InitializationOptions go into initialize; they also answer each item of
	// workspace/configuration.
	InitializationOptions json.RawMessage
}

// A Raw is a language server that a test speaks to in plain messages: what it
// says is the oracle for a client under test, so it shares no code with one. It
// is safe for concurrent use. Positions are in the server's default encoding,
// but clangd is asked for UTF-8.
type Raw struct {
	t       testing.TB
	options json.RawMessage

	writing sync.Mutex // guards in
	in      io.Writer

	mu      sync.Mutex // guards what follows
	last    int
	waiting map[int]chan rawMessage
	tokens  map[string]*rawToken
	ended   error
}

// A rawToken is a work-done progress token.
type rawToken struct {
	ended chan struct{} // closed at the first end
	done  bool          // it is closed; of the reading goroutine alone
}

// A RawError is an error a server answered with.
type RawError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *RawError) Error() string { return e.Message }

// rawHandshake bounds the answer to initialize.
const rawHandshake = time.Minute

// StartRaw starts a language server and shakes hands with it. It ends with the
// test.
func StartRaw(t testing.TB, o RawOptions) *Raw {
	t.Helper()
	cmd := exec.Command(o.Program, o.Args...)
	cmd.Dir, cmd.Env = o.Dir, append(os.Environ(), o.Env...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := &Raw{t: t, options: o.InitializationOptions, in: in, waiting: map[int]chan rawMessage{}, tokens: map[string]*rawToken{}}
	read := make(chan struct{})
	go func() {
		defer close(read)
		r.read(bufio.NewReader(out))
	}()
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Process.Kill()
		<-read // before Wait, which closes the pipe
		_ = cmd.Wait()
	})
	ctx, cancel := context.WithTimeout(t.Context(), rawHandshake)
	defer cancel()
	uri := "file://" + o.Dir
	_, err = r.Call(ctx, "initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": uri,
		"workspaceFolders":      []any{map[string]any{"uri": uri, "name": "root"}},
		"initializationOptions": o.InitializationOptions,
		"capabilities": map[string]any{
			"offsetEncoding": []string{"utf-8"},
			"window":         map[string]any{"workDoneProgress": true},
			"workspace":      map[string]any{"configuration": true, "workspaceFolders": true},
			"textDocument":   map[string]any{"documentSymbol": map[string]any{"hierarchicalDocumentSymbolSupport": true}},
		},
	})
	if err != nil {
		t.Fatalf("initialize: %v", err)
	}
	r.Notify("initialized", map[string]any{})
	return r
}

// Open opens the file at an absolute path with its text on disk.
func (r *Raw) Open(path, language string) {
	r.t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		r.t.Fatal(err)
	}
	r.Notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{
		"uri": "file://" + path, "languageId": language, "version": 1, "text": string(text),
	}})
}

// Close closes a file that [Raw.Open] opened.
func (r *Raw) Close(path string) {
	r.t.Helper()
	r.Notify("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": "file://" + path}})
}

// Notify sends a notification. A server that does not take it any more shows in
// the next call.
func (r *Raw) Notify(method string, params any) {
	r.t.Helper()
	_ = r.send(map[string]any{"method": method, "params": params})
}

// Call sends a request and returns its result; an error of the server is a
// *[RawError].
func (r *Raw) Call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	reply := make(chan rawMessage, 1)
	r.mu.Lock()
	if r.ended != nil {
		defer r.mu.Unlock()
		return nil, r.ended
	}
	r.last++
	id := r.last
	r.waiting[id] = reply
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waiting, id)
	}()
	if err := r.send(map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	case m, ok := <-reply:
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: %w", method, r.ended)
		case m.Error != nil:
			return nil, m.Error
		}
		return m.Result, nil
	}
}

// AwaitProgress returns when a progress of the token has ended, be it before the
// call.
func (r *Raw) AwaitProgress(ctx context.Context, token string) error {
	select {
	case <-ctx.Done():
		return fmt.Errorf("progress %s: %w", token, ctx.Err())
	case <-r.token(token).ended:
		return nil
	}
}

func (r *Raw) token(name string) *rawToken {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.tokens[name] == nil {
		r.tokens[name] = &rawToken{ended: make(chan struct{})}
	}
	return r.tokens[name]
}
