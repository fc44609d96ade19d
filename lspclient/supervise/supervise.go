package supervise

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"
)

const (
	// startWait bounds Start: a helper that has not answered by then is killed.
	startWait = 10 * time.Second
	// orphanGrace is the longest time between TERM and KILL once the bridge is
	// gone: nobody is left who waits for a tidy end.
	orphanGrace = 500 * time.Millisecond
	// killWait bounds the time from the first KILL to the helper's end. Only a
	// process stuck in the kernel outlives it.
	killWait = 5 * time.Second
)

// A Spec is the server that a helper starts.
type Spec struct {
	Path   string   // absolute path of the program
	Args   []string // without the program's name
	Dir    string   // absolute path of the working directory; "" is the root folder
	Env    []string // the whole environment, "NAME=value" each; nothing is added
	TmpDir string   // removed, with all in it, after the last descendant ended; "" is none
	// Grace is how long the descendants get between TERM and KILL.
	Grace time.Duration
}

func (s Spec) validate() error {
	if !filepath.IsAbs(s.Path) {
		return fmt.Errorf("supervise: program %q is not an absolute path", s.Path)
	}
	if s.Dir != "" && !filepath.IsAbs(s.Dir) {
		return fmt.Errorf("supervise: folder %q is not an absolute path", s.Dir)
	}
	if s.TmpDir != "" && (!filepath.IsAbs(s.TmpDir) || filepath.Dir(s.TmpDir) == s.TmpDir) {
		return fmt.Errorf("supervise: temporary folder %q is not an absolute path below the root", s.TmpDir)
	}
	if s.Grace < 0 {
		return errors.New("supervise: grace is negative")
	}
	return nil
}

// A Process is a supervised language server. The caller closes the three pipes;
// they may be read on after Done.
type Process struct {
	Stdin  io.WriteCloser
	Stdout io.ReadCloser
	Stderr io.ReadCloser

	process // what the platform needs
}

// Start starts the helper self (the bridge's own program, absolute path;
// "/proc/self/exe" stays right when the file is replaced while the bridge runs),
// which starts the server. It returns when the server runs or could not be
// started; the error of a missing program wraps [io/fs.ErrNotExist]. TmpDir is
// removed also when Start fails.
func Start(self string, s Spec) (*Process, error) {
	err := s.validate()
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(self) {
		return nil, fmt.Errorf("supervise: helper %q is not an absolute path", self)
	}
	return start(self, s)
}

// PID returns the process id of the server itself, not of the helper.
func (p *Process) PID() int { return p.pid }

// Stop ends the server and every descendant: TERM, after the grace KILL. It does
// not wait; see Done. It may be called at any time, and more than once.
func (p *Process) Stop() { p.stop() }

// Kill ends them at once, also in the grace that Stop left them. It does not
// wait; see Done.
func (p *Process) Kill() { p.kill() }

// Done is closed when the server and every descendant have ended and TmpDir is
// gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit describes how the server ended ("exit status 2", "signal: killed"); ""
// before Done.
func (p *Process) Exit() string {
	select {
	case <-p.done:
		return p.exit
	default:
		return ""
	}
}

// Main runs the helper and ends the process when the program was started as
// one; otherwise it returns at once. A program that uses this package calls it
// first thing in main, a test in TestMain.
func Main() { main() }
