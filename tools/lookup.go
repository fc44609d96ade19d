package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lspbridge/lspclient"
)

// A lookup is what is known of a name.
type lookup struct {
	found   []declaration // inside the workspace
	outside []declaration
	near    []string // names like it
	capped  bool     // a server cut its list
	doubt   lspclient.Completeness
}

// lookIn looks for a name in the outline of one file.
func (q *question) lookIn(t target, want []string) (lookup, error) {
	f, err := q.file(t.file)
	if err != nil {
		return lookup{}, err
	}
	symbols, err := q.b.pool.DocumentSymbols(q.ctx, f)
	if err != nil {
		return lookup{}, err
	}
	all := outlineOf(q.b.ws.Shown(f), symbols.Items)
	found := matching(all, want, t.symbolKind)
	for i := range found {
		// A flat outline may leave the file out; it is the one asked about.
		found[i].symbol.Place.Inside, found[i].symbol.Place.File = true, f
	}
	look := lookup{found: distinct(found), capped: symbols.AtLeast, doubt: symbols.Completeness}
	if len(found) == 0 {
		look.near = nearNames(all, want)
	}
	return look, nil
}

// lookUp asks the servers of the workspace's languages for a name.
func (q *question) lookUp(t target, want []string) (lookup, error) {
	asked, err := q.servers(t.language)
	if err != nil {
		return lookup{}, err
	}
	name := want[len(want)-1]
	look := lookup{doubt: lspclient.Completeness{State: lspclient.Complete}}
	var all []declaration
	var failed error // of the server with the most files
	for _, a := range q.searchAll(asked, func(server string) string { return queryFor(server, want) }, name) {
		switch {
		case a.err != nil && a.blind:
			look.doubt = lspclient.Merge(look.doubt, lspclient.Completeness{
				State: lspclient.Partial, Reasons: []string{a.server + " could not be asked, and its files hold the name"},
			})
			failed = cmp.Or(failed, a.err)
		case a.err != nil:
			failed = cmp.Or(failed, a.err)
		default:
			list := declarationsOf(a.symbols.Items)
			if len(matching(list, want, t.symbolKind)) == 0 && len(want) > 1 {
				// Servers differ in what a qualified query means; the name alone is
				// understood by all.
				again, err := q.b.pool.WorkspaceSymbols(q.ctx, a.server, name)
				if err != nil {
					return lookup{}, err // not knowing is not finding nothing
				}
				a.symbols, list = again, declarationsOf(again.Items)
			}
			look.capped = look.capped || a.symbols.AtLeast
			look.doubt = lspclient.Merge(look.doubt, parts(a.server, len(asked) > 1, a.symbols.Completeness),
				excluded(len(matching(declarationsOf(a.symbols.Excluded), want, t.symbolKind))))
			all = append(all, list...)
		}
	}
	for _, d := range distinct(matching(all, want, t.symbolKind)) {
		if d.symbol.Place.Inside {
			look.found = append(look.found, d)
		} else {
			look.outside = append(look.outside, d)
		}
	}
	if len(look.found) == 0 && len(look.outside) == 0 {
		if failed != nil {
			return lookup{}, failed
		}
		look.near = q.nearNames(asked, all, want)
	}
	return look, nil
}

// excluded is the completeness of an answer without n symbols that are in
// excluded files.
func excluded(n int) lspclient.Completeness {
	switch n {
	case 0:
		return lspclient.Completeness{State: lspclient.Complete}
	case 1:
		return lspclient.Completeness{State: lspclient.Partial, Reasons: []string{"1 symbol in excluded files"}}
	}
	return lspclient.Completeness{State: lspclient.Partial, Reasons: []string{fmt.Sprintf("%d symbols in excluded files", n)}}
}

// queryFor spells a qualified name as a server takes it.
func queryFor(server string, want []string) string {
	if server == "clangd" || strings.HasPrefix(server, "clangd-") {
		return strings.Join(want, "::")
	}
	return strings.Join(want, ".")
}

func declarationsOf(symbols []lspclient.Symbol) []declaration {
	var all []declaration
	for _, s := range symbols {
		all = append(all, declaration{s, qualified(s.Container, s.Name)})
	}
	return all
}

// distinct drops declarations at the place of an earlier one.
func distinct(list []declaration) []declaration {
	seen := map[placeKey]bool{}
	return slices.DeleteFunc(slices.Clone(list), func(d declaration) bool {
		k := keyOf(d.symbol.Place)
		again := seen[k]
		seen[k] = true
		return again
	})
}
