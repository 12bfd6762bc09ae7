package fsystest

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a script that a test runs. No process starts meanwhile: one that a
// parallel test starts would inherit the open file until it executes its own program, and a
// file that is open for writing cannot be executed.
func WriteProgram(t testing.TB, path, script string) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(script), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}
