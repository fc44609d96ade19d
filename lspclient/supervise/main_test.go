//go:build linux

package supervise_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lspbridge/lspclient/supervise"
)

// The test binary plays the helper, the language servers and the bridge.
func TestMain(m *testing.M) {
	supervise.Main()
	if role := os.Getenv("SUPERVISE_ROLE"); role != "" {
		os.Exit(play(role))
	}
	os.Exit(m.Run())
}

// play is one of the programs of the tests.
func play(role string) int {
	name, arg, _ := strings.Cut(role, ":")
	switch name {
	case "echo": // copies its input, ends with it
		_, _ = io.Copy(os.Stdout, os.Stdin)
	case "exit":
		code, _ := strconv.Atoi(arg)
		return code
	case "describe": // says how it was started
		d := description{Args: os.Args[1:], Env: os.Environ(), FDs: openFDs()}
		d.Dir, _ = os.Getwd()
		_ = json.NewEncoder(os.Stdout).Encode(d)
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "noise": // both outputs
		fmt.Fprintln(os.Stdout, "to stdout")
		fmt.Fprintln(os.Stderr, "to stderr")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "mute": // closes its output and runs on
		_ = os.Stdout.Close()
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "polite": // ends at TERM with its own status
		term := make(chan os.Signal, 1)
		signal.Notify(term, syscall.SIGTERM)
		fmt.Println(os.Getpid())
		<-term
		return 7
	case "stubborn": // ignores TERM, has a grandchild that does and left its session
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		fmt.Println(os.Getpid())
		spawn("middle")
		sleep()
	case "leaves": // like stubborn, but ends by itself
		spawn("middle")
		return 3
	case "middle": // forks the second time, and ends
		spawn("leaf")
	case "leaf":
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		fmt.Println(os.Getpid())
		_ = os.NewFile(3, "started").Close()
		sleep()
	case "hydra": // a process that replaces itself all the time
		fmt.Println(os.Getpid())
		for {
			spawn("exit:0")
		}
	case "bridge": // a bridge with a stubborn server; arg is what it does then
		return playBridge(arg)
	}
	return 0
}

// spawn starts this program again in a session of its own. It waits for a leaf to
// be deaf to TERM, and for any other to end.
func spawn(role string) {
	self, _ := os.Executable()
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "SUPERVISE_ROLE="+role)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	r, w, err := os.Pipe()
	if err == nil {
		cmd.ExtraFiles = []*os.File{w}
		err = cmd.Start()
		_ = w.Close()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	_, _ = io.Copy(io.Discard, r)
	_ = r.Close()
	if role != "leaf" {
		_ = cmd.Wait()
	}
}

func playBridge(state string) int {
	p, err := supervise.Start(executable(), supervise.Spec{
		Path: executable(), Env: []string{"SUPERVISE_ROLE=stubborn", "TMPDIR=" + os.Getenv("BRIDGE_TMP")},
		TmpDir: os.Getenv("BRIDGE_TMP"), Grace: time.Minute,
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	lines := bufio.NewScanner(p.Stdout)
	for range 2 {
		lines.Scan()
		fmt.Println(lines.Text())
	}
	fmt.Println(parent(p.PID()))
	if state == "stopping" {
		p.Stop()
	}
	fmt.Println("ready")
	if state == "exits" {
		return 0
	}
	sleep()
	return 0
}

// sleep never returns.
func sleep() {
	for {
		time.Sleep(time.Hour)
	}
}

// parent returns the parent of a process, 0 if it is gone.
func parent(pid int) int {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	if len(fields) < 2 {
		return 0
	}
	ppid, _ := strconv.Atoi(fields[1])
	return ppid
}

type description struct {
	Dir  string
	Args []string
	Env  []string
	FDs  []string
}

// openFDs lists the descriptors of this process, without those that the listing
// and the runtime need.
func openFDs() []string {
	var fds []string
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		to, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasPrefix(to, "anon_inode:") &&
			!strings.HasPrefix(to, "/proc/") && !strings.HasPrefix(to, "/sys/fs/cgroup/") {
			fds = append(fds, e.Name())
		}
	}
	return fds
}

func executable() string {
	self, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return self
}

// alive says whether a process runs; a zombie whose new parent has not reaped it
// does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	state := stat[strings.LastIndexByte(string(stat), ')')+2]
	return state != 'Z' && state != 'X'
}

// naming lists the processes with one of the variables in their environment.
func naming(variables ...string) []int {
	var pids []int
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || !alive(pid) {
			continue
		}
		environ, _ := os.ReadFile("/proc/" + e.Name() + "/environ")
		for variable := range strings.SplitSeq(string(environ), "\x00") {
			if slices.Contains(variables, variable) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// waitGone fails the test if one of the processes is left after the time.
func waitGone(t *testing.T, within time.Duration, pids ...int) {
	t.Helper()
	deadline := time.Now().Add(within)
	for _, pid := range pids {
		for alive(pid) {
			if time.Now().After(deadline) {
				t.Errorf("process %d is alive after %v", pid, within)
				_ = syscall.Kill(pid, syscall.SIGKILL)
				break
			}
			time.Sleep(2 * time.Millisecond) // strangers' children: no event tells
		}
	}
}
