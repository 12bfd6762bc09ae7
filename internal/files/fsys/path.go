package fsys

import "os"

// Exists reports whether a path exists, including a dangling symbolic link.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Nothing reports whether a path refers to no file, or to an empty one.
func Nothing(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Size() == 0
}

// SameFile reports whether two paths refer to the same existing file.
func SameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

// Present reports whether anything exists at a path of a file system.
func Present(files FS, name string) bool {
	_, err := files.Lstat(name)
	return err == nil
}
