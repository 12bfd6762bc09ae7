package model

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// Evict removes the pages of a constant from the memory of the process. They are unmodified
// pages of the program's file: the next use reads them from the system's cache of that file.
// Errors are ignored, since no caller could act on them.
func Evict(constant string) {
	page := unix.Getpagesize()
	start := uintptr(unsafe.Pointer(unsafe.StringData(constant)))
	skip := int(-start % uintptr(page)) // whole pages only: the first and the last may be shared
	if whole := (len(constant) - skip) / page * page; whole > 0 {
		_ = unix.Madvise(unsafe.Slice(unsafe.StringData(constant), len(constant))[skip:skip+whole], unix.MADV_DONTNEED)
	}
}
