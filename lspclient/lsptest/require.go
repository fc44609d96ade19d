package lsptest

import (
	"context"
	"fmt"
	"go/build"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// GoplsVersion is the version of gopls that tests are written against.
const GoplsVersion = "v0.23.0"

// Require returns the absolute path of a real program: "gopls" of
// [GoplsVersion], "clangd-19" or "clangd-22" of that major version, "tsc-7" and
// "typescript-language-server" and "pyright-langserver" of npm, "git", or any other
// by name. It looks on PATH, for gopls also where go install and the bridge's own
// install put it, for those of npm in the folders typescript7, typescript5 and
// pyright of the folder that LSPBRIDGE_NPM names. A test whose program is missing or of another
// version skips, unless LSPBRIDGE_REQUIRE_SERVERS names the program: then it
// fails.
func Require(t testing.TB, name string) string {
	t.Helper()
	path, err := find(t.Context(), name)
	if err == nil {
		return path
	}
	if Required(name) {
		t.Fatalf("%s is required: %v", name, err)
	}
	t.Skipf("needs %s: %v", name, err)
	return ""
}

// Required reports whether LSPBRIDGE_REQUIRE_SERVERS names the program.
func Required(name string) bool { return required(os.Getenv("LSPBRIDGE_REQUIRE_SERVERS"), name) }

func required(list, name string) bool {
	names := strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
	return slices.Contains(names, name)
}

// find returns the first candidate of the right version, or why there is none.
func find(ctx context.Context, name string) (string, error) {
	err := fmt.Errorf("not found")
	for _, candidate := range candidates(name) {
		path, lookErr := exec.LookPath(candidate)
		if lookErr != nil {
			continue
		}
		if path, err = filepath.Abs(path); err != nil {
			return "", err
		}
		if err = checkVersion(ctx, name, path); err == nil {
			return path, nil
		}
	}
	return "", err
}

// candidates are the places of a program, PATH first.
func candidates(name string) []string {
	list := []string{name}
	if p, ok := npmPrograms[name]; ok {
		list = []string{p.program}
		if dir := os.Getenv("LSPBRIDGE_NPM"); dir != "" {
			list = append(list, filepath.Join(dir, p.folder, "node_modules", ".bin", p.program))
		}
		return list
	}
	if name != "gopls" {
		return list
	}
	if bin := os.Getenv("GOBIN"); bin != "" {
		list = append(list, filepath.Join(bin, name))
	}
	for _, gopath := range filepath.SplitList(build.Default.GOPATH) {
		list = append(list, filepath.Join(gopath, "bin", name))
	}
	if cache, err := os.UserCacheDir(); err == nil {
		list = append(list, filepath.Join(cache, "lspbridge", "servers", "gopls@"+GoplsVersion, name))
	}
	return list
}

// npmPrograms are the programs of npm, by the names that [Require] takes.
var npmPrograms = map[string]struct{ folder, program string }{
	"tsc-7":                      {"typescript7", "tsc"},
	"typescript-language-server": {"typescript5", "typescript-language-server"},
	"pyright-langserver":         {"pyright", "pyright-langserver"},
}

var clangdName = regexp.MustCompile(`^clangd-(\d+)$`)

// checkVersion asks the program at path for its version, where tests depend on
// it.
func checkVersion(ctx context.Context, name, path string) error {
	var want, arg string
	if m := clangdName.FindStringSubmatch(name); m != nil {
		want, arg = `clangd version `+m[1]+`\.`, "--version"
	} else if name == "tsc-7" {
		want, arg = `Version 7\.`, "--version"
	} else if name == "gopls" {
		want, arg = regexp.QuoteMeta("golang.org/x/tools/gopls "+GoplsVersion)+`\b`, "version"
	} else {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, path, arg).Output()
	if err != nil {
		return fmt.Errorf("%s %s: %w", path, arg, err)
	}
	if !regexp.MustCompile(want).Match(out) {
		first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return fmt.Errorf("%s is another version: %.100s", path, first)
	}
	return nil
}
