package tools_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lspbridge/lspclient/lsptest"
)

// TestSituationsCPP: of files without a command of their own clangd knows
// nothing, or guesses.
func TestSituationsCPP(t *testing.T) {
	t.Parallel()
	for _, version := range clangds {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			program := lsptest.Require(t, version)
			for _, s := range situationsCPP() {
				t.Run(s.name, func(t *testing.T) {
					switch s.file {
					case "":
						s.file, s.word = "def.cpp", "shared"
					case "-":
						s.file = ""
					}
					s.run(t, "clangd", program)
				})
			}
		})
	}
}

func situationsCPP() []situation {
	units := map[string]string{"def.cpp": "#include \"a.h\"\nint shared() { return 1; }\n", "use.cpp": "#include \"a.h\"\nint u() { return shared(); }\n"}
	project := join(units, map[string]string{"a.h": "#pragma once\nint shared();\n", "compile_commands.json": relativeCommands("def.cpp", "use.cpp")})
	with := func(more map[string]string) map[string]string { return join(project, more) }
	own := []string{"a.h:2:5", "def.cpp:2:5", "use.cpp:2:18"}
	and := func(more ...string) []string { return append(more, own...) }
	lone := "#include \"a.h\"\ninline int l() { return shared(); }\n"
	old := func(t *testing.T, dir, name string) {
		t.Helper()
		before := time.Now().Add(-time.Hour)
		if err := os.Chtimes(filepath.Join(dir, name), before, before); err != nil {
			t.Fatal(err)
		}
	}
	files := func(files map[string]string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { lsptest.WriteFiles(t, dir, files) }
	}
	choosing := func(flag string) string {
		return strings.ReplaceAll(relativeCommands("def.cpp", "use.cpp"), `"-c"`, `"`+flag+`", "-c"`)
	}
	choice := with(map[string]string{
		"compile_commands.json": choosing("-Ione"), "one/sel.h": "#pragma once\n", "two/sel.h": "#pragma once\ninline int s() { return shared(); }\n",
		"use.cpp": "#include \"a.h\"\n#include \"sel.h\"\nint u() { return shared(); }\n",
	})
	chosen := []string{"a.h:2:5", "def.cpp:2:5", "two/sel.h:2:25", "use.cpp:3:18"}
	return []situation{
		{name: "flags change", files: choice, then: files(map[string]string{"compile_commands.json": choosing("-Itwo")}), want: chosen},
		{name: "flags change between two runs", files: choice, anew: true, then: files(map[string]string{"compile_commands.json": choosing("-Itwo")}), want: chosen},
		{name: "a response file changes", files: join(choice, map[string]string{"compile_commands.json": choosing("@flags.rsp"), "flags.rsp": "-Ione"}), then: files(map[string]string{"flags.rsp": "-Itwo"}), want: chosen},
		{name: "a list of macros changes", files: with(map[string]string{"x.def": "X(shared())\n", "use.cpp": "#include \"a.h\"\n#define X(e) e +\nint u() { return\n#include \"x.def\"\n0; }\n"}),
			then: files(map[string]string{"x.def": "\n\nX(shared())\n"}), want: []string{"a.h:2:5", "def.cpp:2:5", "x.def:3:3"}},
		{name: "a header without an ending changes", files: with(map[string]string{"lib/Lib": "#include \"i.h\"\n", "lib/i.h": "inline int i() { return shared(); }\n", "use.cpp": "#include \"a.h\"\n#include \"lib/Lib\"\nint u() { return shared(); }\n"}),
			then: files(map[string]string{"lib/i.h": "\ninline int i() { return shared(); }\n", "lib/Lib": "#include \"i.h\"\ninline int l() { return shared(); }\n"}), want: []string{"a.h:2:5", "def.cpp:2:5", "lib/Lib:2:25", "lib/i.h:2:25", "use.cpp:3:18"}},
		{name: "settings of clangd change", files: join(choice, map[string]string{"compile_commands.json": choosing("-DX")}), then: func(t *testing.T, dir string) {
			lsptest.WriteFiles(t, dir, map[string]string{".clangd": "CompileFlags:\n  Add: [-I" + filepath.Join(dir, "two") + "]\n"})
		}, want: chosen},
		{name: "an ordinary project", files: with(map[string]string{"CMakeLists.txt": "project(x)\n", "build/CMakeCache.txt": ""}), want: own},
		{name: "no compile_commands.json", files: join(units, map[string]string{"a.h": project["a.h"]}), want: []string{"def.cpp:2:5"}, why: "no compile_commands.json: opened files only"},
		{name: "a compile_commands.json that is none", files: with(map[string]string{"compile_commands.json": "{"}), want: []string{"def.cpp:2:5"}, why: "compile_commands.json cannot be used"},
		{name: "a file outside it", files: with(map[string]string{"more.cpp": "#include \"a.h\"\nint m() { return shared(); }\n"}), want: own, why: `outside compile_commands.json, and 1 holds "shared": more.cpp`},
		{name: "a file outside it without the name", files: with(map[string]string{"more.cpp": "int m() { return 1; }\n"}), want: own},
		{name: "a header that nothing includes", files: with(map[string]string{"lone.h": lone}), want: own, why: `included by no file of compile_commands.json, and 1 holds "shared": lone.h`},
		{name: "a header whose command is inferred", files: with(map[string]string{"lone.h": lone}), file: "lone.h", word: "shared", want: and("lone.h:2:25"), why: "no file of compile_commands.json includes lone.h"},
		{name: "a file that does not compile", files: with(map[string]string{"use.cpp": "#include \"a.h\"\n#include \"none.h\"\nint u() { return shared(); }\n"}), want: []string{"a.h:2:5", "def.cpp:2:5", "use.cpp:3:18"}, why: `does not compile, and 1 holds "shared": use.cpp`},
		{name: "a branch that is not compiled", files: with(map[string]string{"use.cpp": "#include \"a.h\"\n#ifdef _WIN32\nint u() { return shared(); }\n#endif\n"}), want: []string{"a.h:2:5", "def.cpp:2:5"}, why: `1 holds "shared": use.cpp`},
		{name: "a branch that is compiled", files: with(map[string]string{"use.cpp": "#include \"a.h\"\n#ifndef _WIN32\n// shared on others\nint u() { return shared(); }\n#endif\n"}), want: []string{"a.h:2:5", "def.cpp:2:5", "use.cpp:4:18"}},
		{name: "a local variable", files: with(map[string]string{"use.cpp": "#include \"a.h\"\nint u(int n) { return n; }\n", "def.cpp": "#include \"a.h\"\nint shared() { return 1; }\n#ifdef X\nint n;\n#endif\n"}), file: "use.cpp", word: "n)", want: []string{"use.cpp:2:11", "use.cpp:2:23"}},
		{name: "symbols that no branch has", files: with(map[string]string{"use.cpp": "#include \"a.h\"\n#ifdef _WIN32\nint only_there();\n#endif\n"}), file: "-", word: "only_there", why: `1 holds "only_there": use.cpp`},
		{name: "compile_commands.json changes", files: project, then: files(map[string]string{
			"new.cpp": "#include \"a.h\"\nint n() { return shared(); }\n", "compile_commands.json": relativeCommands("def.cpp", "new.cpp", "use.cpp"),
		}), want: and("new.cpp:2:18")},
		{name: "compile_commands.json goes", files: project, then: func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "compile_commands.json")); err != nil {
				t.Fatal(err)
			}
		}, want: []string{"def.cpp:2:5"}, why: "no compile_commands.json"},
		{name: "the build description changes", files: with(map[string]string{"CMakeLists.txt": "project(x)\n"}), then: func(t *testing.T, dir string) {
			old(t, dir, "compile_commands.json")
		}, want: own, why: "compile_commands.json is older than CMakeLists.txt"},
		{name: "the build makes files of its own", files: join(units, map[string]string{"a.h": project["a.h"], "CMakeLists.txt": "project(x)\n", "build/CMakeCache.txt": "", "build/compile_commands.json": relativeCommands("../def.cpp", "../use.cpp"), "build/_deps/x/CMakeLists.txt": ""}), then: func(t *testing.T, dir string) {
			old(t, dir, "build/compile_commands.json")
			old(t, dir, "CMakeLists.txt")
		}, want: own},
		{name: "a change between two runs", files: project, anew: true, then: files(map[string]string{
			"use.cpp": "#include \"a.h\"\n\n\nint u() { return shared() + shared(); }\n", "new.cpp": "#include \"a.h\"\nint n() { return shared(); }\n",
			"compile_commands.json": relativeCommands("def.cpp", "new.cpp", "use.cpp"),
		}), want: []string{"a.h:2:5", "def.cpp:2:5", "new.cpp:2:18", "use.cpp:4:18", "use.cpp:4:29"}},
		{name: "a header changes between two runs", files: project, anew: true, then: files(map[string]string{
			"a.h": "#pragma once\n\n\nint shared();\ninline int v() { return shared(); }\n",
		}), want: []string{"a.h:4:5", "a.h:5:25", "def.cpp:2:5", "use.cpp:2:18"}},
		{name: "a file goes between two runs", files: project, anew: true, then: func(t *testing.T, dir string) {
			if err := os.Remove(filepath.Join(dir, "use.cpp")); err != nil {
				t.Fatal(err)
			}
		}, want: []string{"a.h:2:5", "def.cpp:2:5"}},
	}
}

// relativeCommands is a compile_commands.json whose folder is its own.
func relativeCommands(units ...string) string {
	text := "[\n"
	for i, u := range units {
		if i > 0 {
			text += ",\n"
		}
		text += `{"directory": ".", "file": "` + u + `", "arguments": ["c++", "-std=c++17", "-c", "` + u + `"]}`
	}
	return text + "\n]\n"
}
