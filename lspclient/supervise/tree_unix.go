//go:build unix && !linux

package supervise

import (
	"errors"
	"sync"
	"syscall"
	"time"
)

// helperAttr puts the helper into a session of its own, out of reach of the
// terminal's signals. That the bridge died it learns from the control pipe.
func helperAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// A tree is the server's process group: without a subreaper, descendants that
// leave the group cannot be found.
type tree struct {
	pid   int
	ended chan struct{} // closed when the server has ended
	gone  chan struct{} // closed when the group is empty

	mu     sync.Mutex
	status syscall.WaitStatus
}

func startTree(s Spec) (*tree, error) {
	pid, err := syscall.ForkExec(s.Path, append([]string{s.Path}, s.Args...), &syscall.ProcAttr{
		Dir:   s.Dir,
		Env:   s.Env,
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, err
	}
	t := &tree{pid: pid, ended: make(chan struct{}), gone: make(chan struct{})}
	go t.reap()
	return t, nil
}

func (t *tree) reap() {
	defer close(t.gone)
	for {
		var ws syscall.WaitStatus
		_, err := syscall.Wait4(t.pid, &ws, 0, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		t.mu.Lock()
		t.status = ws
		t.mu.Unlock()
		close(t.ended)
		break
	}
	for syscall.Kill(-t.pid, 0) == nil {
		// The rest of the group are not the helper's children: nothing tells
		// of their end.
		time.Sleep(10 * time.Millisecond)
	}
}

func (t *tree) terminate() { _ = syscall.Kill(-t.pid, syscall.SIGTERM) }

func (t *tree) kill() { _ = syscall.Kill(-t.pid, syscall.SIGKILL) }

func (t *tree) exit() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return exitText(t.status)
}

// killOrphans ends what a killed helper left: the server's process group.
func killOrphans(server int, _ string) { _ = syscall.Kill(-server, syscall.SIGKILL) }

func keepPrivate() {
	syscall.CloseOnExec(controlFD)
	syscall.CloseOnExec(statusFD)
}

func dup2(from, to int) error { return syscall.Dup2(from, to) }
