package lspclient

import "testing"

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
