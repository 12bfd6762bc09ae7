//go:build unix

package fsys

import (
	"io/fs"
	"strconv"
	"syscall"
)

// FileID identifies a file of this system while it is open or has a name: no other
// file has the same id in that time. ok is false if a path cannot refer to another
// file while the first is open, or if nothing is known.
func FileID(info fs.FileInfo) (id string, ok bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", false
	}
	return strconv.FormatUint(uint64(st.Dev), 10) + " " + strconv.FormatUint(uint64(st.Ino), 10), true
}
