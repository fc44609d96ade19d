package tools_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
)

// TestDifferentialGo asks the bridge and gopls's own command line about the same
// identifiers of golang.org/x/tools.
func TestDifferentialGo(t *testing.T) {
	t.Parallel()
	oracle := goplsCommand{program: lsptest.Require(t, "gopls"), dir: copyTools(t), env: quietGo(t)}
	number := 40
	if full() {
		number = 200
	}
	questions := goQuestions(t, oracle.dir, *seed, number)
	bridge := startBridge(t, oracle.dir, "gopls", oracle.program, limits.Default())
	several := newDefinitionOracle(t, oracle)

	var mu sync.Mutex
	seen := map[string]int{} // classes, states and errors, for the log
	count := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		seen[what]++
	}
	var group errgroup.Group
	group.SetLimit(4) // a command waits for half its time
	for _, q := range questions {
		group.Go(func() error {
			count("class " + q.class)
			for _, tool := range []string{definitionTool, referencesTool} {
				want := oracle.ask(t.Context(), tool, q)
				got := bridge.ask(t.Context(), t, tool, q)
				if tool == definitionTool && len(got.places) > 1 {
					want = several.whole(t, q, want)
				}
				count("state " + string(got.state))
				if want.err != "" {
					count("error " + want.err)
				}
				if report := differ(got, want); report != "" {
					t.Errorf("%s, %s: %s", tool, q, report)
				}
			}
			return nil
		})
	}
	_ = group.Wait()
	t.Logf("seed %d, %d identifiers: %v", *seed, len(questions), seen)
}

// differ compares an answer of the bridge with one of gopls's command line, for
// which nothing found at a definition is an error.
func differ(got, want answer) string {
	switch {
	case want.err != "" && (got.err != "" || len(got.places) == 0 && (got.state != "complete" || want.err == nothingDefined)):
		return ""
	case want.err != "":
		return fmt.Sprintf("%d places, %s; gopls says %s%s", len(got.places), got.state, want.err, compare(got.places, nil))
	case got.err != "":
		return fmt.Sprintf("error %s%s", got.err, compare(nil, want.places))
	}
	report := compare(got.places, want.places)
	if report != "" {
		report = fmt.Sprintf("%s %q%s", got.state, got.reasons, report)
	}
	return report
}

// copyTools copies golang.org/x/tools, in the version this module requires.
func copyTools(t *testing.T) string {
	t.Helper()
	list := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "golang.org/x/tools")
	out, err := list.Output()
	from := strings.TrimSpace(string(out))
	if err != nil || from == "" {
		from = download(t, "golang.org/x/tools") // in a module cache that was never filled
	}
	return copyModule(t, from)
}

// download returns the folder of a module in the module cache, which it fills if
// need be. The test is skipped where that cannot be done and need not be.
func download(t *testing.T, module string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", module).Output()
	var found struct{ Dir string }
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	if err != nil || found.Dir == "" {
		lacking(t, module, err)
	}
	return found.Dir
}

// lacking ends a test that needs what cannot be had.
func lacking(t *testing.T, what string, err error) {
	t.Helper()
	message := fmt.Sprintf("%s cannot be had: %v", what, err)
	if lsptest.Required("gopls") {
		t.Fatal(message)
	}
	t.Skip(message)
}

// copyModule copies the module in the folder from to where gopls takes it for one
// under work. It returns the canonical folder.
func copyModule(t *testing.T, from string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir
}
