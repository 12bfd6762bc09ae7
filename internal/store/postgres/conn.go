package postgres

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/cairn-kb/cairn/internal/store/relational"
)

// conn is one connection. It is used by one goroutine at a time.
type conn struct {
	pg      *pgx.Conn
	pending []statement // statements without an answer, not sent yet
	bytes   int         // of their arguments
	open    *cursor     // the answer that is being read
}

var _ relational.Conn = (*conn)(nil)

type statement struct {
	sql  string
	args []any
}

// Statements wait for company up to this number and size.
const (
	maxPending      = 500
	maxPendingBytes = 4 << 20
)

// simple runs statements without arguments in one round trip.
func (c *conn) simple(ctx context.Context, sql string) ([]*pgconn.Result, error) {
	return c.pg.PgConn().Exec(ctx, sql).ReadAll()
}

// Exec implements relational.Conn.
func (c *conn) Exec(ctx context.Context, sql string, args ...any) error {
	for _, a := range args {
		switch v := a.(type) {
		case string:
			c.bytes += len(v)
		case []byte:
			c.bytes += len(v)
		}
	}
	bound, err := bind(args)
	if err != nil {
		return err
	}
	for i, a := range bound { // the caller may use its buffer again before it is sent
		if b, ok := a.([]byte); ok {
			bound[i] = bytes.Clone(b)
		}
	}
	c.pending = append(c.pending, statement{translate(sql), bound})
	if len(c.pending) >= maxPending || c.bytes >= maxPendingBytes {
		return c.flush(ctx)
	}
	return nil
}

// flush runs the statements that wait.
func (c *conn) flush(ctx context.Context) error {
	if len(c.pending) == 0 {
		return nil
	}
	if err := c.settle(); err != nil {
		return err
	}
	return c.send(ctx).Close()
}

// send sends the statements that wait, and more.
func (c *conn) send(ctx context.Context, more ...statement) pgx.BatchResults {
	var b pgx.Batch
	for _, s := range append(c.pending, more...) {
		b.Queue(s.sql, s.args...)
	}
	clear(c.pending)
	c.pending, c.bytes = c.pending[:0], 0
	return c.pg.SendBatch(ctx, &b)
}

// Change implements relational.Conn.
func (c *conn) Change(ctx context.Context, sql string, args ...any) (int64, error) {
	bound, err := bind(args)
	if err != nil {
		return 0, err
	}
	if err := c.settle(); err != nil {
		return 0, err
	}
	waiting := len(c.pending)
	if waiting == 0 {
		tag, err := c.pg.Exec(ctx, translate(sql), bound...)
		return tag.RowsAffected(), err
	}
	results := c.send(ctx, statement{translate(sql), bound})
	for range waiting {
		if _, err := results.Exec(); err != nil {
			_ = results.Close() // the same error
			return 0, err
		}
	}
	tag, err := results.Exec()
	if e := results.Close(); err == nil {
		err = e
	}
	return tag.RowsAffected(), err
}

// Insert implements relational.Conn.
func (c *conn) Insert(ctx context.Context, key, sql string, args ...any) (row int64, err error) {
	err = c.Query(ctx, sql+" RETURNING "+key, args, func(r relational.Row) error {
		row = r.Int(0)
		return nil
	})
	return row, err
}

// Query implements relational.Conn.
func (c *conn) Query(ctx context.Context, sql string, args []any, f func(relational.Row) error) (err error) {
	bound, err := bind(args)
	if err != nil {
		return err
	}
	if err := c.settle(); err != nil {
		return err
	}
	cur := &cursor{}
	if waiting := len(c.pending); waiting == 0 {
		cur.rows, err = c.pg.Query(ctx, translate(sql), bound...)
	} else {
		cur.batch = c.send(ctx, statement{translate(sql), bound})
		for range waiting {
			if _, err := cur.batch.Exec(); err != nil {
				_ = cur.batch.Close() // the same error
				return err
			}
		}
		cur.rows, err = cur.batch.Query()
	}
	if err != nil {
		if cur.batch != nil {
			_ = cur.batch.Close() // the same error
		}
		return err
	}
	outer := c.open
	c.open = cur
	defer func() {
		c.open = outer
		if e := cur.close(); err == nil {
			err = e
		}
	}()
	for {
		r, ok := cur.next()
		if !ok {
			return cur.err
		}
		if err := f(r); err != nil {
			if err == relational.ErrStop { //nolint:errorlint // our own value, never wrapped
				return nil
			}
			return err
		}
	}
}

// settle reads the rest of the answer that is being read, so that another statement can run:
// a connection takes one at a time.
func (c *conn) settle() error {
	if c.open == nil {
		return nil
	}
	return c.open.settle()
}

// cursor is an answer that is being read.
type cursor struct {
	rows  pgx.Rows
	batch pgx.BatchResults // of which rows are the last; nil for a statement alone
	row   relational.Row
	rest  []relational.Row // read already
	ended bool
	err   error
}

// next returns the next row, which is valid until the next call.
func (c *cursor) next() (relational.Row, bool) {
	if len(c.rest) > 0 {
		r := c.rest[0]
		c.rest = c.rest[1:]
		return r, true
	}
	return c.read()
}

func (c *cursor) read() (relational.Row, bool) {
	if c.ended || !c.rows.Next() {
		c.end()
		return nil, false
	}
	raw, fields := c.rows.RawValues(), c.rows.FieldDescriptions()
	if c.row == nil {
		c.row = make(relational.Row, len(raw))
	}
	for i, b := range raw {
		if c.row[i], c.err = value(fields[i].DataTypeOID, fields[i].Format, b); c.err != nil {
			return nil, false
		}
	}
	return c.row, true
}

// settle reads all rows that are left.
func (c *cursor) settle() error {
	for !c.ended {
		c.row = nil // the present one is in use
		r, ok := c.read()
		if !ok {
			break
		}
		c.rest = append(c.rest, r)
	}
	return c.err
}

func (c *cursor) end() {
	if c.ended {
		return
	}
	c.ended = true
	c.rows.Close()
	if err := c.rows.Err(); c.err == nil {
		c.err = err
	}
	if c.batch != nil {
		if err := c.batch.Close(); c.err == nil {
			c.err = err
		}
	}
}

// close ends the answer and returns the error of reading it.
func (c *cursor) close() error {
	c.end()
	return c.err
}

// bind turns arguments into what PostgreSQL takes.
func bind(args []any) ([]any, error) {
	out := make([]any, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case nil, int64, float64:
			out[i] = v
		case []byte:
			if v != nil {
				out[i] = v
			}
		case int:
			out[i] = int64(v)
		case bool:
			n := int64(0)
			if v {
				n = 1
			}
			out[i] = n
		case string:
			out[i] = escape(v)
		case []int64:
			out[i] = v
		case []string:
			list := make([]string, len(v))
			for k, s := range v {
				list[k] = escape(s)
			}
			out[i] = list
		default:
			return nil, fmt.Errorf("cannot bind a %T", a)
		}
	}
	return out, nil
}

// value decodes a column. The result shares no memory with b.
func value(oid uint32, format int16, b []byte) (any, error) {
	if b == nil {
		return nil, nil
	}
	binaryForm := format == pgx.BinaryFormatCode
	switch oid {
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.Int2OID:
		if !binaryForm {
			return strconv.ParseInt(string(b), 10, 64)
		}
		switch len(b) {
		case 8:
			return int64(binary.BigEndian.Uint64(b)), nil
		case 4:
			return int64(int32(binary.BigEndian.Uint32(b))), nil
		case 2:
			return int64(int16(binary.BigEndian.Uint16(b))), nil
		}
	case pgtype.Float8OID:
		if binaryForm && len(b) == 8 {
			return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
		}
		return strconv.ParseFloat(string(b), 64)
	case pgtype.BoolOID:
		return len(b) == 1 && (b[0] == 1 || b[0] == 't'), nil
	case pgtype.ByteaOID:
		if binaryForm {
			return append(make([]byte, 0, len(b)), b...), nil
		}
		return hex.DecodeString(strings.TrimPrefix(string(b), `\x`))
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.NameOID, pgtype.UnknownOID:
		return unescape(b), nil
	}
	return nil, fmt.Errorf("cannot read a column of type %d", oid)
}

// hints are those for SQLite's planner, see package relational, with what to have instead.
var hints = []struct {
	is   *regexp.Regexp
	want string
}{
	{regexp.MustCompile(`CROSS JOIN (\w+ \w+)(\s)ON\b`), "JOIN $1${2}ON"},
	{regexp.MustCompile(` INDEXED BY [a-z_]+`), ""},
	{regexp.MustCompile(`(INSERT|UPDATE) OR FAIL `), "$1 "},
	{regexp.MustCompile(`([ (])\+([a-z])`), "$1$2"},
}

// translated are statements as PostgreSQL takes them, by those of package relational.
var translated = struct {
	sync.RWMutex
	by map[string]string
}{by: map[string]string{}}

// maxTranslated is more than there are fixed statements; filters build the rest.
const maxTranslated = 2000

// translate returns a statement with numbered placeholders and without hints.
func translate(sql string) string {
	translated.RLock()
	out, known := translated.by[sql]
	translated.RUnlock()
	if known {
		return out
	}
	out = sql
	for _, h := range hints {
		out = h.is.ReplaceAllString(out, h.want)
	}
	out = numbered(out)
	translated.Lock()
	defer translated.Unlock()
	if len(translated.by) >= maxTranslated {
		clear(translated.by)
	}
	translated.by[sql] = out
	return out
}

// numbered writes ? as $1, $2 and so on, and ?2 as $2. Statements hold no ? otherwise, since
// values are never in their text.
func numbered(sql string) string {
	var b strings.Builder
	for n := 1; ; n++ {
		i := strings.IndexByte(sql, '?')
		if i < 0 {
			return b.String() + sql
		}
		b.WriteString(sql[:i] + "$")
		sql = sql[i+1:]
		if sql == "" || sql[0] < '0' || sql[0] > '9' {
			b.WriteString(strconv.Itoa(n))
		}
	}
}
