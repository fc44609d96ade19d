package tools_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lspbridge/limits"
	"lspbridge/lspclient/lsptest"
	"lspbridge/tools"
)

// TestSituationsTypeScript: the servers answer for the projects of which a file is
// open, and say nothing of other files.
func TestSituationsTypeScript(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"tsc-7", "typescript-language-server"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			program := lsptest.Require(t, name)
			user := func(from string) string {
				return "import {shared} from '" + from + "';\nexport const u = shared();\n"
			}
			project := map[string]string{
				"tsconfig.json": "{\n  // sources alone\n  \"include\": [\"src\"],\n}\n", "src/a.ts": "export function shared(): number { return 1 }\n", "src/b.ts": user("./a"), "src/deep/c.ts": user("../a"),
			}
			with := func(more map[string]string) map[string]string { return join(project, more) }
			own := []string{"src/a.ts:1:17", "src/b.ts:1:9", "src/b.ts:2:18", "src/deep/c.ts:1:9", "src/deep/c.ts:2:18"}
			and := func(more ...string) []string { return append(more, own...) }
			many, places := map[string]string{}, []string{}
			for i := range 60 {
				file := "src/m" + string(rune('a'+i/26)) + string(rune('a'+i%26)) + ".ts"
				many[file] = user("./a")
				places = append(places, file+":1:9", file+":2:18")
			}
			lone := map[string]string{}
			for i := range 60 {
				lone["lone/m"+string(rune('a'+i/26))+string(rune('a'+i%26))+".ts"] = "export const shared = 1;\n"
			}
			for _, s := range []situation{
				{name: "a project", files: project, want: own},
				{name: "symbols before anything is open", files: project, word: "shared", file: "-", want: []string{"src/a.ts:1:17"}},
				{name: "a file outside the project", files: with(map[string]string{"other/o.ts": user("../src/a")}), want: and("other/o.ts:1:9", "other/o.ts:2:18")},
				{name: "two projects", files: with(map[string]string{"second/tsconfig.json": "{}", "second/s.ts": user("../src/a"), "second/t.ts": user("../src/a")}), want: and("second/s.ts:1:9", "second/s.ts:2:18", "second/t.ts:1:9", "second/t.ts:2:18")},
				{name: "a project that lists its files", files: with(map[string]string{"tsconfig.json": `{"files": ["src/a.ts"]}`}), want: own},
				{name: "patterns that stop at a folder", files: with(map[string]string{"tsconfig.json": `{"include": ["src/*"]}`}), want: own},
				{name: "a folder with a dot", files: with(map[string]string{"tsconfig.json": "{}", ".storybook/o.ts": user("../src/a"), "src/.own/o.ts": user("../a")}), want: and(".storybook/o.ts:1:9", ".storybook/o.ts:2:18", "src/.own/o.ts:1:9", "src/.own/o.ts:2:18")},
				{name: "files that another goes before", files: with(map[string]string{"tsconfig.json": `{"compilerOptions": {"allowJs": true}}`, "src/b.js": user("./a"), "src/c.min.js": user("./a")}), want: and("src/b.js:1:9", "src/b.js:2:18", "src/c.min.js:1:9", "src/c.min.js:2:18")},
				{name: "JavaScript that the nearest configuration leaves out", files: with(map[string]string{"base.json": `{"compilerOptions": {"allowJs": true}}`, "tsconfig.json": `{"extends": "./base.json", "compilerOptions": {"allowJs": false}}`, "src/o.js": user("./a")}), want: and("src/o.js:1:9", "src/o.js:2:18")},
				{name: "a definition in a project that is not open", files: map[string]string{"p1/tsconfig.json": "{}", "p1/a.ts": user("../p2/d"), "p2/tsconfig.json": "{}", "p2/d.ts": "export function shared(): number { return 1 }\n", "p2/o.ts": user("./d")}, file: "p1/a.ts", word: "shared", want: []string{"p1/a.ts:1:9", "p1/a.ts:2:18", "p2/d.ts:1:17", "p2/o.ts:1:9", "p2/o.ts:2:18"}},
				{name: "no project", files: map[string]string{"a.ts": "export function shared(): number { return 1 }\n", "b.ts": user("./a"), "sub/c.ts": user("../a")}, file: "a.ts", word: "shared", want: []string{"a.ts:1:17", "b.ts:1:9", "b.ts:2:18", "sub/c.ts:1:9", "sub/c.ts:2:18"}},
				{name: "many files of the project", files: with(many), want: and(places...)},
				{name: "more files outside than are opened", files: with(lone), want: own, why: `in no project that typescript has open, and 60 hold "shared": lone/maa.ts, lone/mab.ts`},
				{name: "dependencies", files: with(map[string]string{"node_modules/x/x.ts": "export const shared = 1;\n"}), want: own},
				{name: "a file goes into another folder", files: project, then: func(t *testing.T, dir string) {
					if err := os.Rename(filepath.Join(dir, "src", "deep"), filepath.Join(dir, "src", "moved")); err != nil {
						t.Fatal(err)
					}
				}, want: []string{"src/a.ts:1:17", "src/b.ts:1:9", "src/b.ts:2:18", "src/moved/c.ts:1:9", "src/moved/c.ts:2:18"}},
				{name: "a dependency is installed", files: with(map[string]string{"package.json": "{}", "src/d.ts": "import {dep} from 'dep';\nexport const d = dep.shared();\n"}), then: func(t *testing.T, dir string) {
					lsptest.WriteFiles(t, dir, map[string]string{
						"node_modules/dep/package.json": `{"name": "dep", "types": "index.d.ts"}`, "node_modules/dep/index.d.ts": "import {shared} from '../../src/a';\nexport const dep: {shared: typeof shared};\n",
						"node_modules/.package-lock.json": "{}",
					})
				}, want: and("node_modules/dep/index.d.ts:1:9", "node_modules/dep/index.d.ts:2:35")},
				{name: "a configuration that tsconfig.json extends changes", files: with(map[string]string{"conf/base.json": `{"compilerOptions": {"paths": {"@/*": ["../none/*"]}}}`, "tsconfig.json": `{"extends": "./conf/base"}`, "src/p.ts": user("@/a")}), then: func(t *testing.T, dir string) {
					lsptest.WriteFiles(t, dir, map[string]string{"conf/base.json": `{"compilerOptions": {"paths": {"@/*": ["../src/*"]}}}`})
				}, want: and("src/p.ts:1:9", "src/p.ts:2:18")},
				{name: "tsconfig.json changes", files: project, then: func(t *testing.T, dir string) {
					lsptest.WriteFiles(t, dir, map[string]string{"tsconfig.json": `{"include": ["src", "more"]}`, "more/m.ts": user("../src/a")})
				}, want: and("more/m.ts:1:9", "more/m.ts:2:18")},
			} {
				t.Run(s.name, func(t *testing.T) {
					switch s.file {
					case "":
						s.file, s.word = "src/a.ts", "shared"
					case "-":
						s.file = ""
					}
					s.run(t, "typescript", program)
				})
			}
		})
	}
}

// TestSituationsPython: pyright answers for the files below the root that its
// configuration takes in.
func TestSituationsPython(t *testing.T) {
	t.Parallel()
	program := lsptest.Require(t, "pyright-langserver")
	user := "from a import shared\nu = shared()\n"
	project := map[string]string{"a.py": "def shared() -> int:\n    return 1\n", "b.py": user, "sub/c.py": user}
	with := func(more map[string]string) map[string]string { return join(project, more) }
	own := []string{"a.py:1:5", "b.py:1:15", "b.py:2:5", "sub/c.py:1:15", "sub/c.py:2:5"}
	and := func(more ...string) []string { return append(more, own...) }
	for _, s := range []situation{
		{name: "a project", files: project, want: own},
		{name: "symbols before anything is open", files: project, word: "shared", file: "-", want: []string{"a.py:1:5"}},
		{name: "folders that are passed over", files: with(map[string]string{".venv/x.py": user, "__pycache__/y.py": user, "node_modules/z.py": user}), want: own},
		{name: "a file outside the project", files: with(map[string]string{"pyrightconfig.json": "{\"exclude\": [\"old\"]}", "old/o.py": user}), want: and("old/o.py:1:15", "old/o.py:2:5")},
		{name: "a project elsewhere", files: with(map[string]string{"pyproject.toml": "[tool.pyright]\nexclude = [\"old\"]\n", "old/o.py": user}), want: and("old/o.py:1:15", "old/o.py:2:5")},
		{name: "a file that is added", files: project, then: func(t *testing.T, dir string) {
			lsptest.WriteFiles(t, dir, map[string]string{"new/n.py": user})
		}, want: and("new/n.py:1:15", "new/n.py:2:5")},
	} {
		t.Run(s.name, func(t *testing.T) {
			switch s.file {
			case "":
				s.file, s.word = "a.py", "shared"
			case "-":
				s.file = ""
			}
			s.run(t, "pyright", program)
		})
	}
}

// TestScriptServers asks the other tools of the servers that npm has.
func TestScriptServers(t *testing.T) {
	t.Parallel()
	ts := map[string]string{"tsconfig.json": `{"compilerOptions": {"strict": true}}`, "a.ts": "export interface Shape { area(): number }\nexport function shared(): number { return 1 }\n", "b.ts": "import {shared, Shape} from './a';\nexport class Sq implements Shape { area() { return shared() } }\nexport const wrong: string = shared();\n"}
	py := map[string]string{"a.py": "class Shape:\n    def area(self) -> int:\n        return 0\n\ndef shared() -> int:\n    return 1\n", "b.py": "from a import shared, Shape\nclass Sq(Shape):\n    def area(self) -> int:\n        return shared()\nwrong: str = shared()\n"}
	for _, c := range []struct {
		server, program string
		files           map[string]string
		a, b            string
		line            int // of shared in a
		lacks           []string
		fixed           string // b without its error
		pulls           bool
	}{
		{"typescript", "tsc-7", ts, "a.ts", "b.ts", 2, []string{"type_hierarchy"}, "import {shared} from './a';\nexport const right: number = shared();\n", true},
		{"typescript", "typescript-language-server", ts, "a.ts", "b.ts", 2, []string{"type_hierarchy"}, "import {shared} from './a';\nexport const right: number = shared();\n", false},
		{"pyright", "pyright-langserver", py, "a.py", "b.py", 5, []string{"type_hierarchy", "find_implementations"}, "from a import shared\nright: int = shared()\n", true},
	} {
		t.Run(c.program, func(t *testing.T) {
			t.Parallel()
			program := lsptest.Require(t, c.program)
			dir := t.TempDir()
			lsptest.WriteFiles(t, dir, c.files)
			bridge := startBridge(t, dir, c.server, program, limits.Default())
			target := map[string]any{"file": c.a, "line": c.line, "name": "shared"}
			shape := map[string]any{"file": c.a, "line": 1, "name": "Shape"}
			ask := func(tool string, arguments map[string]any, more ...any) (string, string) {
				t.Helper()
				all := map[string]any{}
				for k, v := range arguments {
					all[k] = v
				}
				for i := 0; i < len(more); i += 2 {
					all[more[i].(string)] = more[i+1]
				}
				raw, err := json.Marshal(all)
				if err != nil {
					t.Fatal(err)
				}
				r := bridge.Call(t.Context(), tools.Call{Tool: tool, Args: raw})
				if r.Err != nil {
					return "", r.Err.Message
				}
				return r.Text, ""
			}
			for _, q := range []struct {
				tool      string
				arguments map[string]any
				more      []any
				want      []string
			}{
				{"find_definition", map[string]any{"file": c.b, "line": 1, "name": "shared"}, nil, []string{c.a}},
				{"find_references", target, nil, []string{c.a, c.b, "complete"}},
				{"find_references", map[string]any{"symbol": "shared"}, nil, []string{c.a, c.b, "complete"}},
				{"find_implementations", shape, nil, []string{c.b, "complete"}},
				{"call_hierarchy", target, []any{"direction", "incoming"}, []string{c.b, "area", "complete"}},
				{"type_hierarchy", shape, nil, nil},
				{"document_symbols", map[string]any{"file": c.b}, nil, []string{"Sq", "area"}},
				{"workspace_symbols", map[string]any{"query": "shared"}, nil, []string{c.a, "complete"}},
				{"hover", target, nil, []string{"shared"}},
				{"symbol_context", target, nil, []string{"shared", c.b}},
				{"preview_rename", target, []any{"new_name", "renamed"}, []string{"+++ b/" + c.a, "+++ b/" + c.b, "complete"}},
				{"diagnostics", map[string]any{"file": c.b}, nil, []string{"error", c.b}},
			} {
				text, err := ask(q.tool, q.arguments, q.more...)
				if lacking := strings.Contains(strings.Join(c.lacks, " "), q.tool); lacking || err != "" {
					if !lacking || !strings.HasPrefix(err, c.server) || !strings.Contains(err, "has no textDocument/") {
						t.Errorf("%s: error %q", q.tool, err)
					}
					continue
				}
				for _, want := range q.want {
					if !strings.Contains(text, want) {
						t.Errorf("%s: %q does not hold %q", q.tool, text, want)
					}
				}
			}
			lsptest.WriteFiles(t, dir, map[string]string{c.b: c.fixed})
			text, err := ask("diagnostics", map[string]any{"file": c.b})
			if clean := strings.Contains(text, "clean"); err != "" || clean != c.pulls || !clean && !strings.Contains(text, "unknown") {
				t.Errorf("diagnostics once mended: %q, error %q", text, err)
			}
		})
	}
}
