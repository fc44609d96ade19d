package servers

import "encoding/json"

// Builtin returns the servers the bridge knows by itself.
func Builtin() Catalog {
	return Catalog{Servers: []Server{gopls(), clangd(), rustAnalyzer(), typescript(), pyright()}}
}

func gopls() Server {
	// The default matcher is fuzzy, and the 100 symbols of an answer are then
	// filled with near misses before the exact name. Pulled diagnostics are off
	// unless asked for, and pushed ones come a second later. Semantic tokens and
	// inlay hints are off too; they cost nothing before somebody asks. With a
	// budget for completion, a server that just started says that there is nothing
	// to write, and not that it ran out of time.
	const options = `{"symbolMatcher":"CaseSensitive","pullDiagnostics":true,"semanticTokens":true,"completionBudget":"0s","hints":{` +
		`"assignVariableTypes":true,"compositeLiteralFields":true,"compositeLiteralTypes":true,"constantValues":true,` +
		`"functionTypeParameters":true,"ignoredError":true,"parameterNames":true,"rangeVariableTypes":true}}`
	return Server{
		Name:                  "gopls",
		Commands:              []string{"gopls"},
		Extensions:            map[string]string{".go": "go"},
		FileNames:             map[string]string{"go.mod": "go.mod", "go.work": "go.work", "go.sum": "go.sum"},
		InitializationOptions: json.RawMessage(options),
		Settings:              json.RawMessage(`{"gopls":` + options + `}`),
		Section:               "gopls",
		VersionArgs:           []string{"version"},
		MinVersion:            "v0.20.0",
		Module:                "golang.org/x/tools/gopls@v0.23.0",
		InstallHint:           "run `lspbridge servers install gopls`, or repeat the command with --install",
		Executes:              ExecutesBuild,
		Quirks:                Quirks{Readiness: ReadyBlocks, LoadsWhenAsked: true, GoBuild: true, GoProgram: true, Telemetry: true, OpenForRequests: true, FlatSettings: true, SymbolLimit: 100, Pulls: ".go"},
		Origin:                OriginBuiltin,
	}
}

func clangd() Server {
	return Server{
		Name:     "clangd",
		Commands: []string{"clangd", "clangd-*"},
		// The limits would cut answers without a word. Questions wait for the
		// index, so that it does not wait for idle processors, as it does by
		// default: on a busy machine it would never end.
		Args: []string{
			"--background-index", "--limit-references=0", "--limit-results=0",
			"--rename-file-limit=0", "--header-insertion=never",
			"--background-index-priority=normal",
			// Else what can be written at a place is guessed from the words of the
			// file while it is parsed.
			"--completion-parse=always",
		},
		Extensions: map[string]string{
			".c": "c", ".cc": "cpp", ".cp": "cpp", ".cpp": "cpp", ".cxx": "cpp", ".c++": "cpp", ".C": "cpp",
			".cppm": "cpp", ".ixx": "cpp", ".ccm": "cpp", ".cxxm": "cpp",
			".h": "cpp", ".hh": "cpp", ".hp": "cpp", ".hpp": "cpp", ".hxx": "cpp", ".h++": "cpp", ".H": "cpp",
			".inc": "cpp", ".inl": "cpp", ".ipp": "cpp", ".tcc": "cpp", ".tpp": "cpp", ".txx": "cpp",
			".m": "objective-c", ".mm": "objective-cpp", ".cu": "cuda-cpp", ".cuh": "cuda-cpp",
		},
		VersionArgs: []string{"--version"},
		MinVersion:  "19",
		InstallHint: "install clangd 19 or newer (Debian: `apt install clangd-19`; others: https://clangd.llvm.org/installation)",
		// Without --query-driver it runs neither compilers nor plugins that a
		// workspace names.
		Executes: ExecutesNone,
		Quirks: Quirks{
			Readiness: ReadyByToken, ReadyToken: "backgroundIndexProgress",
			DeafToDisk: true, CountsCR: true, LosesOverriders: true, IDsInData: true, RenamesUnchecked: true, OpenForRequests: true, CompileCommands: true,
			FinalWhenOpened: true, ErrorLimit: 20,
		},
		MethodSince: map[string]string{"callHierarchy/outgoingCalls": "20"},
		Origin:      OriginBuiltin,
	}
}

func rustAnalyzer() Server {
	return Server{
		Name:        "rust-analyzer",
		Commands:    []string{"rust-analyzer"},
		Extensions:  map[string]string{".rs": "rust"},
		Section:     "rust-analyzer",
		VersionArgs: []string{"--version"},
		InstallHint: "run `rustup component add rust-analyzer`",
		Executes:    ExecutesBuild, // build scripts and procedural macros
		Origin:      OriginBuiltin,
	}
}

func typescript() Server {
	projects := Projects{Configs: []string{"tsconfig.json", "jsconfig.json"}, Scripts: true}
	return Server{
		Name: "typescript",
		// From TypeScript 7 on the compiler is a language server itself.
		Commands:    []string{"tsc"},
		Args:        []string{"--lsp", "--stdio"},
		VersionArgs: []string{"--version"},
		MinVersion:  "7",
		Extensions: map[string]string{
			".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "typescriptreact",
			".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascriptreact",
		},
		InstallHint: "run `npm install -g typescript`, or `npm install -g typescript-language-server typescript@5.9`",
		Executes:    ExecutesNone,
		Quirks:      Quirks{Readiness: ReadyBlocks, OpenForRequests: true, Projects: projects},
		Instead: []Server{{
			Commands:    []string{"typescript-language-server"},
			Args:        []string{"--stdio"},
			VersionArgs: []string{"--version"},
			// A second server for syntax would answer while the project loads, from
			// the opened file alone.
			InitializationOptions: json.RawMessage(`{"tsserver":{"useSyntaxServer":"never"}}`),
			Executes:              ExecutesBuild, // the workspace's own TypeScript and its plugins
			// It watches the files itself, and is late.
			Quirks: Quirks{Readiness: ReadyBlocks, OpenForRequests: true, DeafToDisk: true, InOrder: true, NewWhenOpened: true, CallsOfOneProject: true, Projects: projects},
		}},
		Origin: OriginBuiltin,
	}
}

func pyright() Server {
	return Server{
		Name:        "pyright",
		Commands:    []string{"pyright-langserver"},
		Args:        []string{"--stdio"},
		Extensions:  map[string]string{".py": "python", ".pyi": "python"},
		InstallHint: "run `npm install -g pyright`",
		Executes:    ExecutesConfig, // the interpreter of a configured environment
		Quirks: Quirks{
			Readiness: ReadyByLog, ReadyLog: []string{"Found ", "No source files found"}, OpenForRequests: true, NewWhenOpened: true,
			Projects: Projects{Configs: []string{"pyrightconfig.json"}, Mentions: map[string]string{"pyproject.toml": "[tool.pyright"}, Whole: true, Hidden: true},
		},
		Origin: OriginBuiltin,
	}
}
