//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// alone runs a program in a session of its own: without a terminal to ask at, and so
// that all that it has started ends with it. At its deadline it is asked to end, since git
// takes its lock files away then; finish ends what is left after that.
func alone(cmd *exec.Cmd) (finish func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // nothing may be left
		}
	}
}
