// Package tools_test asks the tools through [tools.Bridge.Call].
//
// The differential tests hold the answers of the bridge against those of the
// language servers themselves: for Go against gopls's own command line on copies
// of a few modules, and for types against the type checker; for C++ against a
// clangd of its own, on a generated project, whose index is complete. Every place
// must be in both, none in one alone. Questions are chosen by the flag -seed. CI
// runs few questions; all of them are asked by
//
//	LSPBRIDGE_FULL=1 go test ./tools -run Differential -timeout 60m
package tools_test

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lspbridge/limits"
	"lspbridge/limits/confine"
	"lspbridge/lspclient"
	"lspbridge/lspclient/servers"
	"lspbridge/tools"
	"lspbridge/vdocs"
)

var seed = flag.Uint64("seed", 20260101, "chooses what the differential and the freshness tests ask and change")

// full reports whether the long forms of the tests were asked for.
func full() bool { return os.Getenv("LSPBRIDGE_FULL") == "1" }

// A question is one identifier asked about.
type question struct {
	file         string // relative to the workspace, with slashes
	line, column int    // 1-based, bytes; any column of the identifier
	name         string
	class        string // the part it plays, for the report
}

func (q question) String() string {
	return fmt.Sprintf("%s:%d:%d %s (%s)", q.file, q.line, q.column, q.name, q.class)
}

// An answer is what both sides of a comparison are reduced to.
type answer struct {
	places  []string // placeAt or outside, sorted
	state   lspclient.State
	reasons []string
	err     string // why there is no answer; "" when there is one
}

// placeAt spells a place inside the workspace; columns are bytes.
func placeAt(file string, line, column, endLine, endColumn int) string {
	if line == endLine {
		return fmt.Sprintf("%s:%d:%d-%d", file, line, column, endColumn)
	}
	return fmt.Sprintf("%s:%d:%d-%d:%d", file, line, column, endLine, endColumn)
}

// outsideMark divides the name of a document outside the workspace from the
// line.
const outsideMark = " (outside the workspace):"

// outside spells a place outside the workspace: name is its display name, or its
// whole path where the test cannot know that.
func outside(name string, line int) string { return name + outsideMark + strconv.Itoa(line) }

// same reports whether a place of the bridge is the wanted one.
func same(got, want string) bool {
	if got == want {
		return true
	}
	display, line, ok := strings.Cut(got, outsideMark)
	path, wantLine, wantOK := strings.Cut(want, outsideMark)
	return ok && wantOK && line == wantLine && strings.HasPrefix(path, "/") && strings.HasSuffix(path, "/"+display)
}

// compare returns a report of what is missing from and extra in got, "" if
// nothing is.
func compare(got, want []string) string {
	var b strings.Builder
	for _, p := range want {
		if !slices.ContainsFunc(got, func(g string) bool { return same(g, p) }) {
			fmt.Fprintf(&b, "\n  missing %s", p)
		}
	}
	for _, p := range got {
		if !slices.ContainsFunc(want, func(w string) bool { return same(p, w) }) {
			fmt.Fprintf(&b, "\n  extra   %s", p)
		}
	}
	if b.Len() == 0 && len(got) != len(want) {
		fmt.Fprintf(&b, "\n  %d places, some of them twice; want %d", len(got), len(want))
	}
	return b.String()
}

// A realBridge is a bridge over one real language server.
type realBridge struct {
	*tools.Bridge
	pool *lspclient.Pool
}

// startBridge serves the folder dir with the built-in entry of the server named
// name, run from program, and with caches of its own.
func startBridge(t *testing.T, dir, name, program string, budget limits.Budget) realBridge {
	t.Helper()
	return startBridgeIn(t, dir, t.TempDir(), name, program, budget)
}

// startBridgeIn is startBridge with a cache folder that another run may have used.
func startBridgeIn(t *testing.T, dir, cache, name, program string, budget limits.Budget) realBridge {
	t.Helper()
	return startBridgeOf(t, []string{dir}, cache, servers.Catalog{Servers: []servers.Server{builtin(t, name, program)}}, budget)
}

// builtin is the built-in entry of a server, run from program.
func builtin(t *testing.T, name, program string) servers.Server {
	t.Helper()
	all := servers.Builtin().Servers
	i := slices.IndexFunc(all, func(s servers.Server) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("no built-in server is named %s", name)
	}
	all[i].Commands = []string{program}
	for j := range all[i].Instead {
		all[i].Instead[j].Commands = []string{program}
	}
	return all[i]
}

// startBridgeOf serves folders with any servers.
func startBridgeOf(t *testing.T, dirs []string, cache string, catalog servers.Catalog, budget limits.Budget) realBridge {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ws, err := confine.Open(dirs, confine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = ws.Close() })
	log := slog.New(slog.DiscardHandler)
	if testing.Verbose() {
		log = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	pool, err := lspclient.New(lspclient.Options{
		Workspace: ws, Limits: budget, Catalog: catalog,
		Finder:  servers.Finder{Path: os.Getenv("PATH"), Env: os.Environ()},
		Environ: os.Environ(), Self: self, CacheDir: cache, Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	bridge, err := tools.New(tools.Options{
		Workspace: ws, Pool: pool, Limits: budget, Log: log, Version: "test", Toolset: tools.Full,
		Refs: vdocs.NewStore(vdocs.Options{Workspace: "test", Max: budget.VirtualRefs, TTL: budget.VdocTTL, Roots: toolchainRoots(t)}),
	})
	if err != nil {
		t.Fatal(err)
	}
	return realBridge{bridge, pool}
}

// The tools that the tests here ask.
const (
	definitionTool      = "find_definition"
	referencesTool      = "find_references"
	implementationsTool = "find_implementations"
	callsTool           = "call_hierarchy"
	typesTool           = "type_hierarchy"
	outlineTool         = "document_symbols"
	symbolsTool         = "workspace_symbols"
)

// ask asks a tool about the identifier at a place.
func (b realBridge) ask(ctx context.Context, t *testing.T, tool string, q question) answer {
	t.Helper()
	return b.call(ctx, t, tool, map[string]any{"file": q.file, "line": q.line, "column": q.column})
}

// call asks a tool whose answer is a list and reads the places of it.
func (b realBridge) call(ctx context.Context, t *testing.T, tool string, arguments map[string]any) answer {
	t.Helper()
	a, items := b.list(ctx, t, tool, arguments)
	for _, i := range items {
		a.places = append(a.places, i.place(t))
	}
	slices.Sort(a.places)
	return a
}

// list asks a tool whose answer is a list.
func (b realBridge) list(ctx context.Context, t *testing.T, tool string, arguments map[string]any) (answer, []placed) {
	t.Helper()
	var s struct {
		Items      []placed
		Total      int
		AtLeast    bool   `json:"at_least"`
		NextCursor string `json:"next_cursor"`
	}
	a := b.structured(ctx, t, tool, arguments, &s)
	items := 0
	for _, i := range s.Items {
		items += i.count()
	}
	if capped := slices.Contains(a.reasons, symbolCap); s.Total != items || s.AtLeast != capped || s.NextCursor != "" {
		t.Errorf("%s %v: %d items of total %d, at_least %v, next_cursor %q, %q", tool, arguments, items, s.Total, s.AtLeast, s.NextCursor, a.reasons)
	}
	return a, s.Items
}

// symbolCap is the reason of an answer that gopls cut.
const symbolCap = "server limit 100 reached"

// structured asks a tool and decodes the structured answer.
func (b realBridge) structured(ctx context.Context, t *testing.T, tool string, arguments map[string]any, into any) answer {
	t.Helper()
	raw, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	result := b.Call(ctx, tools.Call{Tool: tool, Args: raw, Unpaged: true})
	if result.Err != nil {
		return answer{err: cmp.Or(result.Err.Message, "error without a message")}
	}
	var s struct {
		Completeness struct {
			State   lspclient.State
			Reasons []string
		}
	}
	for _, v := range []any{&s, into} {
		if err := json.Unmarshal(result.Structured, v); err != nil {
			t.Errorf("%s %s: %v\n%s", tool, raw, err, result.Structured)
			return answer{err: err.Error()}
		}
	}
	if s.Completeness.State != result.State {
		t.Errorf("%s %s: state %q and %q", tool, raw, s.Completeness.State, result.State)
	}
	return answer{state: s.Completeness.State, reasons: s.Completeness.Reasons}
}

// A placed is a place or a symbol of a structured answer.
type placed struct {
	Name, Kind         string
	Path, Ref, Display string
	Line, Column       int
	EndLine            int `json:"end_line"`
	EndColumn          int `json:"end_column"`
	Children           []placed
}

func (l placed) count() int {
	n := 1
	for _, c := range l.Children {
		n += c.count()
	}
	return n
}

// place spells the place, of which it checks that it is either inside or outside
// the workspace.
func (l placed) place(t *testing.T) string {
	t.Helper()
	switch display, ok := strings.CutSuffix(l.Display, " (outside the workspace)"); {
	case l.Path != "" && l.Display == "" && l.Ref == "":
		return placeAt(l.Path, l.Line, l.Column, l.EndLine, l.EndColumn)
	case ok && l.Path == "" && l.Ref != "":
		return outside(display, l.Line)
	}
	t.Errorf("the place %+v is neither inside nor outside", l)
	return "?"
}
