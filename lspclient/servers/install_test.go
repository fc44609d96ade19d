//go:build linux

package servers_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/servers"
)

// fakeGo is a go command. Its install notes the environment, the folder and the
// arguments in $LOG, says two things and runs $FAKE.
const fakeGo = `
case "$1" in
env)
	cat <<END
{"GOVERSION": "go1.26.8", "GOHOSTOS": "linux", "GOHOSTARCH": "amd64", "GOFLAGS": "$GOFLAGS", "GOSUMDB": "$GOSUMDB"}
END
	;;
install)
	{ echo "$@"; pwd; env | grep '^GO' | sort; } >>"$LOG"
	echo "go: downloading golang.org/x/tools/gopls v0.23.0" >&2
	eval "$FAKE"
	;;
esac
`

// builds is a FAKE that builds a gopls of a version.
func builds(version string) string {
	return `mkdir -p "$GOBIN" && printf '#!/bin/sh\necho golang.org/x/tools/gopls ` + version + `\n' >"$GOBIN/gopls" && chmod +x "$GOBIN/gopls"`
}

type installer struct {
	servers.Finder
	log string

	mu    sync.Mutex
	lines []string
}

func newInstaller(t *testing.T, fake string, env ...string) *installer {
	t.Helper()
	dir := t.TempDir()
	script(t, filepath.Join(dir, "bin", "go"), fakeGo)
	in := &installer{log: filepath.Join(dir, "log")}
	in.Finder = servers.Finder{
		Path: filepath.Join(dir, "bin"), Cache: filepath.Join(dir, "cache"),
		Env: append([]string{"PATH=" + os.Getenv("PATH"), "LOG=" + in.log, "FAKE=" + fake}, env...),
	}
	return in
}

func (in *installer) install(ctx context.Context, t *testing.T) (servers.Program, error) {
	t.Helper()
	return in.Install(ctx, mustServer(t, "gopls"), func(line string) {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.lines = append(in.lines, line)
	})
}

// left lists what is in the cache.
func (in *installer) left(t *testing.T) []string {
	t.Helper()
	var names []string
	entries, err := os.ReadDir(filepath.Join(in.Cache, "servers"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestInstall(t *testing.T) {
	t.Parallel()
	in := newInstaller(t, builds("v0.23.0"), "GOFLAGS=-mod=vendor -tags=x -modfile=/m --mod=mod", "GOSUMDB=off", "GONOSUMDB=*", "GOPRIVATE=*", "GOOS=plan9", "GOWORK=/w", "GOPROXY=https://proxy.example")
	got, err := in.install(t.Context(), t)
	if err != nil {
		t.Fatal(err)
	}
	want := servers.Program{
		Path: filepath.Join(in.Cache, "servers", "gopls@v0.23.0", "gopls"), Version: "v0.23.0", Origin: servers.OriginInstalled,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("program (-want +got):\n%s", diff)
	}
	lines := []string{
		"installing gopls v0.23.0 with go1.26.8 ...",
		"downloading golang.org/x/tools/gopls v0.23.0",
		"installed gopls v0.23.0 in 0s",
	}
	if diff := cmp.Diff(lines, in.lines); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"gopls@v0.23.0", "gopls@v0.23.0.lock"}, in.left(t)); diff != "" {
		t.Errorf("left in the cache (-want +got):\n%s", diff)
	}

	log, err := os.ReadFile(in.log)
	if err != nil {
		t.Fatal(err)
	}
	called := strings.Split(strings.TrimSpace(string(log)), "\n")
	if called[0] != "install golang.org/x/tools/gopls@v0.23.0" {
		t.Errorf("go was called with %q", called[0])
	}
	folder := called[1]
	if filepath.Dir(folder) != filepath.Join(in.Cache, "servers") {
		t.Errorf("go ran in %s, want a folder of its own", folder)
	}
	env := []string{
		"GO111MODULE=on", "GOARCH=amd64", "GOBIN=" + folder + "/bin", "GOFLAGS=-tags=x", "GONOSUMDB=none.invalid", "GOOS=linux",
		"GOPRIVATE=*", "GOPROXY=https://proxy.example", "GOSUMDB=sum.golang.org", "GOWORK=off",
	}
	if diff := cmp.Diff(env, called[2:]); diff != "" {
		t.Errorf("environment of the build (-want +got):\n%s", diff)
	}

	// A second time nothing is built, and Find finds it.
	again, err := in.install(t.Context(), t)
	if diff := cmp.Diff(want, again); err != nil || diff != "" {
		t.Errorf("again: error %v, program (-want +got):\n%s", err, diff)
	}
	if log2, _ := os.ReadFile(in.log); len(log2) != len(log) {
		t.Error("an installed program was built again")
	}
	found, err := in.Find(t.Context(), mustServer(t, "gopls"))
	if diff := cmp.Diff(want, found); err != nil || diff != "" {
		t.Errorf("Find: error %v, program (-want +got):\n%s", err, diff)
	}
}

func TestInstallKeepsAnotherChecksumDatabase(t *testing.T) {
	t.Parallel()
	in := newInstaller(t, builds("v0.23.0"), "GOSUMDB=sum.golang.google.cn")
	_, err := in.install(t.Context(), t)
	if err != nil {
		t.Fatal(err)
	}
	log, _ := os.ReadFile(in.log)
	if !strings.Contains(string(log), "\nGOSUMDB=sum.golang.google.cn\n") {
		t.Errorf("the build ran with\n%s", log)
	}
}

func TestInstallErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, fake, says string }{
		{"build fails", `yes noise | head -n 10000 >&2; echo "verifying module: checksum mismatch" >&2; exit 1`, "verifying module: checksum mismatch"},
		{"nothing built", `mkdir -p "$GOBIN"`, "what was built: is not there"},
		{"old version", builds("v0.1.0"), "version v0.1.0 is older"},
		{"another version", builds("v0.24.0"), "is version v0.24.0, not v0.23.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in := newInstaller(t, tt.fake)
			_, err := in.install(t.Context(), t)
			if err == nil || !strings.HasPrefix(err.Error(), "install gopls: ") || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %v does not say %q", err, tt.says)
			}
			if err != nil && len(err.Error()) > 4<<10 {
				t.Errorf("an error of %d bytes", len(err.Error()))
			}
			if diff := cmp.Diff([]string{"gopls@v0.23.0.lock"}, in.left(t)); diff != "" {
				t.Errorf("left in the cache (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("no go", func(t *testing.T) {
		t.Parallel()
		_, err := servers.Finder{Path: t.TempDir(), Cache: t.TempDir()}.Install(t.Context(), mustServer(t, "gopls"), func(string) {})
		if err == nil || !strings.Contains(err.Error(), "go is not on PATH; install Go from https://go.dev/dl") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("no cache", func(t *testing.T) {
		t.Parallel()
		_, err := servers.Finder{}.Install(t.Context(), mustServer(t, "gopls"), func(string) {})
		if err == nil || !strings.Contains(err.Error(), "no cache folder") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("not installable", func(t *testing.T) {
		t.Parallel()
		_, err := servers.Finder{Cache: t.TempDir()}.Install(t.Context(), mustServer(t, "clangd"), func(string) {})
		if err == nil || !strings.Contains(err.Error(), "apt install clangd-19") {
			t.Errorf("error %v", err)
		}
	})
}

func TestInstallIsCancelled(t *testing.T) {
	t.Parallel()
	in := newInstaller(t, `sleep 1000`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		for { // the log is written when the build runs
			if _, err := os.Stat(in.log); err == nil || t.Context().Err() != nil {
				cancel()
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	before := time.Now()
	_, err := in.install(ctx, t)
	if err == nil || !strings.Contains(err.Error(), context.Canceled.Error()) {
		t.Errorf("error %v", err)
	}
	if took := time.Since(before); took > 10*time.Second {
		t.Errorf("cancelled after %v", took)
	}
}

func TestInstallsTakeTurns(t *testing.T) {
	t.Parallel()
	in := newInstaller(t, `sleep 0.3; `+builds("v0.23.0"))
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			p, err := in.install(t.Context(), t)
			if err != nil || p.Version != "v0.23.0" {
				t.Errorf("%+v, %v", p, err)
			}
		})
	}
	group.Wait()
	log, err := os.ReadFile(in.log)
	if n := strings.Count(string(log), "install golang.org"); err != nil || n != 1 {
		t.Errorf("built %d times (%v), want once:\n%s", n, err, log)
	}
	if n := strings.Count(strings.Join(in.lines, "\n"), "waiting for another install of gopls"); n != 2 {
		t.Errorf("%d waited, want 2: %q", n, in.lines)
	}
}

// The real build runs where the module is at hand, or when all is asked for.
func TestInstallGopls(t *testing.T) {
	t.Parallel()
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("no go on PATH")
	}
	modcache, err := exec.Command(goTool, "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(filepath.Join(strings.TrimSpace(string(modcache)), "golang.org", "x", "tools", "gopls@v0.23.0"))
	if os.Getenv("LSPBRIDGE_FULL") != "1" && (err != nil || testing.Short()) {
		t.Skip("gopls is not in the module cache; LSPBRIDGE_FULL=1 downloads it")
	}
	f := servers.Finder{Path: os.Getenv("PATH"), Cache: t.TempDir(), Env: servers.Environ(os.Environ(), nil, nil, t.TempDir(), "")}
	p, err := f.Install(t.Context(), mustServer(t, "gopls"), func(line string) { t.Log(line) })
	if err != nil {
		t.Fatal(err)
	}
	if p.Version != "v0.23.0" || p.Origin != servers.OriginInstalled {
		t.Errorf("installed %+v", p)
	}
}
