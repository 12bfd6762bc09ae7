package relational

import (
	"context"
	"strings"
)

// bulkRows are the numbers of rows of one INSERT, tried from the largest. The overhead of a
// statement is about half of the cost of inserting one small row.
var bulkRows = []int{32, 8, 1}

// A statement that can fail after changing something keeps its own journal, which doubles
// the cost of the rows. Statements that run tens of thousands of times therefore use OR
// FAIL: their partial changes stay until the transaction is rolled back, which follows
// anyway. The reference from links to pages is checked at the end for the same reason.

// bulk inserts many rows of one shape with few statements.
type bulk struct {
	t     *Tx
	sql   []string // one for each element of bulkRows
	width int
	args  []any
}

func newBulk(t *Tx, insert string, width int, tail ...string) *bulk {
	b := &bulk{t: t, width: width}
	row := "(" + marks(width) + ")"
	for _, n := range bulkRows {
		b.sql = append(b.sql, insert+" VALUES "+strings.TrimSuffix(strings.Repeat(row+",", n), ",")+strings.Join(tail, ""))
	}
	return b
}

// add adds a row, which is inserted now or by flush.
func (b *bulk) add(ctx context.Context, row ...any) error {
	b.args = append(b.args, row...)
	if len(b.args) < bulkRows[0]*b.width {
		return nil
	}
	return b.flush(ctx)
}

// flush inserts the remaining rows.
func (b *bulk) flush(ctx context.Context) error {
	args := b.args
	for i, n := range bulkRows {
		for len(args) >= n*b.width {
			if err := b.t.exec(ctx, b.sql[i], args[:n*b.width]...); err != nil {
				return err
			}
			args = args[n*b.width:]
		}
	}
	clear(b.args) // do not keep texts in memory
	b.args = b.args[:0]
	return nil
}

// inserts are the bulk inserts into the tables of facts.
type inserts struct {
	names, tags, links, observations, entries, warnings, properties, items, endings, assertions *bulk
}

func newInserts(t *Tx) *inserts {
	return &inserts{
		names: newBulk(t, "INSERT INTO names (key, page)", 2, " ON CONFLICT DO NOTHING"),
		tags:  newBulk(t, "INSERT INTO tags (tag_fold, page, tag)", 3, " ON CONFLICT DO NOTHING"),
		links: newBulk(t, `INSERT OR FAIL INTO links (row, target, candidates, kind, type, name, key, heading, text,
valid_from, valid_until, context, line)`, 13),
		observations: newBulk(t, "INSERT OR FAIL INTO observations (row, category, text, tags, context, line)", 6),
		entries:      newBulk(t, "INSERT OR FAIL INTO entries (row, date, source, text, detail, line)", 6),
		warnings:     newBulk(t, "INSERT OR FAIL INTO warnings (row, code, text, line)", 4),
		properties:   newBulk(t, "INSERT OR FAIL INTO properties (row, key, text, text_fold, number)", 5),
		items: newBulk(t, `INSERT OR FAIL INTO items (row, kind, text, state, done, due, scheduled, start,
completed, created, line)`, 11),
		endings:    newBulk(t, "INSERT OR FAIL INTO endings (row, subject, object, name, until, said_on, source, entry, quote, line)", 10),
		assertions: newBulk(t, insertAssertion, assertionWidth),
	}
}

func (in *inserts) flush(ctx context.Context) error {
	for _, b := range []*bulk{in.names, in.tags, in.links, in.observations, in.entries, in.warnings, in.properties, in.items, in.endings, in.assertions} {
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	return nil
}
