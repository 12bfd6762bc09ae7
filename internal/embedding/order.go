package embedding

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/cairn-kb/cairn/internal/store"
)

// shortFirst returns the rows of pages in the order in which they are embedded,
// with the bytes of each and of all: short pages first, so that most of a memory is soon
// searchable by meaning. Pages of about one size, within a factor of two, stay in
// the order of their rows, since the vectors of neighbours are stored together.
func shortFirst(pages []store.StalePage) (rows []int64, bytes map[int64]int64, sum int64) {
	ordered := slices.Clone(pages)
	slices.SortStableFunc(ordered, func(a, b store.StalePage) int {
		return cmp.Or(cmp.Compare(bits.Len64(uint64(a.Bytes)), bits.Len64(uint64(b.Bytes))), cmp.Compare(a.Row, b.Row))
	})
	rows, bytes = make([]int64, len(ordered)), make(map[int64]int64, len(ordered))
	for i, p := range ordered {
		rows[i], bytes[p.Row] = p.Row, p.Bytes
		sum += p.Bytes
	}
	return rows, bytes, sum
}
