package lspclient_test

import (
	"testing"

	"lspbridge/lspclient"
)

// TestScriptPatterns: what include patterns of tsconfig.json stand for, by the
// documentation of that file and by what TypeScript does.
func TestScriptPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, file string
		want          bool
	}{
		{".", "a.ts", true}, {".", "src/deep/a.ts", true}, {".", ".own/a.ts", false}, {".", "src/.own/a.ts", false}, {".", ".a.ts", false},
		{"src", "src/a.ts", true}, {"src", "src/deep/a.ts", true}, {"src", "other/a.ts", false}, {"src", "src/node_modules/x/a.ts", false},
		{"src/*", "src/a.ts", true}, {"src/*", "src/deep/a.ts", false}, {"src/**/*", "src/deep/a.ts", true}, {"src/**/*", "src/a.ts", true},
		{"src/**", "src/deep/a.ts", false}, {"**/*.spec.ts", "a/b.spec.ts", true}, {"**/*.spec.ts", "a/b.ts", false},
		{".own", ".own/a.ts", false}, {".own/**/*", ".own/deep/a.ts", true}, {"*/a.ts", ".own/a.ts", false}, {"*/a.ts", "src/a.ts", true},
		{"src/a?.ts", "src/ab.ts", true}, {"src/a?.ts", "src/a.ts", false}, {"src/[ab].ts", "src/a.ts", false}, {"src/[a]*.ts", "src/[a]b.ts", true},
		{"src", "src/a.min.js", false}, {"src/*.min.js", "src/a.min.js", true}, {"./src/*", "src/a.ts", true}, {"src/a.ts", "src/a.ts", true},
	} {
		if got := lspclient.TakesIn(c.pattern, c.file); got != c.want {
			t.Errorf("%s takes %s in: %v, want %v", c.pattern, c.file, got, c.want)
		}
	}
}
