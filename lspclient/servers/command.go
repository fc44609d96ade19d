package servers

import (
	"bytes"
	"context"
	"os/exec"
	"path/filepath"
	"time"
)

const (
	// askTime bounds the question for a version.
	askTime = 10 * time.Second
	// askBytes is what is read of the answer.
	askBytes = 16 << 10
)

// ask runs a program for what it prints of itself. It runs in the program's own
// folder: in a workspace, a version manager would follow the workspace's choice.
func ask(ctx context.Context, env []string, program string, args ...string) (stdout, stderr string, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	cmd := command(ctx, env, program, args...)
	cmd.Dir = filepath.Dir(program)
	var out, errs head
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return out.String(), errs.String(), err
}

// command prepares a program whose whole process group ends with ctx, and that
// is not waited for when a stray child keeps its outputs open.
func command(ctx context.Context, env []string, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = env
	if env == nil {
		cmd.Env = []string{} // nil would pass on the bridge's
	}
	cmd.WaitDelay = time.Second
	endGroup(cmd)
	return cmd
}

// head keeps the first askBytes that are written to it.
type head struct{ buf bytes.Buffer }

func (h *head) Write(p []byte) (int, error) {
	h.buf.Write(p[:min(len(p), askBytes-h.buf.Len())])
	return len(p), nil
}

func (h *head) String() string { return h.buf.String() }
