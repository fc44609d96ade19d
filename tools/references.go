package tools

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"lspbridge/lspclient"
)

// maxContextLines bounds the lines shown around a place.
const maxContextLines = 5

func referencesTool() tool {
	return tool{
		name:  "find_references",
		title: "Find references",
		desc: "Every use of a symbol, grouped by file, with source line and enclosing symbol: by meaning, not by text, so no namesakes. " +
			"Says whether it is complete.",
		params: slices.Concat(targetParams(), []param{
			{name: "include_declaration", typ: typeBoolean, desc: "Default true"},
			{name: "context_lines", typ: typeInteger, min: 0, max: maxContextLines, desc: "Lines around each place"},
			{name: "path_glob", typ: typeString, desc: "Only files that match, e.g. cmd/**/*.go"},
			{name: "exclude_tests", typ: typeBoolean, desc: "Leave out test files"},
		}, pageParams()),
		output: listSchema(locationFields("context")),
		run: func(q *question) (reply, error) {
			glob := q.args.str("path_glob")
			if glob != "" && !doublestar.ValidatePattern(glob) {
				return reply{}, usagef("bad_value", "write it like cmd/**/*.go", "%q is no pattern for path_glob", clipWord(glob))
			}
			s, err := q.resolve()
			if err != nil {
				return reply{}, err
			}
			found, err := q.b.pool.References(q.ctx, s.file, s.at.locate, q.args.flag("include_declaration", true))
			if err != nil {
				return reply{}, s.failed(err)
			}
			places, note := q.filter(found.Items, glob, q.args.flag("exclude_tests", false))
			return q.places(placeList{
				verb: "references to", noun: "references", subject: s, answer: found.Answer, places: places, note: note,
				context: q.args.num("context_lines", 0),
			})
		},
	}
}

// filter keeps the places that the caller wants, and says how many it dropped. A
// place outside the workspace has no path that a glob could match.
func (q *question) filter(places []lspclient.Location, glob string, excludeTests bool) ([]lspclient.Location, string) {
	if glob == "" && !excludeTests {
		return places, ""
	}
	kept := slices.DeleteFunc(slices.Clone(places), func(l lspclient.Location) bool {
		if !l.Inside {
			return glob != ""
		}
		shown := q.b.ws.Shown(l.File)
		if glob != "" {
			if ok, err := doublestar.Match(glob, shown); err != nil || !ok {
				return true
			}
		}
		return excludeTests && isTest(shown)
	})
	return kept, fmt.Sprintf("(%d more left out by path_glob and exclude_tests)", len(places)-len(kept))
}

// isTest reports whether a slash-separated path is a test's, by the customs of
// the languages.
func isTest(p string) bool {
	for dir := range strings.SplitSeq(path.Dir(p), "/") {
		switch strings.ToLower(dir) {
		case "test", "tests", "testdata", "__tests__", "unittests":
			return true
		}
	}
	base := strings.ToLower(path.Base(p))
	stem := strings.TrimSuffix(base, path.Ext(base))
	return strings.HasSuffix(stem, "_test") || strings.HasSuffix(stem, "_unittest") || strings.HasPrefix(stem, "test_") ||
		strings.HasSuffix(stem, ".test") || strings.HasSuffix(stem, ".spec")
}
