package fsys

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// exchange swaps two names of a directory. File systems without support return
// EINVAL, which has no other cause here.
func exchange(dir int, a, b string) error {
	err := unix.Renameat2(dir, a, dir, b, unix.RENAME_EXCHANGE)
	if errors.Is(err, syscall.EINVAL) {
		return errors.ErrUnsupported
	}
	return err
}
