//go:build !unix

package git

import "os/exec"

// alone does nothing here: exec ends the program, and there are no process
// groups.
func alone(*exec.Cmd) (finish func()) { return func() {} }

// stop ends a program that was started.
func stop(cmd *exec.Cmd, _ bool) { _ = cmd.Process.Kill() } // it may have ended by itself
