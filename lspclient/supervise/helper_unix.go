//go:build unix

package supervise

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != marker {
		return
	}
	// The server's parent-death signal is tied to this thread.
	runtime.LockOSThread()
	// Not os.Exit, which in a program built with -race takes a second.
	syscall.Exit(runHelper())
}

// runHelper is the helper process; it returns its exit code.
func runHelper() int {
	// First of all: the bridge's death reaches the helper as TERM too, and must
	// not end it before the descendants.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)

	if !isPipe(controlFD) || !isPipe(statusFD) {
		fmt.Fprintln(os.Stderr, marker+": is started by lspbridge itself, not by hand")
		return 2
	}
	keepPrivate()
	control := gob.NewDecoder(os.NewFile(controlFD, "control"))
	status := gob.NewEncoder(os.NewFile(statusFD, "status"))

	var spec Spec
	err := control.Decode(&spec)
	if err != nil {
		return 1 // the bridge is gone
	}
	// In the end the bridge may be gone and the reports unread: that changes
	// nothing, so their errors are not looked at.
	t, err := startTree(spec)
	if err != nil {
		failed := report{Failed: err.Error()}
		if errno, ok := errors.AsType[syscall.Errno](err); ok {
			failed.Failed, failed.Errno = "start the server", int(errno)
		}
		_ = status.Encode(failed)
		return 1
	}
	releaseStdio()
	_ = status.Encode(report{PID: t.pid})

	guard(t, spec.Grace, readCommands(control), signals)
	removeTmpDir(spec.TmpDir)
	_ = status.Encode(report{Exit: t.exit()})
	return 0
}

// readCommands delivers what the bridge asks and is closed when the bridge is
// gone. Its goroutine ends with the process.
func readCommands(control *gob.Decoder) <-chan command {
	commands := make(chan command)
	go func() {
		defer close(commands)
		for {
			var c command
			err := control.Decode(&c)
			if err != nil {
				return
			}
			commands <- c
		}
	}()
	return commands
}

// guard waits for a reason to end, then ends the tree, and returns when no
// descendant is left or killWait has passed.
func guard(t *tree, grace time.Duration, commands <-chan command, signals <-chan os.Signal) {
	var (
		ended    = t.ended
		timer    = time.NewTimer(time.Hour)
		deadline time.Time // when TERM turns into KILL; zero: nobody asked for an end
	)
	defer timer.Stop()
	timer.Stop()
	end := func(grace time.Duration) {
		at := time.Now().Add(grace)
		if deadline.IsZero() {
			t.terminate()
		} else if !at.Before(deadline) {
			return // a sooner end is on its way
		}
		deadline = at
		timer.Reset(grace)
	}
	for {
		select {
		case <-t.gone:
			return
		case <-ended:
			ended = nil
			end(grace)
		case c, ok := <-commands:
			switch {
			case !ok:
				commands = nil
				end(min(grace, orphanGrace))
			case c == commandKill:
				killAll(t)
				return
			default:
				end(grace)
			}
		case <-signals:
			end(min(grace, orphanGrace))
		case <-timer.C:
			killAll(t)
			return
		}
	}
}

// killAll kills until nothing is left: what a killed process had started becomes
// the helper's own child and is met in the next round.
func killAll(t *tree) {
	giveUp := time.NewTimer(killWait)
	defer giveUp.Stop()
	round := time.NewTicker(5 * time.Millisecond)
	defer round.Stop()
	for {
		t.kill()
		select {
		case <-t.gone:
			return
		case <-giveUp.C:
			return
		case <-round.C:
		}
	}
}

// isPipe says whether fd is an open pipe.
func isPipe(fd int) bool {
	var st syscall.Stat_t
	err := syscall.Fstat(fd, &st)
	return err == nil && st.Mode&syscall.S_IFMT == syscall.S_IFIFO
}

// releaseStdio drops the helper's ends of the server's pipes: the bridge has to
// see their end of file when the server's last descendant closes them.
func releaseStdio() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	for fd := range 3 {
		if err != nil {
			_ = syscall.Close(fd)
			continue
		}
		_ = dup2(int(null.Fd()), fd)
	}
	if err == nil {
		_ = null.Close()
	}
}

// exitText words a wait status like package os does.
func exitText(ws syscall.WaitStatus) string {
	switch {
	case ws.Signaled() && ws.CoreDump():
		return "signal: " + ws.Signal().String() + " (core dumped)"
	case ws.Signaled():
		return "signal: " + ws.Signal().String()
	default:
		return fmt.Sprintf("exit status %d", ws.ExitStatus())
	}
}
