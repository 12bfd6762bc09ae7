package postgres

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
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
	d       *DB
	pg      *pgx.Conn
	reused  bool              // it was idle: the server, or something on the way, may have closed it
	pending []statement       // statements without an answer, not sent yet
	bytes   int               // of their arguments
	open    *cursor           // the answer that is being read
	learns  *foresight        // questions are noted instead of sent
	ending  io.Closer         // the answer to the end of the last transaction
	used    map[string]*use   // statements
	naming  map[string]string // names of statements that are prepared with ending
	names   int               // given to prepared statements

	// Of the present transaction.
	opening  *opening // of a View that has not begun
	viewing  bool     // it is that of a View, and has begun
	answered bool     // the View has an answer, of those that share it the present one
	now      snapshot
	wrote    bool   // a statement that changes rows was run,
	rare     bool   // on a table that rarely changes
	touched  tables // that it wrote to
	own      map[string]ownAnswer
	numbers  map[string]int64 // the newest numbers of tables, where no statement has given one itself
	segments int64            // the newest segment of the full text when it began,
	pages    int64            // and the number of the newest page, or that when rows were counted last
	given    map[string]bool  // tables of which rows got numbers here
	fresh    []fresh          // answers to remember once it is committed
	freshly  int              // bytes of these
	wanted   map[string]bool  // statements that are to be prepared
}

var _ relational.Conn = (*conn)(nil)

type statement struct {
	sql       string
	args      []any
	taken     func() error // the error for a value that must be unique and is taken; nil for that of the server
	qualified bool         // it has the same meaning outside of a transaction, which sets the names of tables
}

// Statements wait for company up to this number and size.
const (
	maxPending      = 500
	maxPendingBytes = 4 << 20
)

// simple runs statements without arguments in one round trip.
func (c *conn) simple(ctx context.Context, sql string) ([]*pgconn.Result, error) {
	if err := c.ended(); err != nil {
		return nil, err
	}
	return c.pg.PgConn().Exec(ctx, sql).ReadAll()
}

// Exec implements relational.Conn.
func (c *conn) Exec(ctx context.Context, sql string, args ...any) error {
	return c.ExecUnless(ctx, nil, sql, args...)
}

// ExecUnless implements relational.Conn.
func (c *conn) ExecUnless(ctx context.Context, taken func() error, sql string, args ...any) error {
	if c.learns != nil { // what comes after it is read all the same
		return nil
	}
	if err := c.numbersEnd(ctx, sql); err != nil {
		return err
	}
	return c.queue(ctx, taken, sql, args)
}

// queue has a statement wait for others.
func (c *conn) queue(ctx context.Context, taken func() error, sql string, args []any) error {
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
	c.changes(sql, args)
	c.noteFresh(sql, bound)
	c.pending = append(c.pending, statement{sql: translate(sql), args: bound, taken: taken})
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
	results, err := c.send(ctx)
	if err != nil {
		return err
	}
	return results.Close()
}

// send sends the statements that wait, and more, and reads the answers of those that waited.
func (c *conn) send(ctx context.Context, more ...statement) (*pgconn.MultiResultReader, error) {
	waiting := c.pending
	results, err := c.batch(ctx, append(waiting, more...))
	if err != nil {
		return nil, err
	}
	for _, s := range waiting {
		if err = pass(results); err == nil {
			continue
		}
		if s.taken != nil && state(err) == uniqueViolation {
			err = s.taken()
		}
		break
	}
	clear(c.pending)
	c.pending, c.bytes = c.pending[:0], 0
	return results, err
}

// batch sends statements together.
func (c *conn) batch(ctx context.Context, all []statement) (*pgconn.MultiResultReader, error) {
	if err := c.ended(); err != nil {
		return nil, err
	}
	var b pgconn.Batch
	for _, s := range all {
		name, err := c.prepared(ctx, s)
		if err != nil {
			return nil, err
		}
		values, formats := bindings(s.args)
		if name != "" {
			b.ExecPrepared(name, values, formats, binaryResults)
		} else {
			b.ExecParams(s.sql, values, nil, formats, binaryResults)
		}
	}
	return c.pg.PgConn().ExecBatch(ctx, &b), nil
}

var binaryResults = []int16{pgx.BinaryFormatCode}

// pass reads the next answer, of a statement without rows.
func pass(results *pgconn.MultiResultReader) error {
	if !results.NextResult() {
		return cmp.Or(results.Close(), errNoAnswer)
	}
	_, err := results.ResultReader().Close()
	if err != nil {
		_ = results.Close() // the same error
	}
	return err
}

var errNoAnswer = errors.New("the server did not answer a statement")

// A statement is prepared when it was used so often on a connection.
const (
	prepareAfter = 3
	maxPrepared  = 500
)

// prepared returns the name of a prepared statement, "" for none. A View prepares
// new statements when it ends; see finish. A writer prepares them now, which takes
// a round trip.
func (c *conn) prepared(ctx context.Context, s statement) (string, error) {
	if c.d.pooled() || c.names >= maxPrepared && c.used[s.sql] == nil {
		return "", nil
	}
	u := c.used[s.sql]
	if u == nil {
		if c.used == nil {
			c.used = map[string]*use{}
		}
		if len(c.used) >= maxStatements { // those that are prepared stay: the server knows their names
			maps.DeleteFunc(c.used, func(_ string, u *use) bool { return u.name == "" })
		}
		u = &use{}
		c.used[s.sql] = u
	}
	u.n++
	switch {
	case u.name != "" || u.n <= prepareAfter || c.names+len(c.wanted) >= maxPrepared:
		return u.name, nil
	case c.opening != nil || c.viewing:
		if c.wanted == nil {
			c.wanted = map[string]bool{}
		}
		c.wanted[s.sql] = true
		return "", nil
	case c.now.changes == 0 && !s.qualified:
		return "", nil
	}
	c.names++
	name := fmt.Sprintf("cairn%d", c.names)
	if _, err := c.pg.PgConn().Prepare(ctx, name, s.sql, nil); err != nil {
		return "", err
	}
	u.name = name
	return name, nil
}

// use is that of a statement on a connection.
type use struct {
	n    int
	name string // once it is prepared
}

// bindings writes arguments in the text form, in which the server gives each the type that it
// needs; bytes as they are.
func bindings(args []any) (values [][]byte, formats []int16) {
	values, formats = make([][]byte, len(args)), make([]int16, len(args))
	for i, a := range args {
		switch v := a.(type) {
		case int64:
			values[i] = strconv.AppendInt(nil, v, 10)
		case float64:
			values[i] = strconv.AppendFloat(nil, v, 'g', -1, 64)
		case string:
			values[i] = append(make([]byte, 0, len(v)), v...)
		case []byte:
			values[i], formats[i] = v, pgx.BinaryFormatCode
		case []int64:
			values[i] = list(v, func(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) })
		case []string:
			values[i] = list(v, quoted)
		}
	}
	return values, formats
}

// list writes an array.
func list[T any](values []T, write func([]byte, T) []byte) []byte {
	out := []byte{'{'}
	for i, v := range values {
		if i > 0 {
			out = append(out, ',')
		}
		out = write(out, v)
	}
	return append(out, '}')
}

func quoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		if s[i] == '"' || s[i] == '\\' {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return append(b, '"')
}

// uniqueViolation is the SQLSTATE for a value that must be unique and is taken.
const uniqueViolation = "23505"

// Change implements relational.Conn.
func (c *conn) Change(ctx context.Context, sql string, args ...any) (int64, error) {
	if c.learns != nil {
		return 0, errForesight
	}
	bound, err := bind(args)
	if err != nil {
		return 0, err
	}
	if err := c.settle(); err != nil {
		return 0, err
	}
	if err := c.numbersEnd(ctx, sql); err != nil {
		return 0, err
	}
	c.changes(sql, args)
	results, err := c.send(ctx, statement{sql: translate(sql), args: bound})
	if err != nil {
		return 0, err
	}
	if !results.NextResult() {
		return 0, cmp.Or(results.Close(), errNoAnswer)
	}
	tag, err := results.ResultReader().Close()
	if e := results.Close(); err == nil {
		err = e
	}
	return tag.RowsAffected(), err
}

// numberedTables are those whose rows have numbers, with the column of these. Only the writer
// gives numbers, so it need not ask the server for each.
var numberedTables = []struct{ table, key string }{
	{"batches", "row"}, {"documents", "row"}, {"gaps", "row"}, {"journal", "id"}, {"lexical_segments", "row"},
	{"pages", "row"}, {"spaces", "row"}, {"versions", "seq"}, {"writes", "id"},
}

// Insert implements relational.Conn.
func (c *conn) Insert(ctx context.Context, table string, taken func() error, sql string, args ...any) (int64, error) {
	if c.learns != nil {
		return 0, errForesight
	}
	if _, known := c.numbers[table]; !known { // a statement has given numbers since
		if err := c.readNumber(ctx, table); err != nil {
			return 0, err
		}
	}
	row := c.numbers[table] + 1
	c.numbers[table], c.given[table] = row, true
	if table == "pages" && row-c.pages >= fewPages && hasGrown(c.pages, row) {
		c.pages = row
		c.pending = append(c.pending, statement{sql: dialect.Count()})
	}
	return row, c.queue(ctx, taken, sql, append([]any{row}, args...))
}

// numbersEnd has the server give the numbers of a table from now on, before a statement that
// inserts rows by another way than Insert.
func (c *conn) numbersEnd(ctx context.Context, sql string) error {
	m := inserts.FindStringSubmatch(sql)
	if m == nil {
		return nil
	}
	if _, ours := c.numbers[m[1]]; !ours {
		return nil
	}
	err := c.keepNumber(ctx, m[1])
	delete(c.numbers, m[1])
	return err
}

var inserts = regexp.MustCompile(`^INSERT INTO ([a-z_]+) `)

// keepNumber tells the server the newest number of a table, if one was given here.
func (c *conn) keepNumber(ctx context.Context, table string) error {
	if !c.given[table] {
		return nil
	}
	delete(c.given, table)
	return c.queue(ctx, nil, "SELECT setval(?::text::regclass, ?)", []any{c.sequence(table), c.numbers[table]})
}

// readNumber asks the server for the newest number of a table.
func (c *conn) readNumber(ctx context.Context, table string) error {
	if err := c.settle(); err != nil {
		return err
	}
	cur, err := c.ask(ctx, question{statement: statement{sql: "SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM " + c.sequence(table)}})
	if err != nil {
		return err
	}
	err = cur.through(func(r row) error { c.numbers[table] = r.Int(0); return nil })
	return errors.Join(err, cur.close())
}

func (c *conn) sequence(table string) string {
	for _, t := range numberedTables {
		if t.table == table {
			return c.d.where.schema() + "." + table + "_" + t.key + "_seq"
		}
	}
	return ""
}

// Query implements relational.Conn.
func (c *conn) Query(ctx context.Context, sql string, args []any, f func(relational.Row) error) error {
	bound, err := bind(args)
	if err != nil {
		return err
	}
	if err := c.settle(); err != nil {
		return err
	}
	q := c.question(translate(sql), bound)
	if c.learns != nil {
		return through(c.guess(q), nil, f)
	}
	if rows, known, err := c.remembered(ctx, q); err != nil || known {
		c.answered = true
		return through(rows, err, f)
	}
	cur, err := c.ask(ctx, q)
	if err != nil {
		return err
	}
	outer := c.open
	c.open = cur
	err = cur.through(f)
	c.open = outer
	if e := cur.close(); err == nil {
		err = e
	}
	if err == nil && cur.kept != nil {
		c.remember(q, cur.kept)
	}
	return err
}

// through calls f with rows that were read already.
func through(rows []relational.Row, err error, f func(relational.Row) error) error {
	for _, r := range rows {
		if err == nil {
			err = f(r)
		}
	}
	if err == relational.ErrStop { //nolint:errorlint // our own value, never wrapped
		return nil
	}
	return err
}

// ask sends a query with the statements that wait.
func (c *conn) ask(ctx context.Context, q question) (cur *cursor, err error) {
	cur = &cursor{keep: q.keep()}
	cur.batch, err = c.request(ctx, cur, q.statement)
	return cur, err
}

// request sends queries with the statements that wait, and begins to read the first answer.
func (c *conn) request(ctx context.Context, first *cursor, queries ...statement) (results *pgconn.MultiResultReader, err error) {
	for tried := false; ; tried = true {
		if c.opening != nil {
			results, err = c.beginWith(ctx, queries...)
		} else {
			results, err = c.send(ctx, queries...)
		}
		if err == nil {
			err = first.begin(results)
		}
		if err == nil {
			c.answered = true
			return results, nil
		}
		if tried || !c.viewing || !c.again(true, err) {
			return results, err
		}
		// Another connection sees the same state where nobody has written since.
		next, answered := opening{c.d.busyFor, &snapshot{}}, c.answered
		*next.assumed = c.now
		if err := c.replace(ctx); err != nil {
			return nil, err
		}
		c.forget()
		c.opening, c.answered = &next, answered
	}
}

// Each implements relational.Conn.
func (c *conn) Each(ctx context.Context, sql string, args [][]any, f func(relational.Row) error) error {
	if len(args) == 1 {
		return c.Query(ctx, sql, args[0], f)
	}
	for len(args) > 0 {
		n := min(len(args), maxPending)
		all, err := c.all(ctx, translate(sql), args[:n])
		if err != nil {
			return err
		}
		for _, rows := range all {
			if err := through(rows, nil, f); err != nil {
				return err
			}
		}
		args = args[n:]
	}
	return nil
}

// all returns the answers for several lists of arguments.
func (c *conn) all(ctx context.Context, sql string, args [][]any) ([][]relational.Row, error) {
	if err := c.settle(); err != nil {
		return nil, err
	}
	out := make([][]relational.Row, len(args))
	var missing []int
	var questions []question
	for i, one := range args {
		bound, err := bind(one)
		if err != nil {
			return nil, err
		}
		q := c.question(sql, bound)
		if c.learns != nil {
			out[i] = c.guess(q)
			continue
		}
		rows, known, err := c.remembered(ctx, q)
		if err != nil {
			return nil, err
		}
		c.answered = c.answered || known
		if out[i] = rows; !known {
			missing, questions = append(missing, i), append(questions, q)
		}
	}
	if len(missing) == 0 {
		return out, nil
	}
	answers, err := c.askAll(ctx, questions)
	if err != nil {
		return nil, err
	}
	for k, i := range missing {
		out[i] = answers[k]
	}
	return out, nil
}

// askAll asks questions together, and remembers the answers.
func (c *conn) askAll(ctx context.Context, questions []question) ([][]relational.Row, error) {
	all := together(questions)
	statements := make([]statement, len(all))
	for i, a := range all {
		statements[i] = a.statement
	}
	cur := &cursor{}
	results, err := c.request(ctx, cur, statements...)
	if err != nil {
		return nil, err
	}
	out := make([][]relational.Row, len(questions))
	for i, a := range all {
		if i > 0 {
			cur = &cursor{}
			if err = cur.begin(results); err != nil {
				break
			}
		}
		if err = cur.settle(); err != nil {
			break
		}
		for k, at := range a.of {
			if out[at] = cur.rest; a.pages != nil {
				out[at] = pageOf(a.pages[k], cur.rest)
			}
			c.remember(questions[at], out[at])
		}
	}
	if e := results.Close(); err == nil {
		err = e
	}
	return out, err
}

// asked is a statement for some questions.
type asked struct {
	statement
	of    []int   // indexes of the questions
	pages []int64 // rows of pages of the full text, one for each question; nil for one question
}

// together makes one statement of the questions for single pages of the full text: the server
// spends more on hundreds of statements than on the pages.
func together(questions []question) []asked {
	var all []asked
	var pages asked
	single := translate(relational.ReadPages)
	for i, q := range questions {
		if q.sql == single {
			from, _ := q.args[0].(int64)
			if to, _ := q.args[1].(int64); to == from+1 {
				pages.of, pages.pages = append(pages.of, i), append(pages.pages, from)
				continue
			}
		}
		all = append(all, asked{statement: q.statement, of: []int{i}})
	}
	switch len(pages.of) {
	case 0:
	case 1:
		all = append(all, asked{statement: questions[pages.of[0]].statement, of: pages.of})
	default:
		pages.statement = statement{sql: translate(readRows), args: []any{pages.pages}}
		all = append(all, pages)
	}
	return all
}

// readRows reads pages of the full text by their rows.
const readRows = "SELECT row, bytes FROM lexical_pages WHERE row = ANY(?) ORDER BY row"

// pageOf returns the answer to the question for a page, of rows in ascending order.
func pageOf(page int64, rows []relational.Row) []relational.Row {
	i, found := slices.BinarySearchFunc(rows, page, func(r relational.Row, page int64) int { return cmp.Compare(r.Int(0), page) })
	if !found {
		return nil
	}
	return []relational.Row{{rows[i][1]}}
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
	rows     *pgconn.ResultReader
	batch    *pgconn.MultiResultReader // of which rows are the last; nil where more follow
	row      relational.Row
	rest     []relational.Row // read already
	keep     int              // bytes of rows that may still be kept
	read     []relational.Row // to be kept
	kept     []relational.Row // all rows, after the last one was read; nil if they are not kept
	ended    bool
	complete bool // all rows were read
	err      error
}

// begin reads the beginning of the next answer.
func (c *cursor) begin(results *pgconn.MultiResultReader) error {
	if !results.NextResult() {
		return cmp.Or(results.Close(), errNoAnswer)
	}
	c.rows = results.ResultReader()
	return nil
}

// through calls f with each row.
func (c *cursor) through(f func(relational.Row) error) error {
	for {
		r, ok := c.next()
		if !ok {
			return c.err
		}
		if err := f(r); err != nil {
			if err != relational.ErrStop { //nolint:errorlint // our own value, never wrapped
				return err
			}
			if len(c.rest) == 0 && c.keep > 0 {
				c.fetch() // often it was the last row, and all can be kept
			}
			return nil
		}
	}
}

// next returns the next row, which is valid until the next call.
func (c *cursor) next() (relational.Row, bool) {
	if len(c.rest) > 0 {
		r := c.rest[0]
		c.rest = c.rest[1:]
		return r, true
	}
	return c.fetch()
}

func (c *cursor) fetch() (relational.Row, bool) {
	if c.ended {
		return nil, false
	}
	if !c.rows.NextRow() {
		c.complete = true
		c.end()
		return nil, false
	}
	raw, fields := c.rows.Values(), c.rows.FieldDescriptions()
	if c.row == nil || c.keep > 0 {
		c.row = make(relational.Row, len(raw))
	}
	for i, b := range raw {
		c.keep -= len(b) + rowCost
		if c.row[i], c.err = value(fields[i].DataTypeOID, fields[i].Format, b); c.err != nil {
			return nil, false
		}
	}
	if c.keep > 0 {
		c.read = append(c.read, c.row)
	} else {
		c.read = nil
	}
	return c.row, true
}

// settle reads all rows that are left.
func (c *cursor) settle() error {
	for !c.ended {
		c.row = nil // the present one is in use
		r, ok := c.fetch()
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
	if _, err := c.rows.Close(); c.err == nil {
		c.err = err
	}
	if c.batch != nil {
		if err := c.batch.Close(); c.err == nil {
			c.err = err
		}
	}
	if c.err == nil && c.keep > 0 && c.complete {
		c.kept = append([]relational.Row{}, c.read...)
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
var translated memo[string]

// translate returns a statement with numbered placeholders and without hints.
func translate(sql string) string {
	return translated.of(sql, func(sql string) string {
		for _, h := range hints {
			sql = h.is.ReplaceAllString(sql, h.want)
		}
		return numbered(sql)
	})
}

// maxStatements is more than there are fixed statements; filters build the rest.
const maxStatements = 2000

// memo keeps what was worked out of statements.
type memo[T any] struct {
	mu sync.RWMutex
	by map[string]T
}

func (m *memo[T]) of(sql string, work func(string) T) T {
	m.mu.RLock()
	out, known := m.by[sql]
	m.mu.RUnlock()
	if known {
		return out
	}
	out = work(sql)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.by == nil || len(m.by) >= maxStatements {
		m.by = map[string]T{}
	}
	m.by[sql] = out
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
