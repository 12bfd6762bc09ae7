package lexical

import (
	"context"
	"maps"
	"math/rand/v2"
	"testing"
)

// TestSums: the sums of an index that changed at random, in many segments or
// one, are those of its documents; and any change of a document changes its sum.
func TestSums(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(7, 7))
	x, m := New(1<<20), newMemory()
	now := map[int64]Document{}
	for range 60 {
		b := NewBatch()
		for range 1 + rnd.IntN(20) {
			d := randomDocument(rnd, rnd.Int64N(200))
			if rnd.IntN(5) == 0 {
				b.Delete(d.ID)
				delete(now, d.ID)
				continue
			}
			b.Put(d)
			now[d.ID] = d
		}
		if err := x.Apply(ctx, m, b); err != nil {
			t.Fatal(err)
		}
	}
	all := NewBatch()
	for _, d := range now {
		all.Put(d)
	}
	want := all.Sums()
	same := func(when string) {
		t.Helper()
		got, err := x.Sums(ctx, m)
		if err != nil || !maps.Equal(got, want) || len(got) < 50 {
			t.Errorf("%s: %v: %d sums, %d wanted", when, err, len(got), len(want))
		}
	}
	same("in segments")
	if err := x.Merge(ctx, m); err != nil {
		t.Fatal(err)
	}
	same("merged")

	one := func(texts ...Text) uint64 {
		b := NewBatch()
		b.Put(Document{ID: 1, Texts: texts})
		return b.Sums()[1]
	}
	seen := map[uint64]string{}
	for name, sum := range map[string]uint64{
		"nothing": one(), "a word": one(Text{Truth, "stone"}), "another": one(Text{Truth, "cairn"}),
		"in another field": one(Text{Title, "stone"}), "twice": one(Text{Truth, "stone stone"}),
		"two words": one(Text{Truth, "stone cairn"}), "in another order": one(Text{Truth, "cairn stone"}),
		"two values": one(Text{Truth, "stone"}, Text{Truth, "cairn"}),
	} {
		if other, ok := seen[sum]; ok {
			t.Errorf("%s and %s have the same sum", name, other)
		}
		seen[sum] = name
	}
}
