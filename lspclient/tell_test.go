package lspclient_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
)

func TestTellsWhatChangedOnDisk(t *testing.T) {
	watch := lsptest.Action{Request: "client/registerCapability", Await: "client/registerCapability", Params: `{"registrations":[{"id":"w","method":"workspace/didChangeWatchedFiles",` +
		`"registerOptions":{"watchers":[{"globPattern":{"baseUri":"$ROOT","pattern":"**/*.fake"},"kind":7}]}}]}`}
	script := lsptest.Script{On: answers("textDocument/references", `[]`)}
	script.On["initialized"] = []lsptest.Reaction{{After: []lsptest.Action{watch}}}
	b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": "x 1", "b.fake": "x", "c.fake": "x"}, nil)
	ask := func() {
		t.Helper()
		if _, err := b.references(t, "a.fake", "x"); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	b.write(t, "a.fake", "x 2")
	b.write(t, "b.fake", "x changed")
	b.write(t, "sub/d.fake", "x")
	b.write(t, "note.txt", "x")
	if err := os.Remove(filepath.Join(b.dir, "c.fake")); err != nil {
		t.Fatal(err)
	}
	ask()
	fake.Await(t, "textDocument/references", 2)
	events := fake.Of("workspace/didChangeWatchedFiles")
	if len(events) != 1 {
		t.Fatalf("%d batches of changes, want 1", len(events))
	}
	for _, want := range []string{`b.fake","type":2`, `sub/d.fake","type":1`, `c.fake","type":3`, `a.fake","type":2`} {
		if !strings.Contains(string(events[0].Params), want) {
			t.Errorf("changes %s lack %s", events[0].Params, want)
		}
	}
	if strings.Contains(string(events[0].Params), "note.txt") {
		t.Error("told of a file that is of no language")
	}
	changes := fake.Of("textDocument/didChange")
	if len(changes) != 1 || !strings.Contains(string(changes[0].Params), `"x 2"`) || !strings.Contains(string(changes[0].Params), `"version":2`) {
		t.Errorf("changes of the open document: %v", changes)
	}
	// All of it before the question.
	order := ""
	for _, m := range fake.Messages() {
		switch m.Method {
		case "workspace/didChangeWatchedFiles":
			order += "w"
		case "textDocument/didChange":
			order += "c"
		case "textDocument/references":
			order += "?"
		}
	}
	if order != "?wc?" {
		t.Errorf("order of what was sent: %s, want ?wc?", order)
	}
	ask()
	fake.Await(t, "textDocument/references", 3)
	if n := len(fake.Of("workspace/didChangeWatchedFiles")) + len(fake.Of("textDocument/didChange")); n != 2 {
		t.Errorf("told again of what had not changed: %d notifications", n)
	}
}

func TestAsksAgainWhenTheAnswerIsFromAnotherText(t *testing.T) {
	// While the question is under way the asked file changes; the first answer
	// is thrown away.
	dir := t.TempDir()
	script := lsptest.Script{On: map[string][]lsptest.Reaction{
		"textDocument/references": {{Before: []lsptest.Action{{Hold: true}}, Result: `[{"uri":"$ROOT/b.fake","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}}]`}},
	}}
	bin := t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"a.fake": "x", "b.fake": "x"})
	fake := lsptest.NewProcess(t, script)
	fake.Program(t, bin, "fakels", "fakels 1.0.0")
	b := open(t, dir, bin, fakeServer(), nil)
	go func() {
		fake.Await(t, "textDocument/references", 1)
		b.write(t, "b.fake", "moved x")
		fake.Release()
	}()
	if _, err := b.references(t, "a.fake", "x"); err != nil {
		t.Fatal(err)
	}
	fake.Await(t, "textDocument/references", 2)
}

func TestOpenDocumentsAreBounded(t *testing.T) {
	files := map[string]string{}
	for i := range 6 {
		files[fmt.Sprintf("f%d.fake", i)] = "x"
	}
	b, fake := openFake(t, lsptest.Script{On: answers("textDocument/references", `[]`)}, fakeServer(), files, func(l *limits.Budget) { l.OpenDocuments = 2 })
	for i := range 6 {
		if _, err := b.references(t, fmt.Sprintf("f%d.fake", i), "x"); err != nil {
			t.Fatal(err)
		}
	}
	fake.Await(t, "textDocument/references", 6)
	var closed []string
	for _, m := range fake.Of("textDocument/didClose") {
		closed = append(closed, string(m.Params[len(m.Params)-len(`f0.fake"}}`):len(m.Params)-len(`.fake"}}`)]))
	}
	if diff := cmp.Diff([]string{"f0", "f1", "f2", "f3"}, closed); diff != "" {
		t.Errorf("closed, least recently used first (-want +got):\n%s", diff)
	}
}

// TestTellsABurstAtOnce: what a checkout or a generator changes between two
// questions is one notification, whatever the number of events.
func TestTellsABurstAtOnce(t *testing.T) {
	b, fake := openFake(t, lsptest.Script{On: answers("textDocument/references", `[]`)}, fakeServer(), map[string]string{"a.fake": "x"}, nil)
	ask := func() {
		t.Helper()
		if _, err := b.references(t, "a.fake", "x"); err != nil {
			t.Fatal(err)
		}
	}
	ask()
	for i := range 500 {
		for _, text := range []string{"x", "x x", "x x x"} {
			b.write(t, fmt.Sprintf("d%d/f%d.fake", i%20, i), text)
		}
	}
	ask()
	ask()
	fake.Await(t, "textDocument/references", 3)
	events := fake.Of("workspace/didChangeWatchedFiles")
	if len(events) != 1 {
		t.Fatalf("%d notifications, want 1", len(events))
	}
	if n := strings.Count(string(events[0].Params), `"type":1`); n != 500 {
		t.Errorf("told of %d new files, want 500", n)
	}
}
