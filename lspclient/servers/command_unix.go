//go:build unix

package servers

import (
	"os/exec"
	"syscall"
)

// endGroup makes the end of cmd's context the end of all that it started.
func endGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
