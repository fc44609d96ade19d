package lspclient_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"lspbridge/limits"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

func TestRestartAfterACrash(t *testing.T) {
	script := lsptest.Script{
		On:   map[string][]lsptest.Reaction{"textDocument/references": {{Before: []lsptest.Action{lsptest.Exit(3)}}}},
		Next: &lsptest.Script{On: answers("textDocument/references", `[`+place+`]`)},
	}
	b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": "let x = 1\n"}, nil)
	got, err := b.references(t, "a.fake", "x")
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Items) != 1 || got.Completeness.Generation != 2 || fake.Starts() != 2 {
		t.Errorf("%d places of generation %d after %d starts, want 1 of generation 2 after 2", len(got.Items), got.Completeness.Generation, fake.Starts())
	}
	fake.Await(t, "textDocument/references", 2)
	if opened := fake.Of("textDocument/didOpen"); len(opened) != 2 {
		t.Errorf("opened %d times, want once in each start", len(opened))
	}
}

func TestGivesUpOnAServerThatNeverAnswers(t *testing.T) {
	script := lsptest.Script{On: map[string][]lsptest.Reaction{"initialize": {{Before: []lsptest.Action{lsptest.Exit(7)}}}}}
	b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": "x"}, func(l *limits.Budget) { l.Restarts = 3 })
	for range 5 {
		if _, err := b.references(t, "a.fake", "x"); code(t, err) != lspclient.CodeFailed {
			t.Errorf("error %v, want %s", err, lspclient.CodeFailed)
		}
	}
	if fake.Starts() != 3 {
		t.Errorf("started %d times, want 3", fake.Starts())
	}
}

func TestSaysThatAServerIsStarting(t *testing.T) {
	hold := map[string][]lsptest.Reaction{"initialize": {{Before: []lsptest.Action{{Hold: true}}, Result: `{"capabilities":{"referencesProvider":true}}`}}}
	hold["textDocument/references"] = []lsptest.Reaction{{Result: `[` + place + `]`}}
	b, fake := openFake(t, lsptest.Script{On: hold}, fakeServer(), map[string]string{"a.fake": "let x = 1\n"}, nil)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := b.References(ctx, b.file(t, "a.fake"), on("x"), true)
	if code(t, err) != lspclient.CodeStarting || !strings.Contains(err.Error(), "still starting") || !strings.Contains(err.Error(), " s ") {
		t.Errorf("error %v, want that it is still starting, and for how long", err)
	}
	// The start goes on: the next caller gets its fruit.
	fake.Release()
	if got, err := b.references(t, "a.fake", "x"); err != nil || len(got.Items) != 1 || fake.Starts() != 1 {
		t.Errorf("after the start: %d places, error %v, %d starts", len(got.Items), err, fake.Starts())
	}
}

func TestCallTimeout(t *testing.T) {
	script := lsptest.Script{On: answers("textDocument/hover", `{"contents":"doc"}`)}
	script.On["textDocument/references"] = []lsptest.Reaction{{Never: true}}
	b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": "x"}, func(l *limits.Budget) { l.CallTimeout = 200 * time.Millisecond })
	if h, err := b.Hover(t.Context(), b.file(t, "a.fake"), on("x")); err != nil || h.Text != "doc" {
		t.Fatalf("hover %q, error %v", h.Text, err)
	}
	began := time.Now()
	_, err := b.references(t, "a.fake", "x")
	if code(t, err) != lspclient.CodeTimeout || !strings.Contains(err.Error(), "fakels") || !strings.Contains(err.Error(), "textDocument/references") {
		t.Errorf("error %v, want a time-out that names server and method", err)
	}
	if d := time.Since(began); d > 200*time.Millisecond+time.Second {
		t.Errorf("returned after %v", d)
	}
	fake.Await(t, "$/cancelRequest", 1)
}

// TestHangingServerIsReplaced: a server that left three requests in a row without
// an answer is ended, and the next question asks a new one. An answer in between
// begins the count again.
func TestHangingServerIsReplaced(t *testing.T) {
	script := lsptest.Script{
		On:   answers("textDocument/hover", `{"contents":"doc"}`),
		Next: &lsptest.Script{On: answers("textDocument/references", `[`+place+`]`)},
	}
	script.On["textDocument/references"] = []lsptest.Reaction{{Never: true}}
	b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": "let x = 1\n"}, func(l *limits.Budget) { l.CallTimeout = 100 * time.Millisecond })
	hover := func() {
		t.Helper()
		if h, err := b.Hover(t.Context(), b.file(t, "a.fake"), on("x")); err != nil || h.Text != "doc" {
			t.Fatalf("hover %q, error %v", h.Text, err)
		}
	}
	hang := func(times int) {
		t.Helper()
		for range times {
			began := time.Now()
			if _, err := b.references(t, "a.fake", "x"); code(t, err) != lspclient.CodeTimeout {
				t.Errorf("error %v, want a time-out", err)
			}
			if d := time.Since(began); d > 100*time.Millisecond+time.Second {
				t.Errorf("returned after %v", d)
			}
		}
	}
	hover()
	hang(2)
	hover()
	hang(2)
	hover()
	if fake.Starts() != 1 {
		t.Fatalf("%d starts, though it answered in between", fake.Starts())
	}
	hang(3)
	got, err := b.references(t, "a.fake", "x")
	if err != nil || len(got.Items) != 1 || got.Completeness.Generation != 2 || fake.Starts() != 2 {
		t.Errorf("%d places of generation %d after %d starts, error %v; want 1 of generation 2 after 2", len(got.Items), got.Completeness.Generation, fake.Starts(), err)
	}
}

func TestCancelledCallerIsLetGo(t *testing.T) {
	script := lsptest.Script{On: map[string][]lsptest.Reaction{"textDocument/references": {{Never: true}}}}
	b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": "x"}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		fake.Await(t, "textDocument/references", 1)
		cancel()
	}()
	if _, err := b.References(ctx, b.file(t, "a.fake"), on("x"), true); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that the caller went away", err)
	}
	fake.Await(t, "$/cancelRequest", 1)
}

func TestCloseLeavesNothing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		script lsptest.Script
	}{
		{"well-behaved", lsptest.Script{}},
		{"stubborn, with a grandchild", lsptest.Script{IgnoreTERM: true, Grandchild: true, On: map[string][]lsptest.Reaction{"shutdown": {{Never: true}}}}},
		{"still starting", lsptest.Script{On: map[string][]lsptest.Reaction{"initialize": {{Never: true}}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, fake := openFake(t, tt.script, fakeServer(), map[string]string{"a.fake": "x"}, nil)
			b.Warm()
			_, ended := fake.AwaitStart(t, 0)
			var grandchild <-chan struct{}
			if tt.script.Grandchild {
				_, grandchild = fake.AwaitGrandchild(t)
			}
			began := time.Now()
			b.Close()
			if d := time.Since(began); d > 5*time.Second {
				t.Errorf("took %v to end", d)
			}
			<-ended
			if grandchild != nil {
				<-grandchild
			}
		})
	}
}

func TestIdleServerEnds(t *testing.T) {
	b, fake := openFake(t, lsptest.Script{On: answers("textDocument/references", `[]`)}, fakeServer(), map[string]string{"a.fake": "x"}, func(l *limits.Budget) { l.ServerIdle = 50 * time.Millisecond })
	if _, err := b.references(t, "a.fake", "x"); err != nil {
		t.Fatal(err)
	}
	_, ended := fake.AwaitStart(t, 0)
	<-ended
	if _, err := b.references(t, "a.fake", "x"); err != nil || fake.Starts() != 2 {
		t.Errorf("error %v after %d starts, want an answer from the second", err, fake.Starts())
	}
}
