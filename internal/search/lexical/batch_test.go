package lexical

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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

// The occurrences of long documents are packed on the way, and written as those of others.
func TestPackedDocumentsAreWrittenAsOthers(t *testing.T) {
	t.Parallel()
	const n = 30
	var got [2]*memory
	var sums [2]map[int64]uint64
	for i, at := range []int{packAt, 7} {
		rnd := rand.New(rand.NewPCG(3, 3))
		b := NewBatch()
		b.packAt = at
		for id := range int64(n) {
			b.Put(randomDocument(rnd, id))
		}
		b.Put(randomDocument(rnd, 3)) // again
		sums[i] = b.Sums()
		b.Invert()
		rows := make([]int64, n)
		for id := range rows {
			rows[id] = int64(1000 - 7*id)
		}
		rows[9] = 0
		b.Renumber(rows)
		b.Delete(1000)
		if packed := b.long > 0; packed != (at < packAt) {
			t.Errorf("packed from %d occurrences on: %v", at, packed)
		}
		got[i] = newMemory()
		if err := New(1<<20).Apply(t.Context(), got[i], b); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(got[0].segments, got[1].segments); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(got[0].pages, got[1].pages); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(sums[0], sums[1]); diff != "" {
		t.Errorf("the sums of packed documents: %s", diff)
	}
}

// A value that comes in parts is that value.
func TestLongText(t *testing.T) {
	t.Parallel()
	parts := []string{"one .net ", "C++ two\n", "'s three's ", "漢字かな ", "naïve\n", "end"}
	whole, long := NewBatch(), NewBatch()
	whole.Put(Document{ID: 1, Texts: []Text{{Truth, "first"}, {Truth, strings.Join(parts, "")}}})
	long.Put(Document{ID: 1, Texts: []Text{{Truth, "first"}}, Long: []LongText{{Truth, slices.Values(parts)}}})
	if !slices.Equal(whole.occurrences, long.occurrences) || !slices.Equal(whole.terms.words, long.terms.words) || !slices.Equal(whole.docs, long.docs) {
		t.Errorf("%v is not %v", long.occurrences, whole.occurrences)
	}
}

// A batch holds few words of a long document, however many it has: the rest is packed.
func TestPackedWordsAreNotKept(t *testing.T) {
	t.Parallel()
	b := NewBatch()
	b.packAt = 1000
	b.Put(Document{ID: 1, Texts: []Text{{Truth, "short and other words"}}})
	numbers := func(yield func(string) bool) {
		for i := range 50_000 {
			if !yield(fmt.Sprintf("n%d ", i)) {
				return
			}
		}
	}
	b.Put(Document{ID: 2, Long: []LongText{{Truth, numbers}}})
	if n := len(b.terms.words); n > 1010 {
		t.Errorf("%d words", n)
	}
}
