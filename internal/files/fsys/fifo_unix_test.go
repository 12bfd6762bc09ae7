//go:build unix

package fsys_test

import (
	"path/filepath"
	"syscall"
)

func mkfifo(root string) func(string) error {
	return func(name string) error { return syscall.Mkfifo(filepath.Join(root, name), 0o644) }
}
