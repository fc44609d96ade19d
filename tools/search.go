package tools

import (
	"slices"
	"strings"
	"sync"

	"lspbridge/limits/confine"
	"lspbridge/lspclient"
)

// servers returns the servers to search: those of the languages that the
// workspace has files of, or the one that language names.
func (q *question) servers(language string) ([]string, error) {
	langs, err := q.b.pool.Languages(q.ctx)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, l := range langs {
		names = append(names, l.Server)
	}
	if len(names) == 0 {
		return nil, noServer()
	}
	if language == "" {
		return names, nil
	}
	wanted := strings.ToLower(language)
	for _, n := range names {
		if n == wanted || q.serves(n, wanted) {
			return []string{n}, nil
		}
	}
	return nil, usagef("unknown_language", "the workspace's servers are: "+strings.Join(names, ", "),
		"the workspace has no server for the language %q", clipWord(language))
}

// serves reports whether a server answers for a language, by a file name that
// such a language has.
func (q *question) serves(server, language string) bool {
	extensions := map[string]string{
		"c++": "cpp", "cpp": "cpp", "c": "c", "objective-c": "m", "cuda": "cu", "go": "go", "golang": "go", "rust": "rs",
		"python": "py", "typescript": "ts", "javascript": "js", "typescriptreact": "tsx", "javascriptreact": "jsx",
		"java": "java", "shellscript": "sh", "bash": "sh", "ruby": "rb", "lua": "lua", "zig": "zig",
	}
	ext := extensions[language]
	if ext == "" {
		ext = language // many are their own extension
	}
	name, id, ok := q.b.pool.ServerFor(confine.File{Rel: "x." + ext})
	return ok && name == server && (id == language || extensions[language] != "" || ext == language)
}

// A searched is the answer of one server to a query.
type searched struct {
	server  string
	symbols lspclient.Symbols
	err     error
	// blind is true when err hides something: files of the server hold the name.
	blind bool
}

// parts says of what one of several servers answered which of them it was.
func parts(server string, several bool, c lspclient.Completeness) lspclient.Completeness {
	if several {
		reasons := make([]string, len(c.Reasons))
		for i, r := range c.Reasons {
			reasons[i] = server + ": " + r
			if strings.HasPrefix(r, server+":") {
				reasons[i] = r
			}
		}
		c.Reasons = reasons
	}
	return c
}

// searchAll asks servers beside each other; name is what their files are
// searched for when one cannot be asked. The answers keep the order of servers.
func (q *question) searchAll(servers []string, query func(server string) string, name string) []searched {
	out := make([]searched, len(servers))
	var wg sync.WaitGroup
	for i, server := range servers {
		wg.Go(func() {
			a := &out[i]
			a.server = server
			defer q.b.recovered(&a.err)
			if a.symbols, a.err = q.b.pool.WorkspaceSymbols(q.ctx, server, query(server)); a.err != nil {
				files, err := q.b.pool.FilesHolding(q.ctx, server, name, 1)
				a.blind = err != nil || len(files) > 0
			}
		})
	}
	wg.Wait()
	// A server that cannot be asked is nobody's concern when no file of its
	// language holds the name, as long as another answered.
	if slices.ContainsFunc(out, func(a searched) bool { return a.err == nil }) {
		out = slices.DeleteFunc(out, func(a searched) bool { return a.err != nil && !a.blind })
	}
	return out
}
