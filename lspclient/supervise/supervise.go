package supervise

import (
	"io"
	"os"
	"time"
)

// A Spec is the server that a helper starts.
type Spec struct {
	Path   string   // absolute path of the program
	Args   []string // without the program's name
	Dir    string
	Env    []string
	TmpDir string // removed, with all in it, after the last descendant ended
	// Grace is how long the descendants get between TERM and KILL.
	Grace time.Duration
}

// A Process is a supervised language server.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	Stderr io.ReadCloser
}

// Start starts the helper self (the bridge's own program, absolute path), which
// starts the server. It returns when the server runs or could not be started.
func Start(self string, s Spec) (*Process, error) { panic("todo") }

// PID returns the process id of the server itself, not of the helper.
func (p *Process) PID() int { panic("todo") }

// Stop ends the server and every descendant: TERM, after the grace KILL. It does
// not wait; see Done.
func (p *Process) Stop() { panic("todo") }

// Kill ends them at once.
func (p *Process) Kill() { panic("todo") }

// Done is closed when the server and every descendant have ended and TmpDir is
// gone.
func (p *Process) Done() <-chan struct{} { panic("todo") }

// Exit describes how the server ended ("exit status 2", "signal: killed"); ""
// before Done.
func (p *Process) Exit() string { panic("todo") }

// Main runs the helper and ends the process when the program was started as
// one; otherwise it returns at once. A program that uses this package calls it
// first thing in main, a test in TestMain.
func Main() { _ = os.Args; panic("todo") }
