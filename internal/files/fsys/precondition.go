package fsys

import (
	"context"
	"errors"
	"io/fs"
)

// Precondition says what must be at a name just before it is changed. The
// zero value is no precondition at all and is refused, so that nobody
// overwrites by forgetting to say.
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

// Any accepts whatever is there, also nothing: for files that are wholly
// cairn's own.
func Any() Precondition { return Precondition{kind: preAny} }

// Absent demands that nothing has the name. It is exact: of two writers who
// demand it, one wins and the other gets an error.
func Absent() Precondition { return Precondition{kind: preAbsent} }

// Unchanged demands that the file still holds exactly these bytes. It is exact
// against programs that replace files where the system can exchange two names
// in one step (Linux, macOS); elsewhere the last look is just before the
// rename. Against a program that writes into the file in place no system has
// a call.
func Unchanged(old []byte) Precondition { return Precondition{kind: preUnchanged, old: old} }

// check looks at name and returns an error that wraps ErrChanged when the
// precondition does not hold. It returns the present file's description, nil
// when there is none. What is not a regular file is refused in any case.
func (p Precondition) check(ctx context.Context, fsys FS, name string) (fs.FileInfo, error) {
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
		// Rename would replace it all the same, but somebody has marked the
		// file as not to be written.
		return nil, &fs.PathError{Op: "check", Path: name, Err: errReadOnlyFile}
	}
	if p.kind != preUnchanged {
		return info, nil
	}
	return info, holds(ctx, fsys, name, p.old)
}

// changeError is a failed precondition: it is ErrChanged, and also the error
// that a plain system call would have given.
type changeError struct {
	text string
	is   error
}

func (e *changeError) Error() string { return e.text }

func (e *changeError) Is(target error) bool { return target == ErrChanged || target == e.is }

var (
	errGone     = &changeError{"the file was removed since it was read", fs.ErrNotExist}
	errAppeared = &changeError{"there is a file of this name already", fs.ErrExist}

	// errReadOnlyFile is a permission error that Explain can tell apart.
	errReadOnlyFile = &readOnlyError{}
)

type readOnlyError struct{}

func (*readOnlyError) Error() string { return "the file is marked read-only" }

func (*readOnlyError) Is(target error) bool { return target == fs.ErrPermission }
