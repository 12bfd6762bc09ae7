package fsystest

import (
	"os"
	"path/filepath"
	"testing"
)

// TempDir is t.TempDir with links resolved, in memory if the system has such a directory. It
// is for tests that do not need a disk, such as those that kill processes: data that a
// killed process has written to the system is not lost.
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
