package lspclient

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.lsp.dev/protocol"

	"lspbridge/lspclient/textpos"
)

// A watchList is what a server asked to be told of (LSP 3.17
// §didChangeWatchedFiles).
type watchList []watcher

type watcher struct {
	base string // absolute folder of a RelativePattern, or ""
	glob string
	kind int // bits: 1 create, 2 change, 4 delete
}

// watchers reads the registrations of the server; nil means that it registered
// nothing, or something that cannot be read, and is told of all its files.
func (sess *session) watchers() watchList {
	var list watchList
	for _, raw := range sess.events.registered(protocol.MethodWorkspaceDidChangeWatchedFiles) {
		var options struct {
			Watchers []struct {
				GlobPattern json.RawMessage `json:"globPattern"`
				Kind        *int            `json:"kind"`
			} `json:"watchers"`
		}
		if json.Unmarshal(raw, &options) != nil || len(options.Watchers) > maxWatchers {
			return nil
		}
		for _, w := range options.Watchers {
			item, ok := parseWatcher(w.GlobPattern)
			if !ok {
				return nil
			}
			if w.Kind != nil {
				item.kind = *w.Kind
			}
			if !slices.Contains(list, item) {
				list = append(list, item)
			}
		}
		if len(list) > maxWatchers {
			return nil
		}
	}
	return list
}

// Each change is matched against each watcher, and a pattern takes time that
// grows with the power of its alternatives.
const (
	maxWatchers     = 256
	maxPattern      = 1 << 10 // bytes
	maxAlternatives = 64      // that the groups of a pattern multiply to
)

// parseWatcher reads a GlobPattern: a Pattern or a RelativePattern (LSP 3.17).
func parseWatcher(raw json.RawMessage) (watcher, bool) {
	item := watcher{kind: 7}
	if json.Unmarshal(raw, &item.glob) != nil {
		var relative struct {
			BaseURI json.RawMessage `json:"baseUri"`
			Pattern string          `json:"pattern"`
		}
		if json.Unmarshal(raw, &relative) != nil {
			return item, false
		}
		uri := ""
		if json.Unmarshal(relative.BaseURI, &uri) != nil {
			var folder workspaceFolder
			if json.Unmarshal(relative.BaseURI, &folder) != nil {
				return item, false
			}
			uri = folder.URI
		}
		base, err := textpos.URIPath(uri)
		if err != nil {
			return item, false
		}
		item.base, item.glob = base, relative.Pattern
	}
	return item, len(item.glob) <= maxPattern && alternatives(item.glob) <= maxAlternatives
}

// alternatives returns an upper bound of the plain patterns that glob stands for.
func alternatives(glob string) int {
	n := 1
	for group := range strings.SplitSeq(glob, "{") {
		if n *= 1 + strings.Count(group, ","); n > maxAlternatives {
			break
		}
	}
	return n
}

// match reports whether some watcher wants to know of the absolute path.
func (l watchList) match(abs string, kind changeKind) bool {
	bit := 1 << (kind - 1)
	for _, w := range l {
		name := abs
		if w.kind&bit == 0 {
			continue
		}
		if w.base != "" {
			rest, ok := strings.CutPrefix(abs, strings.TrimSuffix(w.base, "/")+"/")
			if !ok {
				continue
			}
			name = rest
		}
		// A pattern without a slash means a name at any depth; a relative one
		// is relative to some root.
		for _, glob := range []string{w.glob, "**/" + strings.TrimPrefix(w.glob, "/")} {
			if ok, err := doublestar.Match(glob, name); err == nil && ok {
				return true
			}
		}
	}
	return false
}
