package fsystest

import (
	"os"
	"path/filepath"
	"testing"
)

// TempDir is t.TempDir without its links, in memory where the system has a
// directory there: for tests that kill processes, which take nothing with them
// that the system was given, flushed or not, and for those that wait for no
// disk on purpose.
func TempDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "cairn-test-")
	if err != nil {
		dir = t.TempDir()
	} else {
		t.Cleanup(func() {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		})
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	return real
}
