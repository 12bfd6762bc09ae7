package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	sqlitedriver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
)

// primary returns the primary result code of a SQLite error in err's chain, 0 for none.
func primary(err error) int {
	return extended(err) & 0xff
}

// extended returns SQLite's extended result code, which refines the primary code.
func extended(err error) int {
	var e *sqlitedriver.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

// errBlocked is for the one statement that reports a held lock in its result.
var errBlocked = errors.New("others use the database")

// isBusy reports whether another connection holds the required lock.
func isBusy(err error) bool {
	if errors.Is(err, errBlocked) {
		return true
	}
	switch primary(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return true
	}
	return false
}

// isTaken reports whether a unique value exists already.
func isTaken(err error) bool {
	var e *sqlitedriver.Error
	if !errors.As(err, &e) {
		return false
	}
	return e.Code() == sqlite3.SQLITE_CONSTRAINT_UNIQUE || e.Code() == sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY
}

// public converts an error of the engine into one that may be shown. Errors with a code and
// context errors are returned unchanged.
func (d *DB) public(err error) error {
	if err == nil {
		return nil
	}
	var e *kb.Error
	if errors.As(err, &e) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	switch primary(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return d.busy(err)
	case sqlite3.SQLITE_NOTADB:
		return kb.Errorf(kb.Damaged, "%s is not a cairn memory: %w", d.path, err).
			WithReason(kb.NotAMemory)
	case sqlite3.SQLITE_CORRUPT:
		return kb.Errorf(kb.Damaged, "the memory at %s is damaged: %w", d.path, err).
			WithReason(kb.MemoryCorrupt)
	case sqlite3.SQLITE_CANTOPEN:
		return kb.Errorf(kb.Damaged, "cannot open the memory at %s: %w", d.path, err).
			WithHint("nothing was changed; check the permissions of the file and its directory")
	}
	if cause := systemCause(extended(err)); cause != nil {
		// SQLite has rolled back the transaction.
		return fsys.Explain(systemError{err, cause}, "use the memory at %s", d.path)
	}
	return kb.Errorf(kb.Internal, "memory at %s: %w", d.path, err).
		WithReason(kb.MemoryFailed)
}

// systemError is an error of SQLite with the corresponding system error.
type systemError struct{ err, cause error }

func (e systemError) Error() string   { return e.err.Error() }
func (e systemError) Unwrap() []error { return []error{e.cause, e.err} }

// systemCause returns the system error for a SQLite code; nil for other errors.
func systemCause(code int) error {
	if code == sqlite3.SQLITE_IOERR_SHMSIZE { // no room for the index of the log, which readers need as well
		return syscall.ENOSPC
	}
	switch code & 0xff {
	case sqlite3.SQLITE_FULL:
		return syscall.ENOSPC
	case sqlite3.SQLITE_IOERR:
		return syscall.EIO
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return fs.ErrPermission
	}
	return nil
}

// busy is the error for a lock that was not released within the busy time.
func (d *DB) busy(cause error) error {
	e := kb.Errorf(kb.Conflict, "the memory at %s is being written by another process", d.path).
		WithHint("nothing was changed; try again in a moment").With("busy", true)
	e.Err = cause
	return e
}
