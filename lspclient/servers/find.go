package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// A Program is an installed language server. Path never leaves the bridge but in
// the log and in doctor.
type Program struct {
	Path    string
	Version string // as the program says: "v0.23.0", "22.1.8"; "" if it was not asked
	Origin  string // "PATH", "installed by lspbridge", "servers.json"
}

// The origins of a [Program]; OriginUser is the third.
const (
	OriginPath      = "PATH"
	OriginInstalled = "installed by lspbridge"
)

// Finder looks programs up. The zero value looks nowhere.
type Finder struct {
	// Path is the user's PATH. Relative entries, entries below a folder of Avoid
	// and duplicates are skipped.
	Path string
	// Avoid are canonical folders (the workspace's roots) no program is taken
	// from, symbolic links included.
	Avoid []string
	// Cache is the folder that Install writes programs to.
	Cache string
	// Env is the environment the version is asked in.
	Env []string
}

// A NotFoundError says that no acceptable program of a server is installed.
type NotFoundError struct {
	Server   string
	Rejected []string // why each candidate was not taken, one line each, without paths
	Hint     string   // what a person does about it
}

func (e *NotFoundError) Error() string {
	if len(e.Rejected) == 0 {
		return e.Server + " is not installed"
	}
	return fmt.Sprintf("no usable %s is installed (%s)", e.Server, strings.Join(e.Rejected, "; "))
}

// Find returns the first acceptable program of s: on PATH in the order of
// s.Commands (a numbered pattern by descending number), of at least
// s.MinVersion; else the one Install built. Of several on PATH the version of
// s.Module, with which the bridge is tested, goes before others; where
// s.Commands has a pattern, the newest version wins. The error is a
// *[NotFoundError], or ctx's.
//
// Every call runs the candidates for their version; callers keep the answer.
func (f Finder) Find(ctx context.Context, s Server) (Program, error) {
	notFound := &NotFoundError{Server: s.Name, Hint: s.InstallHint}
	var best *Program
	for c := range f.candidates(s) {
		p, err := f.accept(ctx, s, c)
		if ctx.Err() != nil {
			return Program{}, context.Cause(ctx)
		}
		if err != nil {
			if !errors.Is(err, errUnasked) {
				notFound.Rejected = append(notFound.Rejected, c.label+": "+err.Error())
			}
			continue
		}
		if best == nil || f.better(s, p, *best) {
			best = &p
		}
		if best.Version == s.pinned() && best.Version != "" || s.pinned() == "" && !s.numbered() {
			break // no later one can be wanted more
		}
	}
	if best != nil {
		return *best, nil
	}
	if installed := f.installed(s); installed != "" {
		p, err := f.accept(ctx, s, candidate{path: installed, label: s.Name + " installed by lspbridge", origin: OriginInstalled})
		if err == nil {
			return p, nil
		}
		if ctx.Err() != nil {
			return Program{}, context.Cause(ctx)
		}
		if !errors.Is(err, errUnasked) {
			notFound.Rejected = append(notFound.Rejected, s.Name+" installed by lspbridge: "+err.Error())
		}
	}
	return Program{}, notFound
}

// FindAny is Find for s and, where its program is not found, for those instead of
// it. It returns what the program is to be run and talked to as.
func (f Finder) FindAny(ctx context.Context, s Server) (Server, Program, error) {
	p, err := f.Find(ctx, s)
	var missing *NotFoundError
	if !errors.As(err, &missing) {
		return s, p, err
	}
	for _, other := range s.Instead {
		other = s.as(other)
		p, err := f.Find(ctx, other)
		var also *NotFoundError
		if !errors.As(err, &also) {
			return other, p, err
		}
		missing.Rejected = append(missing.Rejected, also.Rejected...)
	}
	return s, Program{}, missing
}

// as returns the entry with the program of another one.
func (s Server) as(other Server) Server {
	s.Commands, s.Args, s.Env, s.VersionArgs, s.MinVersion, s.Module = other.Commands, other.Args, other.Env, other.VersionArgs, other.MinVersion, other.Module
	s.InitializationOptions, s.Settings, s.Section = other.InitializationOptions, other.Settings, other.Section
	s.MethodSince, s.Executes, s.Quirks, s.Instead = other.MethodSince, other.Executes, other.Quirks, nil
	return s
}

// better says whether p is wanted more than q, which was found before it.
func (f Finder) better(s Server, p, q Program) bool {
	if s.numbered() {
		return compareVersions(p.Version, q.Version) > 0
	}
	return s.pinned() != "" && p.Version == s.pinned() && q.Version != s.pinned()
}

// pinned returns the version that Install builds, "" if there is none.
func (s Server) pinned() string {
	_, version, _ := strings.Cut(s.Module, "@")
	return version
}

// numbered says whether the commands hold a pattern for numbered names.
func (s Server) numbered() bool {
	return slices.ContainsFunc(s.Commands, func(c string) bool { return strings.HasSuffix(c, "-*") })
}

// errUnasked is a candidate that is no program at all; that is no reason to show.
var errUnasked = errors.New("is not there")

// A candidate is a path where a program may be. The label names it in a reason.
type candidate struct{ path, label, origin string }

// candidates yields where the programs of s may be, in the order they are asked.
func (f Finder) candidates(s Server) func(yield func(candidate) bool) {
	return func(yield func(candidate) bool) {
		dirs := searchPath(f.Path, f.Avoid)
		for _, command := range s.Commands {
			if filepath.IsAbs(command) {
				if !yield(candidate{path: command, label: filepath.Base(command), origin: OriginUser}) {
					return
				}
				continue
			}
			if filepath.Base(command) != command {
				continue // a path, and relative
			}
			for _, c := range onPath(dirs, command) {
				if !yield(c) {
					return
				}
			}
		}
	}
}

// onPath lists where a command is: a plain name in the order of the folders, a
// pattern by descending number.
func onPath(dirs []string, command string) []candidate {
	prefix, isPattern := strings.CutSuffix(command, "*")
	var found []candidate
	numbers := map[string]int{}
	for _, dir := range dirs {
		if !isPattern {
			found = append(found, candidate{path: filepath.Join(dir, executable(command)), label: command, origin: OriginPath})
			continue
		}
		entries, _ := os.ReadDir(dir) // a folder that cannot be listed has nothing to offer
		for _, e := range entries {
			name := strings.TrimSuffix(e.Name(), executable(""))
			digits, ok := strings.CutPrefix(name, prefix)
			if n, err := strconv.Atoi(digits); ok && err == nil && n >= 0 {
				path := filepath.Join(dir, e.Name())
				numbers[path] = n
				found = append(found, candidate{path: path, label: name, origin: OriginPath})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return numbers[b.path] - numbers[a.path] })
	return found
}

// executable returns the file name of a command.
func executable(command string) string {
	if runtime.GOOS == "windows" {
		return command + ".exe"
	}
	return command
}

// accept looks at a candidate and asks its version. The error is the reason
// against it, without a path.
func (f Finder) accept(ctx context.Context, s Server, c candidate) (Program, error) {
	info, err := os.Stat(c.path)
	if err != nil {
		return Program{}, errUnasked
	}
	if !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return Program{}, errors.New("is no executable file")
	}
	if touches(c.path, statAll(f.Avoid)) {
		return Program{}, errors.New("is inside the workspace")
	}
	p := Program{Path: c.path, Origin: c.origin}
	if len(s.VersionArgs) == 0 {
		return p, nil
	}
	stdout, stderr, err := ask(ctx, f.Env, c.path, s.VersionArgs...)
	if err != nil {
		return Program{}, failure(s, stderr, err)
	}
	p.Version = parseVersion(stdout)
	if s.MinVersion == "" {
		return p, nil
	}
	if p.Version == "" {
		return Program{}, errors.New("does not say which version it is")
	}
	if compareVersions(p.Version, s.MinVersion) < 0 {
		return Program{}, fmt.Errorf("version %s is older than %s", p.Version, s.MinVersion)
	}
	return p, nil
}

// rustupPattern is what rustup's stand-in for a program says when the program is
// not part of the toolchain.
var rustupPattern = regexp.MustCompile(`rustup component add|is not installed for the toolchain|Unknown binary`)

// failure words why a program did not tell its version. Its own words may hold
// paths and are not repeated.
func failure(s Server, stderr string, err error) error {
	if rustupPattern.MatchString(stderr) {
		return errors.New("is rustup's stand-in, the component is not installed")
	}
	question := strings.Join(s.VersionArgs, " ")
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%s gave no answer within %v", question, askTime)
	}
	return fmt.Errorf("%s failed: %w", question, withoutPath(err))
}
