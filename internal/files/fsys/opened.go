package fsys

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Named is the name by which a file was opened, and its description at that time.
type Named struct {
	Name string
	Info fs.FileInfo // nil if the file did not exist
}

// NamedState is the state of the name of an open file.
type NamedState int

// The states of names.
const (
	NamedSame     NamedState = iota // or the file did not exist when it was opened
	NamedGone                       // nothing has its name
	NamedReplaced                   // another file has its name
)

// State compares the file that has the name now with the opened one.
func (f Named) State() (NamedState, error) {
	if f.Info == nil {
		return NamedSame, nil
	}
	now, err := os.Stat(f.Name)
	switch {
	case err == nil && os.SameFile(now, f.Info):
		return NamedSame, nil
	case err == nil:
		return NamedReplaced, nil
	case errors.Is(err, fs.ErrNotExist):
		return NamedGone, nil
	}
	return NamedSame, Explain(err, "look at %s", f.Name)
}

// Stamp identifies a version of a file by its size and time of modification.
type Stamp struct {
	Size     int64 // -1 if the file does not exist
	Modified time.Time
}

// StampOf returns the stamp of the file at an operating system path.
func StampOf(name string) (Stamp, error) {
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Stamp{Size: -1}, nil
	}
	if err != nil {
		return Stamp{}, Explain(err, "look at %s", name)
	}
	return Stamp{info.Size(), info.ModTime()}, nil
}

// Within calls f with the directory at an operating system path.
func Within(name string, f func(*Dir) error) error {
	dir, err := OpenDir(name)
	if err != nil {
		return err
	}
	return errors.Join(f(dir), dir.Close())
}
