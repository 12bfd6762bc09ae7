package fsystest

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a script that a test runs. A process that another test starts meanwhile
// would have the file open for writing until it runs its own program, and a file that is open
// for writing cannot be run.
func WriteProgram(t testing.TB, path, script string) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(script), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}
