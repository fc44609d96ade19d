package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"lspbridge/lspclient/lsptest"
	"lspbridge/lspclient/supervise"
)

func TestMain(m *testing.M) {
	if os.Getenv("LSPTEST_FAKE_SERVER") != "" || os.Getenv("LSPTEST_FAKE_GRANDCHILD") != "" {
		lsptest.Main(m) // plays its part and does not return
	}
	supervise.Main()
	testscript.Main(m, map[string]func(){programName: main})
}

const programName = "lspbridge"

// TestScripts needs no language server.
func TestScripts(t *testing.T) {
	runScripts(t, "testdata/script", nil)
}

func TestGoplsScripts(t *testing.T) {
	gopls := lsptest.Require(t, "gopls")
	runScripts(t, "testdata/gopls", map[string]string{"gopls": gopls})
}

func TestClangdScripts(t *testing.T) {
	for _, version := range []string{"clangd-19", "clangd-22"} {
		t.Run(version, func(t *testing.T) {
			clangd := lsptest.Require(t, version)
			runScripts(t, "testdata/clangd", map[string]string{"clangd": clangd})
		})
	}
}

// runScripts runs the scripts of a folder. On their PATH are lspbridge, go, and
// the programs given, under the names given; nothing else, so that what a
// machine happens to have makes no difference.
func runScripts(t *testing.T, dir string, programs map[string]string) {
	t.Helper()
	bin, bare := t.TempDir(), t.TempDir()
	for _, name := range []string{programName, "go"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		link(t, path, filepath.Join(bin, name))
		if name == programName {
			link(t, path, filepath.Join(bare, name))
		}
	}
	for name, path := range programs {
		link(t, path, filepath.Join(bin, name))
	}
	testscript.Run(t, testscript.Params{
		Dir:                 dir,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, ".home")
			env.Setenv("HOME", home)
			for name, sub := range map[string]string{
				"XDG_CONFIG_HOME": "config", "XDG_STATE_HOME": "state", "XDG_CACHE_HOME": "cache", "XDG_RUNTIME_DIR": "run",
			} {
				path := filepath.Join(home, sub)
				if err := os.MkdirAll(path, 0o700); err != nil {
					return err
				}
				env.Setenv(name, path)
			}
			env.Setenv("PATH", bin)
			env.Setenv("NOGO", bare) // a PATH without go
			for name, path := range goCaches() {
				env.Setenv(name, path)
			}
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOTOOLCHAIN", "local")
			env.Setenv("GOFLAGS", "-mod=mod")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
			"fifo":  fifo,
			"json":  checkJSON,
		},
	})
}

func link(t *testing.T, to, from string) {
	t.Helper()
	if err := os.Symlink(to, from); err != nil {
		t.Fatal(err)
	}
}

// exits CODE PROGRAM ARGS... runs a program and checks its exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}
