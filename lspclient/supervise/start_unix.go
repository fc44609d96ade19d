//go:build unix

package supervise

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// process is the bridge's side of a helper.
type process struct {
	helper *os.Process
	tmpDir string
	grace  time.Duration
	pid    int
	done   chan struct{}
	exit   string // written before done is closed

	mu      sync.Mutex // guards the fields below
	control *os.File
	encoder *gob.Encoder
	last    *time.Timer // kills a helper that does not end
	ended   bool
}

// pipes are the five pipes of a helper; ours stay, theirs are closed once the
// helper has them.
type pipes struct {
	stdin, stdout, stderr, control, status pipe
}

type pipe struct{ ours, theirs *os.File }

func newPipes() (*pipes, error) {
	ps := new(pipes)
	for _, p := range ps.all() {
		r, w, err := os.Pipe()
		if err != nil {
			ps.closeOurs()
			ps.closeTheirs()
			return nil, fmt.Errorf("supervise: %w", err)
		}
		p.ours, p.theirs = r, w
		if p == &ps.stdin || p == &ps.control {
			p.ours, p.theirs = w, r
		}
	}
	return ps, nil
}

func (ps *pipes) all() []*pipe {
	return []*pipe{&ps.stdin, &ps.stdout, &ps.stderr, &ps.control, &ps.status}
}

// Closing a nil *os.File is an error without effect, so half-made pipes may be
// closed as well.

func (ps *pipes) closeOurs() {
	for _, p := range ps.all() {
		_ = p.ours.Close()
	}
}

func (ps *pipes) closeTheirs() {
	for _, p := range ps.all() {
		_ = p.theirs.Close()
	}
}

func start(self string, s Spec) (*Process, error) {
	ps, err := newPipes()
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{
		Path:        self,
		Args:        []string{self, marker},
		Env:         []string{}, // not nil: that would pass on the bridge's
		Dir:         "/",
		Stdin:       ps.stdin.theirs,
		Stdout:      ps.stdout.theirs,
		Stderr:      ps.stderr.theirs,
		ExtraFiles:  []*os.File{ps.control.theirs, ps.status.theirs},
		SysProcAttr: helperAttr(),
	}
	started, waited := make(chan error, 1), make(chan error, 1)
	go func() {
		// The parent-death signal is tied to the thread that forks, so that
		// thread has to live as long as the helper.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			waited <- cmd.Wait()
		}
	}()
	err = <-started
	ps.closeTheirs()
	if err != nil {
		ps.closeOurs()
		removeTmpDir(s.TmpDir)
		return nil, fmt.Errorf("supervise: start helper: %w", err)
	}

	p := &Process{
		Stdin: ps.stdin.ours, Stdout: ps.stdout.ours, Stderr: ps.stderr.ours,
		process: process{
			helper:  cmd.Process,
			tmpDir:  s.TmpDir,
			grace:   s.Grace,
			done:    make(chan struct{}),
			control: ps.control.ours,
			encoder: gob.NewEncoder(ps.control.ours),
		},
	}
	reports := gob.NewDecoder(ps.status.ours)
	first, err := p.handshake(s, ps.status.ours, reports)
	if err != nil {
		_ = cmd.Process.Kill()
	}
	if err != nil || first.Failed != "" {
		<-waited
		ps.closeOurs()
		removeTmpDir(s.TmpDir)
		if err == nil {
			err = first.err()
		}
		return nil, err
	}
	p.pid = first.PID
	go p.watch(ps.status.ours, reports, waited)
	return p, nil
}

// handshake sends the spec and reads the first report, both within startWait.
func (p *process) handshake(s Spec, status *os.File, reports *gob.Decoder) (report, error) {
	deadline := time.Now().Add(startWait)
	_ = p.control.SetWriteDeadline(deadline)
	_ = status.SetReadDeadline(deadline)
	var first report
	err := p.encoder.Encode(s)
	if err == nil {
		err = reports.Decode(&first)
	}
	if err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
			err = errors.New("it ended without a word; the program has to call supervise.Main first")
		}
		return report{}, fmt.Errorf("supervise: helper: %w", err)
	}
	_ = status.SetReadDeadline(time.Time{})
	return first, nil
}

// err rebuilds a start error from the helper's words, so that the cause can be
// told by errors.Is.
func (r report) err() error {
	if r.Errno != 0 {
		return fmt.Errorf("supervise: %s: %w", r.Failed, syscall.Errno(r.Errno))
	}
	return fmt.Errorf("supervise: %s", r.Failed)
}

// watch waits for the helper's end and settles what it left.
func (p *process) watch(status *os.File, reports *gob.Decoder, waited <-chan error) {
	var last report
	decodeErr := reports.Decode(&last)
	helperErr := <-waited
	_ = status.Close()
	if decodeErr != nil {
		// The helper was killed: the server got its parent-death signal, the
		// rest is ended from here.
		killOrphans(p.pid, p.tmpDir)
		last.Exit = fmt.Sprintf("supervisor ended early: %v", helperErr)
	}
	removeTmpDir(p.tmpDir)

	p.mu.Lock()
	p.ended = true
	_ = p.control.Close()
	if p.last != nil {
		p.last.Stop()
	}
	p.mu.Unlock()
	p.exit = last.Exit
	close(p.done)
}

func (p *process) stop() { p.send(commandStop, p.grace) }

func (p *process) kill() { p.send(commandKill, 0) }

// send passes a command on and makes sure that the helper ends in a bounded
// time, also one that hangs.
func (p *process) send(c command, grace time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return
	}
	// A helper that no longer reads is about to end or gets killed below.
	_ = p.control.SetWriteDeadline(time.Now().Add(time.Second))
	_ = p.encoder.Encode(c)
	if p.last != nil {
		p.last.Stop()
	}
	// The helper gives up after grace and killWait; a second more is for its
	// own work.
	p.last = time.AfterFunc(grace+killWait+time.Second, func() { _ = p.helper.Kill() })
}
