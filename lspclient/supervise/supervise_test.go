//go:build linux

package supervise_test

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"lspbridge/lspclient/supervise"
)

// started starts one of the test's programs and ends it with the test.
func started(t *testing.T, s supervise.Spec, role string) *supervise.Process {
	t.Helper()
	s.Path = executable()
	s.Env = append(s.Env, "SUPERVISE_ROLE="+role)
	p, err := supervise.Start(executable(), s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		<-p.Done()
		closePipes(p)
	})
	return p
}

func closePipes(p *supervise.Process) {
	_ = p.Stdin.Close()
	_ = p.Stdout.Close()
	_ = p.Stderr.Close()
}

// pids reads n process ids, one a line.
func pids(t *testing.T, r io.Reader, n int) []int {
	t.Helper()
	var got []int
	lines := bufio.NewScanner(r)
	for len(got) < n && lines.Scan() {
		pid, err := strconv.Atoi(lines.Text())
		if err != nil {
			t.Fatalf("the program said %q, want a process id", lines.Text())
		}
		got = append(got, pid)
	}
	if len(got) < n {
		t.Fatalf("%d process ids, want %d", len(got), n)
	}
	return got
}

func done(t *testing.T, p *supervise.Process, within time.Duration) {
	t.Helper()
	select {
	case <-p.Done():
	case <-time.After(within):
		t.Fatalf("not done after %v", within)
	}
}

func TestServerIsStartedAsGiven(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	odd := "ODD=a\nb \xff c=\"d\""
	p := started(t, supervise.Spec{Dir: dir, Args: []string{"-x", "\xfe two words", ""}, Env: []string{odd}}, "describe")
	var got description
	err = json.NewDecoder(p.Stdout).Decode(&got)
	if err != nil {
		t.Fatal(err)
	}
	want := description{
		Dir: dir,
		// JSON, by which the test hears of it, shows a stray byte so.
		Args: []string{"-x", "\ufffd two words", ""},
		Env:  []string{strings.ReplaceAll(odd, "\xff", "\ufffd"), "SUPERVISE_ROLE=describe"},
		FDs:  []string{"0", "1", "2"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the server was started otherwise (-want +got):\n%s", diff)
	}
	if !alive(p.PID()) {
		t.Errorf("PID %d does not run", p.PID())
	}
	exe, err := os.Readlink("/proc/" + strconv.Itoa(p.PID()) + "/exe")
	if err != nil || exe != executable() {
		t.Errorf("PID %d runs %q (%v), want the server %q", p.PID(), exe, err, executable())
	}
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID()) + "/environ")
	if err != nil || !strings.Contains(string(environ), odd) {
		t.Errorf("environment %q (%v), want the bytes %q in it", environ, err, odd)
	}
}

func TestPipesAreTheServers(t *testing.T) {
	t.Parallel()
	p := started(t, supervise.Spec{}, "noise")
	out, err := bufio.NewReader(p.Stdout).ReadString('\n')
	if err != nil || out != "to stdout\n" {
		t.Errorf("stdout %q (%v)", out, err)
	}
	text, err := bufio.NewReader(p.Stderr).ReadString('\n')
	if err != nil || text != "to stderr\n" {
		t.Errorf("stderr %q (%v)", text, err)
	}

	echo := started(t, supervise.Spec{}, "echo")
	sent := strings.Repeat("0123456789abcdef", 1<<16) // more than pipes hold
	go func() {
		_, _ = io.WriteString(echo.Stdin, sent)
		_ = echo.Stdin.Close()
	}()
	back, err := rest(echo.Stdout)
	if err != nil || string(back) != sent {
		t.Errorf("%d bytes came back (%v), want %d", len(back), err, len(sent))
	}
	done(t, echo, 10*time.Second)
	if echo.Exit() != "exit status 0" {
		t.Errorf("exit %q", echo.Exit())
	}

	// The end of the output is seen only if the helper kept no end of the pipe.
	mute := started(t, supervise.Spec{}, "mute")
	_, err = rest(mute.Stdout)
	if err != nil || !alive(mute.PID()) {
		t.Errorf("the end of the output: %v; the server runs: %v, want true", err, alive(mute.PID()))
	}
}

// rest reads a pipe to its end, which is to come soon.
func rest(r io.Reader) ([]byte, error) {
	f, ok := r.(*os.File)
	if !ok {
		return nil, errors.New("no pipe")
	}
	err := f.SetReadDeadline(time.Now().Add(10 * time.Second))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

func TestExit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, role string
		end        func(*supervise.Process)
		want       string
	}{
		{"by itself", "exit:42", func(*supervise.Process) {}, "exit status 42"},
		{"asked", "polite", (*supervise.Process).Stop, "exit status 7"},
		{"killed by the bridge", "polite", (*supervise.Process).Kill, "signal: killed"},
		{"killed by another", "polite", func(p *supervise.Process) { _ = syscall.Kill(p.PID(), syscall.SIGINT) }, "signal: interrupt"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := started(t, supervise.Spec{Grace: time.Minute}, tt.role)
			if tt.role == "polite" {
				if got := pids(t, p.Stdout, 1)[0]; got != p.PID() {
					t.Errorf("the server is %d, PID says %d", got, p.PID())
				}
				if p.Exit() != "" {
					t.Errorf("exit %q before the end", p.Exit())
				}
			}
			tt.end(p)
			done(t, p, 10*time.Second)
			if got := p.Exit(); got != tt.want {
				t.Errorf("exit %q, want %q", got, tt.want)
			}
			p.Stop() // after the end: nothing happens
			p.Kill()
		})
	}
}

func TestStubbornDescendantsEnd(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, role string
		pids       int
		grace      time.Duration
		end        func(*supervise.Process)
		want       string
	}{
		{"stop", "stubborn", 2, 50 * time.Millisecond, (*supervise.Process).Stop, "signal: killed"},
		{"kill", "stubborn", 2, time.Minute, (*supervise.Process).Kill, "signal: killed"},
		{"kill during stop", "stubborn", 2, time.Minute, func(p *supervise.Process) { p.Stop(); p.Kill() }, "signal: killed"},
		{"stop after stop", "stubborn", 2, 50 * time.Millisecond, func(p *supervise.Process) { p.Stop(); p.Stop() }, "signal: killed"},
		{"server ends by itself", "leaves", 1, 50 * time.Millisecond, func(*supervise.Process) {}, "exit status 3"},
		{"hydra", "hydra", 1, 50 * time.Millisecond, (*supervise.Process).Stop, "signal: terminated"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tmp := filepath.Join(t.TempDir(), "tmp")
			readOnly(t, tmp)
			p := started(t, supervise.Spec{Grace: tt.grace, TmpDir: tmp}, tt.role)
			running := append(pids(t, p.Stdout, tt.pids), p.PID())
			tt.end(p)
			done(t, p, 10*time.Second)
			for _, pid := range running {
				if alive(pid) {
					t.Errorf("process %d is alive after Done", pid)
					_ = syscall.Kill(pid, syscall.SIGKILL)
				}
			}
			if p.Exit() != tt.want {
				t.Errorf("exit %q, want %q", p.Exit(), tt.want)
			}
			if _, err := os.Lstat(tmp); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("TmpDir is left: %v", err)
			}
			_, err := rest(p.Stdout)
			if err != nil {
				t.Errorf("the end of the output: %v", err)
			}
		})
	}
}

// readOnly makes a folder as build tools leave it.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	sub := filepath.Join(dir, "mod", "pkg")
	err := os.MkdirAll(sub, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(sub, "f"), nil, 0o444)
	}
	if err == nil {
		err = os.Chmod(sub, 0o555)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestStopLeavesTheGrace(t *testing.T) {
	t.Parallel()
	const grace = 300 * time.Millisecond
	p := started(t, supervise.Spec{Grace: grace}, "stubborn")
	running := pids(t, p.Stdout, 2)
	before := time.Now()
	p.Stop()
	done(t, p, 10*time.Second)
	if took := time.Since(before); took < grace {
		t.Errorf("killed after %v, want %v at least", took, grace)
	}
	waitGone(t, 0, running...)
}

func TestHelperKilled(t *testing.T) {
	t.Parallel()
	tmp := filepath.Join(t.TempDir(), "tmp")
	err := os.Mkdir(tmp, 0o700)
	if err != nil {
		t.Fatal(err)
	}
	p := started(t, supervise.Spec{Grace: time.Minute, TmpDir: tmp, Env: []string{"TMPDIR=" + tmp}}, "stubborn")
	running := pids(t, p.Stdout, 2)
	helper := parent(p.PID())
	_ = syscall.Kill(helper, syscall.SIGKILL)
	done(t, p, 10*time.Second)
	waitGone(t, time.Second, running...)
	if !strings.Contains(p.Exit(), "supervisor ended early") {
		t.Errorf("exit %q does not name the helper", p.Exit())
	}
	if _, err := os.Lstat(tmp); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("TmpDir is left: %v", err)
	}
}

func TestHelperHangs(t *testing.T) {
	t.Parallel()
	tmp := filepath.Join(t.TempDir(), "tmp")
	p := started(t, supervise.Spec{TmpDir: tmp, Env: []string{"TMPDIR=" + tmp}}, "stubborn")
	running := pids(t, p.Stdout, 2)
	_ = syscall.Kill(parent(p.PID()), syscall.SIGSTOP)
	p.Stop()
	done(t, p, 20*time.Second)
	waitGone(t, time.Second, running...)
}

func TestStartErrors(t *testing.T) {
	t.Parallel()
	text := filepath.Join(t.TempDir(), "text")
	err := os.WriteFile(text, []byte("no program"), 0o755)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, self string
		spec       supervise.Spec
		is         error
		says       string
	}{
		{"missing program", executable(), supervise.Spec{Path: "/no/such/program"}, fs.ErrNotExist, "start the server"},
		{"not a program", executable(), supervise.Spec{Path: text}, syscall.ENOEXEC, "start the server"},
		{"a folder", executable(), supervise.Spec{Path: filepath.Dir(text)}, fs.ErrPermission, "start the server"},
		{"missing folder", executable(), supervise.Spec{Path: executable(), Dir: "/no/such/dir"}, fs.ErrNotExist, "start the server"},
		{"NUL in an argument", executable(), supervise.Spec{Path: executable(), Args: []string{"a\x00b"}}, syscall.EINVAL, "start the server"},
		{"relative program", executable(), supervise.Spec{Path: "gopls"}, nil, "not an absolute path"},
		{"relative folder", executable(), supervise.Spec{Path: executable(), Dir: "x"}, nil, "not an absolute path"},
		{"root as temporary folder", executable(), supervise.Spec{Path: executable(), TmpDir: "/"}, nil, "temporary folder"},
		{"missing helper", "/no/such/helper", supervise.Spec{Path: executable()}, fs.ErrNotExist, "start helper"},
		{"relative helper", "helper", supervise.Spec{Path: executable()}, nil, "not an absolute path"},
		{"helper that is none", "/bin/true", supervise.Spec{Path: executable()}, nil, "supervise.Main"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tmp := tt.spec.TmpDir
			if tmp == "" {
				tmp = filepath.Join(t.TempDir(), "tmp")
				tt.spec.TmpDir = tmp
				readOnly(t, tmp)
			}
			p, err := supervise.Start(tt.self, tt.spec)
			if err == nil {
				p.Kill()
				t.Fatal("no error")
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("error %q is not %q", err, tt.is)
			}
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error %q does not say %q", err, tt.says)
			}
			if _, err := os.Lstat(tmp); tt.is != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("TmpDir is left: %v", err)
			}
		})
	}
}
