package lsptest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
)

const (
	// socketEnv makes a test binary the fake server that dials this socket.
	socketEnv = "LSPTEST_FAKE_SERVER"
	// grandchildEnv makes it the process that a fake server leaves behind.
	grandchildEnv = "LSPTEST_FAKE_GRANDCHILD"
)

// runFake plays the fake server, or its grandchild, when this process was
// started as one; then it does not return.
func runFake() {
	if socket := os.Getenv(grandchildEnv); socket != "" {
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP)
		if _, orders, err := dialTest(socket, true); err == nil {
			wait(orders)
		}
		os.Exit(0)
	}
	if socket := os.Getenv(socketEnv); socket != "" {
		if err := playFake(socket); err != nil {
			fmt.Fprintln(os.Stderr, "fake language server:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// dialTest tells the test of this process.
func dialTest(socket string, grandchild bool) (*json.Encoder, *json.Decoder, error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, nil, err
	}
	lines := json.NewEncoder(conn)
	return lines, json.NewDecoder(bufio.NewReader(conn)), lines.Encode(hello{Grandchild: grandchild, PID: os.Getpid()})
}

// wait returns when the test is over.
func wait(lines *json.Decoder) {
	for {
		var o orders
		if lines.Decode(&o) != nil {
			return
		}
	}
}

func playFake(socket string) error {
	lines, in, err := dialTest(socket, false)
	if err != nil {
		return err
	}
	var first orders
	if err := in.Decode(&first); err != nil {
		return err
	}
	script := *first.Script
	if script.IgnoreTERM {
		signal.Ignore(syscall.SIGTERM)
	}
	if script.Grandchild {
		self, err := os.Executable()
		if err != nil {
			return err
		}
		child := exec.Command(self)
		child.Env = append(os.Environ(), grandchildEnv+"="+socket)
		child.SysProcAttr = ownSession()
		if err := child.Start(); err != nil {
			return err
		}
	}
	released := make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	if first.Release {
		release()
	}
	go func() {
		for {
			var o orders
			if in.Decode(&o) != nil {
				os.Exit(1) // the test is over
			}
			if o.Release {
				release()
			}
		}
	}()
	s := &server{
		script: script, start: first.Start,
		out: os.Stdout, stderr: os.Stderr, release: released, exit: exit,
		record: func(m Message) {
			if lines.Encode(m) != nil {
				os.Exit(1)
			}
		},
	}
	err = s.serve(os.Stdin)
	if script.IgnoreTERM {
		select {} // until the test is over or somebody kills it
	}
	if errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return err
}

// exit ends this process; see [Action.Exit].
func exit(status int) {
	if status >= 0 {
		os.Exit(status)
	}
	if self, err := os.FindProcess(os.Getpid()); err == nil {
		_ = self.Kill()
	}
	select {} // until the signal arrives
}
