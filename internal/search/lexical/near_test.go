package lexical

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/test/slowtest"
)

// near counts what is close in documents by the definition, without an index.
func (n *naive) near(question []string, among []int64) []Close {
	var a analysis.Analyzer
	var slots []analysis.Slot
	for _, w := range question {
		slots = append(slots, a.Pattern(w, analysis.Inflected, analysis.Inflected)...)
	}
	var average [fieldCount]float64
	for _, d := range n.docs {
		for f, l := range d.lengths {
			average[f] += float64(l) / float64(len(n.docs))
		}
	}
	has := func(d *naiveDoc, f, position int, slot analysis.Slot) bool {
		return slices.ContainsFunc(d.fields[f][position], func(w string) bool { return fills(w, slot) > 0 })
	}
	holding := func(slot analysis.Slot) (docs float64) {
		for _, d := range n.docs {
			if n.holds(d, &leaf{slots: []analysis.Slot{slot}, fields: ^FieldSet(0)}) {
				docs++
			}
		}
		return docs
	}
	var out []Close
	for id, d := range n.docs {
		if !slices.Contains(among, id) {
			continue
		}
		c := Close{ID: id}
		done := map[[2]string]bool{}
		for i := 1; i < len(slots); i++ {
			first, second := slots[i-1], slots[i]
			stems := [2]string{stem(first.Term), stem(second.Term)}
			if stems[0] == stems[1] || done[stems] {
				continue
			}
			done[stems] = true
			weighted := 0.0
			for f, positions := range d.fields {
				for p := range positions {
					close := false
					for o := p - 4; o <= p+4; o++ {
						close = close || o != p && has(d, f, o, first)
					}
					if close && has(d, f, p, second) {
						b := fieldNorms[f]
						weighted += fieldWeights[f] / (1 - b + b*float64(d.lengths[f])/average[f])
					}
				}
			}
			if weighted == 0 {
				continue
			}
			docs := float64(len(n.docs))
			df := max(holding(first), holding(second))
			c.Score += math.Log(1+(docs-df+0.5)/(df+0.5)) * weighted * (saturation + 1) / (weighted + saturation)
			c.Pairs = append(c.Pairs, [2]string{first.Term, second.Term})
		}
		if c.Pairs != nil {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b Close) int { return int(a.ID - b.ID) })
	return out
}

// nearOptions compare the words of a pair by their stems: of words with one
// stem the index names the first.
var nearOptions = cmp.Options{
	cmpopts.EquateApprox(1e-5, 0), cmpopts.EquateEmpty(),
	cmp.Transformer("stem", func(p [2]string) string { return stem(p[0]) + " " + stem(p[1]) }),
}

// TestNearAgainstDefinition changes an index at random and compares what is close
// in it with a count over the documents.
func TestNearAgainstDefinition(t *testing.T) {
	t.Parallel()
	slowtest.NoRace(t, "one thing after the other, many times")
	ctx := context.Background()
	found := 0
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		store, x := newMemory(), New(1<<20)
		truth := &naive{docs: make(map[int64]*naiveDoc)}
		for range 25 {
			b := NewBatch()
			for range 1 + rnd.IntN(40) {
				id := rnd.Int64N(400) // some words have several blocks of postings
				if rnd.IntN(6) == 0 {
					b.Delete(id)
					delete(truth.docs, id)
					continue
				}
				d := randomDocument(rnd, id)
				b.Put(d)
				truth.docs[id] = analyse(d)
			}
			if err := x.Apply(ctx, store, b); err != nil {
				t.Fatal(err)
			}
			var question []string
			for range rnd.IntN(7) {
				question = append(question, vocabulary[rnd.IntN(len(vocabulary))])
			}
			var among []int64
			for range rnd.IntN(60) {
				among = append(among, rnd.Int64N(400))
			}
			got, err := x.Near(ctx, store, question, among)
			if err != nil {
				t.Fatal(err)
			}
			want := truth.near(question, among)
			if diff := cmp.Diff(want, got, nearOptions); diff != "" {
				t.Fatalf("seed %d, %q (-want +got):\n%s", seed, question, diff)
			}
			found += len(want)
		}
	}
	if found < 100 {
		t.Fatalf("%d documents: nothing was tested", found)
	}
}

// TestMeetings: words are close in either order, but not where they are one.
func TestMeetings(t *testing.T) {
	t.Parallel()
	at := func(positions ...spot) []spot { return positions }
	field := spot(1) << spotPlace
	for _, c := range []struct{ first, second, want []spot }{
		{at(10), at(5, 6, 10, 14, 15), at(6, 14)},
		{at(10, 12), at(10, 11, 12), at(10, 11, 12)},
		{at(maxPosition, field+2), at(field), at(field)},
		{at(maxPosition), at(field), nil},
		{nil, at(1), nil},
		{at(1, 9), at(2, 3, 4, 20), at(2, 3, 4)},
	} {
		var got []spot
		eachMeeting(c.first, c.second, func(s spot) { got = append(got, s) })
		if !slices.Equal(got, c.want) {
			t.Errorf("%v and %v meet at %v, want %v", c.first, c.second, got, c.want)
		}
	}
}
