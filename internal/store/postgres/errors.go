package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// lostLock is the SQLSTATE that the function fence raises.
const lostLock = "CA001"

// public turns an error into one that may be shown. Errors that have a code already and
// context errors pass through. Messages of the server are shown, since it sends no values
// with the classes below; those of the driver are, too: it leaves passwords out.
func (d *DB) public(err error) error {
	if err == nil {
		return nil
	}
	var e *kb.Error
	if errors.As(err, &e) {
		return err
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return d.refusal(pg, err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if lost(err) {
		return d.down(err)
	}
	return kb.Errorf(kb.Internal, "memory at %s: %w", d.where.shown, err).WithReason(kb.MemoryFailed)
}

// lost reports whether an error means that there is no connection any more.
func lost(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return strings.HasPrefix(refused.Code, "08") || strings.HasPrefix(refused.Code, "57P") || refused.Code == "25P03"
	}
	var failed *pgconn.ConnectError
	var network net.Error
	return errors.As(err, &failed) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, errStalled) || errors.Is(err, pgconn.ErrConnClosed) || pgconn.SafeToRetry(err)
}

// lostWith returns the error of a transaction, or that of a lost connection where it shows
// only that the connection was closed.
func (d *DB) lostWith(c *conn, err error) error {
	var e *kb.Error
	var pg *pgconn.PgError
	if err == nil || !c.pg.IsClosed() || errors.As(err, &e) || errors.As(err, &pg) ||
		errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return d.down(c.cause(err))
}

func (d *DB) down(err error) error {
	return kb.Errorf(kb.Damaged, "cannot reach the database of the memory at %s: %w", d.where.shown, err).WithReason(kb.DatabaseDown)
}

// refusal is the error for one of the server. The message of the server is left out: some
// quote values.
func (d *DB) refusal(pg *pgconn.PgError, err error) error {
	fail := func(code kb.Code, text string) *kb.Error { return d.refusalAs(code, text, err) }
	switch pg.Code {
	case lostLock:
		return fail(kb.Conflict, "this process lost a lock that another one has now").WithReason(kb.DatabaseLockLost)
	case lockNotAvailable:
		return fail(kb.Conflict, "the memory is being written by another process").WithReason(kb.DatabaseConflict)
	case "57014":
		return fail(kb.Internal, "the statement took longer than the server allows").WithReason(kb.DatabaseResources)
	case "25P03":
		return fail(kb.Conflict, "this process stopped in its write for so long that the server ended it").WithReason(kb.DatabaseConflict)
	case "42501":
		return fail(kb.Refused, "the role may not do this").WithReason(kb.DatabaseRole)
	case "53300":
		return fail(kb.Conflict, "the server has too many connections").WithReason(kb.DatabaseConnections)
	case "53100":
		return fail(kb.Internal, "the disk of the server is full").WithReason(kb.DatabaseDiskFull)
	case "25006":
		d.standby.suspect()
		return fail(kb.Refused, "the server can only be read, as a standby").WithReason(kb.DatabaseReadOnly)
	case "54000":
		return fail(kb.Invalid, "a tag, path or id is too long for the index").WithReason(kb.DatabaseTooLong)
	case "57P01", "57P02", "57P03", "57P05":
		return fail(kb.Damaged, "the server is starting or shutting down").WithReason(kb.DatabaseDown)
	}
	switch pg.Code[:min(len(pg.Code), 2)] {
	case "08":
		return fail(kb.Damaged, "cannot reach the server").WithReason(kb.DatabaseDown)
	case "28":
		return fail(kb.Refused, "the server refused the login").WithReason(kb.DatabaseLogin)
	case "3D":
		return fail(kb.Damaged, "the database does not exist").WithReason(kb.DatabaseMissing)
	case "40":
		return fail(kb.Conflict, "another transaction was in the way").WithReason(kb.DatabaseConflict)
	case "53":
		return fail(kb.Internal, "the server is out of resources").WithReason(kb.DatabaseResources)
	case "58", "XX":
		return fail(kb.Damaged, "the server cannot read or write its data").WithReason(kb.DatabaseDamaged)
	}
	return fail(kb.Internal, "the server reported an error").WithReason(kb.MemoryFailed)
}

// lockNotAvailable is the SQLSTATE for a lock that was not free in time.
const lockNotAvailable = "55P03"

// refusalAs is the error with a code and a text for one of the server.
func (d *DB) refusalAs(code kb.Code, text string, err error) *kb.Error {
	e := kb.Errorf(code, "memory at %s: %s (SQLSTATE %s)", d.where.shown, text, state(err))
	if code == kb.Conflict {
		e = e.With("busy", true)
	}
	return e.Because(err)
}

// busy is the error for a writer that did not end within the time to wait.
func (d *DB) busy(cause error) error {
	e := kb.Errorf(kb.Conflict, "the memory at %s is being written by another process", d.where.shown).
		WithHint("nothing was changed; try again in a moment").With("busy", true)
	e.Err = cause
	return e
}

// overtaken is the error for a View that lost its connection where others have written since.
func (d *DB) overtaken() error {
	return kb.Errorf(kb.Conflict, "others wrote to the memory at %s during a read that could not go on without it", d.where.shown).
		WithReason(kb.DatabaseConflict).With("busy", true).Because(store.ErrOvertaken)
}

// crowd is the error for a reader while this process uses as many connections as it may.
func (d *DB) crowd(cause error) error {
	e := kb.Errorf(kb.Conflict, "%d readers of this process use the memory at %s already", maxConns, d.where.shown).
		WithHint("try again in a moment").With("busy", true)
	e.Err = cause
	return e
}

func (d *DB) closed() error {
	return kb.Errorf(kb.Internal, "the memory at %s is closed", d.where.shown)
}
