package relational

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// FileSum returns the sum of a document's file as a column value; NULL if its size and time
// prove nothing.
func FileSum(path string, size int64, modTime, indexed time.Time) any {
	// Times get the precision of the columns, so that the sum depends only on the row.
	if modTime.IsZero() || indexed.IsZero() || kb.Racy(modTime, time.UnixMicro(indexed.UnixMicro())) {
		return nil
	}
	return kb.NewPathSum().Add(path).File(size, modTime.UnixNano())
}

// WithSidecar is FileSum for a document with a sidecar, from the sum of its file.
func WithSidecar(sum, size int64, modTime, indexed time.Time) any {
	if modTime.IsZero() || kb.Racy(modTime, time.UnixMicro(indexed.UnixMicro())) {
		return nil
	}
	return kb.WithSidecar(sum, size, modTime.UnixNano())
}

// documentSum returns the file_sum of a document.
func documentSum(doc *store.Document) any {
	sum := FileSum(doc.Path, doc.Size, doc.ModTime, doc.Indexed)
	if alone, ok := sum.(int64); ok && doc.Side.Exists() {
		return WithSidecar(alone, doc.Side.Size, doc.Side.ModTime, doc.Indexed)
	}
	return sum
}

// addUp aggregates the sums of documents.
const addUp = `count(file_sum), CAST(coalesce(sum(file_sum & 4294967295), 0) AS BIGINT), CAST(coalesce(sum(file_sum >> 32 & 4294967295), 0) AS BIGINT)
FROM documents WHERE space = ?`

func (r Row) sums() kb.FileSums { return kb.FileSums{Files: r.Num(0), Low: r.Int(1), High: r.Int(2)} }

func (d documents) FileSums(ctx context.Context, space int64) (sums kb.FileSums, without []store.FileState, err error) {
	if _, err := d.t.one(ctx, "SELECT "+addUp, []any{space}, func(r Row) { sums = r.sums() }); err != nil {
		return sums, nil, err
	}
	err = d.t.query(ctx, "SELECT "+stateColumns+" FROM documents WHERE space = ? AND file_sum IS NULL", []any{space}, func(r Row) error {
		without = append(without, r.state())
		return nil
	})
	slices.SortFunc(without, byPath)
	return sums, without, err
}

func byPath(a, b store.FileState) int { return cmp.Compare(a.Path, b.Path) }

const (
	// sumsAtOnce is the number of sums that are compared through their total.
	sumsAtOnce = 512
	// manyUnlike is the number of documents from which reading all of them is faster than
	// looking up each.
	manyUnlike = 1000
)

func (d documents) Unlike(ctx context.Context, space int64, sums []int64) (states []store.FileState, unknown []int64, err error) {
	var lacking []int64 // sums of documents that are not among sums
	for from := 0; from == 0 || from < len(sums); from += sumsAtOnce {
		first, last, to := int64(math.MinInt64), int64(math.MaxInt64), min(from+sumsAtOnce, len(sums))
		if from > 0 {
			first = sums[from]
		}
		if to < len(sums) {
			last = sums[to] - 1
		}
		l, u, err := d.unlike(ctx, space, first, last, sums[from:to])
		if err != nil {
			return nil, nil, err
		}
		lacking, unknown = append(lacking, l...), append(unknown, u...)
	}
	take := func(r Row) error {
		states = append(states, r.state())
		return nil
	}
	const from = "SELECT " + stateColumns + ", file_sum FROM documents WHERE space = ?"
	if len(lacking) >= manyUnlike {
		err = d.t.query(ctx, from+" ORDER BY path", []any{space}, func(r Row) error {
			if _, is := slices.BinarySearch(lacking, r.Int(stateWidth)); is || r.Null(stateWidth) {
				return take(r)
			}
			return nil
		})
		return states, unknown, err
	}
	if err := d.t.query(ctx, from+" AND file_sum IS NULL", []any{space}, take); err != nil {
		return nil, nil, err
	}
	for _, sum := range lacking {
		if err := d.t.query(ctx, from+" AND file_sum = ?", []any{space, sum}, take); err != nil {
			return nil, nil, err
		}
	}
	slices.SortFunc(states, byPath)
	return states, unknown, nil
}

// unlike compares the sums of documents from first to last with others. It returns the sums
// that others lacks and those that no document has.
func (d documents) unlike(ctx context.Context, space, first, last int64, others []int64) (lacking, unknown []int64, err error) {
	var want, got kb.FileSums
	for _, s := range others {
		want.Add(s)
	}
	const among = " AND file_sum BETWEEN ? AND ?"
	args := []any{space, first, last}
	if _, err := d.t.one(ctx, "SELECT "+addUp+among, args, func(r Row) { got = r.sums() }); err != nil || got == want {
		return nil, nil, err
	}
	err = d.t.query(ctx, "SELECT file_sum FROM documents WHERE space = ?"+among+" ORDER BY file_sum", args, func(r Row) error {
		sum := r.Int(0)
		for len(others) > 0 && others[0] < sum {
			unknown, others = append(unknown, others[0]), others[1:]
		}
		if len(others) > 0 && others[0] == sum {
			others = others[1:]
			return nil
		}
		lacking = append(lacking, sum)
		return nil
	})
	return lacking, append(unknown, others...), err
}
