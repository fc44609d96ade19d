package lspclient

import (
	"testing"

	"lspbridge/limits/confine"
)

// TestProjectConfig: which files a tsconfig.json takes in
// (https://www.typescriptlang.org/tsconfig, files, include, exclude, extends).
func TestProjectConfig(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		files map[string]string // "p/tsconfig.json" is read
		in    []string
		out   []string
	}{
		"nothing said":              {map[string]string{"p/tsconfig.json": "{}"}, []string{"p/a.ts", "p/b/c.tsx"}, []string{"a.ts", "p2/a.ts", "p/a.js"}},
		"comments, trailing comma":  {map[string]string{"p/tsconfig.json": "// c\n{ /* d */ \"include\": [\"src\",], }"}, []string{"p/src/a.ts"}, []string{"p/a.ts"}},
		"patterns":                  {map[string]string{"p/tsconfig.json": `{"include": ["src/*", "lib/**/*.ts", "./x.ts"]}`}, []string{"p/src/a.ts", "p/lib/a/b.ts", "p/x.ts"}, []string{"p/lib/a/b.tsx", "p/y.ts", "p/src/b/a.ts"}},
		"files":                     {map[string]string{"p/tsconfig.json": `{"files": ["a.ts"]}`}, []string{"p/a.ts"}, []string{"p/b.ts"}},
		"no files":                  {map[string]string{"p/tsconfig.json": `{"files": []}`}, nil, []string{"p/a.ts"}},
		"exclude":                   {map[string]string{"p/tsconfig.json": `{"exclude": ["old", "**/*.spec.ts"]}`}, []string{"p/a.ts"}, []string{"p/old/a.ts", "p/x/a.spec.ts"}},
		"what the build makes":      {map[string]string{"p/tsconfig.json": `{"compilerOptions": {"outDir": "dist"}}`}, []string{"p/a.ts"}, []string{"p/dist/a.d.ts"}},
		"JavaScript":                {map[string]string{"p/tsconfig.json": `{"compilerOptions": {"allowJs": true}}`}, []string{"p/a.js", "p/a.ts"}, nil},
		"extends":                   {map[string]string{"p/tsconfig.json": `{"extends": "../base", "exclude": ["old"]}`, "base.json": `{"include": ["p/src"], "exclude": ["p/src/gone"]}`}, []string{"p/src/a.ts", "p/src/gone/a.ts"}, []string{"p/a.ts"}},
		"extends, and says more":    {map[string]string{"p/tsconfig.json": `{"extends": "../base.json", "include": ["."]}`, "base.json": `{"include": ["other"]}`}, []string{"p/a.ts"}, nil},
		"extends a package":         {map[string]string{"p/tsconfig.json": `{"extends": "@tsconfig/node22"}`}, []string{"p/a.ts"}, nil},
		"extends what is not there": {map[string]string{"p/tsconfig.json": `{"extends": "./none.json"}`}, nil, []string{"p/a.ts"}},
		"extends several":           {map[string]string{"p/tsconfig.json": `{"extends": ["./a.json"]}`}, nil, []string{"p/a.ts"}},
		"extends itself":            {map[string]string{"p/tsconfig.json": `{"extends": "./tsconfig.json"}`}, []string{"p/a.ts"}, nil},
		"no JSON":                   {map[string]string{"p/tsconfig.json": `{`}, nil, []string{"p/a.ts"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for file, text := range tt.files {
				put(t, dir, file, text)
			}
			ws, err := confine.Open([]string{dir}, confine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer ws.Close()
			c := readProjectConfig(ws, confine.File{Rel: "p/tsconfig.json"}, 1<<20)
			c.tight = true
			for _, f := range tt.in {
				if !c.holds(confine.File{Rel: f}) {
					t.Errorf("%s is left out of %+v", f, c)
				}
			}
			for _, f := range tt.out {
				if c.holds(confine.File{Rel: f}) {
					t.Errorf("%s is taken into %+v", f, c)
				}
			}
		})
	}
}
