package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/cmd/internal/cli"
	"lspbridge/limits"
	"lspbridge/tools"
)

var update = flag.Bool("update", false, "rewrite the tables of the README")

// TestReadme: the tables of the README are what the program does.
func TestReadme(t *testing.T) {
	const path = "../../README.md"
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	readme := string(data)
	want := readme
	for name, table := range map[string]string{
		"tools": toolTable(t, tools.Core.Catalogue()), "full toolset": toolTable(t, beyond(tools.Core, tools.Full)), "exit codes": cli.ExitCodes(), "limits": limitTable(),
	} {
		want = replaceTable(t, want, name, table)
	}
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, readme); diff != "" {
		t.Errorf("run go test ./cmd/lspbridge -run TestReadme -update (-program +README):\n%s", diff)
	}
}

// replaceTable replaces what stands between the markers of a table.
func replaceTable(t *testing.T, text, name, table string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, "<!-- "+name+":")
	comment, rest, ok2 := strings.Cut(rest, "-->\n")
	_, tail, ok3 := strings.Cut(rest, "<!-- /"+name+" -->")
	if !ok || !ok2 || !ok3 {
		t.Fatalf("the README has no table %q", name)
	}
	return head + "<!-- " + name + ":" + comment + "-->\n" + table + "<!-- /" + name + " -->" + tail
}

// asWays are the arguments that name a symbol; the README explains them once.
var asWays = []string{"file", "line", "column", "name", "occurrence", "symbol", "symbol_kind", "language", "ref"}

// asPages are those of every answer that can be long.
var asPages = []string{"max_items", "max_chars", "cursor"}

// beyond are the tools that one toolset has beyond another.
func beyond(small, large tools.Toolset) []tools.Definition {
	return slices.DeleteFunc(large.Catalogue(), func(d tools.Definition) bool {
		return slices.ContainsFunc(small.Catalogue(), func(o tools.Definition) bool { return o.Name == d.Name })
	})
}

func toolTable(t *testing.T, list []tools.Definition) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| tool | what it answers | arguments |\n|---|---|---|\n")
	for _, d := range list {
		names := parameters(t, d)
		names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(asPages, n) })
		var shown []string
		if slices.Contains(names, "symbol") {
			shown = append(shown, "a symbol")
			names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(asWays, n) })
		}
		for _, n := range names {
			shown = append(shown, "`"+n+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", d.Name, cell(firstClause(d.Description)), strings.Join(shown, ", "))
	}
	return b.String()
}

// firstClause is the decisive part of a description, with which it begins.
func firstClause(text string) string {
	if i := strings.IndexAny(text, ".:;"); i > 0 {
		return text[:i]
	}
	return text
}

// parameters are the names of a tool's arguments, in the order of its schema.
func parameters(t *testing.T, d tools.Definition) []string {
	t.Helper()
	var schema struct{ Properties json.RawMessage }
	if err := json.Unmarshal(d.InputSchema, &schema); err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	dec := json.NewDecoder(strings.NewReader(string(schema.Properties)))
	if _, err := dec.Token(); err != nil {
		t.Fatalf("%s: %v", d.Name, err)
	}
	var names []string
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
		names = append(names, name.(string))
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			t.Fatalf("%s: %v", d.Name, err)
		}
	}
	return names
}

func limitTable() string {
	var b strings.Builder
	b.WriteString("| limit | default | maximum | bounds |\n|---|---|---|---|\n")
	for _, row := range limits.Default().Rows() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", row.Name, row.Default, row.Maximum, cell(row.Help))
	}
	return b.String()
}

// cell is text as a Markdown table takes it.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
