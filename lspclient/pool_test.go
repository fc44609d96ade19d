package lspclient_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/servers"
	"lspbridge/lspclient/textpos"
)

// A bench is a pool over a folder, with one server of the test's choice.
type bench struct {
	*lspclient.Pool
	ws  *confine.Workspace
	dir string
}

// open returns a pool over dir whose only server is entry, found on path.
func open(t *testing.T, dir, path string, entry servers.Server, change func(*limits.Budget)) *bench {
	t.Helper()
	return openWith(t, dir, path, entry, confine.Options{}, t.TempDir(), change)
}

// openWith is open with a workspace of some options, and a cache folder.
func openWith(t *testing.T, dir, path string, entry servers.Server, o confine.Options, cache string, change func(*limits.Budget)) *bench {
	t.Helper()
	return openAll(t, dir, path, servers.Catalog{Servers: []servers.Server{entry}}, o, cache, change)
}

// openAll is openWith with any number of servers.
func openAll(t *testing.T, dir, path string, catalog servers.Catalog, o confine.Options, cache string, change func(*limits.Budget)) *bench {
	t.Helper()
	ws, err := confine.Open([]string{dir}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := limits.Default()
	if change != nil {
		change(&l)
	}
	environ := append(os.Environ(), "PATH="+path+string(os.PathListSeparator)+os.Getenv("PATH"))
	p, err := lspclient.New(lspclient.Options{
		Workspace: ws, Limits: l, Catalog: catalog,
		Finder: servers.Finder{Path: path, Env: environ}, Environ: environ, Self: self, CacheDir: cache,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return &bench{p, ws, dir}
}

// fakeServer is the catalog's entry of the fake language server.
func fakeServer() servers.Server {
	return servers.Server{
		Name: "fakels", Commands: []string{"fakels"}, Extensions: map[string]string{".fake": "fake"},
		VersionArgs: []string{"--version"}, Executes: servers.ExecutesNone, Quirks: servers.Quirks{Readiness: servers.ReadyBlocks},
	}
}

// openFake returns a pool over files whose server is the fake with a script.
func openFake(t *testing.T, script lsptest.Script, entry servers.Server, files map[string]string, change func(*limits.Budget)) (*bench, *lsptest.Process) {
	t.Helper()
	dir, bin := t.TempDir(), t.TempDir()
	lsptest.WriteFiles(t, dir, files)
	fake := lsptest.NewProcess(t, script)
	fake.Program(t, bin, "fakels", "fakels 1.0.0")
	return open(t, dir, bin, entry, change), fake
}

func (b *bench) file(t *testing.T, name string) confine.File {
	t.Helper()
	f, err := b.ws.File(name)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func (b *bench) write(t *testing.T, name, text string) {
	t.Helper()
	lsptest.WriteFiles(t, b.dir, map[string]string{name: text})
}

// on locates the first word in the text.
func on(word string) lspclient.Locate {
	return func(m *textpos.Mapper) (int, error) {
		if i := bytes.Index(m.Text(), []byte(word)); i >= 0 {
			return i, nil
		}
		return 0, fmt.Errorf("no %q in the text", word)
	}
}

// references asks for the references of word in a file.
func (b *bench) references(t *testing.T, name, word string) (lspclient.Locations, error) {
	t.Helper()
	return b.References(t.Context(), b.file(t, name), on(word), true)
}

// places words locations as "path:line:column-line:column".
func (b *bench) places(l lspclient.Locations) []string {
	out := []string{}
	for _, i := range l.Items {
		name := "outside"
		if i.Inside {
			name = b.ws.Shown(i.File)
		}
		out = append(out, fmt.Sprintf("%s:%d:%d-%d:%d", name, i.Start.Line, i.Start.Column, i.End.Line, i.End.Column))
	}
	return out
}

func code(t *testing.T, err error) lspclient.Code {
	t.Helper()
	var e *lspclient.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is no *lspclient.Error", err)
	}
	if strings.ContainsRune(e.Msg, '\n') {
		t.Errorf("the message has more than one line: %q", e.Msg)
	}
	return e.Code
}

const place = `{"uri":"$URI","range":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}}}`

func answers(method, result string) map[string][]lsptest.Reaction {
	return map[string][]lsptest.Reaction{method: {{Result: result}}}
}

func TestLocationShapes(t *testing.T) {
	link := `{"targetUri":"$URI","targetRange":{"start":{"line":0,"character":0},"end":{"line":0,"character":9}},` +
		`"targetSelectionRange":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}}}`
	odd := `{"uri":"$URI","range":{"start":{"line":-1,"character":0},"end":{"line":0,"character":1}}}`
	for _, tt := range []struct {
		name, result string
		want         []string
		state        lspclient.State
	}{
		{"null", `null`, []string{}, lspclient.Complete},
		{"empty", `[]`, []string{}, lspclient.Complete},
		{"one location", place, []string{"a.fake:1:5-1:6"}, lspclient.Complete},
		{"locations", `[` + place + `]`, []string{"a.fake:1:5-1:6"}, lspclient.Complete},
		{"links", `[` + link + `]`, []string{"a.fake:1:5-1:6"}, lspclient.Complete},
		{"twice the same", `[` + place + `,` + link + `]`, []string{"a.fake:1:5-1:6"}, lspclient.Complete},
		{"an odd one costs only itself", `[` + odd + `,{},7,` + place + `]`, []string{"a.fake:1:5-1:6"}, lspclient.Partial},
		{"past the end", `[{"uri":"$URI","range":{"start":{"line":99,"character":0},"end":{"line":99,"character":1}}}]`, []string{}, lspclient.Partial},
		{"a file that is gone", `[{"uri":"$ROOT/gone.fake","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}}}]`, []string{}, lspclient.Complete},
		{"outside", `[{"uri":"file:///usr/include/none.h","range":{"start":{"line":2,"character":1},"end":{"line":2,"character":3}}}]`, []string{"outside:3:2-3:4"}, lspclient.Complete},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, _ := openFake(t, lsptest.Script{On: answers("textDocument/definition", tt.result)}, fakeServer(), map[string]string{"a.fake": "let x = 1\n"}, nil)
			got, err := b.Definition(t.Context(), b.file(t, "a.fake"), on("x"), lspclient.KindDefinition)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, b.places(got)); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
			if got.Completeness.State != tt.state {
				t.Errorf("completeness %+v, want %s", got.Completeness, tt.state)
			}
		})
	}
}

func TestPositionEncodings(t *testing.T) {
	// The name stands behind é (2 bytes, 1 unit) and 😀 (4 bytes; 2 units of
	// UTF-16, 1 of UTF-32). Its column is a count of bytes.
	const text = "é😀\tname\n"
	for _, tt := range []struct {
		script lsptest.Script
		char   int // of name
	}{
		{lsptest.Script{}, 4}, // UTF-16 is what silence means
		{lsptest.Script{Encoding: "utf-8"}, 7},
		{lsptest.Script{Encoding: "utf-16"}, 4},
		{lsptest.Script{Encoding: "utf-32"}, 3},
		{lsptest.Script{OffsetEncoding: "utf-8"}, 7},
	} {
		t.Run(tt.script.Encoding+"/"+tt.script.OffsetEncoding, func(t *testing.T) {
			t.Parallel()
			s := tt.script
			s.On = answers("textDocument/references", fmt.Sprintf(
				`[{"uri":"$URI","range":{"start":{"line":0,"character":%d},"end":{"line":0,"character":%d}}}]`, tt.char, tt.char+4))
			b, fake := openFake(t, s, fakeServer(), map[string]string{"a.fake": text}, nil)
			got, err := b.references(t, "a.fake", "name")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"a.fake:1:8-1:12"}, b.places(got)); diff != "" {
				t.Errorf("places (-want +got):\n%s", diff)
			}
			sent := fmt.Sprintf(`"position":{"line":0,"character":%d}`, tt.char)
			if asked := fake.Await(t, "textDocument/references", 1)[0]; !strings.Contains(string(asked.Params), sent) {
				t.Errorf("asked %s, want %s", asked.Params, sent)
			}
		})
	}
}

func TestReadiness(t *testing.T) {
	progress := func(token string, messages ...string) []lsptest.Action {
		return lsptest.Progress(token, "indexing", messages...)
	}
	for _, tt := range []struct {
		name      string
		quirks    servers.Quirks
		opened    []lsptest.Action // when the first file is opened
		state     lspclient.State
		reason    string
		readyWait time.Duration
	}{
		{"blocks until ready", servers.Quirks{Readiness: servers.ReadyBlocks}, nil, lspclient.Complete, "", time.Minute},
		{"index ends", servers.Quirks{Readiness: servers.ReadyByToken, ReadyToken: "tok"}, progress("tok", "1/2", "2/2"), lspclient.Complete, "", time.Minute},
		{"index never ends", servers.Quirks{Readiness: servers.ReadyByToken, ReadyToken: "tok"}, progress("tok", "3/10", "…"), lspclient.Partial, "indexing 3/10 files", 300 * time.Millisecond},
		{"index never begins", servers.Quirks{Readiness: servers.ReadyByToken, ReadyToken: "tok"}, nil, lspclient.Partial, "indexing has not begun", 300 * time.Millisecond},
		{"another progress is not the index", servers.Quirks{Readiness: servers.ReadyByToken, ReadyToken: "tok"}, progress("other", "2/2"), lspclient.Partial, "indexing has not begun", 300 * time.Millisecond},
		{"any progress ends", servers.Quirks{}, progress("x", "1/2"), lspclient.Complete, "", time.Minute},
		{"any progress never ends", servers.Quirks{}, progress("x", "4/9", "…"), lspclient.Partial, "indexing 4/9", 300 * time.Millisecond},
		{"never says a word", servers.Quirks{}, nil, lspclient.Unknown, "fakels does not say when it is ready; waited 50ms", time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			entry := fakeServer()
			entry.Quirks = tt.quirks
			script := lsptest.Script{On: answers("textDocument/references", `[`+place+`]`)}
			script.On["textDocument/didOpen"] = []lsptest.Reaction{{After: tt.opened}, {}}
			b, _ := openFake(t, script, entry, map[string]string{"a.fake": "let x = 1\n"}, func(l *limits.Budget) {
				l.ReadyWait, l.Settle = tt.readyWait, 50*time.Millisecond
			})
			got, err := b.references(t, "a.fake", "x")
			if err != nil {
				t.Fatal(err)
			}
			if c := got.Completeness; c.State != tt.state || strings.Join(c.Reasons, ";") != tt.reason {
				t.Errorf("completeness %s %q, want %s %q", c.State, c.Reasons, tt.state, tt.reason)
			}
			if len(got.Items) != 1 {
				t.Errorf("%d places, want the one there is", len(got.Items))
			}
		})
	}
}

func TestServerSideLimitIsNamed(t *testing.T) {
	entry := fakeServer()
	entry.Quirks.SymbolLimit = 2
	one := `{"name":"x","kind":12,"location":{"uri":"$ROOT/a.fake","range":{"start":{"line":0,"character":4},"end":{"line":0,"character":5}}}}`
	b, _ := openFake(t, lsptest.Script{On: answers("workspace/symbol", `[`+one+`,`+one+`]`)}, entry, map[string]string{"a.fake": "let x = 1\n"}, nil)
	got, err := b.WorkspaceSymbols(t.Context(), "fakels", "x")
	if err != nil {
		t.Fatal(err)
	}
	if !got.AtLeast || got.Completeness.State != lspclient.Partial || !strings.Contains(strings.Join(got.Completeness.Reasons, ";"), "limit 2") {
		t.Errorf("%+v, want at least, partial, and the limit named", got.Answer)
	}
}

func TestMissingMethodAndMissingServer(t *testing.T) {
	b, _ := openFake(t, lsptest.Script{Capabilities: `{"hoverProvider":false}`}, fakeServer(), map[string]string{"a.fake": "x", "b.other": "x"}, nil)
	_, err := b.Hover(t.Context(), b.file(t, "a.fake"), on("x"))
	if code(t, err) != lspclient.CodeUnsupported || !strings.Contains(err.Error(), "fakels") || !strings.Contains(err.Error(), "textDocument/hover") {
		t.Errorf("error %v, want one that names server and method", err)
	}
	if _, err = b.Hover(t.Context(), b.file(t, "b.other"), on("x")); code(t, err) != lspclient.CodeNoServer {
		t.Errorf("error %v, want %s", err, lspclient.CodeNoServer)
	}
	absent := open(t, b.dir, t.TempDir(), fakeServer(), nil)
	if _, err = absent.references(t, "a.fake", "x"); code(t, err) != lspclient.CodeMissing {
		t.Errorf("error %v, want %s", err, lspclient.CodeMissing)
	}
}

func TestServerErrorIsPassedOnBounded(t *testing.T) {
	script := lsptest.Script{On: map[string][]lsptest.Reaction{"textDocument/references": {{Error: &lsptest.Error{Code: 0, Message: "no\nidentifier " + strings.Repeat("x", 100_000)}}}}}
	b, _ := openFake(t, script, fakeServer(), map[string]string{"a.fake": "x"}, nil)
	_, err := b.references(t, "a.fake", "x")
	if code(t, err) != lspclient.CodeRefused || !strings.Contains(err.Error(), "no identifier") || len(err.Error()) > 1000 {
		t.Errorf("error of %d bytes: %.200v", len(err.Error()), err)
	}
}

// LSP 3.17 §errorCodes: a request that the server gave up because something
// changed is asked again, and not for ever.
func TestGivenUpIsAskedAgain(t *testing.T) {
	for _, errorCode := range []int{-32801, -32802} {
		gaveUp := lsptest.Reaction{Error: &lsptest.Error{Code: errorCode, Message: "content modified"}}
		script := lsptest.Script{On: map[string][]lsptest.Reaction{"textDocument/hover": {gaveUp, {Result: `{"contents":"doc"}`}}}}
		b, fake := openFake(t, script, fakeServer(), map[string]string{"a.fake": "x"}, nil)
		if h, err := b.Hover(t.Context(), b.file(t, "a.fake"), on("x")); err != nil || h.Text != "doc" || h.Completeness.State != lspclient.Complete {
			t.Errorf("%d: hover %+v, error %v", errorCode, h, err)
		}
		fake.Await(t, "textDocument/hover", 2)

		script.On["textDocument/hover"] = []lsptest.Reaction{gaveUp}
		b, fake = openFake(t, script, fakeServer(), map[string]string{"a.fake": "x"}, nil)
		if _, err := b.Hover(t.Context(), b.file(t, "a.fake"), on("x")); code(t, err) != lspclient.CodeChanged {
			t.Errorf("%d: error %v, want %s", errorCode, err, lspclient.CodeChanged)
		}
		if n := len(fake.Await(t, "textDocument/hover", 3)); n != 3 {
			t.Errorf("%d: asked %d times, want 3", errorCode, n)
		}
	}
}
