package lspclient

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"testing"

	"lspbridge/lspclient/servers"
)

func TestWatchListMatch(t *testing.T) {
	for _, tt := range []struct {
		name string
		w    watcher
		path string
		kind changeKind
		want bool
	}{
		{"any depth", watcher{glob: "**/*.go", kind: 7}, "/ws/a/b.go", fileChanged, true},
		{"alternatives", watcher{glob: "**/*.{go,mod,sum,work}", kind: 7}, "/ws/go.mod", fileCreated, true},
		{"other extension", watcher{glob: "**/*.{go,mod}", kind: 7}, "/ws/a.c", fileChanged, false},
		{"base", watcher{base: "/ws", glob: "**/*.go", kind: 7}, "/ws/x/y.go", fileDeleted, true},
		{"base itself", watcher{base: "/ws/", glob: "*.go", kind: 7}, "/ws/y.go", fileDeleted, true},
		{"sibling of base", watcher{base: "/ws", glob: "**/*.go", kind: 7}, "/ws-evil/y.go", fileChanged, false},
		{"base outside the root", watcher{base: "/lib", glob: "**/*.go", kind: 7}, "/lib/z.go", fileChanged, true},
		{"kind not asked for", watcher{glob: "**/*.go", kind: 1}, "/ws/a.go", fileDeleted, false},
		{"kind asked for", watcher{glob: "**/*.go", kind: 4}, "/ws/a.go", fileDeleted, true},
		{"name without slash", watcher{glob: "*.go", kind: 7}, "/ws/deep/a.go", fileChanged, true},
		{"absolute pattern", watcher{glob: "/ws/**/*.go", kind: 7}, "/ws/deep/a.go", fileChanged, true},
		{"bad pattern", watcher{glob: "[", kind: 7}, "/ws/a.go", fileChanged, false},
	} {
		if got := (watchList{tt.w}).match(tt.path, tt.kind); got != tt.want {
			t.Errorf("%s: match(%q, %d) = %v, want %v", tt.name, tt.path, tt.kind, got, tt.want)
		}
	}
}

func TestWatchersAreBounded(t *testing.T) {
	several := func(glob string, n int) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf(`{"globPattern":%q}`, strings.ReplaceAll(glob, "%", strconv.Itoa(i)))
		}
		return `{"watchers":[` + strings.Join(list, ",") + `]}`
	}
	for _, tt := range []struct {
		name, options string
		want          int // watchers; 0: told of everything
	}{
		{"none that can be read", `7`, 0},
		{"the same twice", several("**/*.go", 2), 1},
		{"two", several("**/%.go", 2), 2},
		{"too many", several("**/%.go", 257), 0},
		{"alternatives", several("**/*.{go,mod,sum,work}", 1), 1},
		{"groups that multiply", several("**/"+strings.Repeat("{a,b}", 30), 1), 0},
		{"too long", several(strings.Repeat("a", 2000), 1), 0},
		{"options too large", several(strings.Repeat("%", 2<<20), 1), 0},
		{"a base that is no file", `{"watchers":[{"globPattern":{"baseUri":"git:/x","pattern":"*"}}]}`, 0},
	} {
		sess := &session{events: newEvents(servers.Server{}, slog.New(slog.DiscardHandler), nil)}
		sess.events.register("w", "workspace/didChangeWatchedFiles", json.RawMessage(tt.options))
		if got := sess.watchers(); len(got) != tt.want {
			t.Errorf("%s: %d watchers, want %d", tt.name, len(got), tt.want)
		}
	}
	// One that is left out does not narrow what the others ask for.
	sess := &session{events: newEvents(servers.Server{}, slog.New(slog.DiscardHandler), nil)}
	sess.events.register("v", "workspace/didChangeWatchedFiles", json.RawMessage(several("**/*.go", 1)))
	sess.events.register("w", "workspace/didChangeWatchedFiles", json.RawMessage(several(strings.Repeat("%", 2<<20), 1)))
	if got := sess.watchers(); got != nil {
		t.Errorf("%d watchers, want none: told of everything", len(got))
	}
}
