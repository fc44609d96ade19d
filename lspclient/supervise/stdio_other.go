//go:build !unix

package supervise

import (
	"os"
	"os/exec"
)

// stdio are the three pipes of a child. They are plain pipes, since those of
// [exec.Cmd] are closed when the child ends, with what is still unread in them.
type stdio struct {
	stdin, stdout, stderr *os.File
	theirs                []*os.File
}

func newStdio(cmd *exec.Cmd) (*stdio, error) {
	s := new(stdio)
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.stdin, s.theirs = inW, append(s.theirs, inR)
	outR, outW, err := os.Pipe()
	if err != nil {
		s.closeOurs()
		s.closeTheirs()
		return nil, err
	}
	s.stdout, s.theirs = outR, append(s.theirs, outW)
	errR, errW, err := os.Pipe()
	if err != nil {
		s.closeOurs()
		s.closeTheirs()
		return nil, err
	}
	s.stderr, s.theirs = errR, append(s.theirs, errW)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, errW
	return s, nil
}

func (s *stdio) closeOurs() {
	for _, f := range []*os.File{s.stdin, s.stdout, s.stderr} {
		_ = f.Close()
	}
}

func (s *stdio) closeTheirs() {
	for _, f := range s.theirs {
		_ = f.Close()
	}
}
