package fsys

import (
	"errors"
	"os"
)

// Scratch makes a directory below parent that only its owner can read, calls f with its
// path, and removes it with its content.
func Scratch(parent string, f func(dir string) error) error {
	dir, err := MakeScratch(parent)
	if err != nil {
		return err
	}
	return errors.Join(f(dir), os.RemoveAll(dir))
}

// MakeScratch is Scratch for a caller that removes the directory by RemoveTree.
func MakeScratch(parent string) (string, error) {
	dir, err := os.MkdirTemp(parent, "cairn-")
	return dir, Explain(err, "make a directory in %s", parent)
}

// RemoveTree removes a directory that cairn made, and all in it. It follows no symbolic link.
func RemoveTree(dir string) error { return Explain(os.RemoveAll(dir), "remove %s", dir) }
