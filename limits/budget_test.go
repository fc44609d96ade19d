package limits_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"lspbridge/limits"

	"github.com/google/go-cmp/cmp"
)

// The figures that users are promised.
func TestDefaults(t *testing.T) {
	want := map[string][2]string{ // default, maximum
		"call_timeout":     {"20s", "10m"},
		"ready_wait":       {"30s", "10m"},
		"call_total":       {"50s", "10m"},
		"server_start":     {"1m", "10m"},
		"server_idle":      {"30m", "none"},
		"diagnostic_files": {"500", "5,000"}, "preview_files": {"200", "2,000"},
		"server_memory":      {"8GiB", "1024GiB"},
		"drain":              {"3s", "3s"},
		"restarts":           {"5", "100"},
		"restart_window":     {"3m", "24h"},
		"settle":             {"500ms", "1m"},
		"argument_chars":     {"32,768", "32,768"},
		"query_chars":        {"1,000", "1,000"},
		"max_items":          {"100", "5,000"},
		"max_chars":          {"10,000", "100,000"},
		"response_chars":     {"2,000,000", "2,000,000"},
		"line_chars":         {"400", "10,000"},
		"body_lines":         {"200", "10,000"},
		"hierarchy_depth":    {"3", "5"},
		"hierarchy_nodes":    {"200", "2,000"},
		"hierarchy_edges":    {"1,000", "10,000"},
		"call_sites":         {"50", "500"},
		"file_bytes":         {"4MiB", "64MiB"},
		"edits":              {"5,000", "50,000"},
		"inserted_bytes":     {"1MiB", "16MiB"},
		"virtual_references": {"512", "8,192"},
		"vdoc_ttl":           {"15m", "24h"},
		"session_calls":      {"16", "256"},
		"server_calls":       {"64", "256"},
		"open_documents":     {"32", "512"},
		"watches":            {"16,384", "524,288"},
		"write_queue":        {"256", "16,384"},
		"lsp_message_bytes":  {"64MiB", "512MiB"},
		"mcp_message_bytes":  {"4MiB", "64MiB"},
	}
	got := map[string][2]string{}
	for _, r := range limits.Default().Rows() {
		if r.Value != r.Default {
			t.Errorf("%s: value %q of the default budget is not its default %q", r.Name, r.Value, r.Default)
		}
		if r.Help == "" || strings.ContainsAny(r.Help, "\n|") {
			t.Errorf("%s: help %q is no one line", r.Name, r.Help)
		}
		if _, ok := got[r.Name]; ok {
			t.Errorf("%s is listed twice", r.Name)
		}
		got[r.Name] = [2]string{r.Default, r.Maximum}
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("defaults and maxima (-want +got):\n%s", d)
	}
}

// Each field of a Budget belongs to exactly one row: a field without a row
// could not be set or seen, and would be 0 by default.
func TestEveryFieldHasItsRow(t *testing.T) {
	b := limits.Default()
	v := reflect.ValueOf(&b).Elem()
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("%s is zero in the default budget", v.Type().Field(i).Name)
		}
	}
	if rows := len(b.Rows()); rows != v.NumField() {
		t.Errorf("%d rows for %d fields", rows, v.NumField())
	}
}

// What Rows shows can be given to Set, and changes nothing but its own row.
func TestRowsRoundTrip(t *testing.T) {
	def := limits.Default()
	for i, r := range def.Rows() {
		for _, text := range []string{r.Default, r.Maximum} {
			if text == "none" {
				text = "8760h"
			}
			b := limits.Default()
			if err := b.Set(r.Name, text); err != nil {
				t.Errorf("Set(%s, %s): %v", r.Name, text, err)
				continue
			}
			want := limits.Default().Rows()
			want[i].Value = text
			if d := cmp.Diff(want, b.Rows()); d != "" {
				t.Errorf("Set(%s, %s) (-want +got):\n%s", r.Name, text, d)
			}
			again := limits.Default()
			if err := again.Set(r.Name, b.Rows()[i].Value); err != nil || again != b {
				t.Errorf("Set(%s, %s) does not give the same budget again: %v", r.Name, b.Rows()[i].Value, err)
			}
		}
	}
}

func TestSet(t *testing.T) {
	mib := int64(1 << 20)
	tests := []struct {
		name, value string
		want        func(b *limits.Budget)
	}{
		{"call_timeout", "1m30s", func(b *limits.Budget) { b.CallTimeout = 90 * time.Second }},
		{"call_timeout", "250ms", func(b *limits.Budget) { b.CallTimeout = 250 * time.Millisecond }},
		{"call_timeout", "10m", func(b *limits.Budget) { b.CallTimeout = 10 * time.Minute }},
		{"server_start", "120s", func(b *limits.Budget) { b.ServerStart = 2 * time.Minute }},
		{"server_idle", "10000h", func(b *limits.Budget) { b.ServerIdle = 10000 * time.Hour }},
		{"ready_wait", "0", func(b *limits.Budget) { b.ReadyWait = 0 }},
		{"drain", "0s", func(b *limits.Budget) { b.Drain = 0 }},
		{"max_items", "5000", func(b *limits.Budget) { b.MaxItems = 5000 }},
		{"max_items", "5,000", func(b *limits.Budget) { b.MaxItems = 5000 }},
		{"max_items", "1_000", func(b *limits.Budget) { b.MaxItems = 1000 }},
		{"max_items", "007", func(b *limits.Budget) { b.MaxItems = 7 }},
		{"file_bytes", "64MiB", func(b *limits.Budget) { b.FileBytes = 64 * mib }},
		{"file_bytes", "64KiB", func(b *limits.Budget) { b.FileBytes = 65536 }},
		{"file_bytes", "1,024KiB", func(b *limits.Budget) { b.FileBytes = mib }},
		{"file_bytes", "1", func(b *limits.Budget) { b.FileBytes = 1 }},
		{"inserted_bytes", "1_048_577", func(b *limits.Budget) { b.InsertedBytes = 1048577 }},
	}
	for _, tt := range tests {
		got, want := limits.Default(), limits.Default()
		tt.want(&want)
		if err := got.Set(tt.name, tt.value); err != nil {
			t.Errorf("Set(%s, %s): %v", tt.name, tt.value, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("Set(%s, %s) (-want +got):\n%s", tt.name, tt.value, d)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	tests := []struct {
		name, value string
		parts       []string // of the error
	}{
		{"call_timeout", "10m1ns", []string{"call_timeout", "maximum", "10m"}},
		{"call_timeout", "0s", []string{"call_timeout", "minimum", "1ms"}},
		{"call_timeout", "-1s", []string{"call_timeout", "duration such as 20s", "10m"}},
		{"call_timeout", "+1s", []string{"duration such as 20s"}},
		{"call_timeout", "20", []string{"duration such as 20s"}},
		{"call_timeout", "", []string{`""`, "duration such as 20s"}},
		{"call_timeout", "1d", []string{"duration such as 20s"}},
		{"call_timeout", "NaN", []string{"duration such as 20s"}},
		{"call_timeout", "20s\nforged: line", []string{`\n`}},
		{"max_items", "0", []string{"max_items", "minimum", "1"}},
		{"max_items", "-1", []string{"count such as 100"}},
		{"max_items", "5001", []string{"maximum", "5,000"}},
		{"max_items", "99999999999999999999999", []string{"maximum", "5,000"}},
		{"max_items", "1.5", []string{"count such as 100"}},
		{"max_items", "1,5", []string{"count such as 100"}},
		{"max_items", "1,00", []string{"count such as 100"}},
		{"max_items", ",100", []string{"count such as 100"}},
		{"max_items", "1,000_000", []string{"count such as 100"}},
		{"max_items", "1__000", []string{"count such as 100"}},
		{"max_items", "100KiB", []string{"count such as 100"}},
		{"max_items", "0x10", []string{"count such as 100"}},
		{"max_items", "１００", []string{"count such as 100"}},
		{"max_items", " 1", []string{"count such as 100"}},
		{"max_items", strings.Repeat("x", 1<<20), []string{"count such as 100", limits.Mark}},
		{"file_bytes", "65MiB", []string{"file_bytes", "maximum", "64MiB"}},
		{"file_bytes", "8589934592GiB", []string{"maximum", "64MiB"}}, // 2^63
		{"file_bytes", "17179869184GiB", []string{"maximum"}},         // 2^64 wraps to 0
		{"file_bytes", "4MB", []string{"size in bytes such as 512, 64KiB or 4MiB"}},
		{"file_bytes", "4M", []string{"size in bytes"}},
		{"file_bytes", "4mib", []string{"size in bytes"}},
		{"file_bytes", "4 MiB", []string{"size in bytes"}},
		{"file_bytes", "MiB", []string{"size in bytes"}},
		{"file_bytes", "0", []string{"minimum"}},
		{"line_chars", "19", []string{"line_chars", "minimum", "20"}},
		{"call_timeuot", "1s", []string{"unknown", "did you mean call_timeout?"}},
		{"max_item", "1", []string{"did you mean max_items?"}},
		{"Max_Items", "1", []string{"did you mean max_items?"}},
		{"open-documents", "1", []string{"did you mean open_documents?"}},
		{"edit", "1", []string{"did you mean edits?"}},
		{"colour", "1", []string{"unknown", "server_status"}},
		{"", "1", []string{"unknown"}},
		{strings.Repeat("max_items", 1<<16), "1", []string{"unknown", "server_status"}},
		{"max_items\n", "1", []string{`\n`}},
	}
	for _, tt := range tests {
		b := limits.Default()
		err := b.Set(tt.name, tt.value)
		label := tt.name + "=" + tt.value
		label = label[:min(len(label), 60)]
		if err == nil {
			t.Errorf("Set(%q) is accepted", label)
			continue
		}
		if b != limits.Default() {
			t.Errorf("Set(%q) changed the budget although it failed", label)
		}
		if msg := err.Error(); len(msg) > 300 || strings.Contains(msg, "\n") {
			t.Errorf("Set(%q): error is no short line: %q", label, msg)
		}
		for _, p := range tt.parts {
			if !strings.Contains(err.Error(), p) {
				t.Errorf("Set(%q): error %q lacks %q", label, err, p)
			}
		}
	}
}

func TestSetCommandTimeout(t *testing.T) {
	tests := []struct {
		d                 time.Duration
		total, wait, open time.Duration // 0 when refused
	}{
		{time.Hour, time.Hour, time.Hour, time.Hour},
		{40 * time.Second, 40 * time.Second, 40 * time.Second, 60 * time.Second},
		{time.Second, time.Second, 30 * time.Second, 60 * time.Second},
		{0, 0, 0, 0},
		{-time.Second, 0, 0, 0},
		{time.Hour + 1, 0, 0, 0},
	}
	for _, tt := range tests {
		got, want := limits.Default(), limits.Default()
		err := got.SetCommandTimeout(tt.d)
		if refused := tt.total == 0; refused != (err != nil) {
			t.Errorf("SetCommandTimeout(%v): error %v", tt.d, err)
		}
		if tt.total != 0 {
			want.CallTotal, want.ReadyWait, want.ServerStart = tt.total, tt.wait, tt.open
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("SetCommandTimeout(%v) (-want +got):\n%s", tt.d, d)
		}
	}
}

func FuzzSet(f *testing.F) {
	names := []string{"call_timeout", "max_items", "file_bytes"}
	for _, v := range []string{"20s", "4MiB", "10,000", "1_000", "-1", "9e99h", "1.5h"} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, name := range names {
			b := limits.Default()
			if b.Set(name, value) != nil {
				continue
			}
			for _, r := range b.Rows() {
				if r.Name != name {
					continue
				}
				again := limits.Default()
				if err := again.Set(name, r.Value); err != nil || again != b {
					t.Errorf("%s=%q is shown as %q, which is not the same: %v", name, value, r.Value, err)
				}
			}
		}
	})
}
