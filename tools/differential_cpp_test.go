package tools_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"lspbridge/limits"
	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
)

// clangds are the versions of clangd that the tests run with.
var clangds = []string{"clangd-19", "clangd-22"}

// cppUnits is the number of translation units of the generated project.
const cppUnits = 60

// patience bounds the index of the generated project on a busy machine.
const patience = 3 * time.Minute

// TestDifferentialCPP asks the bridge and a clangd whose index is complete about
// the same identifiers of a generated project.
//
// Each bridge starts without any cache, and is asked at once by many callers
// beside each other. Each answer is whole, or says how far the index is; what a
// short one holds is true.
func TestDifferentialCPP(t *testing.T) {
	t.Parallel()
	number := 60
	// How long the callers wait for the index: not at all, and for some of it.
	waits := []time.Duration{time.Millisecond, time.Second}
	if full() {
		number = 240
		for i := range 20 {
			waits = append(waits, time.Duration(1+i*i)*25*time.Millisecond)
		}
	}
	for _, name := range clangds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := lsptest.Require(t, name)
			dir := lsptest.CPPWorkspace(t, *seed, cppUnits)
			questions := cppQuestions(t, lsptest.CPP(*seed, cppUnits), *seed, number)
			oracle := startClangd(t, program, dir)
			// While no file is open that includes an overrider, clangd knows where
			// each is defined.
			inShape := cppIdentifiers("include/shape.h", lsptest.CPP(*seed, cppUnits)["include/shape.h"])
			virtual := inShape[slices.IndexFunc(inShape, func(q question) bool { return q.name == "area" })]
			if all := oracle.ask(t, referencesTool, virtual); len(all.places) < 2*cppUnits {
				t.Fatalf("clangd knows %d places of %s; want the declaration and the definition of %d overriders", len(all.places), virtual, cppUnits)
			}
			if all := oracle.ask(t, definitionTool, virtual); len(all.places) < cppUnits {
				t.Fatalf("clangd knows %d definitions of %s; want those of %d overriders", len(all.places), virtual, cppUnits)
			}
			questions = append(questions, virtual)
			often := oftenUsed(t, oracle)
			for _, wait := range waits {
				t.Run("cold, "+wait.String(), func(t *testing.T) {
					budget := limits.Default()
					budget.ReadyWait = wait
					short := askCold(t, startBridge(t, dir, "clangd", program, budget), oracle, often)
					t.Logf("%d of %d answers were partial", short, len(often))
					if short == 0 && wait == time.Millisecond {
						t.Error("no answer was short: the index was complete before it was asked")
					}
				})
			}
			t.Run("whole", func(t *testing.T) {
				budget := limits.Default()
				budget.ReadyWait, budget.CallTotal = patience, 2*patience
				bridge := startBridge(t, dir, "clangd", program, budget)
				if short := askCold(t, bridge, oracle, often); short > 0 {
					t.Errorf("%d of %d answers were partial after %v", short, len(often), patience)
				}
				askWarm(t, bridge, oracle, questions)
			})
			tidy(t, dir)
		})
	}
}

// askWarm asks all questions of a bridge whose server's index is complete.
func askWarm(t *testing.T, bridge realBridge, oracle *clangdOracle, questions []question) {
	t.Helper()
	found := 0
	for _, q := range questions {
		for _, tool := range []string{definitionTool, referencesTool} {
			got, want := bridge.ask(t.Context(), t, tool, q), oracle.ask(t, tool, q)
			found += len(want.places)
			if got.err != "" && want.err != "" {
				continue
			}
			report := compare(got.places, oracle.vouched(t, tool, got.places, want.places))
			if report != "" || got.err != want.err || got.state != lspclient.Complete {
				t.Errorf("%s, %s: %s %q, error %q; clangd's own error %q%s", tool, q, got.state, got.reasons, got.err, want.err, report)
			}
		}
	}
	t.Logf("seed %d, %d identifiers, %d places", *seed, len(questions), found)
	if found < 2*len(questions) {
		t.Errorf("clangd knows %d places for %d identifiers; the questions prove nothing", found, len(questions))
	}
}

// tidy checks that nothing was written into a workspace: clangd puts its index
// beside the compile database that it is given.
func tidy(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{".cache", ".clangd"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s was written into the workspace", name)
		}
	}
}

// indexing is the reason an answer has while clangd's index is not complete.
var indexing = regexp.MustCompile(`\bindexing (\d+)/(\d+) files\b`)

// oftenUsed are questions about names that are used across translation units.
func oftenUsed(t *testing.T, oracle *clangdOracle) []question {
	t.Helper()
	var chosen []question
	for _, q := range cppQuestions(t, lsptest.CPP(*seed, cppUnits), *seed+1, 400) {
		if len(oracle.ask(t, referencesTool, q).places) < 8 {
			continue
		}
		if chosen = append(chosen, q); len(chosen) == 12 {
			return chosen
		}
	}
	t.Fatalf("%d names are used often; want 12", len(chosen))
	return nil
}

// askCold asks all questions at once and returns how many answers were partial.
func askCold(t *testing.T, bridge realBridge, oracle *clangdOracle, questions []question) (short int) {
	t.Helper()
	answers := make([]answer, len(questions))
	var wg sync.WaitGroup
	for i, q := range questions {
		wg.Go(func() { answers[i] = bridge.ask(t.Context(), t, referencesTool, q) })
	}
	wg.Wait()
	for i, q := range questions {
		got, want := answers[i], oracle.ask(t, referencesTool, q)
		report := compare(got.places, oracle.vouched(t, referencesTool, got.places, want.places))
		switch {
		case got.err != "":
			t.Errorf("%s: error %s", q, got.err)
		case got.state == lspclient.Complete:
			if report != "" {
				t.Errorf("%s: short, and complete%s", q, report)
			}
		case got.state != lspclient.Partial || !counted(got.reasons):
			t.Errorf("%s: %d of %d places, %s %q; want complete, or partial with a counter", q, len(got.places), len(want.places), got.state, got.reasons)
		default:
			short++
			if strings.Contains(report, "extra") {
				t.Errorf("%s: an answer that is not whole, and wrong%s", q, report)
			}
		}
	}
	return short
}

// counted reports whether some reason counts indexed files.
func counted(reasons []string) bool {
	return slices.ContainsFunc(reasons, func(reason string) bool {
		m := indexing.FindStringSubmatch(reason)
		return m != nil && m[1] != m[2]
	})
}
