package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"
	"time"

	"lspbridge/cmd/internal/output"
	"lspbridge/limits"
	"lspbridge/tools"
)

// TestStatus: what was found counts in every answer; that nothing was found,
// only in a complete one.
func TestStatus(t *testing.T) {
	type flags struct{ found, empty, partial bool }
	tests := []struct {
		name  string
		flags flags
		state string
		total int
		want  int
	}{
		{"complete", flags{}, "complete", 3, exitAnswered},
		{"complete and empty", flags{}, "complete", 0, exitAnswered},
		{"without completeness", flags{}, "", 1, exitAnswered},
		{"partial", flags{}, "partial", 3, exitIncomplete},
		{"unknown", flags{}, "unknown", 3, exitIncomplete},
		{"partial allowed", flags{partial: true}, "partial", 3, exitAnswered},
		{"found", flags{found: true}, "complete", 3, exitCondition},
		{"found none", flags{found: true}, "complete", 0, exitAnswered},
		{"found in a partial answer", flags{found: true}, "partial", 3, exitCondition},
		{"found none in a partial answer", flags{found: true}, "partial", 0, exitIncomplete},
		{"found none in a partial answer that is allowed", flags{found: true, partial: true}, "partial", 0, exitAnswered},
		{"empty", flags{empty: true}, "complete", 0, exitCondition},
		{"not empty", flags{empty: true}, "complete", 3, exitAnswered},
		{"empty but partial", flags{empty: true}, "unknown", 0, exitIncomplete},
		{"empty but partial, which is allowed", flags{empty: true, partial: true}, "partial", 0, exitCondition},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			structured, err := json.Marshal(map[string]any{
				"items": []int{}, "total": tt.total, "completeness": map[string]any{"state": tt.state},
			})
			if err != nil {
				t.Fatal(err)
			}
			answer, err := output.NewAnswer(tools.Result{Structured: structured})
			if err != nil {
				t.Fatal(err)
			}
			f := &conditionFlags{waitFlags: &waitFlags{allowPartial: tt.flags.partial}, failIfFound: tt.flags.found, failIfEmpty: tt.flags.empty}
			got := exitAnswered
			var status exitStatus
			if errors.As(f.status(answer), &status) {
				got = int(status)
			}
			if got != tt.want {
				t.Errorf("exit code %d, want %d", got, tt.want)
			}
		})
	}
}

// TestDoubtIsSaid: an answer that is not complete says why, also in the forms
// that hold nothing but diffs, names or places.
func TestDoubtIsSaid(t *testing.T) {
	const partial = `{"files":[{"path":"a.go","diff":"--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-a\n+b\n"}],"completeness":{"state":"partial","reasons":["cut"]}}`
	for _, tt := range []struct {
		format      output.Format
		list, quiet bool
		want        string
	}{
		{output.Text, false, false, "lspbridge: the answer is partial: cut\n"},
		{output.Text, true, false, "lspbridge: the answer is partial: cut\n"},
		{output.Vimgrep, false, false, "lspbridge: the answer is partial: cut\n"},
		{output.JSON, false, false, ""}, // holds it
		{output.Text, false, true, ""},
	} {
		answer, err := output.NewAnswer(tools.Result{Structured: json.RawMessage(partial)})
		if err != nil {
			t.Fatal(err)
		}
		var stderr bytes.Buffer
		a := &app{env: Environment{Stdout: io.Discard, Stderr: &stderr}}
		f := &answerFlags{format: &choice{value: string(tt.format)}, color: &choice{value: "never"}, conditionFlags: &conditionFlags{waitFlags: &waitFlags{quiet: tt.quiet}}}
		var status exitStatus
		if err := a.printPreview(f, tt.list, answer, nil); !errors.As(err, &status) || status != exitIncomplete {
			t.Errorf("%+v: %v, want exit status %d", tt, err, exitIncomplete)
		}
		if stderr.String() != tt.want {
			t.Errorf("%+v: standard error %q", tt, stderr.String())
		}
	}
}

func TestExitOfClass(t *testing.T) {
	for class, want := range map[tools.Class]int{
		tools.ClassUsage: 2, tools.ClassIncomplete: 3, tools.ClassServer: 4, tools.ClassRefused: 5,
	} {
		if got := exitOf(class); got != want {
			t.Errorf("class %d: exit code %d, want %d", class, got, want)
		}
	}
}

func TestAskBudget(t *testing.T) {
	f := &placeFlags{}
	got, paged, err := f.askBudget(10 * time.Minute)
	if err != nil || paged {
		t.Fatal(paged, err)
	}
	if got.CallTotal != 10*time.Minute || got.ReadyWait != 10*time.Minute || got.ServerStart != 10*time.Minute {
		t.Errorf("call_total %v, ready_wait %v, server_start %v: all want 10m", got.CallTotal, got.ReadyWait, got.ServerStart)
	}
	if want := limits.Default().CallTimeout; got.CallTimeout != want {
		t.Errorf("call_timeout %v, want %v as ever", got.CallTimeout, want)
	}

	// A short time bounds the whole and lowers nothing within it.
	got, _, err = f.askBudget(time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if d := limits.Default(); got.CallTotal != time.Second || got.ServerStart != d.ServerStart || got.ReadyWait != d.ReadyWait {
		t.Errorf("call_total %v, server_start %v, ready_wait %v", got.CallTotal, got.ServerStart, got.ReadyWait)
	}

	// --limit goes over --timeout, and a page is asked for by a limit.
	f = &placeFlags{limits: []string{"server_start=5s", "max_items=7"}}
	got, paged, err = f.askBudget(time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if !paged || got.MaxItems != 7 || got.ServerStart != 5*time.Second {
		t.Errorf("paged %v, max_items %d, server_start %v", paged, got.MaxItems, got.ServerStart)
	}
	if got.MaxChars != got.ResponseChars {
		t.Errorf("max_chars %d cuts a page that is asked for by items", got.MaxChars)
	}
}

func TestExcluder(t *testing.T) {
	tests := []struct {
		globs []string
		named bool
		path  string
		want  bool
	}{
		{[]string{"vendor"}, false, "vendor/a/b.go", true},
		{[]string{"vendor"}, false, "x/vendor/b.go", false},
		{[]string{"**/vendor"}, false, "x/vendor/b.go", true},
		{[]string{"vendor/"}, false, "vendor/b.go", true},
		{[]string{"./vendor"}, false, "vendor/b.go", true},
		{[]string{"**/*.pb.go"}, false, "gen/a.pb.go", true},
		{[]string{"*.pb.go"}, false, "gen/a.pb.go", false},
		{[]string{"{gen,out}/**"}, false, "out/x/y.go", true},
		{[]string{"gen", "out"}, false, "src/a.go", false},
		{[]string{"vendor"}, true, "app/vendor/b.go", true},
		{[]string{"app/vendor"}, true, "app/vendor/b.go", true},
		{[]string{"app/vendor"}, true, "lib/vendor/b.go", false},
		{[]string{"vendor"}, true, "vendor/b.go", true},
	}
	for _, tt := range tests {
		excluded, err := excluder(tt.globs, tt.named)
		if err != nil {
			t.Fatal(err)
		}
		if got := excluded(tt.path); got != tt.want {
			t.Errorf("%v (named %v) excludes %s: %v, want %v", tt.globs, tt.named, tt.path, got, tt.want)
		}
	}
}

// A glob that can match nothing would show what was to be hidden.
func TestExcluderRefuses(t *testing.T) {
	for _, glob := range []string{"", "[", "/home/me/ws/vendor", "../vendor", "a/../b"} {
		if _, err := excluder([]string{glob}, false); err == nil {
			t.Errorf("the glob %q is taken", glob)
		}
	}
}
