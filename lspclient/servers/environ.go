package servers

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// passed are the variables of the user that a language server gets.
var passed = strings.Fields(`
	HOME LANG LC_ALL LC_CTYPE XDG_CACHE_HOME SSH_AUTH_SOCK
	HTTP_PROXY HTTPS_PROXY NO_PROXY ALL_PROXY http_proxy https_proxy no_proxy all_proxy
	CC CXX CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH PKG_CONFIG_PATH LD_LIBRARY_PATH
	JAVA_HOME RUSTUP_HOME CARGO_HOME
	AR FC GCCGO PKG_CONFIG
	CGO_ENABLED CGO_CFLAGS CGO_CFLAGS_ALLOW CGO_CFLAGS_DISALLOW CGO_CPPFLAGS CGO_CPPFLAGS_ALLOW CGO_CPPFLAGS_DISALLOW
	CGO_CXXFLAGS CGO_CXXFLAGS_ALLOW CGO_CXXFLAGS_DISALLOW CGO_FFLAGS CGO_FFLAGS_ALLOW CGO_FFLAGS_DISALLOW
	CGO_LDFLAGS CGO_LDFLAGS_ALLOW CGO_LDFLAGS_DISALLOW
	GO111MODULE GO386 GOAMD64 GOARCH GOARM GOARM64 GOAUTH GOBIN GOCACHE GOCACHEPROG GODEBUG GOENV GOEXPERIMENT
	GOFIPS140 GOFLAGS GOGC GOINSECURE GOMAXPROCS GOMEMLIMIT GOMIPS GOMIPS64 GOMODCACHE GONOPROXY GONOSUMDB GOOS GOPATH
	GOPPC64 GOPRIVATE GOPROXY GORISCV64 GOROOT GOSUMDB GOTOOLCHAIN GOVCS GOWASM GOWORK
`)

// passedWindows are those without which no program starts on Windows.
var passedWindows = strings.Fields(`
	SYSTEMROOT SYSTEMDRIVE USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA PATHEXT COMSPEC
`)

// searched are the variables that hold folders code is loaded from.
var searched = []string{"PATH", "LD_LIBRARY_PATH"}

// Environ returns the environment of a language server: an allow-list of the
// user's variables taken from environ ("NAME=value" each; of a name that stands
// there twice the last counts), the names in more, PATH and LD_LIBRARY_PATH
// without relative entries and without those that lead through a folder of
// avoid, TMPDIR set to tmp, XDG_CONFIG_HOME to config with GOENV at the user's
// real file, and GOPACKAGESDRIVER=off unless more names it. The result is sorted
// and has no name twice.
//
// With tmp or config empty, TMPDIR and XDG_CONFIG_HOME are the user's. On macOS
// and Windows, programs of Go do not read XDG_CONFIG_HOME.
func Environ(environ, more, avoid []string, tmp, config string) []string {
	user := map[string]string{}
	for _, entry := range environ {
		name, value, ok := strings.Cut(entry, "=")
		if ok && name != "" && !strings.ContainsRune(entry, 0) {
			user[name] = value
		}
	}
	names := slices.Concat(passed, searched, more)
	if runtime.GOOS == "windows" {
		names = append(names, passedWindows...)
	}
	env := map[string]string{}
	for _, name := range append(names, "TMPDIR", "XDG_CONFIG_HOME") {
		if value, ok := user[name]; ok {
			env[name] = value
		}
	}
	for _, name := range searched {
		env[name] = strings.Join(searchPath(env[name], avoid), string(filepath.ListSeparator))
		if env[name] == "" {
			delete(env, name) // empty, it would mean the current folder
		}
	}
	if !slices.Contains(more, "GOPACKAGESDRIVER") {
		env["GOPACKAGESDRIVER"] = "off" // else one on PATH is run at every load
	}
	if tmp != "" {
		env["TMPDIR"] = tmp
		if runtime.GOOS == "windows" {
			env["TMP"], env["TEMP"] = tmp, tmp
		}
	}
	if config != "" {
		if env["GOENV"] == "" {
			env["GOENV"] = goEnvFile(user)
		}
		env["XDG_CONFIG_HOME"] = config
	}
	list := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		list = append(list, name+"="+env[name])
	}
	return list
}

// goEnvFile is where `go env -w` writes for a user of this environment: the rule
// of os.UserConfigDir, which cannot be asked about another environment than the
// own one. "off" says that there is no such place.
func goEnvFile(user map[string]string) string {
	var dir string
	switch runtime.GOOS {
	case "windows":
		dir = user["APPDATA"]
	case "darwin", "ios":
		if home := user["HOME"]; home != "" {
			dir = filepath.Join(home, "Library", "Application Support")
		}
	default:
		dir = user["XDG_CONFIG_HOME"]
		if home := user["HOME"]; dir == "" && home != "" {
			dir = filepath.Join(home, ".config")
		}
	}
	if !filepath.IsAbs(dir) {
		return "off"
	}
	return filepath.Join(dir, "go", "env")
}

// PrivateConfig makes dir a configuration folder in which Go's telemetry is off,
// for [Environ]. The variable GOTELEMETRY does not switch it off.
func PrivateConfig(dir string) error {
	folder := filepath.Join(dir, "go", "telemetry")
	err := os.MkdirAll(folder, 0o700)
	if err != nil {
		return err
	}
	return replaceFile(filepath.Join(folder, "mode"), []byte("off\n"))
}
