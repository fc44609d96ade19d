//go:build !unix

package supervise

import (
	"fmt"
	"os/exec"
	"sync"
	"time"
)

// process is a plain child: no helper, only the server itself is ended.
type process struct {
	cmd   *exec.Cmd
	grace time.Duration
	pid   int
	done  chan struct{}
	exit  string // written before done is closed

	mu   sync.Mutex
	last *time.Timer
}

func start(_ string, s Spec) (*Process, error) {
	cmd := &exec.Cmd{Path: s.Path, Args: append([]string{s.Path}, s.Args...), Env: s.Env, Dir: s.Dir}
	if cmd.Env == nil {
		cmd.Env = []string{} // nil would pass on the bridge's
	}
	p := &Process{process: process{cmd: cmd, grace: s.Grace, done: make(chan struct{})}}
	err := p.run(s.TmpDir)
	if err != nil {
		removeTmpDir(s.TmpDir)
		return nil, fmt.Errorf("supervise: start the server: %w", err)
	}
	return p, nil
}

func (p *Process) run(tmpDir string) error {
	ends, err := newStdio(p.cmd)
	if err != nil {
		return err
	}
	p.Stdin, p.Stdout, p.Stderr = ends.stdin, ends.stdout, ends.stderr
	err = p.cmd.Start()
	ends.closeTheirs()
	if err != nil {
		ends.closeOurs()
		return err
	}
	p.pid = p.cmd.Process.Pid
	go func() {
		_ = p.cmd.Wait()
		p.exit = p.cmd.ProcessState.String()
		removeTmpDir(tmpDir)
		p.mu.Lock()
		if p.last != nil {
			p.last.Stop()
		}
		p.mu.Unlock()
		close(p.done)
	}()
	return nil
}

// stop has no gentle signal to send: the protocol's own shutdown comes before
// it, so the grace is left to that.
func (p *process) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last == nil {
		p.last = time.AfterFunc(p.grace, p.kill)
	}
}

func (p *process) kill() { _ = p.cmd.Process.Kill() }

func main() {}
