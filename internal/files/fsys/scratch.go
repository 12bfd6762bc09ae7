package fsys

import (
	"errors"
	"os"
)

// Scratch makes a directory below parent that only its owner can read, calls f with its
// path, and removes it with all that is in it.
func Scratch(parent string, f func(dir string) error) error {
	dir, err := os.MkdirTemp(parent, "cairn-")
	if err != nil {
		return Explain(err, "make a directory in %s", parent)
	}
	return errors.Join(f(dir), os.RemoveAll(dir))
}

// RemoveTree removes a directory that cairn made, and all in it. It follows no symbolic link.
func RemoveTree(dir string) error { return Explain(os.RemoveAll(dir), "remove %s", dir) }
