package servers_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/servers"
)

func TestLoadNewServer(t *testing.T) {
	t.Parallel()
	c, err := servers.Builtin().Load("servers.json", []byte(`{
		// a language the bridge does not know
		"zls": {
			"command": "zls",
			"args": ["--x"],
			"env": {"A": "b=c"},
			"extensionToLanguage": {".zig": "zig", ".zon": "zig"},
			"initializationOptions": {"a": 1},
			"settings": {"zls": {"b": [2]}},
			"startupTimeout": 1500,
			"transport": "stdio", "shutdownTimeout": 1, "restartOnCrash": true, "maxRestarts": 3,
			"lspbridge": {
				"minVersion": "0.14", "versionArgs": ["--version"], "executes": "config",
				"installHint": "get it", "fileNames": {"zig.build": "zig"}, "section": "zls",
				"quirks": {"readiness": "token", "readyToken": "load", "deafToDisk": true, "openForRequests": true, "symbolLimit": 7},
			},
		},
	}`))
	if err != nil {
		t.Fatal(err)
	}
	want := servers.Server{
		Name: "zls", Commands: []string{"zls"}, Args: []string{"--x"}, Env: map[string]string{"A": "b=c"},
		Extensions:            map[string]string{".zig": "zig", ".zon": "zig"},
		FileNames:             map[string]string{"zig.build": "zig"},
		InitializationOptions: json.RawMessage(`{"a": 1}`),
		Settings:              json.RawMessage(`{"zls": {"b": [2]}}`),
		Section:               "zls",
		StartupTimeout:        1500 * time.Millisecond,
		VersionArgs:           []string{"--version"},
		MinVersion:            "0.14",
		InstallHint:           "get it",
		Executes:              servers.ExecutesConfig,
		Quirks: servers.Quirks{
			Readiness: servers.ReadyByToken, ReadyToken: "load", DeafToDisk: true, OpenForRequests: true, SymbolLimit: 7,
		},
		Origin: servers.OriginUser,
	}
	got, _ := c.Server("zls")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	var notes []string
	for _, key := range []string{"transport", "shutdownTimeout", "restartOnCrash", "maxRestarts"} {
		notes = append(notes, "servers.json: zls: "+key+" is ignored")
	}
	if diff := cmp.Diff(notes, c.Notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if s, language, _ := c.For("zig.build"); s.Name != "zls" || language != "zig" {
		t.Errorf("zig.build is served by %q as %q", s.Name, language)
	}
}

func TestLoadOverKnownServer(t *testing.T) {
	t.Parallel()
	before := servers.Builtin()
	c, err := before.Load("servers.json", []byte(`{
		"gopls": {"env": {"GOMEMLIMIT": "2GiB"}, "initializationOptions": {"staticcheck": true}, "settings": {"gopls": {"staticcheck": true}}},
		"clangd": {"args": ["--query-driver=/usr/bin/g++"]},
		"basedpyright": {"command": "/opt/bp", "extensionToLanguage": {".py": "python"}},
	}`))
	if err != nil {
		t.Fatal(err)
	}
	wantOrder := []string{"gopls", "clangd", "basedpyright", "rust-analyzer", "typescript", "pyright"}
	if diff := cmp.Diff(wantOrder, c.Names()); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	gopls, _ := c.Server("gopls")
	sameJSON(t, "initializationOptions", gopls.InitializationOptions, goplsOptions(t, "staticcheck", "true"))
	sameJSON(t, "settings", gopls.Configuration("gopls"), goplsOptions(t, "staticcheck", "true"))
	want := mustServer(t, "gopls")
	want.Env = map[string]string{"GOMEMLIMIT": "2GiB"}
	want.Executes = servers.ExecutesBuild
	want.Origin = servers.OriginUser
	want.InitializationOptions, want.Settings = gopls.InitializationOptions, gopls.Settings
	if diff := cmp.Diff(want, gopls); diff != "" {
		t.Errorf("gopls changed elsewhere (-want +got):\n%s", diff)
	}
	// With other arguments clangd may run what the workspace names.
	clangd, _ := c.Server("clangd")
	if clangd.Executes != servers.ExecutesBuild || len(clangd.Args) != 1 || clangd.MinVersion != "19" {
		t.Errorf("clangd: executes %q, args %q, at least %q", clangd.Executes, clangd.Args, clangd.MinVersion)
	}
	basedpyright, _ := c.Server("basedpyright")
	if basedpyright.Executes != servers.ExecutesBuild {
		t.Errorf("an unknown server executes %q, want build", basedpyright.Executes)
	}
	// The user's choice goes before the built-in one, also where both serve a file.
	if s, _, _ := c.For("a.py"); s.Name != "basedpyright" {
		t.Errorf("a.py is served by %q", s.Name)
	}
	if s, _, _ := c.For("a.pyi"); s.Name != "pyright" {
		t.Errorf("a.pyi is served by %q", s.Name)
	}
	if diff := cmp.Diff(servers.Builtin(), before); diff != "" {
		t.Errorf("the catalog it was loaded over changed (-want +got):\n%s", diff)
	}
}

func TestLoadOtherCommand(t *testing.T) {
	t.Parallel()
	c, err := servers.Builtin().Load("f", []byte(`{"gopls": {"command": "/opt/gopls"}}`))
	if err != nil {
		t.Fatal(err)
	}
	gopls, _ := c.Server("gopls")
	if gopls.Module != "" || len(gopls.Commands) != 1 || gopls.Commands[0] != "/opt/gopls" {
		t.Errorf("commands %q, module %q: --install would build another program", gopls.Commands, gopls.Module)
	}
}

func TestLoadErrors(t *testing.T) {
	t.Parallel()
	const serves = `"extensionToLanguage": {".x": "x"}`
	for _, tt := range []struct{ name, data, says string }{
		{"empty", ``, "EOF"},
		{"no JSON", `{"a"`, "hujson"},
		{"no object", `[]`, "want a JSON object"},
		{"entry is no object", `{"a": 1}`, "a: want a JSON object"},
		{"unknown key", `{"a": {"command": "a", "colour": 1}}`, "a: colour: unknown key"},
		{"case counts", `{"a": {"Command": "a"}}`, "a: Command: unknown key"},
		{"unknown own key", `{"a": {"lspbridge": {"colour": 1}}}`, "a: lspbridge: colour: unknown key"},
		{"unknown quirk", `{"a": {"lspbridge": {"quirks": {"colour": 1}}}}`, "a: lspbridge: quirks: colour: unknown key"},
		{"entry twice", `{"a": {"command": "a", ` + serves + `}, "a": {}}`, "a: stands there twice"},
		{"key twice", `{"a": {"command": "a", "command": "b"}}`, "a: command: stands there twice"},
		{"relative command", `{"a": {"command": "./a"}}`, "a: command: \"./a\" is relative"},
		{"relative command without dot", `{"a": {"command": "node_modules/.bin/a"}}`, "is relative"},
		{"home command", `{"a": {"command": "~/bin/a"}}`, "is relative"},
		{"backslash", `{"a": {"command": "bin\\a"}}`, "is relative"},
		{"empty command", `{"a": {"command": ""}}`, "is no program"},
		{"command is a list", `{"a": {"command": ["a"]}}`, "a: command: is or holds a JSON array"},
		{"command is null", `{"a": {"command": null}}`, "a: command: is null"},
		{"no command", `{"a": {` + serves + `}}`, "a: command is missing"},
		{"no extension", `{"a": {"command": "a"}}`, "a: extensionToLanguage is missing"},
		{"extension without dot", `{"a": {"command": "a", "extensionToLanguage": {"x": "x"}}}`, `"x" is no extension`},
		{"extension is a path", `{"a": {"command": "a", "extensionToLanguage": {".x/y": "x"}}}`, "is no extension"},
		{"no language", `{"a": {"command": "a", "extensionToLanguage": {".x": ""}}}`, "has no language"},
		{"args are no list", `{"a": {"args": "--x"}}`, "a: args: is or holds a JSON string"},
		{"bad variable", `{"a": {"env": {"A=B": "c"}}}`, `a: env: "A=B" is no environment variable`},
		{"settings are no object", `{"a": {"settings": [1]}}`, "a: settings: want an object"},
		{"socket", `{"a": {"transport": "socket"}}`, `a: transport: "socket" is not supported`},
		{"startup zero", `{"a": {"startupTimeout": 0}}`, "a: startupTimeout: 0 is not between"},
		{"startup long", `{"a": {"startupTimeout": 600001}}`, "is not between"},
		{"bad version", `{"a": {"lspbridge": {"minVersion": "new"}}}`, `a: lspbridge: minVersion: "new" is no version`},
		{"bad class", `{"a": {"lspbridge": {"executes": "all"}}}`, `executes: "all" is none of`},
		{"hint of two lines", `{"a": {"lspbridge": {"installHint": "a\nb"}}}`, "want one line"},
		{"bad readiness", `{"a": {"lspbridge": {"quirks": {"readiness": "soon"}}}}`, "is none of"},
		{"token without name", `{"a": {"lspbridge": {"quirks": {"readiness": "token"}}}}`, "go together"},
		{"negative limit", `{"a": {"lspbridge": {"quirks": {"symbolLimit": -1}}}}`, "is negative"},
		{"file name is a path", `{"a": {"lspbridge": {"fileNames": {"a/b": "x"}}}}`, "is no file name"},
		{"no name", `{"": {"command": "a", ` + serves + `}}`, "needs a name"},
		{"two for one extension", `{"a": {"command": "a", ` + serves + `}, "b": {"command": "b", ` + serves + `}}`, "a and b both serve .x"},
		{"too large", `{"a": "` + strings.Repeat("x", 1<<20) + `"}`, "the most is 1048576"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := servers.Builtin().Load("my.json", []byte(tt.data))
			if err == nil {
				t.Fatal("no error")
			}
			if !strings.HasPrefix(err.Error(), "my.json: ") || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %q does not name the file or say %q", err, tt.says)
			}
		})
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"a": {"command": "a", "extensionToLanguage": {".x": "x"}, /* c */ "settings": {"a": {"b": 1}},}}`))
	f.Add([]byte(`{"gopls": {"settings": {"gopls": null}, "initializationOptions": [1]}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := servers.Builtin().Load("f", data)
		if err != nil {
			return
		}
		for _, s := range c.Servers {
			if s.Name == "" || len(s.Commands) == 0 || s.Executes == "" {
				t.Errorf("an entry without name, command or class: %+v", s)
			}
			if !json.Valid(s.Configuration("")) || !json.Valid(s.Configuration(s.Section)) {
				t.Errorf("%s: configuration is no JSON: %s", s.Name, s.Settings)
			}
		}
	})
}
