package tools_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"lspbridge/lspclient"
)

// A change is something another party does to a project between two questions.
type change struct {
	what string
	do   func(p *project)
}

// freshness makes the changes in an order chosen by the seed, each once a round,
// and asks right after each: definition and references must agree with the files
// as they are then.
func freshness(t *testing.T, p *project, bridge realBridge, rounds int, changes []change, definition func(p *project, asked stand) string) {
	t.Helper()
	p.check(bridge, "at first", p.anywhere(), definition)
	r := rand.New(rand.NewPCG(*seed, 1))
	for range rounds {
		for _, i := range r.Perm(len(changes)) {
			p.log = nil
			// The asked file is open in the server from here on.
			before := p.anywhere()
			p.check(bridge, "before "+changes[i].what, before, definition)
			p.log = nil
			changes[i].do(p)
			asked := p.anywhere()
			if again := p.stands(before.file); len(again) > 0 && r.IntN(2) == 0 && !p.unlisted[before.file] {
				asked = again[0]
			}
			p.check(bridge, changes[i].what, asked, definition)
			if t.Failed() {
				return // what follows would only repeat it
			}
		}
	}
}

// anywhere chooses a place of the build where the name stands.
func (p *project) anywhere() stand {
	var all []stand
	for name := range p.files {
		if !p.unlisted[name] {
			all = append(all, p.stands(name)...)
		}
	}
	slices.SortFunc(all, func(a, b stand) int {
		return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	return all[p.rand.IntN(len(all))]
}

// check asks about a place, by its column or by the name on its line.
func (p *project) check(bridge realBridge, when string, asked stand, definition func(p *project, asked stand) string) {
	p.t.Helper()
	p.last = asked.file
	target := map[string]any{"file": asked.file, "line": asked.line, "column": asked.column}
	if len(p.word.FindAllStringIndex(asked.text, -1)) == 1 && p.rand.IntN(2) == 0 {
		target = map[string]any{"file": asked.file, "line": asked.line, "name": p.name}
	}
	questions := []string{referencesTool, definitionTool}
	if p.rand.IntN(2) == 0 {
		slices.Reverse(questions)
	}
	for _, tool := range questions {
		began := time.Now()
		got := bridge.call(p.t.Context(), p.t, tool, target)
		took := time.Since(began).Round(time.Millisecond)
		report := ""
		if tool == definitionTool {
			report = compare(got.places, []string{definition(p, asked)})
			if _, others := p.places(); got.state != lspclient.Complete && len(others) == 0 {
				report += "\n  not complete"
			}
		} else {
			report = p.judge(got)
		}
		if got.err != "" || report != "" {
			p.t.Errorf("%s, after %q: %s of %v: %s %q, error %q%s", when, p.log, tool, target, got.state, got.reasons, got.err, report)
		}
		if testing.Verbose() {
			p.t.Logf("%s, after %.200q: %s of %v: %d places, %s, %v", when, p.log, tool, target, len(got.places), got.state, took)
		}
	}
}

// judge compares references with the texts. Every place of the build must be
// there; a file that is not part of it may be read by the server all the same,
// or else the answer says that it was not.
func (p *project) judge(got answer) string {
	built, others := p.places()
	var named []string // reasons that name an unlisted file
	want := slices.Clone(built)
	for _, o := range others {
		if slices.Contains(got.places, o) {
			want = append(want, o)
			continue
		}
		file, _, _ := strings.Cut(o, ":")
		if got.state == lspclient.Partial && slices.ContainsFunc(got.reasons, func(r string) bool { return strings.Contains(r, file) }) {
			named = append(named, file)
			continue
		}
		want = append(want, o)
	}
	report := compare(got.places, want)
	if (got.state == lspclient.Complete) != (len(named) == 0) {
		report += fmt.Sprintf("\n  %s, without places in %q", got.state, named)
	}
	return report
}
