//go:build unix

package fsys

import (
	"io/fs"
	"strconv"
	"syscall"
)

// FileID names a file of this system for as long as somebody has it open or it
// has a name: no other file has the same meanwhile. ok is false where a path
// cannot come to lead to another file while the first is open, or where
// nothing is known.
func FileID(info fs.FileInfo) (id string, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", false
	}
	return strconv.FormatUint(uint64(st.Dev), 10) + " " + strconv.FormatUint(uint64(st.Ino), 10), true
}
