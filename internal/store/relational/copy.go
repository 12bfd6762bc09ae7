package relational

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// table is a table with its columns.
type table struct {
	name    string
	columns string // separated by spaces
	bytes   string // those of bytes that are never NULL
	key     string // the column that the database numbers, "" for none
}

// copyRows is how many rows one INSERT takes.
const copyRows = 16

// ours is a transaction of an engine with these roles.
type ours interface{ relational() *Tx }

func (t *Tx) relational() *Tx { return t }

// CopyTo implements store.Copier.
func (t *Tx) CopyTo(ctx context.Context, to store.Tx) ([]store.Count, error) {
	other, ok := to.(ours)
	if !ok {
		return nil, kb.Errorf(kb.Usage, "cannot copy to this kind of database")
	}
	var counts []store.Count
	for _, tab := range tables {
		n, err := t.copyTable(ctx, tab, other.relational())
		if err != nil {
			return nil, err
		}
		counts = append(counts, store.Count{Value: tab.name, N: n})
	}
	return counts, other.relational().settleHosts(ctx)
}

// settleHosts gives the directories of a copy their host, where it can be another machine than
// that of the memory.
func (t *Tx) settleHosts(ctx context.Context) error {
	was, is := t.host, ""
	if t.d.Far {
		was, is = is, was
	}
	for _, table := range []string{"spaces", "forgotten_spaces"} {
		if err := t.exec(ctx, "UPDATE "+table+" SET host = ? WHERE host = ? AND root IS NOT NULL", is, was); err != nil {
			return err
		}
	}
	return nil
}

func (t *Tx) copyTable(ctx context.Context, tab table, to *Tx) (n int, err error) {
	columns, bytes := strings.Fields(tab.columns), strings.Fields(tab.bytes)
	marks, never := make([]string, len(columns)), make([]bool, len(columns))
	for i, c := range columns {
		marks[i] = "?"
		if never[i] = slices.Contains(bytes, c); never[i] { // a driver reads and binds no bytes as NULL
			marks[i] = "coalesce(?, " + to.d.NoBytes + ")"
		}
	}
	insert := func(rows int) string {
		row := "(" + strings.Join(marks, ", ") + ")"
		return "INSERT INTO " + tab.name + " (" + strings.Join(columns, ", ") + ") VALUES " + strings.TrimSuffix(strings.Repeat(row+",", rows), ",")
	}
	full := insert(copyRows)
	var args []any
	err = t.query(ctx, "SELECT "+strings.Join(columns, ", ")+" FROM "+tab.name+" ORDER BY 1", nil, func(r Row) error {
		n++
		for i, v := range r {
			if b, is := v.([]byte); is || v == nil && never[i] {
				v = b
			}
			args = append(args, v)
		}
		if len(args) < copyRows*len(columns) {
			return nil
		}
		err := to.exec(ctx, full, args...)
		args = make([]any, 0, len(args))
		return err
	})
	if err != nil {
		return n, err
	}
	if len(args) > 0 {
		if err := to.exec(ctx, insert(len(args)/len(columns)), args...); err != nil {
			return n, err
		}
	}
	if tab.key != "" && to.d.Renumber != nil && n > 0 {
		if err := to.exec(ctx, to.d.Renumber(tab.name, tab.key)); err != nil {
			return n, err
		}
	}
	return n, nil
}
