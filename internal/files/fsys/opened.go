package fsys

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Named is a file under the name by which it was opened.
type Named struct {
	Name string
	Info fs.FileInfo // nil when it was not there
}

// NamedState is the state of the name of an open file.
type NamedState int

// The states of names.
const (
	NamedSame     NamedState = iota // or it was not there then
	NamedGone                       // nothing has its name
	NamedReplaced                   // another file has its name
)

// State looks where the name leads now.
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

// Stamp is what changes with the bytes of a file.
type Stamp struct {
	Size     int64 // -1 when it is not there
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
