package lexical

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A batch that was inverted before its documents had rows is written as any other,
// whichever rows they get.
func TestInvertBeforeRowsAreKnown(t *testing.T) {
	t.Parallel()
	const n = 20
	ascending := make([]int64, n)
	for i := range ascending {
		ascending[i] = int64(100 + 3*i)
	}
	descending := slices.Clone(ascending)
	slices.Reverse(descending)
	someLeftOut := slices.Clone(ascending)
	someLeftOut[4], someLeftOut[n-1] = 0, 0
	for name, rows := range map[string][]int64{
		"in order": ascending, "another order": descending, "some left out": someLeftOut, "all left out": make([]int64, n),
	} {
		for _, deleted := range []int64{0, 103, 5000} {
			var got [2]*memory
			for i, early := range []bool{false, true} {
				rnd := rand.New(rand.NewPCG(1, 1))
				b := NewBatch()
				for id := range int64(n) {
					b.Put(randomDocument(rnd, id))
				}
				if early {
					b.Invert()
				}
				b.Renumber(rows)
				if deleted != 0 {
					b.Delete(deleted)
				}
				got[i] = newMemory()
				if err := New(1<<20).Apply(t.Context(), got[i], b); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(got[0].segments, got[1].segments); diff != "" {
				t.Errorf("%s, %d deleted: %s", name, deleted, diff)
			}
			if diff := cmp.Diff(got[0].pages, got[1].pages); diff != "" {
				t.Errorf("%s, %d deleted: %s", name, deleted, diff)
			}
			if empty := len(got[0].segments) == 0; empty != (rows[0] == 0) {
				t.Errorf("%s: %d segments", name, len(got[0].segments))
			}
		}
	}
}
