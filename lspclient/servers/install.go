package servers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// lockRetry is how often a lock that another install holds is tried.
const lockRetry = 200 * time.Millisecond

// Install builds the pinned version of s with the user's own go into f.Cache,
// with the checksum database on, and returns it. progress gets one line at a
// time: what is done and how far it is. An installed program of the pinned
// version is returned as it is. Two installs at once take turns (file lock).
//
// The build runs outside every module in the environment f.Env, with the user's
// proxies, toolchain choice and flags. Three things are not the user's: flags of
// GOFLAGS that belong to one module (-mod, -modfile, -overlay) are left out, the
// target is this machine, and the checksum database is asked even where
// GOSUMDB, GONOSUMDB or GOPRIVATE would switch it off for this public module:
// a program that will read the user's code is not installed unchecked. A GOSUMDB
// that names another database stays.
func (f Finder) Install(ctx context.Context, s Server, progress func(line string)) (Program, error) {
	if s.Module == "" {
		return Program{}, fmt.Errorf("%s cannot be installed by lspbridge: %s", s.Name, s.InstallHint)
	}
	if !filepath.IsAbs(f.Cache) {
		return Program{}, fmt.Errorf("install %s: no cache folder", s.Name)
	}
	target := f.target(s)
	err := os.MkdirAll(filepath.Join(f.Cache, "servers"), 0o700)
	if err != nil {
		return Program{}, fmt.Errorf("install %s: %w", s.Name, err)
	}
	unlock, err := f.lock(ctx, s, progress)
	if err != nil {
		return Program{}, fmt.Errorf("install %s: %w", s.Name, err)
	}
	defer unlock()

	ready, err := f.accept(ctx, s, installedAt(target))
	if err == nil && ready.Version == s.pinned() {
		return ready, nil
	}
	started := time.Now()
	err = f.build(ctx, s, progress)
	if err != nil {
		return Program{}, fmt.Errorf("install %s: %w", s.Name, err)
	}
	progress(fmt.Sprintf("installed %s %s in %v", s.Name, s.pinned(), time.Since(started).Round(time.Second)))
	return Program{Path: target, Version: s.pinned(), Origin: OriginInstalled}, nil
}

// target is where the pinned program of s is kept.
func (f Finder) target(s Server) string {
	return filepath.Join(f.Cache, "servers", s.Name+"@"+s.pinned(), executable(s.program()))
}

// program is the name go install gives the program of s.Module.
func (s Server) program() string {
	module, _, _ := strings.Cut(s.Module, "@")
	return path.Base(module)
}

// installed returns where Install put the program of s, "" if it cannot.
func (f Finder) installed(s Server) string {
	if s.Module == "" || f.Cache == "" {
		return ""
	}
	return f.target(s)
}

func installedAt(target string) candidate {
	return candidate{path: target, label: "installed by lspbridge", origin: OriginInstalled}
}

// lock takes the turn of this install.
func (f Finder) lock(ctx context.Context, s Server, progress func(string)) (unlock func(), err error) {
	lock := flock.New(filepath.Dir(f.target(s))+".lock", flock.SetPermissions(0o600))
	held, err := lock.TryLock()
	if err == nil && !held {
		progress("waiting for another install of " + s.Name)
		_, err = lock.TryLockContext(ctx, lockRetry)
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = lock.Close() }, nil
}

// build builds into a folder of its own and moves the program to its place once
// it has shown that it runs and is the pinned version.
func (f Finder) build(ctx context.Context, s Server, progress func(string)) error {
	target := f.target(s)
	dir, err := os.MkdirTemp(filepath.Join(f.Cache, "servers"), ".install-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	tool, err := f.goTool(ctx)
	if err != nil {
		return err
	}
	bin := filepath.Join(dir, "bin")
	progress(fmt.Sprintf("installing %s %s with %s ...", s.Name, s.pinned(), tool.version))

	cmd := command(ctx, tool.buildEnv(f.Env, bin), tool.path, "install", s.Module)
	cmd.Dir = dir
	out := &buildOutput{progress: progress, what: "building " + s.Name + " " + s.pinned(), started: time.Now()}
	cmd.Stdout, cmd.Stderr = out, out
	stop := out.tick()
	err = cmd.Run()
	stop()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return fmt.Errorf("go install %s: %w\n%s", s.Module, err, out.tail())
	}
	built := filepath.Join(bin, filepath.Base(target))
	p, err := f.accept(ctx, s, installedAt(built))
	if err != nil {
		return fmt.Errorf("what was built: %w", err)
	}
	if p.Version != s.pinned() {
		return fmt.Errorf("what was built is version %s, not %s", p.Version, s.pinned())
	}
	err = os.MkdirAll(filepath.Dir(target), 0o700)
	if err != nil {
		return err
	}
	return os.Rename(built, target)
}

// A goTool is the user's go command.
type goTool struct {
	path, version string // "go1.26.8"
	env           map[string]string
}

// goTool finds go on PATH and asks what it is set up to do.
func (f Finder) goTool(ctx context.Context) (goTool, error) {
	s := Server{Name: "go", Commands: []string{"go"}}
	tool, err := f.Find(ctx, s)
	if err != nil {
		if ctx.Err() != nil {
			return goTool{}, err
		}
		return goTool{}, errors.New("go is not on PATH; install Go from https://go.dev/dl and try again")
	}
	stdout, stderr, err := ask(ctx, f.Env, tool.Path, "env", "-json", "GOVERSION", "GOHOSTOS", "GOHOSTARCH", "GOFLAGS", "GOSUMDB")
	if err != nil {
		return goTool{}, fmt.Errorf("go env: %w\n%s", err, strings.TrimSpace(stderr))
	}
	t := goTool{path: tool.Path}
	err = json.Unmarshal([]byte(stdout), &t.env)
	if err != nil {
		return goTool{}, fmt.Errorf("go env: %w", err)
	}
	t.version = t.env["GOVERSION"]
	return t, nil
}

// buildEnv is the environment of the build; see Install. Later entries count.
// An empty value would leave the word to the user's go env file, so each of
// them is set to something.
func (t goTool) buildEnv(env []string, bin string) []string {
	sumdb := t.env["GOSUMDB"]
	if sumdb == "off" || sumdb == "" {
		sumdb = "sum.golang.org"
	}
	flags := slices.DeleteFunc(strings.Fields(t.env["GOFLAGS"]), func(flag string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		return slices.Contains([]string{"mod", "modfile", "overlay"}, name)
	})
	if len(flags) == 0 {
		flags = []string{"-mod=readonly"} // the default outside a module
	}
	return append(slices.Clone(env),
		"GOBIN="+bin,
		"GOFLAGS="+strings.Join(flags, " "),
		"GOOS="+t.env["GOHOSTOS"],
		"GOARCH="+t.env["GOHOSTARCH"],
		"GO111MODULE=on",
		"GOWORK=off",
		"GOSUMDB="+sumdb,
		"GONOSUMDB=none.invalid", // matches no module
	)
}
