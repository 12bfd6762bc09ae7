//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// alone runs a program in a session of its own: without a terminal to ask at, and so
// that all that it has started ends with it.
func alone(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
