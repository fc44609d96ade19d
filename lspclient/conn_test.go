package lspclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.lsp.dev/jsonrpc2"

	"lspbridge/lspclient/lsptest"
)

func testOptions() wireOptions {
	return wireOptions{MessageBytes: 1 << 20, HeaderBytes: 1 << 10, Queue: 64, Stall: 30 * time.Second}
}

// inBubble runs f in a bubble of synctest with a connection to a fake server.
// The bubble fails when a goroutine is left at its end.
func inBubble(t *testing.T, script lsptest.Script, o wireOptions, f func(t *testing.T, w wire, fake *lsptest.Fake, events *testEvents)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		fake := lsptest.Start(t, script)
		events := &testEvents{}
		w := dial(fake.In, fake.Out, events, o)
		f(t, w, fake, events)
		w.close()
		select {
		case <-w.done():
		default:
			t.Error("close returned, done is open")
		}
		if err := w.err(); !errors.Is(err, errConnClosed) {
			t.Errorf("after close: %v", err)
		}
	})
}

// on is the script with one reaction to a method.
func on(method string, r lsptest.Reaction) lsptest.Script {
	return lsptest.Script{On: map[string][]lsptest.Reaction{method: {r}}}
}

func TestCall(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		reaction lsptest.Reaction
		want     string
		err      *responseError
	}{
		{"result", lsptest.Reaction{Result: `[{"uri":"file:///a"}]`}, `[{"uri":"file:///a"}]`, nil},
		{"null", lsptest.Reaction{Result: `null`}, `null`, nil},
		{"error", lsptest.Reaction{Error: &lsptest.Error{Code: -32602, Message: "no such file"}}, "", &responseError{-32602, "no such file"}},
		{"result beside a null error", lsptest.Reaction{Reply: frameText(`{"id":$ID,"result":{},"error":null}`)}, `{}`, nil},
		{"id 1.0", lsptest.Reaction{Reply: frameText(`{"id":$ID.0,"result":7}`)}, `7`, nil},
		{"string id", lsptest.Reaction{Reply: frameText(`{"id":"$ID","result":7}`)}, `7`, nil},
		{"noise before the reply", lsptest.Reaction{Reply: "INFO x\nwarning" + frameText(`{"id":$ID,"result":7}`)}, `7`, nil},
		{"reply twice", lsptest.Reaction{Reply: frameText(`{"id":$ID,"result":7}`) + frameText(`{"id":$ID,"result":8}`)}, `7`, nil},
		{"odd objects before the reply", lsptest.Reaction{Reply: frameText(`{}`) + frameText(`{"id":null,"result":1}`) +
			frameText(`{"id":99,"result":1}`) + frameText(`{"id":$ID,"result":7}`)}, `7`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, on("ask", c.reaction), testOptions(), func(t *testing.T, w wire, fake *lsptest.Fake, _ *testEvents) {
				got, err := w.call(t.Context(), "ask", map[string]string{"q": "<é>"})
				var failed *responseError
				errors.As(err, &failed)
				if string(got) != c.want || (err != nil) != (c.err != nil) || !cmp.Equal(failed, c.err) {
					t.Errorf("call returned %s, %v; want %s, %v", got, err, c.want, c.err)
				}
				if sent := fake.Await(t, "ask", 1)[0]; string(sent.Params) != `{"q":"<é>"}` {
					t.Errorf("the server got %s", sent.Params)
				}
				// The connection lives on.
				if _, err := w.call(t.Context(), "shutdown", nil); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// frameText frames a reply whose $ID is one digit.
func frameText(body string) string {
	return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(strings.ReplaceAll(body, "$ID", "1")), body)
}

func TestBadParams(t *testing.T) {
	t.Parallel()
	inBubble(t, lsptest.Script{}, testOptions(), func(t *testing.T, w wire, fake *lsptest.Fake, _ *testEvents) {
		if _, err := w.call(t.Context(), "ask", "\xff"); err == nil {
			t.Error("a call with text that is not UTF-8 was sent")
		}
		if err := w.notify("tell", make(chan int)); err == nil {
			t.Error("a channel was sent")
		}
		if _, err := w.call(t.Context(), "shutdown", nil); err != nil {
			t.Error(err)
		}
		if got := len(fake.Messages()); got != 1 {
			t.Errorf("the server got %d messages", got)
		}
	})
}

// TestDeadline: a call ends with its context, says so to the server, and its late
// reply reaches nobody.
func TestDeadline(t *testing.T) {
	t.Parallel()
	script := lsptest.Script{On: map[string][]lsptest.Reaction{
		"ask": {{Before: []lsptest.Action{{Sleep: time.Minute}}, Result: `"late"`}, {Result: `"second"`}},
	}}
	inBubble(t, script, testOptions(), func(t *testing.T, w wire, fake *lsptest.Fake, _ *testEvents) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		_, err := w.call(ctx, "ask", nil)
		if took := time.Since(began); !errors.Is(err, context.DeadlineExceeded) || took != time.Second {
			t.Errorf("call returned %v after %s", err, took)
		}
		asked, cancelled := fake.Await(t, "ask", 1)[0], fake.Await(t, "$/cancelRequest", 1)[0]
		if want := `{"id":` + string(asked.ID) + `}`; string(cancelled.Params) != want {
			t.Errorf("cancelled %s; want %s", cancelled.Params, want)
		}
		time.Sleep(2 * time.Minute)
		if got, err := w.call(t.Context(), "ask", nil); string(got) != `"second"` {
			t.Errorf("the next call returned %s, %v", got, err)
		}
	})
}

func TestCancelBeforeSending(t *testing.T) {
	t.Parallel()
	inBubble(t, lsptest.Script{}, testOptions(), func(t *testing.T, w wire, fake *lsptest.Fake, _ *testEvents) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := w.call(ctx, "ask", nil); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if got := fake.Messages(); len(got) > 0 {
			t.Errorf("the server got %v", got)
		}
	})
}

// TestSlowCall: one slow call delays no other.
func TestSlowCall(t *testing.T) {
	t.Parallel()
	script := lsptest.Script{On: map[string][]lsptest.Reaction{
		"slow": {{Before: []lsptest.Action{{Sleep: time.Minute}}, Result: `"slow"`}},
		"fast": {{Result: `"fast"`}},
	}}
	inBubble(t, script, testOptions(), func(t *testing.T, w wire, _ *lsptest.Fake, _ *testEvents) {
		slow := make(chan string, 1)
		go func() {
			got, err := w.call(t.Context(), "slow", nil)
			slow <- fmt.Sprint(string(got), err)
		}()
		synctest.Wait()
		began := time.Now()
		for range 100 {
			if got, err := w.call(t.Context(), "fast", nil); string(got) != `"fast"` {
				t.Fatalf("%s, %v", got, err)
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("100 fast calls took %s beside a slow one", took)
		}
		if got := <-slow; got != `"slow"<nil>` {
			t.Error(got)
		}
	})
}

// TestManyCalls: each of many calls at once gets its own answer, also where there
// are more of them than the queue holds.
func TestManyCalls(t *testing.T) {
	t.Parallel()
	o := testOptions()
	o.Queue = 2
	inBubble(t, on("echo", lsptest.Reaction{Result: `"$URI"`}), o, func(t *testing.T, w wire, _ *lsptest.Fake, _ *testEvents) {
		var wg sync.WaitGroup
		for i := range 200 {
			wg.Go(func() {
				uri := fmt.Sprintf("file:///%d", i)
				got, err := w.call(t.Context(), "echo", map[string]any{"textDocument": map[string]string{"uri": uri}})
				if want := fmt.Sprintf("%q", uri); string(got) != want {
					t.Errorf("%s, %v; want %s", got, err, want)
				}
			})
		}
		wg.Wait()
	})
}

// TestDeath: when the server goes, every call in flight returns at once, with the
// cause, and so does every later one.
func TestDeath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		last  lsptest.Reaction
		cause error
		says  string
	}{
		{"exit", lsptest.Reaction{Never: true, After: []lsptest.Action{lsptest.Exit(1)}}, errOutputClosed, ""},
		{"crash in a reply", lsptest.Reaction{Reply: "Content-Length: 100\r\n\r\n{\"id\"", After: []lsptest.Action{lsptest.Exit(1)}}, io.ErrUnexpectedEOF, ""},
		{"broken reply", lsptest.Reaction{Reply: "Content-Length: 3\r\n\r\n{x}"}, errMessage, ""},
		{"broken header", lsptest.Reaction{Reply: "Content-Length: -1\r\n\r\n"}, errHeader, "-1"},
		{"too large", lsptest.Reaction{Reply: "Content-Length: 2000000\r\n\r\n"}, nil, "2000000 bytes is over the limit of 1048576"},
		{"our message was not understood", lsptest.Reaction{Reply: frameText(`{"id":null,"error":{"code":-32700,"message":"x"}}`)}, errMessage, "could not read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			script := lsptest.Script{On: map[string][]lsptest.Reaction{"ask": {{Never: true}}, "last": {c.last}}}
			inBubble(t, script, testOptions(), func(t *testing.T, w wire, fake *lsptest.Fake, _ *testEvents) {
				began := time.Now()
				errs := make(chan error)
				for range 10 {
					go func() {
						_, err := w.call(t.Context(), "ask", nil)
						errs <- err
					}()
				}
				fake.Await(t, "ask", 10)
				go func() {
					_, err := w.call(t.Context(), "last", nil)
					errs <- err
				}()
				check := func(err error) {
					t.Helper()
					if !errors.Is(err, errConnClosed) || c.cause != nil && !errors.Is(err, c.cause) || !strings.Contains(err.Error(), c.says) {
						t.Errorf("got %v; want %v with %q", err, c.cause, c.says)
					}
				}
				for range 11 {
					check(<-errs)
				}
				<-w.done()
				check(w.err())
				_, err := w.call(t.Context(), "ask", nil)
				check(err)
				check(w.notify("tell", nil))
				if took := time.Since(began); took != 0 {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

// TestLastAnswer: what the server said before it went is not lost.
func TestLastAnswer(t *testing.T) {
	t.Parallel()
	for range 50 {
		inBubble(t, on("ask", lsptest.Reaction{Result: `"last words"`, After: []lsptest.Action{lsptest.Exit(0)}}), testOptions(),
			func(t *testing.T, w wire, _ *lsptest.Fake, _ *testEvents) {
				if got, err := w.call(t.Context(), "ask", nil); string(got) != `"last words"` {
					t.Errorf("%s, %v", got, err)
				}
			})
	}
}

// TestDeaf: a server that stops reading hangs nobody past his deadline, is
// reported once, and does not hold up the end.
func TestDeaf(t *testing.T) {
	t.Parallel()
	o := testOptions()
	o.Queue = 8
	var stalls atomic.Int32
	o.Stalled = func() { stalls.Add(1) }
	inBubble(t, on("deafen", lsptest.Reaction{After: []lsptest.Action{{StopReading: true}}}), o,
		func(t *testing.T, w wire, _ *lsptest.Fake, _ *testEvents) {
			if _, err := w.call(t.Context(), "deafen", nil); err != nil {
				t.Fatal(err)
			}
			began := time.Now()
			var full error
			for i := 0; full == nil && i < 100; i++ {
				full = w.notify("tell", nil)
			}
			if !errors.Is(full, errQueueFull) || w.err() != nil {
				t.Fatalf("a full queue gave %v; the connection: %v", full, w.err())
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if _, err := w.call(ctx, "ask", nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a call into a full queue gave %v", err)
			}
			if took := time.Since(began); took != time.Second {
				t.Errorf("took %s", took)
			}
			if _, err := w.call(t.Context(), "ask", nil); !errors.Is(err, errStalled) || !errors.Is(err, errConnClosed) {
				t.Errorf("past the stall: %v", err)
			}
			if took := time.Since(began); took != o.Stall {
				t.Errorf("stalled after %s; want %s", took, o.Stall)
			}
			synctest.Wait()
			if n := stalls.Load(); n != 1 {
				t.Errorf("reported %d times", n)
			}
		})
}

// TestCloseWhileDeaf: close does not wait for a pipe that nobody reads.
func TestCloseWhileDeaf(t *testing.T) {
	t.Parallel()
	inBubble(t, lsptest.Script{Start: []lsptest.Action{{StopReading: true}}}, testOptions(),
		func(t *testing.T, w wire, _ *lsptest.Fake, _ *testEvents) {
			began := time.Now()
			inFlight := make(chan error)
			go func() {
				_, err := w.call(t.Context(), "ask", nil)
				inFlight <- err
			}()
			synctest.Wait()
			go w.close()
			if err := <-inFlight; !errors.Is(err, errConnClosed) {
				t.Error(err)
			}
			w.close() // twice is fine
			if took := time.Since(began); took != 0 {
				t.Errorf("close took %s", took)
			}
		})
}

// TestCallTable: calls that are never answered leave nothing behind.
func TestCallTable(t *testing.T) {
	t.Parallel()
	inBubble(t, on("ask", lsptest.Reaction{Never: true}), testOptions(), func(t *testing.T, w wire, _ *lsptest.Fake, _ *testEvents) {
		for range 1000 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := w.call(ctx, "ask", nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			cancel()
		}
		if n := len(w.(*conn).calls); n > 0 {
			t.Errorf("%d calls are still on the table", n)
		}
	})
}

// TestSecondReply: a server that answers one call twice blocks nobody, also when
// the first answer was not taken yet.
func TestSecondReply(t *testing.T) {
	t.Parallel()
	inBubble(t, lsptest.Script{}, testOptions(), func(t *testing.T, w wire, _ *lsptest.Fake, _ *testEvents) {
		c := w.(*conn)
		answered := make(chan reply, 1)
		id, err := c.begin(answered)
		if err != nil {
			t.Fatal(err)
		}
		for _, result := range []string{"1", "2"} {
			c.deliver(jsonrpc2.NewResponse(jsonrpc2.NewNumberID(id), jsonrpc2.RawMessage(result), nil))
		}
		if got := <-answered; string(got.result) != "1" {
			t.Errorf("the call got %s", got.result)
		}
	})
}
