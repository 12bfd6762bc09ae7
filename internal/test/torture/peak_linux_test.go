package torture

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/test/apptest"
)

func init() { roles["measure"] = measure }

// measure runs the command of its arguments and writes the most memory that it
// had, in KiB, to a file. It is a process of its own because Linux counts in
// what the one had that started it.
func measure(file string) error {
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return err
	}
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if err := os.WriteFile(file, fmt.Append(nil, usage.Maxrss), 0o600); err != nil {
		return err
	}
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}

// checkPeak holds what a command of c took, while c is measured, to a number
// of MiB.
func checkPeak(t *testing.T, c *commands, limit int) {
	t.Helper()
	var kib int
	if _, err := fmt.Sscan(string(apptest.OK(os.ReadFile(c.measure))(t)), &kib); err != nil {
		t.Fatal(err)
	}
	t.Logf("peak %d MiB", kib>>10)
	if kib>>10 > limit {
		t.Errorf("took %d MiB of memory, more than %d", kib>>10, limit)
	}
}

// measured makes c note the memory that its commands take.
func measured(t *testing.T, c *commands) *commands {
	c.measure = t.TempDir() + "/peak"
	return c
}
