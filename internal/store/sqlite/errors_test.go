package sqlite

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	sqlite3 "modernc.org/sqlite/lib"
)

// A full disk is called so also by who only reads.
func TestSystemCause(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]error{
		sqlite3.SQLITE_FULL: syscall.ENOSPC, sqlite3.SQLITE_IOERR_SHMSIZE: syscall.ENOSPC,
		sqlite3.SQLITE_IOERR: syscall.EIO, sqlite3.SQLITE_IOERR_READ: syscall.EIO,
		sqlite3.SQLITE_READONLY: fs.ErrPermission, sqlite3.SQLITE_READONLY_DBMOVED: fs.ErrPermission,
		sqlite3.SQLITE_BUSY: nil, 0: nil,
	} {
		if got := systemCause(code); !errors.Is(got, want) || (got == nil) != (want == nil) {
			t.Errorf("systemCause(%d) = %v, want %v", code, got, want)
		}
	}
}
