//go:build unix

package fsys_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
)

func mkfifo(root string) func(string) error {
	return func(name string) error { return syscall.Mkfifo(filepath.Join(root, name), 0o644) }
}

// A socket is not a regular file, which is not the disk's fault.
func TestSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "cairn") // short: the path of a socket has at most 104 bytes
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	s, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		t.Cleanup(func() { _ = syscall.Close(s) })
		err = syscall.Bind(s, &syscall.SockaddrUnix{Name: filepath.Join(dir, "s.md")})
	}
	if err != nil {
		t.Skip(err)
	}
	if _, err := openDir(t, dir).Open("s.md"); !errors.Is(err, fsys.ErrNotRegular) {
		t.Errorf("a socket: %v", err)
	}
	if _, err := fsys.ReadRegular(filepath.Join(dir, "s.md"), 3); !errors.Is(err, fsys.ErrNotRegular) {
		t.Errorf("a socket, read whole: %v", err)
	}
}
