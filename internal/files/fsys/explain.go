package fsys

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Explain turns an error of this package into a public one: the failed action
// ("write notes/a.md"), the reason, and a remedy. errors.Is still finds the
// cause. A *kb.Error, a cancelled context and nil are returned unchanged.
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

// Missing reports whether err means that nothing exists at a name in a tree: the file or a
// directory of its path does not exist, a directory of the path is a file (such as the .git
// of a linked worktree), or a link in the path leads out of the tree.
func Missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, ErrEscapes)
}

// Unwritable reports whether err means that a disk is full or that something on
// it is not writable.
func Unwritable(err error) bool {
	return isDiskFull(err) || isReadOnly(err) || errors.Is(err, errReadOnlyFile) || errors.Is(err, fs.ErrPermission)
}

type reason struct {
	code       kb.Code
	text, hint string
}

// Sentences that precede the remedy in a hint. The first is for errors of
// changes only; reading and syncing can meet the others, and a sync keeps its
// progress.
const (
	unchanged = "Nothing was changed. "
	unlost    = "Nothing was lost. "
)

// explain picks the first matching reason. The more specific reasons come first, since an
// error can match several.
func explain(err error) reason {
	switch {
	case errors.Is(err, ErrNotDurable):
		return reason{kb.Internal, "the change was made, but the disk did not confirm it", "Check the disk; the change may be gone after a power loss."}
	case errors.Is(err, errGone):
		return reason{kb.Conflict, "it was removed since it was read", unchanged + "Sync, then look again."}
	case errors.Is(err, errAppeared):
		return reason{kb.Conflict, "there is a file of this name already", unchanged + "Choose another name, or edit the existing file."}
	case errors.Is(err, ErrChanged):
		return reason{kb.Conflict, "it changed since it was read", unchanged + "Read it again and repeat the edit."}
	case errors.Is(err, ErrEscapes), errors.Is(err, ErrSymlink), errors.Is(err, syscall.ELOOP):
		return reason{kb.Refused, "the path goes through a symbolic link", unchanged + "Use the path of the file itself."}
	case errors.Is(err, ErrNotRegular):
		return reason{kb.Refused, "it is not a regular file", unchanged + "Only regular files can be documents."}
	case errors.Is(err, ErrTooLarge):
		return reason{kb.Invalid, "the file is too large", unlost + "Split it, or leave it out with an ignore file."}
	case isDiskFull(err):
		return reason{kb.Internal, "the disk is full", unlost + "Free some space and repeat the command."}
	case isReadOnly(err):
		return reason{kb.Internal, "the file system is read-only", unlost + "Mount it writable, or work on a copy."}
	case errors.Is(err, errReadOnlyFile):
		return reason{kb.Refused, "the file is marked read-only", unchanged + "Make the file writable if it may be edited."}
	case errors.Is(err, fs.ErrPermission):
		return reason{kb.Internal, "permission denied", unlost + "Check who owns the file and its directory, and their modes."}
	case isBusy(err):
		return reason{kb.Conflict, "another program is using the file", unchanged + "Close the file there and repeat the command."}
	case errors.Is(err, fs.ErrNotExist):
		return reason{kb.NotFound, "no such file or directory", unlost + "Check the path, and that its disk is mounted."}
	case errors.Is(err, fs.ErrExist):
		return reason{kb.Conflict, "there is a file of this name already", unchanged + "Choose another name."}
	case errors.Is(err, syscall.ENOTDIR):
		return reason{kb.Invalid, "a part of the path is a file, not a directory", unchanged + "Choose another path."}
	case errors.Is(err, syscall.ENAMETOOLONG):
		return reason{kb.Invalid, "the name is too long", unchanged + "Choose a shorter name."}
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return reason{kb.Internal, "too many files are open", unlost + "Raise the limit on open files (ulimit -n) and repeat the command."}
	case errors.Is(err, syscall.EIO):
		return reason{kb.Internal, "the disk reported an error", unlost + "Check the disk and the system log before writing more."}
	case errors.Is(err, fs.ErrInvalid):
		return reason{kb.Invalid, "this is not a path that the system can use", unchanged + "Give a relative path with forward slashes."}
	}
	return reason{kb.Internal, "the file system failed" + systemText(err), unlost + "Check the disk and its permissions, and repeat the command."}
}

// systemText is the system's text for an error that we have no text for. It
// contains no path.
func systemText(err error) string {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return ""
	}
	return " (" + errno.Error() + ")"
}
