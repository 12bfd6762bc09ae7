package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/text/unicode/norm"
	sqlitedriver "modernc.org/sqlite"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/glob"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// maxStatements bounds the number of prepared statements of a connection. The fixed
// statements are far fewer; the others are built from filters, and are prepared each time
// beyond the bound.
const maxStatements = 256

// ctxEvery is the number of rows between checks of the context.
const ctxEvery = 128

// conn is one connection with its prepared statements. It is used by one
// goroutine at a time.
type conn struct {
	raw   driver.Conn
	mutex mutex
	stmts map[string]*stmt
	named []driver.NamedValue

	filled bool // a large value was written in the transaction and fills the cache
}

// stmt is a prepared statement. It is busy while its rows are being read.
type stmt struct {
	raw    driver.Stmt
	exec   driver.StmtExecContext
	query  driver.StmtQueryContext
	busy   bool
	cached bool
	cols   []driver.Value
}

// newDriver returns a driver with the SQL functions that filters and migrations use. It is a
// separate value, so that nothing is registered for the whole process.
func newDriver() *sqlitedriver.Driver {
	d := &sqlitedriver.Driver{}
	d.MustRegisterDeterministicScalarFunction("path_match", 2,
		func(_ *sqlitedriver.FunctionContext, args []driver.Value) (driver.Value, error) {
			pattern, _ := args[0].(string)
			path, _ := args[1].(string)
			g, err := globs.get(pattern)
			if err != nil {
				return nil, err
			}
			return g.Match(norm.NFC.String(path)), nil
		})
	d.MustRegisterDeterministicScalarFunction("fold_path", 1,
		func(_ *sqlitedriver.FunctionContext, args []driver.Value) (driver.Value, error) {
			path, _ := args[0].(string)
			return kb.FoldPath(path), nil
		})
	d.MustRegisterDeterministicScalarFunction("file_sum", 4,
		func(_ *sqlitedriver.FunctionContext, args []driver.Value) (driver.Value, error) {
			r := row(args)
			return relational.FileSum(r.Text(0), r.Int(1), r.TimeNS(2), r.Time(3)), nil
		})
	d.MustRegisterDeterministicScalarFunction("with_sidecar", 4,
		func(_ *sqlitedriver.FunctionContext, args []driver.Value) (driver.Value, error) {
			r := row(args)
			if r.Null(0) || r.Null(1) {
				return args[0], nil
			}
			return relational.WithSidecar(r.Int(0), r.Int(1), r.TimeNS(2), r.Time(3)), nil
		})
	return d
}

// globs caches recently compiled patterns by their text: a statement passes its pattern with
// every row.
var globs = compiled{by: map[string]*glob.Glob{}}

type compiled struct {
	mu sync.RWMutex
	by map[string]*glob.Glob
}

// maxGlobs exceeds the number of patterns in statements that run at the same time.
const maxGlobs = 256

func (c *compiled) get(pattern string) (*glob.Glob, error) {
	c.mu.RLock()
	g := c.by[pattern]
	c.mu.RUnlock()
	if g != nil {
		return g, nil
	}
	g, err := glob.Compile(pattern)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.by) >= maxGlobs {
		clear(c.by)
	}
	c.by[pattern] = g
	return g, nil
}

// theDriver is shared by all handles; it has no state except its functions.
var theDriver = newDriver()

// Cache sizes of the writing connection, in KiB.
const (
	writerCache = 8192
	littleCache = 3072
)

// dsn returns the URI of a database with every pragma a connection needs.
func dsn(path string, write, readOnly bool, busy time.Duration) string {
	q := url.Values{}
	q.Set("_dqs", "0")
	q.Set("_busy_timeout", strconv.FormatInt(busy.Milliseconds(), 10))
	q.Set("_foreign_keys", "1")
	q.Set("_synchronous", "FULL")
	q.Set("_txlock", "immediate")
	q.Add("_pragma", "temp_store(MEMORY)")
	if write {
		// Dirty pages beyond the cache are written to the WAL and read back. A cached page
		// takes up to three times its size. With 16 MiB, an import of 100,000 pages takes 30
		// to 40 MB more memory and no less processor time; with 3 MiB, as imports have, it
		// takes 15 MB less.
		q.Add("_pragma", fmt.Sprintf("cache_size(-%d)", writerCache))
	} else {
		q.Set("_query_only", "1")
		q.Add("_pragma", "cache_size(-16384)")
	}
	q.Set("mode", mode(readOnly))
	return uri(path, q)
}

func mode(readOnly bool) string {
	if readOnly {
		return "ro"
	}
	return "rw"
}

// watchDSN returns the URI for a connection that reads no table. None of its pragmas reads
// the schema, which would take a millisecond.
func watchDSN(path string, readOnly bool, busy time.Duration) string {
	return uri(path, url.Values{
		"mode": {mode(readOnly)}, "_query_only": {"1"}, "_busy_timeout": {strconv.FormatInt(busy.Milliseconds(), 10)},
	})
}

// uri returns the URI of a database with the options q.
func uri(path string, q url.Values) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") { // C:/… on Windows
		p = "/" + p
	}
	return "file://" + (&url.URL{Path: p}).EscapedPath() + "?" + q.Encode()
}

// connect opens a connection.
func connect(name string) (*conn, error) {
	raw, err := theDriver.Open(name)
	if err != nil {
		return nil, err
	}
	return &conn{raw: raw, mutex: takeMutex(raw), stmts: make(map[string]*stmt)}, nil
}

// cache sets the size of the connection's page cache in KiB.
func (c *conn) cache(ctx context.Context, most int) error {
	return c.pragma(ctx, fmt.Sprintf("PRAGMA cache_size = -%d", most))
}

// shrink frees the caches of the connection.
func (c *conn) shrink(ctx context.Context) {
	// This only frees memory: if something is wrong, the next statement fails.
	_ = c.pragma(ctx, "PRAGMA shrink_memory")
}

// pragma runs a pragma that takes effect when it is compiled: its statement is not cached.
func (c *conn) pragma(ctx context.Context, sql string) error {
	raw, ok := c.raw.(driver.ExecerContext)
	if !ok {
		return errors.New("the driver does not execute statements with a context")
	}
	_, err := raw.ExecContext(ctx, sql, nil)
	return err
}

func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.raw.Close())
	}
	c.stmts = nil
	c.mutex.giveBack()
	return errors.Join(append(errs, c.raw.Close())...)
}

// prepare returns an unused prepared statement.
func (c *conn) prepare(sql string) (*stmt, error) {
	cached, ok := c.stmts[sql]
	if ok && !cached.busy {
		return cached, nil
	}
	raw, err := c.raw.Prepare(sql)
	if err != nil {
		return nil, err
	}
	s := &stmt{raw: raw}
	s.exec, _ = raw.(driver.StmtExecContext)
	s.query, _ = raw.(driver.StmtQueryContext)
	if s.exec == nil || s.query == nil {
		return nil, errors.Join(errors.New("the driver's statements do not take a context"), raw.Close())
	}
	if !ok && len(c.stmts) < maxStatements {
		s.cached = true
		c.stmts[sql] = s
	}
	return s, nil
}

// largeValue is the size of values from which the cache of a connection is emptied
// afterwards, since the pages of a value take up to three times their size in it.
const largeValue = 4 << 20

func isLarge(v driver.Value) bool {
	b, ok := v.([]byte)
	return ok && len(b) >= largeValue
}

// release ends the use of a statement. The last row may hold a large document.
func (c *conn) release(ctx context.Context, s *stmt) error {
	s.busy = false
	if slices.ContainsFunc(s.cols, isLarge) {
		c.shrink(context.WithoutCancel(ctx))
	}
	clear(s.cols)
	if s.cached {
		return nil
	}
	return s.raw.Close()
}

// bind converts arguments for the driver. The slice is valid until the next call.
func (c *conn) bind(args []any) ([]driver.NamedValue, error) {
	for len(c.named) < len(args) {
		c.named = append(c.named, driver.NamedValue{Ordinal: len(c.named) + 1})
	}
	for i, a := range args {
		switch v := a.(type) {
		case nil, int64, float64, bool, string, []byte:
			c.named[i].Value = v
		case int:
			c.named[i].Value = int64(v)
		case []int64:
			c.named[i].Value = listed(v, func(out []byte, n int64) []byte { return strconv.AppendInt(out, n, 10) })
		case []string:
			c.named[i].Value = listed(v, quoted)
		default:
			return nil, fmt.Errorf("cannot bind a %T", a)
		}
	}
	return c.named[:len(args)], nil
}

// exec runs a statement that returns no rows.
//
// The driver starts a goroutine for each call with a cancellable context. Statements here
// are short, so the context is checked between them instead; the few long ones use
// interruptible.
func (c *conn) exec(ctx context.Context, sql string, args ...any) (driver.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return c.execute(context.WithoutCancel(ctx), sql, args)
}

// interruptible is exec for a statement that may take long: it stops when ctx
// is done.
func (c *conn) interruptible(ctx context.Context, sql string, args ...any) error {
	_, err := c.execute(ctx, sql, args)
	return err
}

func (c *conn) execute(ctx context.Context, sql string, args []any) (res driver.Result, err error) {
	s, err := c.prepare(sql)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.release(ctx, s)) }()
	named, err := c.bind(args)
	if err != nil {
		return nil, err
	}
	defer c.unbind(named)
	return s.exec.ExecContext(ctx, named)
}

// unbind drops the references to arguments, which may be large documents.
func (c *conn) unbind(named []driver.NamedValue) {
	for i := range named {
		c.filled = c.filled || isLarge(named[i].Value)
		named[i].Value = nil
	}
}

// query calls f with each row. The row is valid only during the call, but its strings and
// bytes stay valid. f may run other statements.
func (c *conn) query(ctx context.Context, sql string, args []any, f func(row) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	s, err := c.prepare(sql)
	if err != nil {
		return err
	}
	s.busy = true
	defer func() { err = errors.Join(err, c.release(ctx, s)) }()
	named, err := c.bind(args)
	if err != nil {
		return err
	}
	rows, err := s.query.QueryContext(context.WithoutCancel(ctx), named)
	c.unbind(named)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	if s.cols == nil {
		s.cols = make([]driver.Value, len(rows.Columns()))
	}
	for n := 1; ; n++ {
		if err := rows.Next(s.cols); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		if err := f(s.cols); err != nil {
			if errors.Is(err, relational.ErrStop) {
				return nil
			}
			return err
		}
		if n%ctxEvery == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
}

// Exec implements relational.Conn, like the next three methods.
func (c *conn) Exec(ctx context.Context, sql string, args ...any) error {
	_, err := c.exec(ctx, sql, args...)
	return err
}

// Change implements relational.Conn.
func (c *conn) Change(ctx context.Context, sql string, args ...any) (int64, error) {
	res, err := c.exec(ctx, sql, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// ExecUnless implements relational.Conn.
func (c *conn) ExecUnless(ctx context.Context, taken func() error, sql string, args ...any) error {
	_, err := c.exec(ctx, sql, args...)
	if taken != nil && isTaken(err) {
		return taken()
	}
	return err
}

// Insert implements relational.Conn. SQLite assigns a row number if it is NULL.
func (c *conn) Insert(ctx context.Context, _ string, taken func() error, sql string, args ...any) (int64, error) {
	res, err := c.exec(ctx, sql, append([]any{nil}, args...)...)
	if taken != nil && isTaken(err) {
		return 0, taken()
	}
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// Each implements relational.Conn.
func (c *conn) Each(ctx context.Context, sql string, args [][]any, f func(row) error) error {
	for _, one := range args {
		if err := c.query(ctx, sql, one, f); err != nil {
			return err
		}
	}
	return nil
}

// Query implements relational.Conn.
func (c *conn) Query(ctx context.Context, sql string, args []any, f func(row) error) error {
	return c.query(ctx, sql, args, f)
}

// row is one row of a result.
type row = relational.Row

// listed encodes values as a JSON list.
func listed[T any](values []T, write func([]byte, T) []byte) string {
	out := []byte{'['}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = write(out, v)
	}
	return string(append(out, ']'))
}

// quoted appends a JSON string with all bytes of s, including invalid UTF-8.
func quoted(out []byte, s string) []byte {
	out = append(out, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c < 0x20:
			out = fmt.Appendf(out, "\\u%04x", c)
		default:
			out = append(out, c)
		}
	}
	return append(out, '"')
}
