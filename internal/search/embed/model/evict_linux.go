package model

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Evict takes the pages of a constant out of the process. They are pages of
// the program's file and cannot have been written to: the next use finds them
// where the system keeps that file. To be told that it cannot be done would
// help nobody.
func Evict(constant string) {
	page := unix.Getpagesize()
	start := uintptr(unsafe.Pointer(unsafe.StringData(constant)))
	skip := int(-start % uintptr(page)) // whole pages only: others share the first and the last
	if whole := (len(constant) - skip) / page * page; whole > 0 {
		_ = unix.Madvise(unsafe.Slice(unsafe.StringData(constant), len(constant))[skip:skip+whole], unix.MADV_DONTNEED)
	}
}
