package tools_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/servers"
	"lspbridge/tools"
)

// While a language server starts and starts, the bridge answers at once what
// needs none, and tells a waiting client what it waits for.
func TestServerThatNeverStarts(t *testing.T) {
	t.Parallel()
	dir, bin := lsptest.Workspace(t, "-- a.fake --\nname\n"), t.TempDir()
	fake := lsptest.NewProcess(t, lsptest.Script{On: map[string][]lsptest.Reaction{"initialize": {{Never: true}}}})
	fake.Program(t, bin, "fakels", "fakels 1.0.0")
	ws, err := confine.Open([]string{dir}, confine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l := limits.Default()
	l.CallTotal = 3 * time.Second
	pool, err := lspclient.New(lspclient.Options{
		Workspace: ws, Limits: l, Self: self, CacheDir: t.TempDir(),
		Catalog: servers.Catalog{Servers: []servers.Server{{
			Name: "fakels", Commands: []string{"fakels"}, Extensions: map[string]string{".fake": "fake"},
			VersionArgs: []string{"--version"}, Executes: servers.ExecutesNone, Quirks: servers.Quirks{Readiness: servers.ReadyBlocks},
		}}},
		Finder: servers.Finder{Path: bin, Env: os.Environ()}, Environ: append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH")),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b, err := tools.New(tools.Options{Workspace: ws, Pool: pool, Limits: l, Refs: newRefs()})
	if err != nil {
		t.Fatal(err)
	}
	w := (&fixture{Bridge: b}).serve(t)
	began := time.Now()
	w.send(initialize("2025-11-25"))
	w.receive()
	w.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	w.receive()
	if d := time.Since(began); d > time.Second {
		t.Errorf("initialize and tools/list took %v", d)
	}
	w.send(`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"_meta":{"progressToken":"tok"},"name":"hover","arguments":{"file":"a.fake","line":1,"column":1}}}`)
	last := 0.0
	for {
		m := w.message()
		if m.ID == float64(2) {
			if !strings.Contains(string(m.Result), `"isError":true`) || !strings.Contains(string(m.Result), "still starting") {
				t.Errorf("answer %s, want that it is still starting", m.Result)
			}
			break
		}
		var p struct {
			ProgressToken, Message string
			Progress               float64
		}
		if err := json.Unmarshal(m.Params, &p); err != nil || m.Method != "notifications/progress" {
			t.Fatalf("%+v, error %v", m, err)
		}
		if p.ProgressToken != "tok" || !strings.Contains(p.Message, "fakels: starting") || p.Progress <= last {
			t.Errorf("progress %+v after %v", p, last)
		}
		last = p.Progress
	}
	if last == 0 {
		t.Error("no progress while the server started")
	}
}
