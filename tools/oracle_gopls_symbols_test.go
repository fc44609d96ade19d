package tools_test

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A call as the command line prints it; the asked function itself has no ranges.
var callLine = regexp.MustCompile(`^(?:(caller|callee)\[\d+\]|identifier): (?:ranges (.+) in (\S+) from/to )?function (.+) in (\S+)$`)

// noFunction is how the command line says that there is nothing to call.
const noFunction = "function declaration identifier not found"

// calls asks who calls a function, and whom it calls; the lines are those of
// [graph.lines].
func (g goplsCommand) calls(ctx context.Context, q question) (incoming, outgoing answer) {
	out, failed := g.run(ctx, "call_hierarchy", g.at(q))
	if strings.HasPrefix(failed.err, noFunction) {
		return answer{}, answer{}
	} else if failed.err != "" {
		return failed, failed
	}
	var callers, callees graph
	for line := range strings.Lines(out) {
		m := callLine.FindStringSubmatch(strings.TrimSpace(line))
		place, ok := "", m != nil
		if ok {
			place, ok = g.span(m[5])
		}
		if !ok {
			failed = answer{err: fmt.Sprintf("not a call: %q", line), places: []string{"?"}}
			return failed, failed
		}
		node := place + " " + m[4]
		var sites []string
		for r := range strings.SplitSeq(m[2], ", ") {
			start, _, _ := strings.Cut(r, "-")
			sites = append(sites, start)
		}
		switch m[1] {
		case "caller":
			callers.edges = append(callers.edges, edge{from: node, sites: sites})
		case "callee":
			callees.edges = append(callees.edges, edge{to: node, sites: sites})
		default:
			callers.roots, callees.roots = append(callers.roots, node), append(callees.roots, node)
		}
	}
	if len(callers.roots) != 1 {
		failed = answer{err: "not one function: " + out, places: []string{"?"}}
		return failed, failed
	}
	for i := range callers.edges {
		callers.edges[i].to = callers.roots[0]
	}
	for i := range callees.edges {
		callees.edges[i].from = callees.roots[0]
	}
	return answer{places: callers.lines()}, answer{places: callees.lines()}
}

// A graph is what the answers about a hierarchy are reduced to.
type graph struct {
	roots []string
	edges []edge
}

// An edge leads from a caller to what it calls, or from a subtype to a supertype.
type edge struct {
	from, to string
	sites    []string // LINE:COLUMN of calls in the file of from
}

// lines are the roots and the edges, one line for each call site.
func (g graph) lines() []string {
	var lines []string
	for _, r := range g.roots {
		lines = append(lines, "root "+r)
	}
	for _, e := range g.edges {
		if len(e.sites) == 0 {
			lines = append(lines, e.from+" -> "+e.to)
		}
		for _, s := range e.sites {
			lines = append(lines, e.from+" -> "+e.to+" at "+s)
		}
	}
	slices.Sort(lines)
	return lines
}

// A symbol of an outline as the command line prints it: a tab before a child, and
// columns in UTF-16 code units.
var outlineLine = regexp.MustCompile(`^(\t?)(.+) (\S+) (\d+):(\d+)-(\d+):(\d+)$`)

// outline asks for the symbols of a file; the command line leaves out what is
// more than one level deep.
func (g goplsCommand) outline(ctx context.Context, file string) answer {
	path := filepath.Join(g.dir, filepath.FromSlash(file))
	out, a := g.run(ctx, "symbols", path)
	outer := ""
	for line := range strings.Lines(out) {
		m := outlineLine.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			return answer{err: fmt.Sprintf("not a symbol: %q", line), places: []string{"?"}}
		}
		name := m[2]
		if m[1] == "" {
			outer = name
		} else {
			name = outer + " > " + name
		}
		var r rawRange
		for i, n := range []*int{&r.Start.Line, &r.Start.Character, &r.End.Line, &r.End.Character} {
			*n, _ = strconv.Atoi(m[i+4])
			*n-- // from 1
		}
		p, err := r.in("file://"+path, utf16Column)
		if err != nil {
			return answer{err: err.Error(), places: []string{"?"}}
		}
		a.places = append(a.places, symbolLine(g.place(p), name, m[3]))
	}
	slices.Sort(a.places)
	return a
}

func (g goplsCommand) place(p rawPlace) string {
	return g.placeAt(p.path, p.line, p.column, p.endLine, p.endColumn)
}

// symbolLine spells a symbol; kinds are spelled in many ways.
func symbolLine(place, name, kind string) string {
	return place + " " + name + " " + strings.ToLower(strings.ReplaceAll(kind, " ", ""))
}

// A symbol of the workspace as the command line prints it.
var workspaceLine = regexp.MustCompile(`^(\S+) (.+) (\S+)$`)

// symbols asks for the symbols that match a query, and keeps those of the
// workspace. whole is false where gopls cut the list, of which it does not tell.
func (g goplsCommand) symbols(ctx context.Context, query string) (a answer, whole bool) {
	out, a := g.run(ctx, "workspace_symbol", "-matcher=casesensitive", query)
	n := 0
	for line := range strings.Lines(out) {
		n++
		m := workspaceLine.FindStringSubmatch(strings.TrimSpace(line))
		place, ok := "", m != nil
		if ok {
			place, ok = g.span(m[1])
		}
		switch {
		case !ok:
			return answer{err: fmt.Sprintf("not a symbol: %q", line), places: []string{"?"}}, true
		case !strings.Contains(place, outsideMark):
			a.places = append(a.places, symbolLine(place, m[2], m[3]))
		}
	}
	slices.Sort(a.places)
	return a, n < 100
}
