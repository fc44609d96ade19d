package tools_test

import (
	"encoding/json"
	"os"
	"testing"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient/lsptest"
	"lspbridge/tools"
	"lspbridge/vdocs"
)

// small is a workspace in which names are declared once, twice and nowhere.
const small = `
-- a/client.go --
package a

type Client struct {
	name string
}

func (Client) Close() {
	Dial(Dial) // Close
}

func Dial(n int) {
}
-- b/pool.go --
package b

type Pool struct {
}

func (Pool) Close() {
	var é, x = Dial, "Dial"
}
-- c/native.cpp --
struct Native {
};
-- notes.txt --
nothing
`

// A fixture is a bridge over a textual workspace.
type fixture struct {
	*tools.Bridge
	pool *textual
	dir  string
	ws   *confine.Workspace
}

// newFixture opens archive; change may adjust the options before the bridge is made.
func newFixture(t testing.TB, archive string, change func(*tools.Options, *textual)) *fixture {
	t.Helper()
	dir := lsptest.Workspace(t, archive)
	ws, err := confine.Open([]string{dir}, confine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	pool := &textual{ws: ws}
	o := tools.Options{
		Workspace: ws, Pool: pool, Limits: limits.Default(), Version: "v1.2.3",
		Refs:   vdocs.NewStore(vdocs.Options{Workspace: "tag", Roots: []string{"/usr/include"}}),
		Redact: tools.NewRedactor(tools.Folder{Path: dir}),
	}
	if change != nil {
		change(&o, pool)
	}
	b, err := tools.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{b, pool, dir, ws}
}

// ask asks with arguments as JSON.
func (f *fixture) ask(t testing.TB, tool, args string) tools.Result {
	t.Helper()
	return f.Call(t.Context(), tools.Call{Tool: tool, Args: json.RawMessage(args), Owner: "test"})
}

// A listed is what tests read of a structured answer.
type listed struct {
	Items []struct {
		Name, Kind, Container, Path, Ref, Display, Text, In, Body string
		Line, Column                                              int
		Stale                                                     bool
		FirstLine                                                 int `json:"first_line"`
		Context                                                   []string
		Children                                                  []json.RawMessage
	}
	Total        int
	AtLeast      bool `json:"at_least"`
	Completeness struct {
		State   string
		Reasons []string
	}
	NextCursor string `json:"next_cursor"`
}

// list asks and reads the structured answer.
func (f *fixture) list(t testing.TB, tool, args string) (listed, tools.Result) {
	t.Helper()
	r := f.ask(t, tool, args)
	if r.Err != nil {
		t.Fatalf("%s %s: %s", tool, args, r.Err.Text())
	}
	var l listed
	if err := json.Unmarshal(r.Structured, &l); err != nil {
		t.Fatal(err)
	}
	return l, r
}

func (l listed) places() []string {
	var out []string
	for _, it := range l.Items {
		out = append(out, it.Path+it.Display+":"+itoa(it.Line)+":"+itoa(it.Column))
	}
	return out
}

func itoa(n int) string { raw, _ := json.Marshal(n); return string(raw) }

func write(t testing.TB, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func newRefs() *vdocs.Store { return vdocs.NewStore(vdocs.Options{Workspace: "tag"}) }
