package relational

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Conn runs the statements of one open transaction.
type Conn interface {
	// Exec runs a statement without a result. It may be deferred until the next Change or
	// Query or the commit, which may then return its error.
	Exec(ctx context.Context, sql string, args ...any) error
	// ExecUnless is Exec; taken returns the error for a unique value that is already taken.
	ExecUnless(ctx context.Context, taken func() error, sql string, args ...any) error
	// Change runs a statement and returns how many rows it touched.
	Change(ctx context.Context, sql string, args ...any) (int64, error)
	// Insert is ExecUnless for an INSERT of one row into a table with row numbers. It
	// returns the number of the row, which it binds to the first placeholder.
	Insert(ctx context.Context, table string, taken func() error, sql string, args ...any) (int64, error)
	// Each is Query for several lists of arguments, in their order. The results may be read
	// together.
	Each(ctx context.Context, sql string, args [][]any, f func(Row) error) error
	// Query calls f with each row. The row is valid only during the call, but its strings
	// and bytes stay valid. f may run other statements, and ends the query with ErrStop.
	Query(ctx context.Context, sql string, args []any, f func(Row) error) error
}

// ErrStop ends a query from within its callback without an error.
var ErrStop = errors.New("stop")

// Tx is a transaction. Its roles are views of it.
type Tx struct {
	c     Conn
	d     *Dialect
	host  string
	write bool
	over  bool
	wrote bool
}

var _ store.Tx = (*Tx)(nil)

// NewTx returns the roles over an open transaction. If write is false, writing methods fail.
// host is this machine; see store.Options.
func NewTx(c Conn, d *Dialect, host string, write bool) *Tx {
	return &Tx{c: c, d: d, host: host, write: write}
}

// Over makes all further statements fail: the transaction has ended.
func (t *Tx) Over() { t.over = true }

// Wrote reports whether a statement that changes rows was run.
func (t *Tx) Wrote() bool { return t.wrote }

// Spaces implements store.Tx, like all methods that return a role.
func (t *Tx) Spaces() store.Spaces           { return spaces{t} }
func (t *Tx) Documents() store.Documents     { return documents{t} } //nolint:revive // see Spaces
func (t *Tx) Pages() store.Pages             { return pages{t} }
func (t *Tx) Links() store.Links             { return links{t} }
func (t *Tx) Items() store.Items             { return items{t} }
func (t *Tx) History() store.History         { return history{t} }
func (t *Tx) Journal() store.Journal         { return journal{t} }
func (t *Tx) Failures() store.Failures       { return failures{t} }
func (t *Tx) Settings() store.Settings       { return settings{t} }
func (t *Tx) Models() store.Models           { return models{t} }
func (t *Tx) Gaps() store.Gaps               { return gaps{t} }
func (t *Tx) Claims() store.Claims           { return claims{t} }
func (t *Tx) Directories() store.Directories { return directories{t} }
func (t *Tx) Assertions() store.Assertions   { return assertions{t} }
func (t *Tx) Facts() store.Facts             { return facts{t} }
func (t *Tx) Lives() store.Lives             { return lives{t} }
func (t *Tx) Batches() store.Batches         { return batches{t} }
func (t *Tx) Vectors() store.Vectors         { return vectors{t} }
func (t *Tx) Traces() store.Traces           { return traces{t} }

// writing fails if the transaction cannot write now.
func (t *Tx) writing() error {
	if err := t.live(); err != nil {
		return err
	}
	if !t.write {
		return kb.Errorf(kb.Internal, "a reading transaction cannot write")
	}
	t.wrote = true
	return nil
}

func (t *Tx) live() error {
	if t.over {
		return kb.Errorf(kb.Internal, "the transaction is over")
	}
	return nil
}

// exec runs a statement that changes rows, now or before the next one with a result.
func (t *Tx) exec(ctx context.Context, sql string, args ...any) error {
	if err := t.writing(); err != nil {
		return err
	}
	return t.c.Exec(ctx, sql, args...)
}

// execUnless is exec; taken returns the error for a unique value that is already taken.
func (t *Tx) execUnless(ctx context.Context, taken func() error, sql string, args ...any) error {
	if err := t.writing(); err != nil {
		return err
	}
	return t.c.ExecUnless(ctx, taken, sql, args...)
}

// insert runs an INSERT and returns the number of the row; see Conn.Insert.
func (t *Tx) insert(ctx context.Context, table string, taken func() error, sql string, args ...any) (int64, error) {
	if err := t.writing(); err != nil {
		return 0, err
	}
	return t.c.Insert(ctx, table, taken, sql, args...)
}

// change runs a statement and returns how many rows it touched.
func (t *Tx) change(ctx context.Context, sql string, args ...any) (int64, error) {
	if err := t.writing(); err != nil {
		return 0, err
	}
	return t.c.Change(ctx, sql, args...)
}

// query calls f with each row; see Conn.Query.
func (t *Tx) query(ctx context.Context, sql string, args []any, f func(Row) error) error {
	if err := t.live(); err != nil {
		return err
	}
	return t.c.Query(ctx, sql, args, f)
}

// each runs a query for several lists of arguments; see Conn.Each.
func (t *Tx) each(ctx context.Context, sql string, args [][]any, f func(Row) error) error {
	if err := t.live(); err != nil {
		return err
	}
	return t.c.Each(ctx, sql, args, f)
}

// Foresee implements store.Foreseer if the connection does.
func (t *Tx) Foresee(ctx context.Context, ask func()) error {
	if err := t.live(); err != nil {
		return err
	}
	if f, ok := t.c.(store.Foreseer); ok {
		wrote := t.wrote
		defer func() { t.wrote = wrote }() // ask writes nothing
		return f.Foresee(ctx, ask)
	}
	return nil
}

// one calls f with the first row and reports whether there was one.
func (t *Tx) one(ctx context.Context, sql string, args []any, f func(Row)) (found bool, err error) {
	err = t.query(ctx, sql, args, func(r Row) error {
		found = true
		f(r)
		return ErrStop
	})
	return found, err
}
