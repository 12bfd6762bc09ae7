package fsys

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// Precondition is the required state of a name just before it is changed. The
// zero value is refused, so that no caller overwrites a file by forgetting it.
type Precondition struct {
	kind preKind
	old  []byte
}

type preKind int

const (
	preUnset preKind = iota
	preAny
	preAbsent
	preUnchanged
)

// Any accepts any file or none. It is for files that only cairn uses.
func Any() Precondition { return Precondition{kind: preAny} }

// Absent demands that nothing has the name. It is exact: of two writers that demand it, one
// succeeds and the other gets an error.
func Absent() Precondition { return Precondition{kind: preAbsent} }

// Unchanged demands that the file still holds exactly these bytes. It is exact against
// programs that replace files where the system can exchange two names in one step (Linux,
// macOS); elsewhere the last check is just before the rename. No system call protects
// against a program that writes into the file in place.
func Unchanged(old []byte) Precondition { return Precondition{kind: preUnchanged, old: old} }

// check returns an error that wraps ErrChanged when the precondition does not hold for name.
// It returns the description of the present file, nil when there is none. Anything but a
// regular file is always refused. A file whose description equals seen, that of the file
// when its bytes were compared, is not read again; seen may be nil.
func (p Precondition) check(ctx context.Context, fsys FS, name string, seen fs.FileInfo) (fs.FileInfo, error) {
	info, err := fsys.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if p.kind == preUnchanged {
			return nil, &fs.PathError{Op: "check", Path: name, Err: errGone}
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	switch {
	case p.kind == preAbsent:
		return nil, &fs.PathError{Op: "check", Path: name, Err: errAppeared}
	case info.Mode().Type() == fs.ModeSymlink:
		return nil, &fs.PathError{Op: "check", Path: name, Err: ErrSymlink}
	case !info.Mode().IsRegular():
		return nil, &fs.PathError{Op: "check", Path: name, Err: ErrNotRegular}
	case info.Mode()&0o200 == 0:
		// Rename would replace it all the same, but the file is marked as read-only.
		return nil, &fs.PathError{Op: "check", Path: name, Err: errReadOnlyFile}
	}
	if p.kind != preUnchanged || seen != nil && looksLike(info, seen) {
		return info, nil
	}
	return info, holds(ctx, fsys, name, p.old)
}

// looksLike reports whether a file is most likely unchanged.
func looksLike(now, seen fs.FileInfo) bool {
	return os.SameFile(now, seen) && now.Mode() == seen.Mode() && now.Size() == seen.Size() && now.ModTime().Equal(seen.ModTime())
}

// changeError is a failed precondition: it is ErrChanged, and also the error that a plain
// system call would have returned.
type changeError struct {
	text string
	is   error
}

func (e *changeError) Error() string { return e.text }

func (e *changeError) Is(target error) bool { return target == ErrChanged || target == e.is }

var (
	errGone     = &changeError{"the file was removed since it was read", fs.ErrNotExist}
	errAppeared = &changeError{"there is a file of this name already", fs.ErrExist}

	// errReadOnlyFile is a permission error that Explain distinguishes.
	errReadOnlyFile = &readOnlyError{}
)

type readOnlyError struct{}

func (*readOnlyError) Error() string { return "the file is marked read-only" }

func (*readOnlyError) Is(target error) bool { return target == fs.ErrPermission }
