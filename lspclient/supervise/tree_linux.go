package supervise

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// helperAttr puts the helper into a session of its own, out of reach of the
// terminal's signals, and tells it by TERM that the bridge died.
func helperAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM}
}

// A tree is the server with all its descendants.
type tree struct {
	pid   int
	ended chan struct{} // closed when the server has ended
	gone  chan struct{} // closed when no descendant is left

	mu     sync.Mutex // held while a child is reaped or signalled
	reaped bool       // pid is no longer the server's
	status syscall.WaitStatus
}

// startTree starts the server. It runs on the thread that stays locked to the
// helper's main goroutine.
func startTree(s Spec) (*tree, error) {
	err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	if err != nil {
		return nil, fmt.Errorf("become child subreaper: %w", err)
	}
	pid, err := startServer(s)
	if err != nil {
		return nil, err
	}
	t := &tree{pid: pid, ended: make(chan struct{}), gone: make(chan struct{})}
	go t.reap()
	return t, nil
}

// startServer is the one place that starts the server's program. A sandbox
// belongs here, as a program in between that restricts itself and then becomes
// the server: the process id, the session and the parent-death signal survive
// that, and the helper itself keeps its access to /proc and to TmpDir.
func startServer(s Spec) (pid int, err error) {
	return syscall.ForkExec(s.Path, append([]string{s.Path}, s.Args...), &syscall.ProcAttr{
		Dir:   s.Dir,
		Env:   s.Env,
		Files: []uintptr{0, 1, 2},
		Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
}

// reap reaps children until there are none. A zombie is looked at first and
// reaped under the lock, so that a process id that is signalled under the lock
// cannot belong to somebody else meanwhile.
func (t *tree) reap() {
	defer close(t.gone)
	for {
		err := unix.Waitid(unix.P_ALL, 0, nil, unix.WEXITED|unix.WNOWAIT|unix.WALL, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return // ECHILD: a subreaper without children has no descendants
		}
		t.reapOne()
	}
}

func (t *tree) reapOne() {
	t.mu.Lock()
	defer t.mu.Unlock()
	var ws syscall.WaitStatus
	pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG|syscall.WALL, nil)
	if err == nil && pid == t.pid && !t.reaped {
		t.reaped, t.status = true, ws
		close(t.ended)
	}
}

// terminate asks the server's process group and all children to end.
func (t *tree) terminate() { t.signal(syscall.SIGTERM) }

// kill kills the server's process group and all children.
func (t *tree) kill() { t.signal(syscall.SIGKILL) }

func (t *tree) signal(sig syscall.Signal) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.reaped {
		_ = syscall.Kill(-t.pid, sig)
	}
	for _, pid := range childrenOf(os.Getpid()) {
		if t.reaped || pid != t.pid {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// exit describes how the server ended.
func (t *tree) exit() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.reaped {
		return "not ended"
	}
	return exitText(t.status)
}

// childrenOf lists the direct children of a process.
func childrenOf(parent int) []int {
	var children []int
	for pid := range processes {
		if parentOf(pid) == parent {
			children = append(children, pid)
		}
	}
	return children
}

// processes yields the ids of all processes that can be seen.
func processes(yield func(pid int) bool) {
	proc, err := os.Open("/proc")
	if err != nil {
		return
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err == nil && !yield(pid) {
			return
		}
	}
}

// parentOf reads the parent of a process, 0 if it is gone. The program's name
// stands in parentheses before it and can hold anything, parentheses too.
func parentOf(pid int) int {
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < 2 {
		return 0
	}
	parent, _ := strconv.Atoi(string(fields[1]))
	return parent
}

// keepPrivate keeps the helper's descriptors from the server, also those the
// bridge itself was started with.
func keepPrivate() {
	err := unix.CloseRange(controlFD, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC)
	if err != nil { // before Linux 5.11
		syscall.CloseOnExec(controlFD)
		syscall.CloseOnExec(statusFD)
	}
}

func dup2(from, to int) error { return syscall.Dup3(from, to, 0) }
