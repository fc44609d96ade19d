package tools_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"

	"lspbridge/limits"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

// testedModules are what TestDifferentialGoModules asks about. This module
// requires none of them. Both hold interfaces, embedded types, generic types and
// files of other systems and build tags.
var testedModules = []struct{ path, version string }{
	{"github.com/jackc/pgx/v5", "v5.13.0"},
	{"github.com/cilium/ebpf", "v0.22.0"},
}

// TestDifferentialGoModules asks the bridge and gopls's own command line about
// two modules, with the questions that TestDifferentialGo does not ask. What the
// command line lacks or leaves out is asked of a gopls that serves.
func TestDifferentialGoModules(t *testing.T) {
	t.Parallel()
	program := lsptest.Require(t, "gopls")
	env := quietGo(t)
	for _, module := range testedModules {
		t.Run(strings.Split(module.path, "/")[2], func(t *testing.T) {
			dir := copyModule(t, download(t, module.path+"@"+module.version))
			// The bridge's gopls has no network.
			list := exec.CommandContext(t.Context(), "go", "list", "-deps", "-test", "./...")
			list.Dir, list.Stderr = dir, os.Stderr
			if err := list.Run(); err != nil {
				lacking(t, "what "+module.path+" requires", err)
			}
			command := goplsCommand{program: program, dir: dir, env: env}
			c := &comparison{gopls: command, server: startGopls(t, command), asked: map[string]int{}, places: map[string]int{}, seen: map[string]int{}}
			c.bridge = c.start(t)
			c.group.SetLimit(4) // a command waits for half its time
			for _, kind := range []func(*testing.T){c.implementations, c.calls, c.types, c.checkedTypes, c.outlines, c.symbols} {
				kind(t)
				_ = c.group.Wait()
			}
			c.report(t)
		})
	}
}

// A comparison holds the answers about one module against each other.
type comparison struct {
	gopls  goplsCommand
	server *goplsServer
	bridge realBridge
	group  errgroup.Group

	mu     sync.Mutex
	asked  map[string]int // questions by their kinds
	places map[string]int // that gopls knows
	seen   map[string]int // states and errors, for the log
}

// mostEdges is the hard maximum.
const mostEdges = 10_000

// start starts a bridge that cuts hierarchies as late as it can.
func (c *comparison) start(t *testing.T) realBridge {
	t.Helper()
	budget := limits.Default()
	budget.HierarchyNodes, budget.HierarchyEdges, budget.CallSites = 2_000, mostEdges, 500
	return startBridge(t, c.gopls.dir, "gopls", c.gopls.program, budget)
}

func (c *comparison) count(what, seen string, places int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen[what+", "+seen]++
	c.asked[what]++
	c.places[what] += places
}

// report logs what was asked.
func (c *comparison) report(t *testing.T) {
	t.Helper()
	all := 0
	for _, what := range slices.Sorted(maps.Keys(c.asked)) {
		all += c.asked[what]
		if full() && c.places[what] < c.asked[what] {
			t.Errorf("gopls knows %d places for %d questions about %s; they prove nothing", c.places[what], c.asked[what], what)
		}
	}
	t.Logf("seed %d, %d questions: %v; places: %v", *seed, all, c.seen, c.places)
}

// number is how many questions are asked, in the short and in the full form.
func number(short, long int) int {
	if full() {
		return long
	}
	return short
}

// choose chooses identifiers of some classes, of each class in a file one.
func (c *comparison) choose(t *testing.T, n int, classes ...string) []question {
	t.Helper()
	return goQuestionsOf(t, c.gopls.dir, *seed, n, func(file string) string { return file }, classes...)
}

// judge reports where the bridge does not answer as is wanted.
func (c *comparison) judge(t *testing.T, what string, about any, want answer, ask func(realBridge) answer) {
	t.Helper()
	got := ask(c.bridge)
	report := differ(got, want)
	seen := string(got.state)
	if want.err != "" {
		seen = "error"
		if said, _, _ := strings.Cut(want.err, " file:"); report == "" && !strings.Contains(got.err, said) {
			report = fmt.Sprintf("error %q; gopls says %q", got.err, want.err)
		}
	}
	c.count(what, seen, len(want.places))
	if report != "" && slices.ContainsFunc(got.reasons, func(r string) bool { return strings.Contains(r, " is not built for ") }) {
		// gopls takes such a file for one of a system that it has loaded for another
		// open file, if one builds it, else for one of the first on its list that
		// does. Of a file for all systems but Linux the command line, which has no
		// other open, answers for Darwin; the bridge for Windows, if a file of Windows
		// is open.
		c.mu.Lock()
		c.seen[what+", asked anew"]++
		c.mu.Unlock()
		report = "not asked anew"
		t.Run("anew", func(t *testing.T) { report = differ(ask(c.start(t)), want) })
	}
	if report != "" {
		t.Errorf("%s, %v: %s", what, about, report)
	}
}

func (c *comparison) implementations(t *testing.T) {
	t.Helper()
	for _, q := range c.choose(t, number(6, 70),
		"type", "unexported type", "interface", "method", "unexported method", "interface method", "use", "selector", "unnamed field or parameter", "type parameter", "function",
	) {
		c.group.Go(func() error {
			want := c.gopls.ask(t.Context(), implementationsTool, c.inName(t, q))
			c.judge(t, "implementations", q, want, func(b realBridge) answer { return b.ask(t.Context(), t, implementationsTool, q) })
			return nil
		})
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

// calls asks for callers and callees, and for those of theirs, of which the
// command line does not tell.
func (c *comparison) calls(t *testing.T) {
	t.Helper()
	for _, q := range c.choose(t, number(4, 40),
		"function", "unexported function", "method", "unexported method", "interface method", "selector",
	) {
		c.group.Go(func() error {
			incoming, outgoing := c.gopls.calls(t.Context(), q)
			for d, want := range map[*direction]answer{&incomingCalls: incoming, &outgoingCalls: outgoing} {
				c.judge(t, d.name, q, want, func(b realBridge) answer { return b.hierarchy(t.Context(), t, *d, q, 1) })
				c.walk(t, *d, q)
			}
			return nil
		})
	}
}

// walk asks for a hierarchy of two levels.
func (c *comparison) walk(t *testing.T, d direction, q question) {
	t.Helper()
	want := c.server.hierarchy(t.Context(), d, q, 2)
	c.judge(t, d.name+" of two levels", q, want, func(b realBridge) answer {
		got := b.hierarchy(t.Context(), t, d, q, 2)
		// The callers of the callers of testing's Errorf are more than a bridge ever
		// tells of. It has to say so, and to tell nothing else.
		if tooMany := fmt.Sprintf("hierarchy_edges %d reached: ", mostEdges); edges(want) > mostEdges && got.state == lspclient.Partial &&
			slices.ContainsFunc(got.reasons, func(r string) bool { return strings.HasPrefix(r, tooMany) }) && edges(got) == mostEdges {
			got.places = slices.Concat(got.places, want.places)
			slices.Sort(got.places)
			got.places = slices.Compact(got.places)
		}
		return got
	})
}

// edges counts the edges of a hierarchy.
func edges(a answer) int {
	distinct := map[string]bool{}
	for _, line := range a.places {
		if edge, _, _ := strings.Cut(line, " at "); strings.Contains(edge, " -> ") {
			distinct[edge] = true
		}
	}
	return len(distinct)
}

// types asks for supertypes and subtypes; the command line knows of neither.
func (c *comparison) types(t *testing.T) {
	t.Helper()
	for _, q := range c.choose(t, number(2, 30), "interface", "type", "unexported type", "unnamed field or parameter") {
		c.group.Go(func() error {
			c.walk(t, supertypes, q)
			c.walk(t, subtypes, q)
			return nil
		})
	}
}

// checkedTypes asks for supertypes and subtypes of every type that the type
// checker knows all of: gopls compares fingerprints of methods instead.
func (c *comparison) checkedTypes(t *testing.T) {
	t.Helper()
	if !full() {
		return // to check all packages takes long
	}
	oracle := loadTypes(t, c.gopls.dir)
	for node, q := range oracle.declared {
		for _, d := range []direction{supertypes, subtypes} {
			c.judge(t, d.name+" by the type checker", q, oracle.related(d, node), func(b realBridge) answer {
				return oracle.known(b.hierarchy(t.Context(), t, d, q, 1))
			})
		}
	}
}

// outlines asks for the symbols of files: for two levels, since the command line
// leaves out the others, and for all.
func (c *comparison) outlines(t *testing.T) {
	t.Helper()
	for _, q := range c.choose(t, number(3, 35), "package clause") {
		c.group.Go(func() error {
			want := c.gopls.outline(t.Context(), q.file)
			c.judge(t, "outline", q.file, want, func(b realBridge) answer { return b.outline(t.Context(), t, q.file, 2) })
			want = c.server.outline(t.Context(), q.file)
			c.judge(t, "outline of all levels", q.file, want, func(b realBridge) answer { return b.outline(t.Context(), t, q.file, 0) })
			return nil
		})
	}
}

// symbols asks for whole names, for parts of names, and for names with the name
// of their package.
func (c *comparison) symbols(t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(*seed, 1))
	for i, q := range c.choose(t, number(3, 35), "type", "unexported type", "function", "unexported function", "method", "interface method", "variable or constant", "field") {
		query := q.name
		switch {
		case i%3 == 1 && len(query) > 3:
			start := r.IntN(len(query) - 3)
			query = query[start : start+3+r.IntN(len(query)-start-2)]
		case i%3 == 2 && path.Dir(q.file) != ".":
			query = path.Base(path.Dir(q.file)) + "." + query
		}
		c.group.Go(func() error {
			want, whole := c.gopls.symbols(t.Context(), query)
			if whole {
				c.judge(t, "symbols", query, want, func(b realBridge) answer { return b.symbols(t.Context(), t, query) })
			} else {
				c.cutSymbols(t, query)
			}
			return nil
		})
	}
}

// cutSymbols asks for symbols of which there are more than gopls tells. Which of
// those that match equally well are left out differs from run to run: four runs of
// its command line gave four lists for Close in github.com/cilium/ebpf. So the
// bridge has to say that the list was cut, and what it holds has to match and to
// stand there.
func (c *comparison) cutSymbols(t *testing.T, query string) {
	t.Helper()
	got := c.bridge.symbols(t.Context(), t, query)
	c.count("symbols", "cut", len(got.places))
	if got.state != lspclient.Partial || !slices.Contains(got.reasons, symbolCap) {
		t.Errorf("symbols, %s: %s %q, error %q; gopls cut the list", query, got.state, got.reasons, got.err)
	}
	for _, symbol := range got.places {
		place, name, _ := strings.Cut(symbol, " ")
		name = name[:strings.LastIndexByte(name, ' ')] // without the kind
		if text := c.textAt(t, place); !strings.Contains(name, query) || !strings.Contains(text, name[strings.LastIndexByte(name, '.')+1:]) {
			t.Errorf("symbols, %s: %s is none, there stands %q", query, symbol, text)
		}
	}
}

// textAt returns the text of a place of one line, "" if there is none.
func (c *comparison) textAt(t *testing.T, place string) string {
	t.Helper()
	m := span.FindStringSubmatch(place)
	if m == nil || m[4] != "" {
		return ""
	}
	line, _ := strconv.Atoi(m[2])
	start, _ := strconv.Atoi(m[3])
	end, _ := strconv.Atoi(m[5])
	text, err := lineOf(filepath.Join(c.gopls.dir, filepath.FromSlash(m[1])), line)
	if err != nil || start < 1 || start > end || end > len(text)+1 {
		return ""
	}
	return text[start-1 : end-1]
}
