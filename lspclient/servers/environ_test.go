//go:build linux

package servers_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/servers"
)

func mkdir(t *testing.T, elem ...string) string {
	t.Helper()
	dir := filepath.Join(elem...)
	err := os.MkdirAll(dir, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func symlink(t *testing.T, target, name string) string {
	t.Helper()
	err := os.Symlink(target, name)
	if err != nil {
		t.Fatal(err)
	}
	return name
}

// E4, E11: the exact set.
func TestEnvironIsAnAllowList(t *testing.T) {
	t.Parallel()
	bin := mkdir(t, t.TempDir(), "bin")
	user := []string{
		"PATH=" + bin, "HOME=/home/me", "LANG=C.UTF-8", "TMPDIR=/tmp/users", "SSH_AUTH_SOCK=/run/agent",
		"AWS_SECRET_ACCESS_KEY=canary", "GITHUB_TOKEN=canary", "LD_PRELOAD=/canary.so", "GOTELEMETRY=on", "GOTMPDIR=/canary",
		"BASH_ENV=/canary", "PWD=/canary", "GOPACKAGESDRIVER=/canary", "PYTHONPATH=/canary", "NODE_OPTIONS=--canary",
		"GOFLAGS=-tags=x", "GOPROXY=https://proxy.example", "GOTOOLCHAIN=local", "CGO_ENABLED=0", "CC=clang",
		"HTTPS_PROXY=http://p", "no_proxy=x", "CPATH=/inc", "RUSTUP_HOME=/rustup", "JAVA_HOME=/java",
		"LANG=de_DE.UTF-8", // a second time: the last counts, as for any program
		"BROKEN", "=x", "NUL_HOME=a\x00b", "CXX=a\x00b", "MINE=kept",
	}
	got := servers.Environ(user, []string{"MINE", "NOT_SET"}, nil, "/private/tmp", "/private/config")
	want := []string{
		"CC=clang", "CGO_ENABLED=0", "CPATH=/inc", "GOENV=/home/me/.config/go/env", "GOFLAGS=-tags=x", "GOPACKAGESDRIVER=off",
		"GOPROXY=https://proxy.example", "GOTOOLCHAIN=local", "HOME=/home/me", "HTTPS_PROXY=http://p", "JAVA_HOME=/java",
		"LANG=de_DE.UTF-8", "MINE=kept", "PATH=" + bin, "RUSTUP_HOME=/rustup", "SSH_AUTH_SOCK=/run/agent",
		"TMPDIR=/private/tmp", "XDG_CONFIG_HOME=/private/config", "no_proxy=x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

func TestEnvironGOENV(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		user   []string
		config string
		want   []string
	}{
		{"from HOME", []string{"HOME=/h"}, "/c", []string{"GOENV=/h/.config/go/env", "GOPACKAGESDRIVER=off", "HOME=/h", "XDG_CONFIG_HOME=/c"}},
		{"from XDG_CONFIG_HOME", []string{"HOME=/h", "XDG_CONFIG_HOME=/x"}, "/c", []string{"GOENV=/x/go/env", "GOPACKAGESDRIVER=off", "HOME=/h", "XDG_CONFIG_HOME=/c"}},
		{"the user's own", []string{"GOENV=/e", "XDG_CONFIG_HOME=/x"}, "/c", []string{"GOENV=/e", "GOPACKAGESDRIVER=off", "XDG_CONFIG_HOME=/c"}},
		{"switched off", []string{"GOENV=off"}, "/c", []string{"GOENV=off", "GOPACKAGESDRIVER=off", "XDG_CONFIG_HOME=/c"}},
		{"no home", nil, "/c", []string{"GOENV=off", "GOPACKAGESDRIVER=off", "XDG_CONFIG_HOME=/c"}},
		{"relative", []string{"XDG_CONFIG_HOME=x"}, "/c", []string{"GOENV=off", "GOPACKAGESDRIVER=off", "XDG_CONFIG_HOME=/c"}},
		{"no private folder", []string{"XDG_CONFIG_HOME=/x"}, "", []string{"GOPACKAGESDRIVER=off", "XDG_CONFIG_HOME=/x"}},
	} {
		if diff := cmp.Diff(tt.want, servers.Environ(tt.user, nil, nil, "", tt.config)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// The person who starts the bridge may want a packages driver.
func TestEnvironMoreGoesBeforeTheRules(t *testing.T) {
	t.Parallel()
	user := []string{"GOPACKAGESDRIVER=/my/driver", "TMPDIR=/tmp/users"}
	got := servers.Environ(user, []string{"GOPACKAGESDRIVER", "TMPDIR"}, nil, "/private", "")
	if diff := cmp.Diff([]string{"GOPACKAGESDRIVER=/my/driver", "TMPDIR=/private"}, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
}

// E1, B6: no folder that the workspace can change is searched.
func TestEnvironPath(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	ws := mkdir(t, top, "ws")
	wsBin := mkdir(t, ws, "bin")
	sibling := mkdir(t, top, "ws-other", "bin")
	good := mkdir(t, top, "good")
	outside := mkdir(t, top, "outside")
	intoWS := symlink(t, wsBin, filepath.Join(top, "into-ws"))
	relative := symlink(t, "ws/bin", filepath.Join(top, "relative-into-ws"))
	parent := symlink(t, ws, filepath.Join(top, "to-ws"))
	outOfWS := symlink(t, outside, filepath.Join(ws, "out"))
	through := symlink(t, outOfWS, filepath.Join(top, "through-ws")) // the workspace says where it leads
	loop := symlink(t, "loop", filepath.Join(top, "loop"))
	toGood := symlink(t, good, filepath.Join(top, "to-good"))
	file := filepath.Join(top, "file")
	err := os.WriteFile(file, nil, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	path := ""
	for _, dir := range []string{
		"", ".", "bin", "~/bin", ws, wsBin, wsBin + "/..", intoWS, relative, parent + "/bin", outOfWS, through, loop, file,
		good + "/../ws/bin", ws + "/../good", filepath.Join(top, "missing"), sibling, good, good, toGood, good + "/", outside,
	} {
		path += dir + ":"
	}
	got := servers.Environ([]string{"PATH=" + path, "LD_LIBRARY_PATH=" + path}, nil, []string{ws}, "", "")
	// ws/../good stays out too: the workspace's own folder is on that way.
	list := sibling + ":" + good + ":" + outside
	want := []string{"GOPACKAGESDRIVER=off", "LD_LIBRARY_PATH=" + list, "PATH=" + list}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	got = servers.Environ([]string{"PATH=:.", "LD_LIBRARY_PATH="}, nil, nil, "", "")
	if diff := cmp.Diff([]string{"GOPACKAGESDRIVER=off"}, got); diff != "" {
		t.Errorf("an empty search path means the current folder (-want +got):\n%s", diff)
	}
}

func TestPrivateConfig(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "config")
	for range 2 {
		err := servers.PrivateConfig(dir)
		if err != nil {
			t.Fatal(err)
		}
	}
	mode, err := os.ReadFile(filepath.Join(dir, "go", "telemetry", "mode"))
	if err != nil || string(mode) != "off\n" {
		t.Errorf("mode %q (%v)", mode, err)
	}
}
