//go:build linux

package servers_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"lspbridge/lspclient/servers"
)

// goModule writes a module with one file behind a build tag.
func goModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "go.mod"), "module example.com/m\n\ngo 1.26\n")
	write(t, filepath.Join(root, "a.go"), "package m\n\nfunc Plain() {}\n")
	write(t, filepath.Join(root, "b.go"), "//go:build special\n\npackage m\n\nfunc Tagged() {}\n")
	return root
}

// symbols asks for workspace symbols; gopls answers once it has loaded.
func (r *rawServer) symbols(query string) string {
	r.t.Helper()
	return string(r.call("workspace/symbol", map[string]any{"query": query}))
}

func TestGoplsTakesTheSettings(t *testing.T) {
	t.Parallel()
	p := require(t, "gopls", "gopls")
	env := servers.Environ(os.Environ(), nil, nil, t.TempDir(), privateConfig(t))
	root := goModule(t)

	s := mustServer(t, "gopls")
	r := startRaw(t, s, p.Path, env, root)
	if got := r.symbols("Plain"); !strings.Contains(got, `"Plain"`) {
		t.Errorf("symbols %s", got)
	}
	if got := r.symbols("plain"); got != "null" && got != "[]" {
		t.Errorf("symbolMatcher is not CaseSensitive: plain finds %s", got)
	}
	for _, complaint := range []string{"setting", "invalid", "unexpected", "duplicate"} {
		if strings.Contains(r.said(), complaint) {
			t.Errorf("gopls complains of its settings:\n%s", r.said())
			break
		}
	}

	// A setting that a person gives arrives, and one that gopls does not take
	// is heard of: so the silence above means something.
	c, err := servers.Builtin().Setting("gopls.build.buildFlags", `["-tags=special"]`)
	if err != nil {
		t.Fatal(err)
	}
	c, err = c.Setting("gopls.noSuchSetting", "1")
	if err != nil {
		t.Fatal(err)
	}
	s, _ = c.Server("gopls")
	r = startRaw(t, s, p.Path, env, root)
	if got := r.symbols("Tagged"); !strings.Contains(got, `"Tagged"`) {
		t.Errorf("buildFlags did not arrive: %s", got)
	}
	if !strings.Contains(r.said(), "noSuchSetting") {
		t.Errorf("gopls does not complain of an unknown setting:\n%s", r.said())
	}
}

func privateConfig(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	err := servers.PrivateConfig(dir)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// gopls keeps a telemetry child unless its configuration folder says otherwise;
// what `go env -w` wrote in the user's own folder still counts.
func TestGoplsInThePrivateConfig(t *testing.T) {
	t.Parallel()
	p := require(t, "gopls", "gopls")
	root := goModule(t)
	user := t.TempDir()
	write(t, filepath.Join(user, "go", "env"), "GOFLAGS=-tags=special\n")
	base := []string{"GOFLAGS=", "XDG_CONFIG_HOME=" + user}
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "GO") && !strings.HasPrefix(entry, "XDG_") {
			base = append(base, entry)
		}
	}

	var telemetry []string
	t.Cleanup(func() { // it ends after gopls, and writes into the folder till then
		for _, pid := range telemetry {
			for _, err := os.Stat("/proc/" + pid + "/exe"); err == nil; _, err = os.Stat("/proc/" + pid + "/exe") {
				time.Sleep(5 * time.Millisecond) // a stranger's child: no event tells
			}
		}
	})
	asUser := startRaw(t, mustServer(t, "gopls"), p.Path, servers.Environ(base, nil, nil, t.TempDir(), ""), root)
	asUser.symbols("Plain")
	telemetry = telemetryChildren(asUser.cmd.Process.Pid)
	if len(telemetry) == 0 {
		t.Error("no telemetry child in the user's own configuration: the test below proves nothing")
	}

	env := servers.Environ(base, nil, nil, t.TempDir(), privateConfig(t))
	r := startRaw(t, mustServer(t, "gopls"), p.Path, env, root)
	if got := r.symbols("Tagged"); !strings.Contains(got, `"Tagged"`) {
		t.Errorf("GOFLAGS of the user's go env file did not count: %s", got)
	}
	if pids := telemetryChildren(r.cmd.Process.Pid); len(pids) != 0 {
		t.Errorf("gopls reports its use with telemetry off: %v", pids)
	}
	cmd := exec.Command("go", "env", "GOFLAGS")
	cmd.Env = env
	out, err := cmd.Output()
	if err != nil || string(out) != "-tags=special\n" {
		t.Errorf("go env GOFLAGS: %q (%v)", out, err)
	}
}

// telemetryChildren lists the children of a process that gopls started to report
// its use. golang.org/x/telemetry marks them in their environment; other children
// come and go, and between fork and exec each looks like gopls itself.
func telemetryChildren(parent int) (pids []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		_, after, _ := strings.Cut(string(stat), ") ")
		fields := strings.Fields(after)
		if err != nil || len(fields) < 2 || fields[1] != strconv.Itoa(parent) {
			continue
		}
		env, _ := os.ReadFile("/proc/" + e.Name() + "/environ")
		if slices.ContainsFunc(strings.Split(string(env), "\x00"), func(v string) bool { return strings.HasPrefix(v, "GO_TELEMETRY_CHILD=") }) {
			pids = append(pids, e.Name())
		}
	}
	return pids
}
