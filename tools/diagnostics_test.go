package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"lspbridge/lspclient"
	"lspbridge/tools"
)

// A diagnosed is the structured answer of diagnostics.
type diagnosed struct {
	Items []struct {
		Path, State, Reason string
		Hidden              int
		Diagnostics         []struct {
			Path, Severity, Source, Message string
			Line, Column                    int
			Related                         []struct{ Path, Ref, Display, Message string }
		}
	}
	Total        int
	States       struct{ Clean, Problems, Unknown int }
	Counts       struct{ Error, Warning, Information, Hint int }
	Skipped      []string
	Completeness struct {
		State   string
		Reasons []string
	}
	NextCursor string `json:"next_cursor"`
}

func diagnosedOf(t *testing.T, r tools.Result) (d diagnosed) {
	t.Helper()
	if r.Err != nil {
		t.Fatal(r.Err.Text())
	}
	if err := json.Unmarshal(r.Structured, &d); err != nil {
		t.Fatal(err)
	}
	return d
}

const fixmes = `
-- a.go --
package a
// FIXME FIXME
-- b.go --
package b
-- c.go --
package c // UNKNOWN
-- d.go --
package d // FIXME
`

func TestDiagnosticsOfTheWorkspace(t *testing.T) {
	t.Parallel()
	f := newFixture(t, fixmes, nil)
	r := f.ask(t, "diagnostics", `{}`)
	d := diagnosedOf(t, r)
	if d.States.Clean != 1 || d.States.Problems != 2 || d.States.Unknown != 1 || d.Counts.Error != 2 || d.Counts.Warning != 1 {
		t.Errorf("files %+v, counts %+v", d.States, d.Counts)
	}
	if d.Completeness.State != "partial" || !strings.Contains(strings.Join(d.Completeness.Reasons, ";"), "1 of 4 files are unknown") || r.State != lspclient.Partial {
		t.Errorf("completeness %+v", d.Completeness)
	}
	if len(d.Items) != 3 || d.Items[0].Path != "a.go" || d.Items[1].Path != "d.go" || d.Items[2].Path != "c.go" || d.Items[2].State != "unknown" || d.Items[2].Reason != "nobody knows" {
		t.Errorf("items %+v", d.Items)
	}
	if first := d.Items[0].Diagnostics[0]; first.Line != 2 || first.Column != 4 || strings.Contains(r.Text+string(r.Structured), f.dir) || strings.Contains(r.Text+string(r.Structured), "/usr/include") || strings.Contains(r.Text+string(r.Structured), "/srv") || first.Related[0].Ref == "" {
		t.Errorf("first %+v\n%s", first, r.Text)
	}
	if !strings.HasPrefix(r.Text, "diagnostics of the workspace (2 with problems, 1 unknown, 1 clean, 2 errors, 1 warning; not asked: 2 files not built for here): 3, partial") {
		t.Errorf("text:\n%s", r.Text)
	}
}

// What filters hide does not make a file clean.
func TestDiagnosticsFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t, fixmes, nil)
	for _, args := range []string{`{"file":"a.go","source":"vet"}`, `{"file":"a.go","source":"nobody"}`} {
		r := f.ask(t, "diagnostics", args)
		if d := diagnosedOf(t, r); len(d.Items) != 1 || d.Items[0].State != "problems" || d.Items[0].Hidden != 2 || !strings.Contains(r.Text, "problems (2 more hidden by severity or source)") {
			t.Errorf("%s: %+v\n%s", args, d.Items, r.Text)
		}
	}
	if d := diagnosedOf(t, f.ask(t, "diagnostics", `{"file":"a.go","severity":"error"}`)); d.Counts.Error != 1 || d.Counts.Warning != 0 || d.Items[0].Hidden != 1 {
		t.Errorf("%+v", d)
	}
	if d := diagnosedOf(t, f.ask(t, "diagnostics", `{"severity":"error","source":"nobody"}`)); d.States.Problems != 2 || d.Total != 1 {
		t.Errorf("%+v", d)
	}
	if d := diagnosedOf(t, f.ask(t, "diagnostics", `{"file":"b.go"}`)); len(d.Items) != 1 || d.Items[0].State != "clean" || d.Completeness.State != "complete" {
		t.Errorf("%+v", d)
	}
	if r := f.ask(t, "diagnostics", `{"file":"c.go"}`); r.State != lspclient.Unknown {
		t.Errorf("state %q", r.State)
	}
}

// Thousands of problems come in pages that keep their bound, and together are all.
func TestDiagnosticsPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t, "-- a.go --\n"+strings.Repeat("// FIXME\n", 700)+"-- b.go --\n"+strings.Repeat("// FIXME\n", 5), nil)
	cursor, seen := "", map[string]bool{}
	for pages := 0; ; pages++ {
		args := `{"max_chars":8000}`
		if cursor != "" {
			args = fmt.Sprintf(`{"max_chars":8000,"cursor":%q}`, cursor)
		}
		r := f.ask(t, "diagnostics", args)
		d := diagnosedOf(t, r)
		if n := max(utf8.RuneCountInString(r.Text), utf8.RuneCount(r.Structured)); n > 8000 {
			t.Errorf("page %d has %d characters", pages, n)
		}
		for _, item := range d.Items {
			for _, p := range item.Diagnostics {
				seen[fmt.Sprint(item.Path, p.Line)] = true
			}
		}
		if cursor = d.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 705 {
		t.Errorf("%d problems in all, want 705", len(seen))
	}
}

func TestDiagnosticsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t, fixmes, func(o *tools.Options, _ *textual) { o.Limits.DiagnosticFiles = 2 })
	if d := diagnosedOf(t, f.ask(t, "diagnostics", `{}`)); d.States.Clean+d.States.Problems+d.States.Unknown != 2 || d.Completeness.State != "partial" || !strings.Contains(strings.Join(d.Completeness.Reasons, ";"), "the first 2 of 4 files (diagnostic_files)") {
		t.Errorf("%+v", d)
	}
}
