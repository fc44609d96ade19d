package lsptest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A Process is a fake language server that runs as a process of its own: the
// test's binary, started by whoever is tested. It records and is released over a
// Unix socket, which also ends it, and its grandchild, with the test.
//
// Each start is numbered from 0 and reported in [Message.Start].
type Process struct {
	*Recorder
	// Path and Env start it: the test's binary, and "NAME=value" to add to its
	// environment. Arguments are ignored.
	Path string
	Env  []string

	script Script

	mu       sync.Mutex
	starts   int
	released bool
	peers    []*peer
	changed  chan struct{} // closed and replaced at each change of the above
}

// A peer is a process that dialled in: a server or a grandchild.
type peer struct {
	hello
	conn  net.Conn
	start int
	ended chan struct{} // the process is gone
}

// hello is the first line of a process on its socket, orders a line it gets.
type (
	hello struct {
		Grandchild bool
		PID        int
	}
	orders struct {
		Start   int
		Script  *Script `json:",omitempty"`
		Release bool
	}
)

// NewProcess prepares a fake server; it starts none. The package's TestMain must
// call [Main].
func NewProcess(t testing.TB, script Script) *Process {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "lsptest") // t.TempDir can be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	p := &Process{
		Recorder: newRecorder(), Path: self, Env: []string{socketEnv + "=" + socket},
		script: script, changed: make(chan struct{}),
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { p.talk(conn) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.mu.Lock()
		for _, peer := range p.peers {
			peer.conn.Close() // ends the process
		}
		p.mu.Unlock()
		wg.Wait()
	})
	return p
}

// Program writes an executable shell script into dir that starts the fake
// server, and that answers version, --version and -version with the given line,
// so that a look-up on PATH takes it for the program name.
func (p *Process) Program(t testing.TB, dir, name, version string) string {
	t.Helper()
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	script := "#!/bin/sh\ncase \"$1\" in version|--version|-version) echo " + quote(version) + "; exit 0;; esac\n"
	for _, e := range p.Env {
		name, value, _ := strings.Cut(e, "=")
		script += "export " + name + "=" + quote(value) + "\n"
	}
	script += "exec " + quote(p.Path) + " \"$@\"\n"
	path := filepath.Join(dir, name)
	// A shell writes it: where this process had it open for writing, a child
	// forked meanwhile by another test would hold it open, and starting it would
	// fail (ETXTBSY).
	write := exec.Command("sh", "-c", `cat >"$0" && chmod 755 "$0"`, path)
	write.Stdin = strings.NewReader(script)
	if out, err := write.CombinedOutput(); err != nil {
		t.Fatalf("write %s: %v %s", path, err, out)
	}
	return path
}

// talk serves the socket of one process until it is gone.
func (p *Process) talk(conn net.Conn) {
	defer conn.Close()
	lines := json.NewDecoder(bufio.NewReader(conn))
	who := &peer{conn: conn, ended: make(chan struct{})}
	defer close(who.ended)
	if err := lines.Decode(&who.hello); err != nil {
		return
	}
	if !p.join(who) {
		return
	}
	for {
		var m Message
		if err := lines.Decode(&m); err != nil {
			return
		}
		p.add(m)
	}
}

// join gives a new process its orders.
func (p *Process) join(who *peer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := orders{Release: p.released}
	if !who.Grandchild {
		o.Start, o.Script = p.starts, &p.script
		if p.starts > 0 && p.script.Next != nil {
			o.Script = p.script.Next
		}
		who.start = p.starts
		p.starts++
	}
	p.peers = append(p.peers, who)
	close(p.changed)
	p.changed = make(chan struct{})
	return json.NewEncoder(who.conn).Encode(o) == nil
}

// Release lets every Hold of the script pass, also those to come.
func (p *Process) Release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.released = true
	for _, who := range p.peers {
		// A process that is gone needs none.
		_ = json.NewEncoder(who.conn).Encode(orders{Release: true})
	}
}

// Starts returns how often the server was started so far.
func (p *Process) Starts() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.starts
}

// AwaitStart waits for a start of the server, numbered from 0, and returns the
// process id and a channel that is closed when that process is gone.
func (p *Process) AwaitStart(t testing.TB, start int) (pid int, ended <-chan struct{}) {
	t.Helper()
	return p.awaitPeer(t, fmt.Sprintf("start %d", start), func(who *peer) bool { return !who.Grandchild && who.start == start })
}

// AwaitGrandchild waits for the process that [Script.Grandchild] leaves behind,
// and returns its id and a channel that is closed when it is gone.
func (p *Process) AwaitGrandchild(t testing.TB) (pid int, ended <-chan struct{}) {
	t.Helper()
	return p.awaitPeer(t, "the grandchild", func(who *peer) bool { return who.Grandchild })
}

func (p *Process) awaitPeer(t testing.TB, what string, is func(*peer) bool) (int, <-chan struct{}) {
	t.Helper()
	timer := time.NewTimer(awaitFor)
	defer timer.Stop()
	for {
		p.mu.Lock()
		changed := p.changed
		for _, who := range p.peers {
			if is(who) {
				p.mu.Unlock()
				return who.PID, who.ended
			}
		}
		p.mu.Unlock()
		select {
		case <-changed:
		case <-timer.C:
			t.Fatalf("the fake server did not show %s", what)
		}
	}
}
