package fsys

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// exchange swaps two names of a directory. File systems that cannot say
// EINVAL, which could mean nothing else here.
func exchange(dir int, a, b string) error {
	err := unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, syscall.EINVAL) {
		return errors.ErrUnsupported
	}
	return err
}
