package lspclient

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestUsedBy(t *testing.T) {
	text := "go 1.26\n\nuse ./a // why\nuse (\n\t./b/c\n\t\"./d e\" // x\n\t// ./no\n\n\t../f\n)\nuse /abs/g\nuser ./no\nreplace x => ./no\nuse\t`./h`\n"
	want := map[string]bool{"/w/a": true, "/w/b/c": true, "/w/d e": true, "/f": true, "/abs/g": true, "/w/h": true}
	if diff := cmp.Diff(want, usedBy("/w", text)); diff != "" {
		t.Errorf("used folders (-want +got):\n%s", diff)
	}
}

func TestGoBuildLeavesOut(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "env")
	if err := os.WriteFile(saved, []byte("GOFLAGS=-tags=saved\nGOOS=windows\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const plain, cgo = "package p\n", "package p\n\nimport \"C\"\n"
	tag := func(t string) string { return "//go:build " + t + "\n\npackage p\n" }
	for _, tt := range []struct {
		name, settings, file, text string
		env                        []string
		out                        bool
	}{
		{"plain", "", "a.go", plain, []string{"GOOS=linux"}, false},
		{"name of the system", "", "a_linux.go", plain, []string{"GOOS=linux"}, false},
		{"name of another", "", "a_windows.go", plain, []string{"GOOS=linux"}, true},
		{"name of another architecture", "", "a_arm64.go", plain, []string{"GOARCH=amd64"}, true},
		{"no tag", "", "a.go", tag("x"), nil, true},
		{"a tag of GOFLAGS", "", "a.go", tag("x"), []string{"GOFLAGS=-mod=mod -tags=y,x"}, false},
		{"a tag of the settings", `{"buildFlags":["-tags","x"]}`, "a.go", tag("x"), nil, false},
		{"a tag of nested settings", `{"build.buildFlags":["-tags=x y"]}`, "a.go", tag("x && y"), nil, false},
		{"the environment of the settings", `{"env":{"GOOS":"plan9"}}`, "a_plan9.go", plain, []string{"GOOS=linux"}, false},
		{"not without a tag", "", "a.go", tag("!x"), []string{"GOFLAGS=-tags=x"}, true},
		{"a flag in quotes", "", "a.go", tag("!x"), []string{"GOFLAGS=-mod=mod '-tags=y x'"}, true},
		{"the tag of a flag", "", "a.go", tag("!race"), []string{"GOFLAGS=-race"}, true},
		{"the tag of a flag that is off", "", "a.go", tag("!race"), []string{"GOFLAGS=-race=false"}, false},
		{"cgo on", "", "a.go", cgo, []string{"CGO_ENABLED=1"}, false},
		{"cgo off", "", "a.go", cgo, []string{"CGO_ENABLED=0"}, true},
		{"cgo without a compiler", "", "a.go", cgo, []string{"PATH=/nonexistent"}, true},
		{"saved by go env -w", "", "a_windows.go", tag("saved"), []string{"GOENV=" + saved}, false},
		{"set over saved", "", "a_windows.go", plain, []string{"GOENV=" + saved, "GOOS=linux"}, true},
		{"no Go at all", "", "a.go", "\x00", nil, false},
	} {
		b := newGoBuild(tt.env, json.RawMessage(tt.settings))
		if got := b.leavesOut(tt.file, []byte(tt.text)); got != tt.out {
			t.Errorf("%s: left out = %v, want %v (%s)", tt.name, got, tt.out, b.target())
		}
	}
}
