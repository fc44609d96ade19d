package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// A toolchain is where code outside the workspace usually lies, so that it can
// be shown under a short name instead of a path. "" is not known.
type toolchain struct {
	goroot   string
	modcache string
	includes []string // of the C and C++ compilers of the system
}

// maxGoEnvBytes bounds the file of go env -w.
const maxGoEnvBytes = 64 << 10

// toolchain finds the folders without running a program.
func (a *app) toolchain() toolchain {
	t := toolchain{includes: []string{"/usr/include", "/usr/local/include", "/usr/lib"}}
	file := a.goEnvFile()
	get := func(name string) string {
		if v := a.env.getenv(name); v != "" {
			return v
		}
		return file[name]
	}
	t.goroot = get("GOROOT")
	for _, dir := range filepath.SplitList(a.env.getenv("PATH")) {
		if t.goroot != "" {
			break
		}
		if !filepath.IsAbs(dir) {
			continue
		}
		program, err := filepath.EvalSymlinks(filepath.Join(dir, executable("go")))
		if err != nil {
			continue
		}
		// A wrapper lies elsewhere; only a folder with the library is GOROOT.
		root := filepath.Dir(filepath.Dir(program))
		if _, err := os.Stat(filepath.Join(root, "src", "fmt")); err == nil {
			t.goroot = root
		}
	}
	t.modcache = get("GOMODCACHE")
	if t.modcache == "" {
		gopath, _, _ := strings.Cut(get("GOPATH"), string(os.PathListSeparator))
		if gopath == "" && a.env.Home != "" {
			gopath = filepath.Join(a.env.Home, "go")
		}
		if gopath != "" {
			t.modcache = filepath.Join(gopath, "pkg", "mod")
		}
	}
	return t
}

// goEnvFile reads what the user set with go env -w.
func (a *app) goEnvFile() map[string]string {
	path := a.env.getenv("GOENV")
	if path == "" && a.env.Config != "" {
		path = filepath.Join(a.env.Config, "go", "env")
	}
	values := map[string]string{}
	if path == "" || path == "off" {
		return values
	}
	data, err := readBounded(path, maxGoEnvBytes)
	if err != nil {
		return values
	}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			values[name] = value
		}
	}
	return values
}

func executable(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

// roots are the folders below which a file outside the workspace has a short
// name.
func (t toolchain) roots() []string {
	var list []string
	if t.goroot != "" {
		list = append(list, filepath.Join(t.goroot, "src"))
	}
	if t.modcache != "" {
		list = append(list, t.modcache)
	}
	return append(list, t.includes...)
}
