//go:build !unix

package git

import (
	"io/fs"
	"os/exec"
)

// alone does nothing here: exec ends the program, and there are no process
// groups.
func alone(*exec.Cmd) (finish func()) { return func() {} }

// processEnded reports whether no process has this id, which cannot be known here.
func processEnded(int) bool { return false }

// stop ends a program that was started.
func stop(cmd *exec.Cmd, _ bool) { _ = cmd.Process.Kill() } // it may have ended by itself

// sameDevice reports whether two files are nodes of one device, which does not occur here.
func sameDevice(_, _ fs.FileInfo) bool { return false }

// ours is not known here.
func ours(...string) bool { return false }
