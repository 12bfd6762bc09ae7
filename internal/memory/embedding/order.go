package embedding

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/cairn-kb/cairn/internal/store"
)

// inOrder returns the rows of pages in embedding order, with the size of each in
// bytes and the total. Pages found by questions come first, beginning with the best
// results of the latest question, then pages that somebody pinned or changed. The
// rest is sorted by length, short pages first, so that most of a memory is embedded
// soon. Pages of similar size, within a factor of two, stay in row order, since the
// vectors of neighbours are stored together.
func inOrder(pages []store.StalePage, wanted, pinned []int64) (rows []int64, bytes map[int64]int64, sum int64) {
	rank := make(map[int64]int, len(wanted)+len(pinned))
	for _, row := range pinned {
		rank[row] = len(wanted)
	}
	for i, row := range wanted {
		rank[row] = i
	}
	of := func(p store.StalePage) int {
		if n, ok := rank[p.Row]; ok {
			return n
		}
		if p.Changed {
			return len(wanted) + 1
		}
		return len(wanted) + 2
	}
	ordered := slices.Clone(pages)
	slices.SortStableFunc(ordered, func(a, b store.StalePage) int {
		return cmp.Or(cmp.Compare(of(a), of(b)), cmp.Compare(bits.Len64(uint64(a.Bytes)), bits.Len64(uint64(b.Bytes))), cmp.Compare(a.Row, b.Row))
	})
	rows, bytes = make([]int64, len(ordered)), make(map[int64]int64, len(ordered))
	for i, p := range ordered {
		rows[i], bytes[p.Row] = p.Row, p.Bytes
		sum += p.Bytes
	}
	return rows, bytes, sum
}

// maxWanted limits the list of pages found by questions.
const maxWanted = 256

// Want records that a query found these pages, best first. Those without vectors
// are embedded next.
func (s *State) Want(rows []int64) {
	s.wantMu.Lock()
	defer s.wantMu.Unlock()
	all := slices.Clone(rows)
	for _, row := range s.wanted {
		if !slices.Contains(rows, row) {
			all = append(all, row)
		}
	}
	s.wanted = all[:min(len(all), maxWanted)]
}

// wants returns the pages found by questions, the latest question's first.
func (s *State) wants() []int64 {
	s.wantMu.Lock()
	defer s.wantMu.Unlock()
	return slices.Clone(s.wanted)
}
