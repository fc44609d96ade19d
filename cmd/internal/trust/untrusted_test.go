//go:build unix

package trust_test

import (
	"os/exec"
	"strings"
	"testing"

	"lspbridge/cmd/internal/trust"
)

// The command is pasted into a shell, so a shell says what it means.
func TestCommandForAShell(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	for _, dir := range []string{
		"/home/me/app",
		"/home/me/my app",
		"/a/it's",
		`/a/"b"\c`,
		"/a/$(touch x)`id`;rm -rf *",
		"/a/$HOME/~",
		"/a/#b",
		"/a/!b{c,d}[e]",
		"/a/grün/日本",
		"/a/new\nline",
		"/a/tab\tand 'quote'",
		"/a/\x1b[31mred\x07",
		"/a/\u202egnp.exe", // right-to-left override
		"/a/\x01" + "7",    // a digit after an octal escape
	} {
		e := &trust.UntrustedError{Folders: []trust.Untrusted{{Dir: dir}, {Dir: "/second"}}}
		args, ok := strings.CutPrefix(e.Command(), "lspbridge trust ")
		if !ok {
			t.Errorf("command %q", e.Command())
			continue
		}
		out, err := exec.CommandContext(t.Context(), bash, "-c", `printf '%s\0' `+args).Output()
		if want := dir + "\x00/second\x00"; err != nil || string(out) != want {
			t.Errorf("a shell takes %q for %q, %v, want %q", args, out, err, want)
		}
		for _, s := range []string{e.Error(), e.Command()} {
			if strings.ContainsAny(s, "\n\x1b\x07\u202e\t") {
				t.Errorf("%q is not fit to be shown", s)
			}
		}
	}
}

func TestUntrustedErrorSaysWhatToRun(t *testing.T) {
	for _, tt := range []struct {
		folders []trust.Untrusted
		want    string
	}{
		{
			[]trust.Untrusted{{Dir: "/src/app"}},
			"the workspace /src/app is not trusted; look at what it holds and run: lspbridge trust /src/app",
		},
		{
			[]trust.Untrusted{{Dir: "/src/my app"}, {Dir: "/src/lib", Replaced: true}},
			"the workspace '/src/my app' is not trusted, the folder /src/lib was replaced by another since it was trusted; look at what it holds and run: lspbridge trust '/src/my app' /src/lib",
		},
	} {
		e := &trust.UntrustedError{Folders: tt.folders}
		if e.Error() != tt.want {
			t.Errorf("error %q, want %q", e.Error(), tt.want)
		}
	}
}
