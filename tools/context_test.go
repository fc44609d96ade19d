package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"path/filepath"

	"lspbridge/lspclient"
	"lspbridge/lspclient/lsptest"
	"lspbridge/tools"
)

// A contexted is the structured answer of symbol_context.
type contexted struct {
	Name, Kind, In, Documentation string
	Definitions                   []struct{ Path, Body string }
	References                    *struct {
		Total, TotalFiles int
		Files             []struct{ Path string }
		Items             []struct{ Path string }
	}
	Callers, Callees, Implementations *struct {
		Total int
		Items []struct{ Name, Path string }
	}
	Parts     []struct{ Part, State, Reason string }
	Shortened []string

	Completeness struct {
		State   string
		Reasons []string
	}
}

func contextedOf(t *testing.T, r tools.Result) (c contexted) {
	t.Helper()
	if r.Err != nil {
		t.Fatal(r.Err.Text())
	}
	if err := json.Unmarshal(r.Structured, &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// On a symbol with 500 references one call gives what six give, in fewer
// characters; what is left out is named.
func TestContextInPlaceOfFive(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"gopls", "clangd-22", "clangd-19"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			executable := lsptest.Require(t, program)
			var archive strings.Builder
			if program == "gopls" {
				archive.WriteString("-- go.mod --\nmodule example.com/m\n\ngo 1.26\n-- a.go --\npackage m\n\n// Work does the work.\nfunc Work(n int) int {\n\treturn help(n) + help(n+1)\n}\n\nfunc help(n int) int { return n }\n")
				for f := range 10 {
					fmt.Fprintf(&archive, "-- f%d.go --\npackage m\n\n", f)
					for i := range 50 {
						fmt.Fprintf(&archive, "func f%d_%d() int { return Work(%d) }\n", f, i, i)
					}
				}
			} else {
				archive.WriteString("-- a.h --\n#pragma once\nint Work(int n);\n-- a.cpp --\n#include \"a.h\"\nstatic int help(int n) { return n; }\n// Work does the work.\nint Work(int n) {\n  return help(n) + help(n + 1);\n}\n")
				for f := range 10 {
					fmt.Fprintf(&archive, "-- f%d.cpp --\n#include \"a.h\"\n", f)
					for i := range 50 {
						fmt.Fprintf(&archive, "int f%d_%d() { return Work(%d); }\n", f, i, i)
					}
				}
			}
			dir := lsptest.Workspace(t, archive.String())
			if program != "gopls" {
				units := map[string]string{"a.cpp": ""}
				for f := range 10 {
					units[fmt.Sprintf("f%d.cpp", f)] = ""
				}
				write(t, filepath.Join(dir, "compile_commands.json"), lsptest.CompileCommands(t, dir, units))
			}
			r := startReal(t, dir, strings.TrimRight(program, "-0123456789"), executable)
			one := r.ask(t, "symbol_context", `{"symbol":"Work"}`)
			c := contextedOf(t, one)
			declared := map[bool]int{true: 501, false: 502}[program == "gopls"]
			if c.Kind != "function" || c.References == nil || c.References.Total != declared || c.Callers == nil || len(c.Callers.Items) == 0 || c.Callers.Total != 500 || (c.Implementations == nil) != (program == "gopls") {
				t.Errorf("%+v", c)
			}
			bodies := 0
			for _, d := range c.Definitions {
				if strings.Contains(d.Body, "return help(n) + help(n") {
					bodies++
				}
			}
			if bodies != 1 || !strings.Contains(one.Text, "Work does the work") {
				t.Errorf("%d bodies\n%s", bodies, one.Text)
			}
			if program == "clangd-19" {
				if c.Callees != nil || c.Completeness.State != "partial" || !strings.Contains(one.Text, "callees: missing: clangd 19") || !strings.Contains(one.Text, "clangd 20") {
					t.Errorf("callees %+v\n%s", c.Callees, one.Text)
				}
			} else if c.Callees == nil || c.Callees.Total != 1 || c.Callees.Items[0].Name != "help" {
				t.Errorf("callees %+v\n%s", c.Callees, one.Text)
			}
			sum := 0
			for _, q := range [][2]string{
				{"find_definition", `{"symbol":"Work","body":true}`}, {"hover", `{"symbol":"Work"}`}, {"find_references", `{"symbol":"Work"}`},
				{"call_hierarchy", `{"symbol":"Work","depth":1}`}, {"call_hierarchy", `{"symbol":"Work","depth":1,"direction":"outgoing"}`}, {"find_implementations", `{"symbol":"Work"}`},
			} {
				answer := r.ask(t, q[0], q[1])
				sum += utf8.RuneCountInString(answer.Text)
			}
			t.Logf("symbol_context %d characters, the others %d in all", utf8.RuneCountInString(one.Text), sum)
			if n := utf8.RuneCountInString(one.Text); n >= sum {
				t.Errorf("%d characters, the others %d", n, sum)
			}
			for _, bound := range []int{1000, 2000, 4000, 10_000} {
				short := r.ask(t, "symbol_context", fmt.Sprintf(`{"symbol":"Work","max_chars":%d}`, bound))
				c := contextedOf(t, short)
				if n := max(utf8.RuneCountInString(short.Text), utf8.RuneCount(short.Structured)); n > bound && bound > 1000 {
					t.Errorf("%d characters for %d", n, bound)
				}
				if c.References.Total != declared || len(c.Shortened) == 0 {
					t.Errorf("%d: %+v", bound, c)
				}
			}
		})
	}
}

// A part that hangs until its deadline is named, the rest is answered.
func TestContextGivesUpOnAPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFixture(t, small, func(o *tools.Options, pool *textual) {
			o.Limits.CallTotal = 20 * time.Second
			pool.hangs = true
		})
		began := time.Now()
		r := f.ask(t, "symbol_context", `{"symbol":"Dial","file":"a/client.go"}`)
		c := contextedOf(t, r)
		if d := time.Since(began); d >= 20*time.Second {
			t.Errorf("after %v", d)
		}
		if c.References != nil || c.Documentation == "" || len(c.Definitions) == 0 || c.Completeness.State != "partial" || !strings.Contains(r.Text, "references: missing: ") {
			t.Errorf("%s", r.Text)
		}
	})
}

// The parts are asked side by side: six that take a second each are there after
// one.
func TestContextAsksSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		asking := false
		f := newFixture(t, small, func(_ *tools.Options, pool *textual) {
			pool.before = func(context.Context) {
				mu.Lock()
				wait := asking
				mu.Unlock()
				if wait {
					time.Sleep(time.Second)
				}
			}
		})
		mu.Lock()
		asking = true
		mu.Unlock()
		began := time.Now()
		contextedOf(t, f.ask(t, "symbol_context", `{"file":"a/client.go","line":11,"name":"Dial"}`))
		if d := time.Since(began); d > 3*time.Second {
			t.Errorf("after %v", d)
		}
	})
}

func TestContextIncludes(t *testing.T) {
	t.Parallel()
	f := newFixture(t, small, nil)
	c := contextedOf(t, f.ask(t, "symbol_context", `{"symbol":"Dial","include":["callers","documentation"]}`))
	if c.References != nil || c.Callees != nil || c.Callers == nil || len(c.Definitions) != 0 || len(c.Parts) != 2 {
		t.Errorf("%+v", c)
	}
	if e := f.ask(t, "symbol_context", `{"symbol":"Dial","include":["everything"]}`).Err; e == nil || e.Class != tools.ClassUsage {
		t.Errorf("%v", e)
	}
	f.pool.errs = map[string]error{"gopls": &lspclient.Error{Code: lspclient.CodeMissing, Msg: "gopls is not installed"}}
	if e := f.ask(t, "symbol_context", `{"file":"a/client.go","line":11,"name":"Dial"}`).Err; e == nil || e.Code != "missing" {
		t.Errorf("%v", e)
	}
}
