package tools

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
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
	s := &stdio{in: inR, out: outW, most: 1 << 10, drain: drain, log: slog.New(slog.DiscardHandler)}
	c, err := s.Connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); inW.Close(); inR.Close(); outR.Close() })
	return c, inW, bufio.NewReader(outR)
}

func call(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call"}` + "\n" }

func TestStdioPassesOverWhatIsNoMessage(t *testing.T) {
	c, in, out := connect(t, time.Second)
	go func() {
		io.WriteString(in, "\n  \nnot json\n{\"jsonrpc\":\"1.0\"}\n[]\n"+call("1")+strings.Repeat("x", 5000)+"\n"+call(`"two"`))
	}()
	for _, want := range []any{int64(1), "two"} {
		if want == "two" {
			// The line over the limit is refused before the next one is read.
			line, err := out.ReadString('\n')
			if err != nil || !strings.Contains(line, `"id":null`) || !strings.Contains(line, "mcp_message_bytes") {
				t.Errorf("refusal %q, error %v", line, err)
			}
		}
		m, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := m.(*jsonrpc.Request); !ok || r.ID.Raw() != want {
			t.Errorf("read %v, want the call %v", m, want)
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
