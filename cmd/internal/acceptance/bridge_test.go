package acceptance_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"lspbridge/lspclient/lsptest"
)

func TestMain(m *testing.M) {
	lsptest.Main(m)
	if built != "" {
		_ = os.RemoveAll(built) // the tests have said what they had to
	}
}

// built is the folder of the program, "" before it is needed.
var built string

// program builds lspbridge once and returns its path.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "acceptance")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "lspbridge")
	out, err := exec.Command("go", "build", "-o", path, "lspbridge/cmd/lspbridge").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, err
})

// A home is a user's machine: empty folders for state, cache and settings, and a
// PATH. Every process of its bridges carries its folder in the environment.
type home struct {
	dir  string
	path string // PATH
}

// newHome returns a fresh home whose PATH begins with the folders of programs.
func newHome(t *testing.T, programs ...string) home {
	t.Helper()
	dir := t.TempDir()
	var path []string
	for _, p := range programs {
		path = append(path, filepath.Dir(p))
	}
	if err := os.Mkdir(filepath.Join(dir, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	return home{dir, strings.Join(append(path, os.Getenv("PATH")), string(os.PathListSeparator))}
}

// tmp is the folder for temporary files.
func (h home) tmp() string { return filepath.Join(h.dir, "tmp") }

func (h home) environ() []string {
	env := []string{"HOME=" + h.dir, "TMPDIR=" + h.tmp(), "PATH=" + h.path, "LANG=C.UTF-8"}
	// The modules and the builds of this machine may be shared; they hold no
	// settings.
	for _, name := range []string{"GOMODCACHE", "GOCACHE", "GOFLAGS", "GOPROXY", "GOTOOLCHAIN"} {
		out, err := exec.Command("go", "env", name).Output()
		if err == nil {
			env = append(env, name+"="+strings.TrimSpace(string(out)))
		}
	}
	return env
}

// run runs a command of lspbridge to its end.
func (h home) run(t *testing.T, dir string, args ...string) (stdout, stderr string, exit int) {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, args...)
	cmd.Dir, cmd.Env = dir, h.environ()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// A client speaks MCP to one bridge in raw lines.
type client struct {
	t        *testing.T
	cmd      *exec.Cmd
	stdin    io.WriteCloser
	revision string
	began    time.Time
	stderr   bytes.Buffer // read after exited
	exited   chan struct{}

	mu      sync.Mutex
	nextID  int
	replies map[int]chan message
	others  []message
	junk    []string // lines on stdout that are no JSON
}

type message struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// The revisions of MCP that are tested. The last has no handshake.
const (
	rev2025June = "2025-06-18"
	rev2025Nov  = "2025-11-25"
	rev2026     = "2026-07-28"
)

var revisions = []string{rev2025June, rev2025Nov, rev2026}

// serve starts a bridge in dir and shakes hands as the revision has it.
func (h home) serve(t *testing.T, dir, revision string, args ...string) *client {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	c := &client{
		t: t, cmd: exec.Command(path, append([]string{"serve"}, args...)...), revision: revision,
		exited: make(chan struct{}), replies: map[int]chan message{}, began: time.Now(),
	}
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = dir, h.environ(), &c.stderr
	if c.stdin, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	stdout, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(c.exited)
		c.read(stdout)
		_ = c.cmd.Wait()
	}()
	t.Cleanup(func() {
		c.stdin.Close()
		select {
		case <-c.exited:
		case <-time.After(10 * time.Second):
			t.Error("the bridge did not end after its stdin")
			_ = c.cmd.Process.Kill()
			<-c.exited
		}
		if len(c.junk) > 0 {
			t.Errorf("stdout holds more than the protocol: %q", c.junk)
		}
		if t.Failed() {
			t.Logf("stderr of the bridge:\n%s", c.stderr.String())
		}
	})
	if revision == rev2026 {
		c.request("server/discover", map[string]any{})
		return c
	}
	got := c.request("initialize", map[string]any{
		"protocolVersion": revision, "capabilities": map[string]any{}, "clientInfo": clientInfo,
	})
	var hello struct{ ProtocolVersion string }
	if err := json.Unmarshal(got.Result, &hello); err != nil || hello.ProtocolVersion != revision {
		t.Fatalf("negotiated %q, want %q: %s", hello.ProtocolVersion, revision, got.Result)
	}
	c.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"})
	return c
}

var clientInfo = map[string]string{"name": "acceptance", "version": "1"}

// read takes in what the bridge writes until it ends.
func (c *client) read(stdout io.Reader) {
	lines := bufio.NewReader(stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var m message
			c.mu.Lock()
			switch {
			case json.Unmarshal(line, &m) != nil:
				c.junk = append(c.junk, string(line))
			case m.ID != nil && m.Method == "" && c.replies[*m.ID] != nil:
				c.replies[*m.ID] <- m
			default:
				c.others = append(c.others, m)
			}
			c.mu.Unlock()
		}
		if err != nil {
			c.mu.Lock()
			for _, r := range c.replies {
				close(r)
			}
			c.replies = nil
			c.mu.Unlock()
			return
		}
	}
}

func (c *client) send(m any) {
	c.t.Helper()
	line, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.stdin.Write(append(line, '\n')); err != nil {
		c.t.Errorf("write to the bridge: %v", err)
	}
}

// start sends a request and returns where its reply arrives; the channel is
// closed without one when the bridge ends.
func (c *client) start(method string, params map[string]any) <-chan message {
	c.t.Helper()
	if c.revision == rev2026 {
		params["_meta"] = map[string]any{
			"io.modelcontextprotocol/protocolVersion":    c.revision,
			"io.modelcontextprotocol/clientInfo":         clientInfo,
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
		}
	}
	reply := make(chan message, 1)
	c.mu.Lock()
	c.nextID++
	id := c.nextID
	if c.replies == nil {
		close(reply)
	} else {
		c.replies[id] = reply
	}
	c.mu.Unlock()
	c.send(map[string]any{"jsonrpc": "2.0", "id": id, "method": method, "params": params})
	return reply
}

// request sends a request and waits for its result.
func (c *client) request(method string, params map[string]any) message {
	c.t.Helper()
	select {
	case m, ok := <-c.start(method, params):
		if !ok {
			c.t.Fatalf("the bridge ended before it answered %s", method)
		}
		if m.Error != nil {
			c.t.Fatalf("%s: error %d %s", method, m.Error.Code, m.Error.Message)
		}
		return m
	case <-time.After(2 * time.Minute):
		c.t.Fatalf("no answer to %s", method)
	}
	return message{}
}

// A result is the answer of a tool.
type result struct {
	Content []struct {
		Type, Text string
	}
	StructuredContent json.RawMessage
	IsError           bool
}

func (r result) text() string {
	if len(r.Content) == 0 {
		return ""
	}
	return r.Content[0].Text
}

// A list is the structured form of an answer made of places or symbols.
type list struct {
	Items []struct {
		Path, Ref, Display, Text, In, Name, Kind string
		Line, Column                             int
		EndLine                                  int `json:"end_line"`
		EndColumn                                int `json:"end_column"`
	}
	Total        int
	AtLeast      bool   `json:"at_least"`
	NextCursor   string `json:"next_cursor"`
	Completeness struct {
		State   string
		Reasons []string
	}
	Text string // hover
}

// places words the items of a list as "path:line:column".
func (l list) places() []string {
	out := []string{}
	for _, i := range l.Items {
		name := i.Path
		if name == "" {
			name = i.Display
		}
		out = append(out, fmt.Sprintf("%s:%d:%d", name, i.Line, i.Column))
	}
	return out
}

// tool calls a tool and wants an answer.
func (c *client) tool(name string, args map[string]any) (list, result) {
	c.t.Helper()
	r := c.try(name, args)
	if r.IsError {
		c.t.Fatalf("%s %v: %s", name, args, r.text())
	}
	var l list
	if err := json.Unmarshal(r.StructuredContent, &l); err != nil {
		c.t.Fatalf("%s: structured content: %v\n%s", name, err, r.StructuredContent)
	}
	return l, r
}

// try calls a tool and takes an error of the tool for an answer too.
func (c *client) try(name string, args map[string]any) result {
	c.t.Helper()
	m := c.request("tools/call", map[string]any{"name": name, "arguments": args})
	var r result
	if err := json.Unmarshal(m.Result, &r); err != nil {
		c.t.Fatal(err)
	}
	return r
}
