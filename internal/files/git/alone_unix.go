//go:build unix

package git

import (
	"errors"
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
			stop(cmd, true) // nothing may be left
		}
	}
}

// processEnded reports whether no process has this id.
func processEnded(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// stop ends a program that was started, with everything in its process group.
func stop(cmd *exec.Cmd, force bool) {
	sig := syscall.SIGTERM
	if force {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-cmd.Process.Pid, sig) // it may have ended by itself
}
