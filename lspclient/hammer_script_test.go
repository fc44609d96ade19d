package lspclient_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"lspbridge/lspclient/lsptest"
)

// TestHammerTypeScript: one of the servers is told what changes, the other watches
// the files itself, and is late.
func TestHammerTypeScript(t *testing.T) {
	for _, name := range []string{"tsc-7", "typescript-language-server"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := lsptest.Require(t, name)
			dir := t.TempDir()
			h := &hammer{t: t, w: lsptest.NewWriter(t), rand: rand.New(rand.NewPCG(hammerSeed(t), 3)), name: regexp.MustCompile(`\bshared\b`), ext: ".ts", def: "def.ts"}
			n := 0
			h.text = func(_ string, blank, uses int) string {
				var b strings.Builder
				// Whatever the folder, so that a file may move to another one.
				b.WriteString("import {shared} from '@/def';\n" + strings.Repeat("\n", blank))
				for range max(1, uses) {
					n++
					fmt.Fprintf(&b, "export const v%d = shared();\n\n", n)
				}
				return b.String()
			}
			h.defText = func(blank int) string {
				return strings.Repeat("\n", blank) + "export function shared(): number { return 1 }\n"
			}
			lsptest.WriteFiles(t, dir, map[string]string{"tsconfig.json": `{"compilerOptions": {"paths": {"@/*": ["./*"]}}}`, "def.ts": h.defText(1)})
			h.b = openReal(t, dir, "typescript", program)
			h.run(rounds(15, 300))
		})
	}
}

func TestHammerPyright(t *testing.T) {
	t.Parallel()
	program := lsptest.Require(t, "pyright-langserver")
	dir := t.TempDir()
	h := &hammer{t: t, w: lsptest.NewWriter(t), rand: rand.New(rand.NewPCG(hammerSeed(t), 4)), name: regexp.MustCompile(`\bshared\b`), ext: ".py", def: "defs.py"}
	n := 0
	h.text = func(_ string, blank, uses int) string {
		var b strings.Builder
		b.WriteString("from defs import shared\n" + strings.Repeat("\n", blank))
		for range max(1, uses) {
			n++
			fmt.Fprintf(&b, "v%d = shared()\n\n", n)
		}
		return b.String()
	}
	h.defText = func(blank int) string {
		return strings.Repeat("\n", blank) + "def shared() -> int:\n    return 1\n"
	}
	lsptest.WriteFiles(t, dir, map[string]string{"defs.py": h.defText(1)})
	h.b = openReal(t, dir, "pyright", program)
	h.run(rounds(15, 300))
}
