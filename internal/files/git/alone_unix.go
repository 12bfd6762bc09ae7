//go:build unix

package git

import (
	"errors"
	"io/fs"
	"os"
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

// ours reports whether directories belong to the user of this process and are in one file
// system. Git uses no others unless a setting allows them.
func ours(dirs ...string) bool {
	var first *syscall.Stat_t
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err != nil {
			return false
		}
		of, ok := info.Sys().(*syscall.Stat_t)
		if first == nil {
			first = of
		}
		if !ok || int(of.Uid) != os.Geteuid() || of.Dev != first.Dev {
			return false
		}
	}
	return true
}

// sameDevice reports whether two files are nodes of one character device.
func sameDevice(a, b fs.FileInfo) bool {
	x, ok := a.Sys().(*syscall.Stat_t)
	y, is := b.Sys().(*syscall.Stat_t)
	return ok && is && a.Mode()&fs.ModeCharDevice != 0 && b.Mode()&fs.ModeCharDevice != 0 && x.Rdev == y.Rdev
}
