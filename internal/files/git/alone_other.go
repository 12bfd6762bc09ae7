//go:build !unix

package git

import "os/exec"

// alone does nothing here: exec ends the program, and there are no process
// groups.
func alone(*exec.Cmd) (finish func()) { return func() {} }
