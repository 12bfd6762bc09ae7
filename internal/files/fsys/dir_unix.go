//go:build unix

package fsys

import (
	"errors"
	"os"
	"syscall"
)

// openNonblock makes the opening of a FIFO return at once. Regular files and
// directories ignore it.
const openNonblock = syscall.O_NONBLOCK

// syncDirHandle flushes a directory. Some network and FUSE file systems do not
// support fsync on directories and return EINVAL or ENOTSUP; they order names
// in their own way and nothing more can be done.
func syncDirHandle(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
