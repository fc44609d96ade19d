//go:build linux

package servers_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lspbridge/lspclient/servers"
)

// require returns a real server's program, or skips the test; the variable
// LSPBRIDGE_REQUIRE_SERVERS names those that must be there.
func require(t *testing.T, name, command string) servers.Program {
	t.Helper()
	s := mustServer(t, name)
	s.Commands = []string{command}
	p, err := servers.Finder{Path: os.Getenv("PATH"), Env: os.Environ()}.Find(t.Context(), s)
	if err != nil {
		named := strings.FieldsFunc(os.Getenv("LSPBRIDGE_REQUIRE_SERVERS"), func(r rune) bool { return r == ',' || r == ' ' })
		if slices.Contains(named, name) || slices.Contains(named, command) {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	return p
}

// A rawServer is a language server that the test speaks to in plain messages,
// without the client whose data is tested here.
type rawServer struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.Writer
	out    *bufio.Reader
	config func(section string) json.RawMessage
	last   int
	notes  []rawMessage // notifications so far
}

type rawMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
}

// startRaw starts a server and shakes hands with it.
func startRaw(t *testing.T, s servers.Server, program string, env []string, root string) *rawServer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	cmd := exec.CommandContext(ctx, program, s.Args...)
	cmd.Env, cmd.Dir, cmd.WaitDelay = env, root, time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = cmd.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
	})
	r := &rawServer{t: t, cmd: cmd, in: in, out: bufio.NewReader(out), config: s.Configuration}
	r.call("initialize", map[string]any{
		"processId": os.Getpid(), "rootUri": "file://" + root,
		"workspaceFolders":      []any{map[string]any{"uri": "file://" + root, "name": "root"}},
		"initializationOptions": s.InitializationOptions,
		"capabilities": map[string]any{
			"window":    map[string]any{"workDoneProgress": true},
			"workspace": map[string]any{"configuration": true, "workspaceFolders": true},
		},
	})
	r.notify("initialized", map[string]any{})
	return r
}

func (r *rawServer) send(message map[string]any) {
	r.t.Helper()
	message["jsonrpc"] = "2.0"
	body, err := json.Marshal(message)
	if err == nil {
		_, err = fmt.Fprintf(r.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rawServer) notify(method string, params any) {
	r.t.Helper()
	r.send(map[string]any{"method": method, "params": params})
}

// call asks and returns the result.
func (r *rawServer) call(method string, params any) json.RawMessage {
	r.t.Helper()
	r.last++
	r.send(map[string]any{"id": r.last, "method": method, "params": params})
	for {
		m := r.next()
		if m.Method == "" && string(m.ID) == strconv.Itoa(r.last) {
			if m.Error != nil {
				r.t.Fatalf("%s: %s", method, m.Error)
			}
			return m.Result
		}
	}
}

// until reads notifications till one is as wanted.
func (r *rawServer) until(wanted func(rawMessage) bool) {
	r.t.Helper()
	for {
		m := r.next()
		if m.ID == nil && wanted(m) {
			return
		}
	}
}

// next reads one message and answers it if it is a request.
func (r *rawServer) next() rawMessage {
	r.t.Helper()
	header, err := textproto.NewReader(r.out).ReadMIMEHeader()
	if err != nil {
		r.t.Fatalf("the server ended: %v", err)
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		r.t.Fatal(err)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r.out, body)
	if err != nil {
		r.t.Fatal(err)
	}
	var m rawMessage
	err = json.Unmarshal(body, &m)
	if err != nil {
		r.t.Fatal(err)
	}
	switch {
	case m.Method == "":
	case m.ID == nil:
		r.notes = append(r.notes, m)
	case m.Method == "workspace/configuration":
		var params struct{ Items []struct{ Section string } }
		err := json.Unmarshal(m.Params, &params)
		if err != nil {
			r.t.Fatal(err)
		}
		answer := []json.RawMessage{}
		for _, item := range params.Items {
			answer = append(answer, r.config(item.Section))
		}
		r.send(map[string]any{"id": m.ID, "result": answer})
	default:
		r.send(map[string]any{"id": m.ID, "result": nil})
	}
	return m
}

// said returns what the server showed or logged.
func (r *rawServer) said() string {
	var all strings.Builder
	for _, m := range r.notes {
		if m.Method == "window/showMessage" || m.Method == "window/logMessage" {
			all.Write(m.Params)
			all.WriteByte('\n')
		}
	}
	return all.String()
}
