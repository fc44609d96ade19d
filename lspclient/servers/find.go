package servers

import "context"

// A Program is an installed language server. Path never leaves the bridge but in
// the log and in doctor.
type Program struct {
	Path    string
	Version string // as the program says: "v0.23.0", "22.1.8"
	Origin  string // "PATH", "installed by lspbridge", "servers.json"
}

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

// Find returns the first acceptable program of s: on PATH in the order of
// s.Commands (a numbered pattern by descending number), of at least
// s.MinVersion; else the one Install built. The error is a *[NotFoundError].
func (f Finder) Find(ctx context.Context, s Server) (Program, error) { panic("todo") }

// A NotFoundError says that no acceptable program of a server is installed.
type NotFoundError struct {
	Server   string
	Rejected []string // why each candidate was not taken, one line each, without paths
	Hint     string   // what a person does about it
}

func (e *NotFoundError) Error() string { panic("todo") }
