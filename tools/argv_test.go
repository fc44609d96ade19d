package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
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

// TestNoArgumentReachesAnArgv asks every tool with a canary in each argument: the
// server's process, and the one that supervises it, know nothing of it.
func TestNoArgumentReachesAnArgv(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("no /proc")
	}
	const canary = "argvcanary4711"
	dir, bin := t.TempDir(), t.TempDir()
	lsptest.WriteFiles(t, dir, map[string]string{"a.fake": canary + "\n"})
	fake := lsptest.NewProcess(t, lsptest.Script{})
	fake.Program(t, bin, "fakels", "fakels 1.0.0")
	ws, err := confine.Open([]string{dir}, confine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	budget := limits.Default()
	budget.CallTimeout = 500 * time.Millisecond // the fake publishes nothing
	pool, err := lspclient.New(lspclient.Options{
		Workspace: ws, Limits: budget, Self: self, CacheDir: t.TempDir(),
		Catalog: servers.Catalog{Servers: []servers.Server{{
			Name: "fakels", Commands: []string{"fakels"}, Extensions: map[string]string{".fake": "fake"},
			VersionArgs: []string{"--version"}, Executes: servers.ExecutesNone, Quirks: servers.Quirks{Readiness: servers.ReadyBlocks},
		}}},
		Finder: servers.Finder{Path: bin, Env: os.Environ()}, Environ: os.Environ(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	b, err := tools.New(tools.Options{Workspace: ws, Pool: pool, Limits: budget, Refs: newRefs(), Toolset: tools.Full})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range tools.Full.Catalogue() {
		var in struct {
			Properties map[string]struct {
				Type    string
				Enum    []string
				Minimum int
			}
		}
		if err := json.Unmarshal(d.InputSchema, &in); err != nil {
			t.Fatal(err)
		}
		// By place and by name: a target is one or the other.
		for _, without := range [][]string{{"symbol", "name", "ref", "symbol_kind", "occurrence", "language", "cursor"}, {"line", "column", "name", "occurrence", "ref", "symbol_kind", "cursor"}} {
			args := map[string]any{}
			for name, p := range in.Properties {
				switch {
				case name == "file":
					args[name] = "a.fake"
				case len(p.Enum) > 0:
					args[name] = p.Enum[0]
				case p.Type == "string":
					args[name] = canary
				case p.Type == "array":
					args[name] = []string{canary}
				case p.Type == "integer":
					args[name] = p.Minimum
				case p.Type == "boolean":
					args[name] = true
				}
			}
			for _, name := range without {
				delete(args, name)
			}
			raw, err := json.Marshal(args)
			if err != nil {
				t.Fatal(err)
			}
			b.Call(t.Context(), tools.Call{Tool: d.Name, Args: raw})
		}
	}
	pid, _ := fake.AwaitStart(t, 0)
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	for _, process := range []string{fmt.Sprint(pid), strings.Fields(rest)[1]} {
		for _, file := range []string{"cmdline", "environ"} {
			text, err := os.ReadFile("/proc/" + process + "/" + file)
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(text, []byte(canary)) {
				t.Errorf("the %s of process %s: %q", file, process, text)
			}
		}
	}
	if len(fake.Of("textDocument/hover")) == 0 {
		t.Error("the server was not asked")
	}
}
