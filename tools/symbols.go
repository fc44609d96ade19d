package tools

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"lspbridge/lspclient"
)

func symbolsTool() tool {
	return tool{
		name:  "workspace_symbols",
		title: "Search symbols",
		desc: "Symbols of the workspace by name: exact matches first, then prefixes, then substrings. " +
			"For Go the search minds upper and lower case.",
		params: slices.Concat([]param{
			{name: "query", typ: typeString, required: true, desc: "Name or part of it"},
			{name: "kinds", typ: typeStrings, desc: "Only these: function, method, struct, ..."},
			{name: "scope", typ: typeString, enum: []string{"workspace", "all"}, desc: "all adds libraries; default workspace"},
			{name: "language", typ: typeString, desc: "go, cpp, or a server's name"},
		}, pageParams()),
		output: listSchema(symbolFields()),
		run:    searchSymbols,
	}
}

func searchSymbols(q *question) (reply, error) {
	query := strings.TrimSpace(q.args.str("query"))
	switch n := utf8.RuneCountInString(query); {
	case n == 0:
		return reply{}, usagef("empty_query", "give a name or a part of one", "the query is empty")
	case n > q.b.limits.QueryChars:
		return reply{}, usagef("query_too_long", "ask with a part of the name", "the query is longer than %d characters (query_chars)", q.b.limits.QueryChars)
	}
	kinds := q.args.list("kinds")
	if e := checkKinds(kinds); e != nil {
		return reply{}, e
	}
	servers, err := q.servers(q.args.str("language"))
	if err != nil {
		return reply{}, err
	}
	want := splitName(query)
	if len(want) == 0 {
		want = []string{query}
	}
	whole := lspclient.Completeness{State: lspclient.Complete}
	var found []hit
	atLeast, answered := false, false
	var failed error // of the server with the most files
	for _, a := range q.searchAll(servers, func(server string) string { return queryFor(server, want) }, want[len(want)-1]) {
		if a.err != nil {
			failed = cmp.Or(failed, a.err)
			whole = lspclient.Merge(whole, lspclient.Completeness{State: lspclient.Partial, Reasons: []string{
				a.server + ": " + q.b.toError(q.ctx, a.err).Message,
			}})
			continue
		}
		answered = true
		atLeast = atLeast || a.symbols.AtLeast
		otherKind := func(s lspclient.Symbol) bool {
			return len(kinds) > 0 && !slices.ContainsFunc(kinds, func(k string) bool { return kindIs(s.Kind, k) })
		}
		whole = lspclient.Merge(whole, parts(a.server, len(servers) > 1, a.symbols.Completeness), excluded(len(slices.DeleteFunc(slices.Clone(a.symbols.Excluded), otherKind))))
		for _, s := range a.symbols.Items {
			if q.args.str("scope") != "all" && !s.Place.Inside || otherKind(s) {
				continue
			}
			found = append(found, hit{s, a.server, rankOf(s, want)})
		}
	}
	if !answered && failed != nil {
		return reply{}, failed
	}
	return q.hits(query, q.rank(found), atLeast, q.complete(whole))
}

// A hit is a symbol that matched a query.
type hit struct {
	symbol lspclient.Symbol
	server string
	rank   int
}

// rankOf is 0 for an exact match, 1 for a prefix, 2 for a substring, 3 for what
// else the server takes for a match; the same ignoring case come one half behind.
func rankOf(s lspclient.Symbol, want []string) int {
	parts := qualified(s.Container, s.Name)
	if len(parts) == 0 {
		return 7
	}
	last, name := parts[len(parts)-1], want[len(want)-1]
	outer := len(want) == 1 || hasSuffix(parts[:len(parts)-1], want[:len(want)-1])
	fold, foldName := strings.ToLower(last), strings.ToLower(name)
	switch {
	case !outer:
		return 6
	case last == name:
		return 0
	case fold == foldName:
		return 1
	case strings.HasPrefix(last, name):
		return 2
	case strings.HasPrefix(fold, foldName):
		return 3
	case strings.Contains(last, name):
		return 4
	case strings.Contains(fold, foldName):
		return 5
	default:
		return 6
	}
}

// rank orders hits by rank, then name, then place, and drops doubles.
func (q *question) rank(list []hit) []hit {
	slices.SortStableFunc(list, func(a, b hit) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.symbol.Name, b.symbol.Name),
			q.comparePlaces(a.symbol.Place, b.symbol.Place), cmp.Compare(a.symbol.Kind, b.symbol.Kind))
	})
	return slices.CompactFunc(list, func(a, b hit) bool {
		return a.symbol.Name == b.symbol.Name && a.symbol.Kind == b.symbol.Kind && keyOf(a.symbol.Place) == keyOf(b.symbol.Place)
	})
}

// hits answers with a page of symbols, one a line.
func (q *question) hits(query string, found []hit, atLeast bool, whole completeness) (reply, error) {
	h := sha256.New()
	for _, f := range found {
		writeParts(h, f.symbol.Name, f.symbol.Kind, f.symbol.Container, f.symbol.Place.Line, fmt.Sprint(keyOf(f.symbol.Place)))
	}
	return q.page(listing{
		heading: fmt.Sprintf("symbols that match %s", clipWord(oneLine(query))), noun: "symbols",
		total: len(found), atLeast: atLeast, completeness: whole, answer: digestOf(h),
		item: func(i, _ int) (any, string) {
			q.server = found[i].server
			item := q.symbol(found[i].symbol)
			text := fmt.Sprintf("  %s:%d:%d  %s %s", orElse(quotePath(item.Path), item.Display), item.Line, item.Column, item.Kind, oneLine(item.Name))
			if item.Container != "" {
				text += "  (in " + oneLine(item.Container) + ")"
			}
			if item.Ref != "" {
				text += "  ref=" + item.Ref
			}
			return item, text + "\n"
		},
	})
}
