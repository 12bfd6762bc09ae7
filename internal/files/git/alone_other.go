//go:build !unix

package git

import "os/exec"

// alone has nothing to do: exec ends the program, and there is no process group.
func alone(*exec.Cmd) (finish func()) { return func() {} }
