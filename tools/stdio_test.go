package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// connect returns a connection over pipes: what the client writes, what it reads.
func connect(t *testing.T, drain time.Duration) (c mcp.Connection, in *io.PipeWriter, out *bufio.Reader) {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	s := &stdio{
		in: inR, out: outW, most: 1 << 10, drain: drain, log: slog.New(slog.DiscardHandler),
		unread: 8, stall: time.Minute, deaf: make(chan struct{}),
	}
	c, err := s.Connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); inW.Close(); inR.Close(); outR.Close() })
	return c, inW, bufio.NewReader(outR)
}

func call(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call"}` + "\n" }

func TestStdioPassesOverWhatIsNoMessage(t *testing.T) {
	c, in, _ := connect(t, time.Second)
	go func() {
		io.WriteString(in, "\n  \nnot json\n{\n"+call("1")+"{]}\n"+call(`"two"`))
	}()
	for _, want := range []any{int64(1), "two"} {
		m, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := m.(*jsonrpc.Request); !ok || r.ID.Raw() != want {
			t.Errorf("read %v, want the call %v", m, want)
		}
	}
}

// Somebody waits for the answer to JSON that is no message.
func TestStdioRefuses(t *testing.T) {
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	for name, test := range map[string]struct{ line, id, why string }{
		"other version":  {`{"jsonrpc":"1.0","id":7,"method":"ping"}`, `7`, "JSON-RPC 2.0"},
		"no version":     {`{"id":"x","method":"ping"}`, `"x"`, "JSON-RPC 2.0"},
		"batch":          {`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `null`, "batches"},
		"string":         {`"ping"`, `null`, "one JSON object"},
		"fraction as id": {`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `null`, "an id is"},
		"large id":       {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, `null`, "an id is"},
		"object as id":   {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, `null`, "an id is"},
		"too large":      {strings.Repeat("x", 5000), `null`, "mcp_message_bytes"},
		"id in use":      {call("1") + strings.TrimSpace(call("1")), `null`, "under way"},
	} {
		t.Run(name, func(t *testing.T) {
			c, in, out := connect(t, time.Second)
			go io.WriteString(in, test.line+"\n"+call(`"after"`))
			go func() {
				for {
					if _, err := c.Read(t.Context()); err != nil {
						return
					}
				}
			}()
			line, err := out.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				ID    json.RawMessage
				Error struct{ Message string }
			}
			if err := json.Unmarshal([]byte(line), &got); err != nil {
				t.Fatal(err)
			}
			if string(got.ID) != test.id || !strings.Contains(got.Error.Message, test.why) {
				t.Errorf("answered %s, want id %s and %q", line, test.id, test.why)
			}
		})
	}
	t.Run("nested", func(t *testing.T) {
		_, r, err := decodeMessage([]byte(`{"jsonrpc":"2.0","id":3,"method":"x","params":` + deep + `}`))
		if err != nil || r == nil || string(r.id) != "3" {
			t.Errorf("refusal %+v, error %v, want one for 3", r, err)
		}
	})
}

// A client that asks and never reads is read no further than a bound, and given
// up in the end.
func TestStdioBoundsWhatNobodyReads(t *testing.T) {
	c, in, _ := connect(t, time.Second)
	c.(*stdioConn).stall = 50 * time.Millisecond
	go func() {
		for i := range 100 {
			// That a call is cancelled frees nothing as long as its answer is not
			// read.
			cancel := `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + strconv.Itoa(i) + "}}\n"
			if _, err := io.WriteString(in, call(strconv.Itoa(i))+cancel); err != nil {
				return
			}
		}
	}()
	calls := 0
	for {
		m, err := c.Read(t.Context())
		if err != nil {
			break
		}
		r := m.(*jsonrpc.Request)
		if !r.IsCall() {
			continue
		}
		calls++
		go c.Write(context.Background(), &jsonrpc.Response{ID: r.ID, Result: json.RawMessage(`{}`)})
		for !c.(*stdioConn).writes(r.ID) {
			runtime.Gosched()
		}
	}
	if calls != 8 {
		t.Errorf("%d calls were read, want 8", calls)
	}
	<-c.(*stdioConn).deaf
}

// writes reports whether the answer to id is on its way.
func (c *stdioConn) writes(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending[id]
}

// What the SDK says of bad params names its own types and repeats them.
func TestStdioBoundsProtocolErrors(t *testing.T) {
	c, _, out := connect(t, time.Second)
	for _, err := range []error{
		fmt.Errorf("%w: unmarshaling %q into a *mcp.ListToolsParams", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params"}, strings.Repeat("p", 1<<20)),
		fmt.Errorf("%w: %q", &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found"}, strings.Repeat("m", 1<<20)),
	} {
		go c.Write(t.Context(), &jsonrpc.Response{ID: jsonrpc.ID{}, Error: err})
		line, readErr := out.ReadString('\n')
		if readErr != nil || len(line) > 1000 || strings.Contains(line, "mcp.") {
			t.Errorf("%d bytes: %.200s, error %v", len(line), line, readErr)
		}
		var wire *jsonrpc.Error
		if errors.As(err, &wire); !strings.Contains(line, strconv.FormatInt(wire.Code, 10)) {
			t.Errorf("the code %d is lost: %s", wire.Code, line)
		}
	}
}

func TestStdioDrains(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, in, out := connect(t, 3*time.Second)
		go func() {
			io.WriteString(in, call("1")+call("2")+call("3")+`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}}`+"\n")
			in.Close()
		}()
		var ids []jsonrpc.ID
		for range 4 {
			m, err := c.Read(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if r := m.(*jsonrpc.Request); r.IsCall() {
				ids = append(ids, r.ID)
			}
		}
		got := make(chan string, 3)
		go func() {
			for {
				line, err := out.ReadString('\n')
				if err != nil {
					return
				}
				got <- line
			}
		}()
		began := time.Now()
		go func() {
			time.Sleep(time.Second)
			c.Write(context.Background(), &jsonrpc.Response{ID: ids[0], Result: json.RawMessage(`{}`)})
		}()
		if _, err := c.Read(t.Context()); !errors.Is(err, io.EOF) {
			t.Errorf("error %v, want the end", err)
		}
		if d := time.Since(began); d != 3*time.Second {
			t.Errorf("ended after %v, want the whole drain of 3s for the call without an answer", d)
		}
		if line := <-got; !strings.Contains(line, `"id":1`) || !strings.Contains(line, `"result"`) {
			t.Errorf("first line %s, want the answer to 1", line)
		}
		if line := <-got; !strings.Contains(line, `"id":2`) || !strings.Contains(line, `"error"`) {
			t.Errorf("second line %s, want an error for 2", line)
		}
		// What comes later is dropped: nobody may read stdout any more.
		c.Write(context.Background(), &jsonrpc.Response{ID: ids[1], Result: json.RawMessage(`{}`)})
		synctest.Wait()
		if len(got) > 0 {
			t.Errorf("written after the end: %s", <-got)
		}
	})
}

func TestStdioEndsAtOnceWhenNothingIsPending(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, in, _ := connect(t, 3*time.Second)
		in.Close()
		began := time.Now()
		if _, err := c.Read(t.Context()); !errors.Is(err, io.EOF) || time.Since(began) != 0 {
			t.Errorf("error %v after %v, want the end at once", err, time.Since(began))
		}
	})
}
