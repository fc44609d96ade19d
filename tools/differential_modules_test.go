package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
)

// testedModules are what TestDifferentialGoModules asks about. This module
// requires none of them. Both hold interfaces, embedded types, generic types and
// files of other systems and build tags.
var testedModules = []struct{ name, version string }{
	{"github.com/jackc/pgx/v5", "v5.13.0"},
	{"github.com/cilium/ebpf", "v0.22.0"},
}

// TestDifferentialGoModules asks the bridge and gopls's own command line about
// two modules, with the questions that TestDifferentialGo does not ask.
func TestDifferentialGoModules(t *testing.T) {
	t.Parallel()
	program := lsptest.Require(t, "gopls")
	env := quietGo(t)
	for _, module := range testedModules {
		t.Run(module.name, func(t *testing.T) {
			dir := copyModule(t, download(t, module.name+"@"+module.version))
			// The bridge's gopls has no network.
			list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "./...")
			list.Dir, list.Stderr = dir, os.Stderr
			if err := list.Run(); err != nil {
				t.Fatal(err)
			}
			c := comparison{
				gopls:  goplsCommand{program: program, dir: dir, env: env},
				bridge: startBridge(t, dir, "gopls", program, limits.Default()),
				seen:   map[string]int{},
			}
			c.group.SetLimit(4) // a command waits for half its time
			c.implementations(t)
			_ = c.group.Wait()
			t.Logf("seed %d: %v", *seed, c.seen)
		})
	}
}

// A comparison holds the answers about one module against each other.
type comparison struct {
	gopls  goplsCommand
	bridge realBridge
	group  errgroup.Group

	mu   sync.Mutex
	seen map[string]int // questions, states and errors, for the log
}

func (c *comparison) count(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[what]++
}

// number is how many identifiers are asked about, in the short and in the full
// form.
func number(short, long int) int {
	if full() {
		return long
	}
	return short
}

// file is the group of files that holds the file alone.
func file(name string) string { return name }

// judge reports where an answer of the bridge is not the wanted one.
func (c *comparison) judge(t *testing.T, what string, about any, got, want answer) {
	t.Helper()
	c.count(what + ", " + string(got.state))
	if want.err != "" {
		c.count(what + ", error " + want.err)
	}
	if report := differ(got, want); report != "" {
		t.Errorf("%s, %v: %s", what, about, report)
	}
}

// inName returns the question at a column that gopls does not take for a
// parenthesis beside the name: then it answers with functions of the called type.
func (c *comparison) inName(t *testing.T, q question) question {
	t.Helper()
	text, err := lineOf(filepath.Join(c.gopls.dir, filepath.FromSlash(q.file)), q.line)
	if err != nil {
		t.Error(err)
		return q
	}
	if q.column > 1 && text[q.column-2] == '(' {
		_, size := utf8.DecodeRuneInString(text[q.column-1:])
		q.column += size
	}
	return q
}

func (c *comparison) implementations(t *testing.T) {
	t.Helper()
	for _, q := range goQuestionsOf(t, c.gopls.dir, *seed, number(6, 60), file,
		"type", "unexported type", "method", "unexported method", "interface method", "use", "selector", "unnamed field or parameter", "type parameter", "function",
	) {
		c.group.Go(func() error {
			got := c.bridge.ask(t.Context(), t, implementationsTool, q)
			want := c.gopls.ask(t.Context(), implementationsTool, c.inName(t, q))
			c.judge(t, "implementations", q, got, want)
			return nil
		})
	}
}
