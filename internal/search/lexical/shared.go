package lexical

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// PhraseIn reports whether at least n documents have an exact phrase, as Search
// finds it. For frequent words it first tries the first documents that have
// them all. Then it reads the postings of the phrase's rarest words first, and
// stops once fewer than n documents have them.
func (x *Index) PhraseIn(ctx context.Context, r Reader, phrase string, n int) (bool, error) {
	var analyzer analysis.Analyzer
	slots := analyzer.Pattern(phrase, analysis.Exactly, analysis.Exactly)
	if len(slots) == 0 || n <= 0 {
		return n <= 0, nil
	}
	q, err := x.searcher(ctx, r)
	if err != nil {
		return false, err
	}
	defer x.scratch.Put(q.scratch)
	if len(q.segments) == 0 {
		return false, nil
	}
	l := &leaf{slots: slots, fields: inAny}
	largest := slices.MaxFunc(q.segments, func(a, b *segment) int { return a.docs - b.docs })
	order, docs := q.rarestFirst(largest, slots)
	if docs > manyDocuments && q.phrase(largest, l).among(manyDocuments, n) {
		return true, q.err
	}
	sets := make([][]uint32, len(q.segments))
	left := 0
	for i, slot := range order {
		left = 0
		for j, s := range q.segments {
			if i == 0 {
				sets[j] = q.live(s, q.forms(s, slot))
			} else if len(sets[j]) > 0 {
				sets[j] = q.keep(s, q.forms(s, slot), sets[j])
			}
			left += len(sets[j])
		}
		if left < n || q.err != nil {
			return false, q.err
		}
	}
	found := 0
	for i, s := range q.segments {
		if len(sets[i]) == 0 {
			continue
		}
		p := q.phrase(s, l)
		for _, p.ord = range sets[i] {
			if p.stopped() {
				return false, q.err
			}
			if p.match() {
				found++
			} else {
				left--
			}
			if found >= n || left < n {
				return found >= n, q.err
			}
		}
	}
	return false, q.err
}

// manyDocuments is how many documents have all words of a phrase that are tried before
// all that have its rarest words are gathered.
const manyDocuments = 1000

// among reports whether n of the first documents that have all words have the phrase.
func (p *phrase) among(first, n int) bool {
	found := 0
	for p.all.seek(0); p.all.at() != noMore && first > 0 && found < n; p.all.seek(p.ord + 1) {
		if p.ord = p.all.at(); p.stopped() {
			return false
		}
		first--
		if p.s.isLive(p.ord) && p.match() {
			found++
		}
	}
	return found >= n
}

// rarestFirst returns the distinct slots in the order of their number of
// documents in a segment, and the number of the first: a search for the rarest
// words first needs few others.
func (q *searcher) rarestFirst(largest *segment, slots []analysis.Slot) ([]analysis.Slot, int) {
	var distinct []analysis.Slot
	docs := map[slotKey]int{}
	for _, slot := range slots {
		key := slotKey{slot.How, slot.Term}
		if _, ok := docs[key]; ok {
			continue
		}
		docs[key] = 0
		for _, f := range q.forms(largest, slot) {
			docs[key] += f.docs
		}
		distinct = append(distinct, slot)
	}
	slices.SortStableFunc(distinct, func(a, b analysis.Slot) int {
		return docs[slotKey{a.How, a.Term}] - docs[slotKey{b.How, b.Term}]
	})
	return distinct, docs[slotKey{distinct[0].How, distinct[0].Term}]
}

// live returns the live documents that have one of some words.
func (q *searcher) live(s *segment, forms []form) []uint32 {
	var ords []uint32
	w := q.words(s, forms, inAny)
	for w.seek(0); w.ord != noMore; w.seek(w.ord + 1) {
		if s.isLive(w.ord) {
			ords = append(ords, w.ord)
		}
	}
	return ords
}

// keep returns those of some documents that have one of some words.
func (q *searcher) keep(s *segment, forms []form, ords []uint32) []uint32 {
	w := q.words(s, forms, inAny)
	return slices.DeleteFunc(ords, func(ord uint32) bool {
		w.seek(ord)
		return w.ord != ord
	})
}
