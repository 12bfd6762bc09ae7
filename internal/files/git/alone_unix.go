//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// alone runs a program in a new session: without a terminal for prompts, and so
// that all of its child processes end with it. At its deadline the program gets
// a termination signal, because git then removes its lock files; finish kills
// the remaining processes.
func alone(cmd *exec.Cmd) (finish func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	return func() {
		if cmd.Process != nil {
			_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // nothing may be left
		}
	}
}
