package servers_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"lspbridge/lspclient/servers"
)

func sameJSON(t *testing.T, what string, got json.RawMessage, want string) {
	t.Helper()
	var g, w any
	err := json.Unmarshal([]byte(want), &w)
	if err == nil && len(got) > 0 {
		err = json.Unmarshal(got, &g)
	}
	if err != nil || !reflect.DeepEqual(g, w) {
		t.Errorf("%s: %s (%v), want %s", what, got, err, want)
	}
}

func TestSetting(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, value             string
		server, options, config string
		section                 string
		answer                  string
	}{
		{
			"gopls.buildFlags", `["-tags=x"]`, "gopls",
			goplsOptions(t, "buildFlags", `["-tags=x"]`), `{"gopls":` + goplsOptions(t, "buildFlags", `["-tags=x"]`) + `}`,
			"gopls", goplsOptions(t, "buildFlags", `["-tags=x"]`),
		},
		{ // gopls knows a setting by the last part of its dotted name
			"gopls.ui.navigation.symbolMatcher", "Fuzzy", "gopls",
			goplsOptions(t, "symbolMatcher", `"Fuzzy"`), `{"gopls":` + goplsOptions(t, "symbolMatcher", `"Fuzzy"`) + `}`,
			"gopls", goplsOptions(t, "symbolMatcher", `"Fuzzy"`),
		},
		{
			"rust-analyzer.cargo.features", `"all"`, "rust-analyzer",
			`{"cargo":{"features":"all"}}`, `{"rust-analyzer":{"cargo":{"features":"all"}}}`,
			"rust-analyzer.cargo", `{"features":"all"}`,
		},
		{
			"pyright.python.analysis.typeCheckingMode", "strict", "pyright",
			`{"python":{"analysis":{"typeCheckingMode":"strict"}}}`, `{"python":{"analysis":{"typeCheckingMode":"strict"}}}`,
			"python.analysis", `{"typeCheckingMode":"strict"}`,
		},
		{
			"clangd.fallbackFlags", `["-std=c++20"]`, "clangd",
			`{"fallbackFlags":["-std=c++20"]}`, `{"fallbackFlags":["-std=c++20"]}`,
			"nosuch", `null`,
		},
		{"clangd.x", "true", "clangd", `{"x":true}`, `{"x":true}`, "x", `true`},
		{"clangd.x", "two words", "clangd", `{"x":"two words"}`, `{"x":"two words"}`, "", `{"x":"two words"}`},
		{"clangd.x", "", "clangd", `{"x":""}`, `{"x":""}`, "x.y", `null`},
	} {
		t.Run(tt.name+"="+tt.value, func(t *testing.T) {
			t.Parallel()
			before := servers.Builtin()
			c, err := before.Setting(tt.name, tt.value)
			if err != nil {
				t.Fatal(err)
			}
			s, _ := c.Server(tt.server)
			sameJSON(t, "initializationOptions", s.InitializationOptions, tt.options)
			sameJSON(t, "settings", s.Settings, tt.config)
			sameJSON(t, "workspace/configuration "+tt.section, s.Configuration(tt.section), tt.answer)
			if old, _ := before.Server(tt.server); !reflect.DeepEqual(old, mustServer(t, tt.server)) {
				t.Error("the catalog it was asked of changed")
			}
		})
	}
}

func mustServer(t *testing.T, name string) servers.Server {
	t.Helper()
	s, ok := servers.Builtin().Server(name)
	if !ok {
		t.Fatalf("no server %s", name)
	}
	return s
}

func TestSettingErrors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, value, says string }{
		{"", "1", "want SERVER.NAME"},
		{"gopls", "1", "want SERVER.NAME"},
		{"gopls.", "1", "want SERVER.NAME"},
		{".x", "1", "want SERVER.NAME"},
		{"nosuch.x", "1", "known are gopls, clangd"},
		{"pyright.a..b", "1", "empty name"},
		{"gopls.x", strings.Repeat("x", 64<<10+1), "the most is 65536"},
	} {
		_, err := servers.Builtin().Setting(tt.name, tt.value)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("Setting(%q): error %v does not say %q", tt.name, err, tt.says)
		}
	}
}

// goplsOptions are the options of the built-in gopls with one of them set.
func goplsOptions(t *testing.T, name, value string) string {
	t.Helper()
	var options map[string]json.RawMessage
	if err := json.Unmarshal(mustServer(t, "gopls").InitializationOptions, &options); err != nil {
		t.Fatal(err)
	}
	options[name] = json.RawMessage(value)
	raw, err := json.Marshal(options)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
