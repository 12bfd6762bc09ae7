package relational

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// table is a table with its columns.
type table struct {
	name    string
	columns string // separated by spaces
	bytes   string // columns of bytes that are never NULL
	key     string // the column numbered by the database; "" for none
}

// copyRows is the number of rows of one INSERT.
const copyRows = 16

// ours is a transaction of an engine that uses this package.
type ours interface{ relational() *Tx }

func (t *Tx) relational() *Tx { return t }

// CopyTo implements store.Copier.
func (t *Tx) CopyTo(ctx context.Context, to store.Tx) ([]store.Count, error) {
	other, ok := to.(ours)
	if !ok {
		return nil, kb.Errorf(kb.Usage, "cannot copy to this kind of database")
	}
	// Opening a memory without spaces leaves settings and a model in it.
	for _, tab := range slices.Backward(tables) {
		if tab.name != "blobs" {
			if err := other.relational().exec(ctx, "DELETE FROM "+tab.name); err != nil {
				return nil, err
			}
		}
	}
	var counts []store.Count
	for _, tab := range tables {
		copyOf := t.copyTable
		if tab.name == "blobs" {
			copyOf = t.copyBlobs
		}
		n, err := copyOf(ctx, tab, other.relational())
		if err != nil {
			return nil, err
		}
		counts = append(counts, store.Count{Value: tab.name, N: n})
	}
	if count := other.relational().d.Count; count != nil {
		if err := other.relational().exec(ctx, count()); err != nil {
			return nil, err
		}
	}
	return counts, other.relational().settleHosts(ctx)
}

// settleHosts sets the host of the directories of a copy if several machines can use the
// copy, and removes it otherwise.
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
		if never[i] = slices.Contains(bytes, c); never[i] { // drivers read and bind empty bytes as NULL
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

// Approximate limits of one transaction of CopyBytes, in bytes and in texts.
const (
	copyAtOnce = 8 << 20
	copyTexts  = 500
)

// blob identifies stored bytes.
type blob struct {
	hash string
	size int
}

// CopyBytes implements store.Copier.
func (t *Tx) CopyBytes(ctx context.Context, to store.Memory) (kept int, err error) {
	var missing []blob
	if err = to.View(ctx, func(tx store.Tx) error {
		other, ok := tx.(ours)
		if !ok {
			return kb.Errorf(kb.Usage, "cannot copy to this kind of database")
		}
		missing, kept, _, err = t.blobsFor(ctx, other.relational())
		return err
	}); err != nil {
		return 0, err
	}
	for len(missing) > 0 && err == nil {
		err = to.Update(ctx, func(tx store.Tx) (err error) {
			missing, err = t.copyBytes(ctx, missing, tx.(ours).relational())
			return err
		})
	}
	return kept, err
}

// copyBlobs is copyTable for stored bytes, most of which CopyBytes has copied already.
// Nothing refers to them by row.
func (t *Tx) copyBlobs(ctx context.Context, _ table, to *Tx) (n int, err error) {
	missing, kept, more, err := t.blobsFor(ctx, to)
	if err != nil {
		return 0, err
	}
	n = kept + len(missing)
	for _, hash := range more { // pruned since they were copied
		if err := to.exec(ctx, "DELETE FROM blobs WHERE hash = ?", []byte(hash)); err != nil {
			return n, err
		}
	}
	for len(missing) > 0 && err == nil {
		missing, err = t.copyBytes(ctx, missing, to)
	}
	return n, err
}

// blobsFor compares stored bytes with those of another memory. It returns the bytes that the
// other lacks, the number of common ones, and the hashes that only the other has.
func (t *Tx) blobsFor(ctx context.Context, to *Tx) (missing []blob, kept int, more []string, err error) {
	there := map[string]bool{}
	if err = to.query(ctx, "SELECT hash FROM blobs", nil, func(r Row) error {
		there[string(r.Blob(0))] = true
		return nil
	}); err != nil {
		return nil, 0, nil, err
	}
	err = t.query(ctx, "SELECT hash, length(bytes) FROM blobs ORDER BY row", nil, func(r Row) error {
		hash := string(r.Blob(0))
		if there[hash] {
			kept++
			delete(there, hash)
		} else {
			missing = append(missing, blob{hash, r.Num(1)})
		}
		return nil
	})
	return missing, kept, slices.Sorted(maps.Keys(there)), err
}

// copyBytes copies the first of these bytes, and returns the rest.
func (t *Tx) copyBytes(ctx context.Context, all []blob, to *Tx) (left []blob, err error) {
	var hashes []string
	for bytes := 0; len(hashes) < min(len(all), copyTexts) && bytes < copyAtOnce; {
		next := all[len(hashes)]
		hashes, bytes = append(hashes, next.hash), bytes+next.size
	}
	copied := 0
	err = chunks(hashes, nil, func(list string, args []any) error {
		for i, a := range args { // a BLOB does not equal a TEXT
			text, _ := a.(string)
			args[i] = []byte(text)
		}
		return t.query(ctx, "SELECT hash, size, codec, bytes FROM blobs WHERE hash IN ("+list+") ORDER BY row", args, func(r Row) error {
			copied++
			return to.exec(ctx, "INSERT INTO blobs (hash, size, codec, bytes) VALUES (?, ?, ?, coalesce(?, "+to.d.NoBytes+"))", r.Blob(0), r[1], r[2], r.Blob(3))
		})
	})
	if err == nil && copied != len(hashes) {
		err = kb.Errorf(kb.Damaged, "stored bytes are gone while they are copied")
	}
	return all[len(hashes):], err
}
