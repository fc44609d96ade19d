package cli

import (
	"io"
	"strings"
	"time"
)

// An Environment is everything the command line takes from its process.
type Environment struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	StdoutTerminal bool
	StderrTerminal bool

	Environ []string // "NAME=value" each
	Dir     string   // the current folder, absolute; "" when there is none
	Self    string   // this program, absolute

	// The user's folders, absolute; "" when there is none.
	Home, Config, State, Cache string

	Now func() time.Time
}

// getenv returns the value of an environment variable; of one that stands there
// twice the last counts.
func (e Environment) getenv(name string) string {
	value := ""
	for _, entry := range e.Environ {
		if n, v, ok := strings.Cut(entry, "="); ok && n == name {
			value = v
		}
	}
	return value
}
