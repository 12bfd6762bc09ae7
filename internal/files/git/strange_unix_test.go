//go:build unix

package git_test

import (
	"os"
	"syscall"
)

// strange makes what is no file and no directory.
func strange() map[string]func(string) error {
	return map[string]func(string) error{
		"a FIFO":                func(at string) error { return syscall.Mkfifo(at, 0o644) },
		"a link to a device":    func(at string) error { return os.Symlink("/dev/zero", at) },
		"a link that is broken": func(at string) error { return os.Symlink("nowhere", at) },
	}
}
