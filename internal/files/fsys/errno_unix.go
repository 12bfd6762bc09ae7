//go:build unix

package fsys

import (
	"errors"
	"syscall"
)

func isNotEmpty(err error) bool {
	return errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST)
}

func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

func isReadOnly(err error) bool { return errors.Is(err, syscall.EROFS) }

func isBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) || errors.Is(err, syscall.EBUSY) }
