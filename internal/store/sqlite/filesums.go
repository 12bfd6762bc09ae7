package sqlite

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// fileSum is the sum of a document's file as a column; NULL where its size and
// time prove nothing.
func fileSum(path string, size int64, modTime, indexed time.Time) any {
	// With the precision of the columns, so that the sum follows from the row
	// alone.
	if modTime.IsZero() || indexed.IsZero() || kb.Racy(modTime, time.UnixMicro(indexed.UnixMicro())) {
		return nil
	}
	return kb.NewPathSum().Add(path).File(size, modTime.UnixNano())
}

// withSidecar is the sum of a document's file with that of its sidecar, as fileSum
// is that of the file alone.
func withSidecar(sum, size int64, modTime, indexed time.Time) any {
	if modTime.IsZero() || kb.Racy(modTime, time.UnixMicro(indexed.UnixMicro())) {
		return nil
	}
	return kb.WithSidecar(sum, size, modTime.UnixNano())
}

// rightSum is the expression for the file_sum of a document.
const rightSum = "with_sidecar(file_sum(path, size, mod_time_ns, indexed), side_size, side_mod_time_ns, indexed)"

// addUp aggregates the sums of documents.
const addUp = `count(file_sum), coalesce(sum(file_sum & 0xffffffff), 0), coalesce(sum(file_sum >> 32 & 0xffffffff), 0)
FROM documents WHERE space = ?`

func (r row) sums() kb.FileSums { return kb.FileSums{Files: r.num(0), Low: r.int(1), High: r.int(2)} }

func (d documents) FileSums(ctx context.Context, space int64) (sums kb.FileSums, without int, err error) {
	if _, err := d.t.one(ctx, "SELECT "+addUp, []any{space}, func(r row) { sums = r.sums() }); err != nil {
		return sums, 0, err
	}
	_, err = d.t.one(ctx, "SELECT count(*) FROM documents WHERE space = ? AND file_sum IS NULL", []any{space}, func(r row) { without = r.num(0) })
	return sums, without, err
}

const (
	// sumsAtOnce is the number of sums that are compared by their total.
	sumsAtOnce = 512
	// manyUnlike is from how many documents on it takes less time to read all than
	// to look each up.
	manyUnlike = 1000
)

func (d documents) Unlike(ctx context.Context, space int64, sums []int64) (states []store.FileState, unknown []int64, err error) {
	var lacking []int64 // sums that documents have and sums does not
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
	take := func(r row) error {
		states = append(states, r.state())
		return nil
	}
	const from = "SELECT " + stateColumns + ", file_sum FROM documents WHERE space = ?"
	if len(lacking) >= manyUnlike {
		err = d.t.query(ctx, from+" ORDER BY path", []any{space}, func(r row) error {
			if _, is := slices.BinarySearch(lacking, r.int(stateWidth)); is || r.null(stateWidth) {
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
	slices.SortFunc(states, func(a, b store.FileState) int { return cmp.Compare(a.Path, b.Path) })
	return states, unknown, nil
}

// unlike compares the sums from first to last that documents have with others:
// each is lacking among the others, unknown to documents, or both have it.
func (d documents) unlike(ctx context.Context, space, first, last int64, others []int64) (lacking, unknown []int64, err error) {
	var want, got kb.FileSums
	for _, s := range others {
		want.Add(s)
	}
	const among = " AND file_sum BETWEEN ? AND ?"
	args := []any{space, first, last}
	if _, err := d.t.one(ctx, "SELECT "+addUp+among, args, func(r row) { got = r.sums() }); err != nil || got == want {
		return nil, nil, err
	}
	err = d.t.query(ctx, "SELECT file_sum FROM documents WHERE space = ?"+among+" ORDER BY file_sum", args, func(r row) error {
		sum := r.int(0)
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
