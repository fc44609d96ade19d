package output_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/cmd/internal/output"
	"lspbridge/tools"
)

// diagnosed has what is hard to tell: columns behind wide characters, lines that
// are cut, names and messages that try to be commands, places outside.
const diagnosed = `{
	"items": [
		{"path": "a b/x:y,é.go", "state": "problems", "diagnostics": [
			{"line": 3, "column": 9, "end_line": 3, "end_column": 10, "text": "é😀 = x", "severity": "error", "source": "compiler", "code": "UndeclaredName", "message": "undefined: x\r\n::error::50% done",
			 "related": [{"path": "b.go", "line": 1, "column": 1, "end_line": 1, "end_column": 2, "text": "x", "message": "declared here"}, {"ref": "r", "display": "fmt", "line": 1, "column": 1, "message": "outside"}]},
			{"line": 4, "column": 2, "end_line": 6, "end_column": 3, "text": "\tif x {", "severity": "hint", "message": "simplify"},
			{"line": 9, "column": 900, "end_line": 9, "end_column": 901, "text": "… long", "severity": "warning", "source": "vet", "message": "cut"},
			{"line": 9, "column": 900, "end_line": 9, "end_column": 901, "text": "… long", "severity": "warning", "source": "vet", "message": "cut"}
		]},
		{"path": "clean.go", "state": "clean", "diagnostics": []}
	],
	"total": 2, "at_least": false,
	"completeness": {"state": "partial", "reasons": ["server limit 20 reached"], "waited_ms": 0, "generation": 1}
}`

func TestReviewFormats(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name       string
		format     output.Format
		structured string
	}{
		{"diagnostics.sarif", output.SARIF, diagnosed},
		{"diagnostics.github", output.GitHub, diagnosed},
		{"preview.sarif", output.SARIF, preview},
		{"preview.github", output.GitHub, preview},
		{"clean.sarif", output.SARIF, `{"items":[],"total":0,"completeness":{"state":"complete","reasons":[]}}`},
		{"clean.github", output.GitHub, `{"items":[],"total":0,"completeness":{"state":"complete","reasons":[]}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			notes, err := output.Write(&out, tt.format, references, decode(t, tt.structured), output.Style{Version: "v1.2.3"})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			if tt.structured == diagnosed {
				want = []string{"1 place outside the workspace not shown"}
			}
			if diff := cmp.Diff(want, notes); diff != "" {
				t.Errorf("notes (-want +got):\n%s", diff)
			}
			golden(t, tt.name, out.Bytes())
			if tt.format == output.SARIF {
				checkSARIF(t, out.Bytes())
			} else {
				checkCommands(t, out.String())
			}
		})
	}
}

// checkSARIF holds what SARIF 2.1.0 demands of the members that are written.
func checkSARIF(t *testing.T, log []byte) {
	t.Helper()
	var v struct {
		Version string
		Schema  string `json:"$schema"`
		Runs    []struct {
			Tool struct {
				Driver struct {
					Name  string
					Rules []struct{ ID string }
				}
			}
			ColumnKind         string
			OriginalURIBaseIDs map[string]any `json:"originalUriBaseIds"`
			Invocations        []struct {
				ExecutionSuccessful        *bool
				ToolExecutionNotifications []struct {
					Level   string
					Message struct{ Text string }
				}
			}
			Results *[]struct {
				RuleID    string
				RuleIndex int
				Level     string
				Message   struct{ Text string }
				Locations []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI, URIBaseID string }
						Region           *struct{ StartLine, StartColumn, EndLine, EndColumn int }
					}
				}
				PartialFingerprints map[string]string
			}
		}
	}
	if err := json.Unmarshal(log, &v); err != nil {
		t.Fatal(err)
	}
	if v.Version != "2.1.0" || !strings.HasSuffix(v.Schema, "sarif-schema-2.1.0.json") || len(v.Runs) != 1 { // §3.13.2, §3.13.4
		t.Fatalf("version %q, schema %q, %d runs", v.Version, v.Schema, len(v.Runs))
	}
	run := v.Runs[0]
	if run.Tool.Driver.Name == "" || run.ColumnKind != "utf16CodeUnits" || run.Results == nil { // §3.19.8, §3.14.17, §3.14.23
		t.Errorf("run %+v", run)
	}
	for _, i := range run.Invocations { // §3.20.14
		if i.ExecutionSuccessful == nil {
			t.Error("an invocation does not say whether it was successful")
		}
		for _, n := range i.ToolExecutionNotifications { // §3.58.6, §3.11.8
			if !slices.Contains([]string{"none", "note", "warning", "error"}, n.Level) || n.Message.Text == "" {
				t.Errorf("notification %+v", n)
			}
		}
	}
	prints := map[string]bool{}
	for _, r := range *run.Results {
		if r.RuleIndex < 0 || r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID { // §3.27.6
			t.Errorf("rule %q is not at index %d", r.RuleID, r.RuleIndex)
		}
		if !slices.Contains([]string{"none", "note", "warning", "error"}, r.Level) || r.Message.Text == "" { // §3.27.10, §3.27.11
			t.Errorf("result %+v", r)
		}
		for _, p := range r.PartialFingerprints {
			if prints[p] {
				t.Errorf("two results have the fingerprint %s", p)
			}
			prints[p] = true
		}
		for _, l := range r.Locations {
			a := l.PhysicalLocation.ArtifactLocation
			if u, err := url.Parse(a.URI); err != nil || u.IsAbs() || path.IsAbs(u.Path) { // §3.4.3
				t.Errorf("URI %q is not a relative reference: %v", a.URI, err)
			}
			if _, ok := run.OriginalURIBaseIDs[a.URIBaseID]; !ok {
				t.Errorf("no base %q", a.URIBaseID)
			}
			if r := l.PhysicalLocation.Region; r != nil { // §3.30.5 to §3.30.8
				if r.StartLine < 1 || r.StartColumn < 0 || r.EndLine != 0 && r.EndLine < r.StartLine || r.EndColumn != 0 && r.EndLine == 0 && r.EndColumn < r.StartColumn {
					t.Errorf("region %+v", *r)
				}
			}
		}
	}
}

// checkCommands: every line is one workflow command of a known name, whatever the
// text of files and servers held.
func checkCommands(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		name, rest, _ := strings.Cut(strings.TrimPrefix(line, "::"), " ")
		if !strings.HasPrefix(line, "::") || !slices.Contains([]string{"error", "warning", "notice"}, name) || strings.ContainsAny(strings.TrimSuffix(rest, "\n"), "\r\n") {
			t.Errorf("no command: %q", line)
		}
	}
}

func TestReviewFormatsOfOtherAnswers(t *testing.T) {
	t.Parallel()
	for _, format := range []output.Format{output.SARIF, output.GitHub} {
		for _, structured := range []string{listed, `{"text":"x"}`} {
			if _, err := output.Write(&bytes.Buffer{}, format, references, decode(t, structured), output.Style{}); err == nil {
				t.Errorf("%s of %.20s: no error", format, structured)
			}
		}
		if _, err := output.Write(full{}, format, references, decode(t, diagnosed), output.Style{}); err == nil {
			t.Errorf("%s: no error of a full disk", format)
		}
		var out bytes.Buffer
		e := &tools.Error{Code: "missing", Message: "gopls is not installed", Hint: "install it\n::error::now"}
		if err := output.WriteError(&out, format, references, e, output.Style{}); err != nil {
			t.Fatal(err)
		}
		golden(t, "error."+string(format), out.Bytes())
		if format == output.SARIF {
			checkSARIF(t, out.Bytes())
		} else {
			checkCommands(t, out.String())
		}
	}
}
