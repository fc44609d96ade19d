package servers

import (
	"encoding/json"
	"time"
)

// Executes says what a language server runs of a workspace it is started for.
type Executes string

// The classes; an unknown server counts as ExecutesBuild.
const (
	ExecutesNone   Executes = "none"   // reads only
	ExecutesConfig Executes = "config" // reads configuration that can name programs
	ExecutesBuild  Executes = "build"  // runs build tools, toolchains, scripts
)

// A Server is what is known of one language server: data, not code.
type Server struct {
	Name string // unique: "gopls", "clangd"
	// Commands are names to look for on PATH, most wanted first, or absolute
	// paths. "clangd-*" matches numbered names; with such a pattern the newest
	// version of all commands is wanted, whatever the order.
	Commands []string
	Args     []string
	Env      map[string]string // set for the server, after the allow-list
	// Extensions maps a file extension with its dot to the language id of LSP.
	Extensions map[string]string
	// FileNames maps a whole file name ("go.mod") to the language id; it goes
	// before Extensions.
	FileNames             map[string]string
	InitializationOptions json.RawMessage
	Settings              json.RawMessage // answers workspace/configuration, by section; see Configuration
	// Section is the section of Settings that holds the same settings as
	// InitializationOptions; "" for a server that has no such section.
	Section        string
	StartupTimeout time.Duration // 0: limits.Budget.ServerStart
	VersionArgs    []string      // how the program tells its version; nil: it is not asked
	MinVersion     string        // "19", "v0.20.0"; "" accepts any
	Module         string        // Go package that --install builds, with version; "" cannot be installed
	InstallHint    string        // one line: how a person installs it
	// MethodSince names, for methods that older accepted versions lack, the first
	// version that has them: "20".
	MethodSince map[string]string
	Executes    Executes
	// Instead are other programs for the same files, wanted in their order where
	// the program of this entry is not found. Of each counts what says how to find
	// it, to run it and to talk to it; name, files and hint are those of this entry.
	Instead []Server

	// The behaviour of the server that the client allows for.
	Quirks Quirks
	// Origin says where the entry comes from: "built in" or "servers.json".
	Origin string
}

// The origins of a [Server].
const (
	OriginBuiltin = "built in"
	OriginUser    = "servers.json"
)

// Quirks are the ways in which a server's behaviour differs from what LSP lets a
// client assume. The zero value is a server that follows the specification and
// reports work-done progress while it is not ready.
type Quirks struct {
	// Readiness says how the server shows that cross-file answers are whole.
	Readiness Readiness
	// ReadyToken is the progress token of Readiness == ReadyByToken.
	ReadyToken string
	// ReadyLog is the start of the message of Readiness == ReadyByLog.
	ReadyLog []string
	// DeafToDisk: the server ignores workspace/didChangeWatchedFiles; closed
	// files that changed are opened and closed again.
	DeafToDisk bool
	// LoadsWhenAsked: told of a new file, the server does not load its package
	// before a question names the file, and the first question after a load may
	// be answered from what was known before. It is asked about each new file,
	// and for a symbol nobody has, before the next question.
	LoadsWhenAsked bool
	// Telemetry: the server reports its use to somebody unless a private
	// configuration folder (XDG_CONFIG_HOME) says no.
	Telemetry bool
	// CountsCR: the server ends a line at a lone "\r" in places it reports, so its
	// lines in a text with one cannot be relied on.
	CountsCR bool
	// LosesOverriders: the server forgets where a method that overrides another is
	// defined, and tells its declaration alone, once a file that includes the
	// declaration was open.
	LosesOverriders bool
	// FinalWhenOpened: what the server publishes first of a document that was just
	// opened is all it finds; of one that changed it may publish a guess first.
	FinalWhenOpened bool
	// Pulls is the extension of the files whose diagnostics can be asked for, of a
	// server that cannot be asked about all its files; "" is all.
	Pulls string
	// ErrorLimit is the number of errors in a file at which the server stops
	// without saying so; 0 means none known.
	ErrorLimit int
	// IDsInData: the data of a hierarchy item names its symbol, so that two items
	// are one thing though one stands at the declaration, the other at the
	// definition.
	IDsInData bool
	// RenamesUnchecked: the server renames also to a name that something else has,
	// without a word.
	RenamesUnchecked bool
	// GoProgram: the server is a Go program, which keeps under a limit of memory
	// (GOMEMLIMIT) as well as it can.
	GoProgram bool
	// GoBuild: the server answers for the files that the go command builds, of
	// one module or one go.work, and says nothing of the others.
	GoBuild bool
	// InOrder: messages are handled one after the other, so that any answer shows
	// that the server has read all that was sent before the question.
	InOrder bool
	// CallsOfOneProject: call hierarchies stay inside the project of the asked file.
	CallsOfOneProject bool
	// NewWhenOpened: told of a new file the server takes it in some time later;
	// opened, at once.
	NewWhenOpened bool
	// Projects says how the server finds out which files belong together, of a
	// server that knows the files of projects of which a file was opened.
	Projects Projects
	// OpenForRequests: a request about a file that is not open fails or is slow.
	OpenForRequests bool
	// CompileCommands: the server is given a private compile database folder.
	CompileCommands bool
	// FlatSettings: setting names are not nested; of a dotted name the last
	// part is the setting (gopls).
	FlatSettings bool
	// SymbolLimit is the number of workspace symbols at which the server cuts
	// without saying so; 0 means none known.
	SymbolLimit int
}

// Projects are the rules by which a server finds the files it answers for. The
// zero value is a server without such rules.
type Projects struct {
	// Configs are names of files ("tsconfig.json") whose JSON with comments says,
	// in members files, include and exclude, which files below their folder are of
	// one project. The nearest one above a file counts.
	Configs []string
	// Mentions maps the name of a file with other settings ("pyproject.toml") to a
	// text in it that makes it such a file too, of unknown content.
	Mentions map[string]string
	// Whole: without such a file the workspace is one project, known as a whole;
	// else only files that were opened, and what they import, are known.
	Whole bool
	// Hidden: folders whose name begins with a dot, and __pycache__, are passed over.
	Hidden bool
	// Scripts: patterns leave out what those of tsconfig.json do, and of files that
	// differ in their ending alone one is taken.
	Scripts bool
}

// Any reports whether there are rules.
func (p Projects) Any() bool { return len(p.Configs) > 0 }

// Readiness is how a server shows that its cross-file answers are whole.
type Readiness string

// The ways.
const (
	ReadyProgress Readiness = ""      // no work-done progress active, after a settle time
	ReadyBlocks   Readiness = "block" // it holds requests until it is ready (gopls)
	ReadyByToken  Readiness = "token" // the progress of one token ends (clangd)
	ReadyByLog    Readiness = "log"   // it logs a message that begins with ReadyLog (pyright)
)
