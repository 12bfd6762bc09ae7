package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-kb/cairn/internal/kb/lazyregexp"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/relational"
)

// A server answers within a round trip at best, so answers are remembered for as long as they
// hold. A transaction begins by reading the number of changes, and the number of the newest
// change to a table that rarely changes: an answer holds as long as that number is the same.
// Pages of the full text hold for good, and stored bytes until some are pruned.
//
// A server that crashed may have lost its newest commits, and give their numbers to others. So
// each transaction also reads the mark of the newest change that an answer was remembered of;
// when it is not the same, everything is forgotten.

// snapshot is the state of the memory that a transaction sees.
type snapshot struct {
	changes int64 // how many
	mark    int64 // of the newest
	rare    int64 // the number of the newest change to a table that rarely changes
	earlier int64 // mark of the newest change that was remembered, when the transaction began
	asked   commit
}

// is reports whether two transactions see the same state.
func (s snapshot) is(other snapshot) bool {
	return s.changes == other.changes && s.mark == other.mark
}

// lifetime is how long an answer holds.
type lifetime int

const (
	untilChange lifetime = iota
	untilRare
	untilPruned // as untilRare, and only where there are rows: bytes are added at any time
	forever
)

// rareTables change when a person changes settings, and not with each write.
var rareTables = map[string]bool{
	"spaces": true, "mappings": true, "settings": true, "models": true, "dismissals": true, "failures": true,
	"batches": true, "batch_items": true, "forgotten_spaces": true,
}

// tableNames are the names of all tables and views.
var tableNames = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{"meta": true, "journal": true, "page_counts": true, "version_bytes": true, "commits": true, "locks": true, "migrations": true}
	for _, name := range relational.Tables() {
		all[name] = true
	}
	return all
})

var (
	words  = lazyregexp.New(`[a-z_]+`)
	writes = lazyregexp.New(`^\s*(?:INSERT\s+(?:OR FAIL\s+)?INTO|UPDATE|DELETE\s+FROM)\s+([a-z_]+)`)
)

// tables is a set of tables, by their place among the sorted names.
type tables uint64

const allTables = ^tables(0)

var tableBits = sync.OnceValue(func() map[string]tables {
	bits := map[string]tables{}
	for i, name := range slices.Sorted(maps.Keys(tableNames())) {
		bits[name] = 1 << i
	}
	bits["version_bytes"] = allTables // a view of several
	return bits
})

// written are the tables that a statement changes, with what triggers change.
func written(sql string) tables {
	m := writes().FindStringSubmatch(sql)
	if m == nil || rareTables[m[1]] || tableBits()[m[1]] == 0 { // what refers to a space or a batch goes with it
		return allTables
	}
	t := tableBits()[m[1]]
	switch m[1] {
	case "pages":
		t |= tableBits()["page_counts"]
	case "bundles":
		t |= tableBits()["meta"]
	}
	return t
}

// reading is what a query reads, and how long its answer holds.
type reading struct {
	holds  lifetime
	tables tables
}

var readings memo[reading]

func readingOf(sql string) reading { return readings.of(sql, findReading) }

func findReading(sql string) (r reading) {
	rare := true
	for _, word := range words().FindAllString(sql, -1) { // columns have names of tables, too: that costs a question
		if tableNames()[word] {
			rare = rare && rareTables[word]
			r.tables |= tableBits()[word]
		}
	}
	switch {
	case strings.HasPrefix(sql, "SELECT bytes FROM lexical_pages WHERE "): // numbers of segments are not used again
		r.holds = forever
	case strings.HasPrefix(sql, "SELECT bytes, size, codec FROM blobs WHERE hash = "):
		r.holds = untilPruned
	case rare:
		r.holds = untilRare
	}
	return r
}

// question is a query with its arguments.
type question struct {
	statement
	reading
	key string // "" when the answer is not remembered
	own bool   // the answer is not that of others: the transaction wrote to the tables
}

const (
	maxKey     = 8 << 10 // bytes of a statement with its arguments
	rowCost    = 24      // bytes of a value besides its text
	answerCost = 200
)

func (c *conn) question(sql string, args []any) question {
	q := question{statement: statement{sql: sql, args: args}, reading: readingOf(sql)}
	if c.opening == nil && c.now.changes == 0 {
		return q // the state is not known
	}
	if q.holds == untilRare && q.tables == tableBits()["settings"] && !asksRare(args) {
		q.holds = untilChange
	}
	q.own = !c.committed(q)
	key := append(make([]byte, 0, len(sql)+16*len(args)), sql...)
	for _, a := range args {
		switch v := a.(type) {
		case nil:
			key = append(key, 0)
		case int64:
			key = binary.BigEndian.AppendUint64(append(key, 1), uint64(v))
		case float64:
			key = binary.BigEndian.AppendUint64(append(key, 2), math.Float64bits(v))
		case string:
			key = append(binary.AppendUvarint(append(key, 3), uint64(len(v))), v...)
		case []byte:
			key = append(binary.AppendUvarint(append(key, 4), uint64(len(v))), v...)
		default:
			key = fmt.Append(append(key, 5), v)
		}
		if len(key) > maxKey {
			return q
		}
	}
	q.key = string(key)
	return q
}

// committed reports whether the result is the same for other transactions, which do
// not see the writes of this one.
func (c *conn) committed(q question) bool {
	switch {
	case !c.wrote:
		return true
	case q.holds == untilRare, q.holds == untilPruned:
		return !c.rare
	case q.holds == forever:
		page, _ := q.args[0].(int64)
		return page>>32 <= c.segments
	}
	return c.touched&q.tables == 0
}

// keep is how many bytes of the answer may be kept.
func (q question) keep() int {
	if q.key == "" || q.own {
		return 0
	}
	return relational.MaxAnswer
}

// asksRare reports whether a statement on settings, with these arguments, concerns one that
// changes rarely: some are set with each write.
func asksRare(args []any) bool {
	if len(args) == 0 {
		return false
	}
	key, _ := args[0].(string)
	return !strings.HasPrefix(key, store.WrittenSetting)
}

// changes records that a statement changes rows.
func (c *conn) changes(sql string, args []any) {
	c.wrote = true
	if strings.HasPrefix(sql, "SELECT ") { // such as setval
		return
	}
	t, m := written(sql), writes().FindStringSubmatch(sql)
	often := m != nil && m[1] == "settings" && len(args) > 0 && !asksRare(args)
	if often {
		t = tableBits()["settings"]
	}
	c.touched |= t
	maps.DeleteFunc(c.own, func(_ string, a ownAnswer) bool { return a.tables&t != 0 })
	c.rare = c.rare || m == nil || rareTables[m[1]] && !often || strings.HasPrefix(sql, "DELETE FROM blobs")
}

// answer is what a statement returned.
type answer struct {
	rows []relational.Row
	at   int64 // the number that must be the same
	size int
}

// ownAnswer is one that holds in a transaction until it writes to one of the tables.
type ownAnswer struct {
	rows   []relational.Row
	tables tables
}

// answers are those that are remembered of a memory.
type answers struct {
	mu     sync.Mutex
	by     map[string]answer
	size   int
	newest commit // the newest change that one was remembered of
}

func (a *answers) latest() commit {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.newest
}

// seen takes notice of the state at the beginning of a transaction.
func (a *answers) seen(s snapshot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := commit{number: s.changes, mark: s.mark}
	switch {
	case s.asked.number > s.changes || s.asked.number != 0 && s.asked.mark != s.earlier, a.newest.number == s.changes && a.newest.mark != s.mark:
		a.by, a.size, a.newest = nil, 0, now
	case s.changes > a.newest.number:
		a.newest = now
	}
}

// committed takes notice of a commit of this process: earlier answers are outdated.
func (a *answers) committed(as commit) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if as.number > a.newest.number {
		a.newest = as
	}
}

// likely reports whether an answer holds unless something changed since the last transaction
// began. The caller has the mutex.
func (a *answers) likely(found answer, q question) bool {
	return q.holds != untilChange || found.at == a.newest.number
}

// at is the number of a state for which an answer holds.
func (l lifetime) at(s snapshot) int64 {
	switch l {
	case untilRare, untilPruned:
		return s.rare
	case forever:
		return 0
	default:
		return s.changes
	}
}

// remembered returns the answer of an earlier transaction.
func (c *conn) remembered(ctx context.Context, q question) (rows []relational.Row, known bool, err error) {
	if q.key == "" {
		return nil, false, nil
	}
	if q.own {
		found, known := c.own[q.key]
		return found.rows, known, nil
	}
	a := &c.d.answers
	a.mu.Lock()
	found, known := a.by[q.key]
	likely := known && a.likely(found, q)
	a.mu.Unlock()
	if c.opening != nil && c.opening.assumed != nil {
		return found.rows, known && found.at == q.holds.at(*c.opening.assumed), nil
	}
	if !likely && (c.opening != nil || !known) { // it is asked as the View begins
		return nil, false, nil
	}
	if c.opening != nil { // whether it holds is not known yet
		if err := c.begun(ctx); err != nil {
			return nil, false, err
		}
		a.mu.Lock()
		found, known = a.by[q.key]
		a.mu.Unlock()
	}
	return found.rows, known && found.at == q.holds.at(c.now), nil
}

// remember keeps an answer.
func (c *conn) remember(q question, rows []relational.Row) {
	if q.own && q.key != "" {
		if c.own == nil {
			c.own = map[string]ownAnswer{}
		}
		c.own[q.key] = ownAnswer{rows, q.tables}
		return
	}
	if q.key == "" || c.now.changes == 0 || q.holds >= untilPruned && len(rows) == 0 {
		return
	}
	size := len(q.key) + answerCost
	for _, r := range rows {
		for _, v := range r {
			switch v := v.(type) {
			case string:
				size += len(v)
			case []byte:
				size += len(v)
			}
			size += rowCost
		}
	}
	a := &c.d.answers
	a.mu.Lock()
	defer a.mu.Unlock()
	if c.now.changes > a.newest.number || size > relational.MaxAnswer {
		return // everything was forgotten since
	}
	if a.by == nil || a.size+size > relational.MaxAnswers {
		a.by, a.size = map[string]answer{}, 0
	}
	a.size += size - a.by[q.key].size
	a.by[q.key] = answer{rows, q.holds.at(c.now), size}
}

// fresh is an answer that a transaction makes.
type fresh struct {
	sql  string
	args []any
	row  relational.Row
}

// noteFresh notes pages of the full text and texts that a statement stores: the next write
// merges these pages, and the text is often read or edited next.
func (c *conn) noteFresh(sql string, args []any) {
	var f fresh
	switch {
	case sql == relational.PutPage:
		page, _ := args[0].(int64)
		f = fresh{relational.ReadPages, []any{page, page + 1}, relational.Row{args[1]}}
	case strings.HasPrefix(sql, relational.PutBlob):
		f = fresh{relational.ReadBlob, []any{args[0]}, relational.Row{args[3], args[1], args[2]}}
	default:
		return
	}
	bytes, ok := f.row[0].([]byte)
	if c.freshly += len(bytes); !ok || c.freshly > relational.MaxAnswer {
		return
	}
	c.fresh = append(c.fresh, f)
}

// rememberFresh remembers them, after the commit.
func (c *conn) rememberFresh() {
	if c.rare { // some may have been pruned
		return
	}
	c.wrote = false // others see it, too
	for _, f := range c.fresh {
		c.remember(c.question(translate(f.sql), f.args), []relational.Row{f.row})
	}
}
