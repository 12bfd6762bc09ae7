package fsys

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Explain turns an error of this package into one that may be shown: what was
// being done ("write notes/a.md"), why it failed, and what to do. The cause
// stays reachable for errors.Is. An error that is a *kb.Error already, a
// cancelled context and nil come back as they are.
func Explain(err error, format string, args ...any) error {
	var known *kb.Error
	if err == nil || errors.As(err, &known) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	why := explain(err)
	return &kb.Error{
		Code:    why.code,
		Message: "cannot " + fmt.Sprintf(format, args...) + ": " + why.text,
		Hint:    why.hint,
		Err:     err,
	}
}

type reason struct {
	code       kb.Code
	text, hint string
}

// explain picks the first reason that fits; the more particular ones come
// first, since an error can be several things at once.
func explain(err error) reason {
	switch {
	case errors.Is(err, ErrNotDurable):
		return reason{kb.Internal, "the change was made, but the disk did not confirm it", "Check the disk; the change may be gone after a power loss."}
	case errors.Is(err, errGone):
		return reason{kb.Conflict, "it was removed since it was read", "Nothing was changed. Sync, then look again."}
	case errors.Is(err, errAppeared):
		return reason{kb.Conflict, "there is a file of this name already", "Nothing was changed. Choose another name, or edit the file that is there."}
	case errors.Is(err, ErrChanged):
		return reason{kb.Conflict, "it changed since it was read", "Nothing was changed. Read it again and repeat the edit."}
	case errors.Is(err, ErrEscapes), errors.Is(err, ErrSymlink):
		return reason{kb.Refused, "the path goes through a symbolic link", "Use the path of the file itself."}
	case errors.Is(err, ErrNotRegular):
		return reason{kb.Refused, "it is not a regular file", "Only regular files can be documents."}
	case errors.Is(err, ErrTooLarge):
		return reason{kb.Invalid, "the file is too large", "Split it, or leave it out with an ignore file."}
	case isDiskFull(err):
		return reason{kb.Internal, "the disk is full", "Nothing was changed. Free some space and repeat the command."}
	case isReadOnly(err):
		return reason{kb.Internal, "the file system is read-only", "Nothing was changed. Mount it writable, or work on a copy."}
	case errors.Is(err, errReadOnlyFile):
		return reason{kb.Internal, "the file is marked read-only", "Nothing was changed. Make the file writable if it may be edited."}
	case errors.Is(err, fs.ErrPermission):
		return reason{kb.Internal, "permission denied", "Check who owns the file and its directory, and their modes."}
	case isBusy(err):
		return reason{kb.Conflict, "another program is using the file", "Nothing was changed. Close the file there and repeat the command."}
	case errors.Is(err, fs.ErrNotExist):
		return reason{kb.NotFound, "no such file or directory", ""}
	case errors.Is(err, fs.ErrExist):
		return reason{kb.Conflict, "there is a file of this name already", "Choose another name."}
	case errors.Is(err, syscall.ENOTDIR):
		return reason{kb.Invalid, "a part of the path is a file, not a directory", "Choose another path."}
	case errors.Is(err, syscall.ENAMETOOLONG):
		return reason{kb.Invalid, "the name is too long", "Choose a shorter name."}
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return reason{kb.Internal, "too many files are open", "Raise the limit on open files (ulimit -n) and repeat the command."}
	case errors.Is(err, syscall.EIO):
		return reason{kb.Internal, "the disk reported an error", "Check the disk and the system log before writing more."}
	case errors.Is(err, fs.ErrInvalid):
		return reason{kb.Invalid, "this is not a path that the system can use", "Give a relative path with forward slashes."}
	}
	return reason{kb.Internal, "unexpected error of the file system", "Run the command again with debug logging to see the cause."}
}
