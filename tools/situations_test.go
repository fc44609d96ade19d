package tools_test

import (
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lspbridge/limits"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

// A situation is a workspace in which a language server knows less than there is,
// or might, and by itself does not say so. The answer is right and complete, or it
// names why it may not be: never complete and wrong.
type situation struct {
	name  string
	files map[string]string
	file  string // that holds the word asked about; "" asks for symbols
	word  string
	then  func(t *testing.T, dir string) // happens between two questions; the second counts
	anew  bool                           // in another run of the bridge
	want  []string                       // "file:line:column" of all places in the answer
	why   string                         // part of the only reason of a partial answer; "" wants a complete one
	err   string                         // part of the error, where there is no answer
}

func (s situation) run(t *testing.T, server, program string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	lsptest.WriteFiles(t, dir, s.files)
	bridge := startBridgeIn(t, dir, cache, server, program, limits.Default())
	got := s.ask(t, dir, bridge)
	if s.then != nil {
		if s.anew {
			bridge.pool.Close()
		}
		s.then(t, dir)
		if s.anew {
			bridge = startBridgeIn(t, dir, cache, server, program, limits.Default())
		}
		got = s.ask(t, dir, bridge)
	}
	if s.err != "" || got.err != "" {
		if s.err == "" || !strings.Contains(got.err, s.err) {
			t.Errorf("error %q, want one with %q", got.err, s.err)
		}
		return
	}
	var places []string
	for _, p := range got.places {
		start, _, _ := strings.Cut(p, "-")
		places = append(places, start)
	}
	if slices.Sort(s.want); !slices.Equal(places, s.want) {
		t.Errorf("places %q, want %q", places, s.want)
	}
	state := lspclient.Complete
	if s.why != "" {
		state = lspclient.Partial
	}
	if got.state != state || len(got.reasons) > 1 || !strings.Contains(cmp.Or(append(got.reasons, "")...), s.why) {
		t.Errorf("%s %q, want %s with the reason %q", got.state, got.reasons, state, s.why)
	}
}

// ask asks about the first place in the file, as it is now, where the word stands.
func (s situation) ask(t *testing.T, dir string, bridge realBridge) answer {
	t.Helper()
	if s.file == "" {
		return bridge.call(t.Context(), t, "workspace_symbols", map[string]any{"query": s.word})
	}
	text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(s.file)))
	if err != nil {
		t.Fatal(err)
	}
	before, _, found := strings.Cut(string(text), s.word)
	if !found {
		t.Fatalf("%s does not hold %q", s.file, s.word)
	}
	line := 1 + strings.Count(before, "\n")
	column := len(before) - strings.LastIndexByte(before, '\n')
	return bridge.call(t.Context(), t, referencesTool, map[string]any{"file": s.file, "line": line, "column": column})
}

// join returns all files; of two with one name the later.
func join(sets ...map[string]string) map[string]string {
	all := map[string]string{}
	for _, s := range sets {
		maps.Copy(all, s)
	}
	return all
}
