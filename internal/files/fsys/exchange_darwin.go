package fsys

import "golang.org/x/sys/unix"

// exchange swaps two names of a directory.
func exchange(dir int, a, b string) error {
	return unix.RenameatxNp(dir, a, dir, b, unix.RENAME_SWAP)
}
