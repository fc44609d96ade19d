//go:build linux

package supervise_test

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"lspbridge/lspclient/supervise"
)

// A bridge that dies takes everything with it within two seconds, in every state
// and also when its server and its server's grandchild ignore TERM.
func TestBridgeDies(t *testing.T) {
	t.Parallel()
	rounds := 5
	if os.Getenv("LSPBRIDGE_FULL") == "1" {
		rounds = 50
	}
	for _, state := range []string{"running", "stopping", "exits", "helper told by the signal alone"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			for range rounds {
				bridgeDies(t, state)
			}
		})
	}
}

func bridgeDies(t *testing.T, state string) {
	t.Helper()
	tmp := filepath.Join(t.TempDir(), "tmp")
	readOnly(t, tmp)
	bridge := exec.Command(executable())
	bridge.Env = []string{"SUPERVISE_ROLE=bridge:" + state, "BRIDGE_TMP=" + tmp}
	bridge.Stderr = os.Stderr
	out, err := bridge.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	err = bridge.Start()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	var running []int
	for lines.Scan() && lines.Text() != "ready" {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the bridge said %q", lines.Text())
		}
		running = append(running, pid)
	}
	if len(running) != 3 {
		t.Fatalf("%d processes, want the server, its grandchild and the helper", len(running))
	}
	if state != "exits" {
		for _, pid := range running {
			if !alive(pid) {
				t.Errorf("process %d ended before the bridge", pid)
			}
		}
	}
	switch state {
	case "helper told by the signal alone":
		_ = syscall.Kill(running[2], syscall.SIGTERM)
	case "exits":
		_ = bridge.Wait()
	default:
		_ = bridge.Process.Kill()
	}
	waitGone(t, 2*time.Second, running...)
	_ = bridge.Process.Kill()
	_ = bridge.Wait()
	if _, err := os.Lstat(tmp); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("TmpDir is left: %v", err)
	}
}

// Killed at any moment of the start, also before the helper runs, a bridge
// leaves nothing.
func TestBridgeKilledWhileStarting(t *testing.T) {
	t.Parallel()
	for round := range 20 {
		tmp := filepath.Join(t.TempDir(), "tmp")
		err := os.Mkdir(tmp, 0o700)
		if err != nil {
			t.Fatal(err)
		}
		bridge := exec.Command(executable())
		bridge.Env = []string{"SUPERVISE_ROLE=bridge:running", "BRIDGE_TMP=" + tmp}
		err = bridge.Start()
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(round) * 2 * time.Millisecond) // the moment is what is tested
		_ = bridge.Process.Kill()
		_ = bridge.Wait()
		deadline := time.Now().Add(2 * time.Second)
		for {
			left := naming("BRIDGE_TMP="+tmp, "TMPDIR="+tmp)
			if len(left) == 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("round %d: processes %v are left", round, left)
			}
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// Not parallel: it counts the descriptors and goroutines of this process.
func TestNothingLeaks(t *testing.T) {
	round := func() {
		p, err := supervise.Start(executable(), supervise.Spec{
			Path: executable(), Env: []string{"SUPERVISE_ROLE=stubborn"}, Grace: time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		p.Stop()
		<-p.Done()
		closePipes(p)
		_, err = supervise.Start(executable(), supervise.Spec{Path: "/no/such/program"})
		if err == nil {
			t.Fatal("started a missing program")
		}
	}
	round() // what the runtime keeps for good is open from here on
	fds, goroutines := len(openFDs()), runtime.NumGoroutine()
	for range 10 {
		round()
	}
	if now := len(openFDs()); now > fds {
		t.Errorf("%d descriptors, were %d", now, fds)
	}
	deadline := time.Now().Add(5 * time.Second)
	for runtime.NumGoroutine() > goroutines {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, were %d", runtime.NumGoroutine(), goroutines)
		}
		runtime.Gosched()
	}
}
