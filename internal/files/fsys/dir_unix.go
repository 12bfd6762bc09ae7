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

// syncDirHandle flushes a directory. Some network and FUSE file systems have
// no fsync for directories and say EINVAL or ENOTSUP; they order names in
// their own way and there is nothing more to ask for.
func syncDirHandle(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil
	}
	return err
}
