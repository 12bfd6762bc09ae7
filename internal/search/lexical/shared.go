package lexical

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// PhraseIn reports whether at least n documents have a phrase as it stands, as
// Search finds it. It reads the postings of the phrase's rarest words first, and no
// more once fewer than n documents have them all.
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
	sets := make([][]uint32, len(q.segments))
	for i, w := range q.rarestFirst(slots) {
		if w.docs < n {
			return false, q.err
		}
		left := 0
		for j, s := range q.segments {
			if i == 0 {
				sets[j] = q.live(s, w.forms[j])
			} else if len(sets[j]) > 0 {
				sets[j] = q.keep(s, w.forms[j], sets[j])
			}
			left += len(sets[j])
		}
		if left < n || q.err != nil {
			return false, q.err
		}
	}
	l, found := &leaf{slots: slots, fields: inAny}, 0
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
				if found++; found >= n {
					return true, q.err
				}
			}
		}
	}
	return false, q.err
}

// slotWords are the words that fill a slot.
type slotWords struct {
	docs  int      // that have them at most
	forms [][]form // by segment
}

// rarestFirst returns the words of each slot, those of equal ones once, by the
// number of documents that have them.
func (q *searcher) rarestFirst(slots []analysis.Slot) []slotWords {
	var words []slotWords
	seen := map[slotKey]bool{}
	for _, slot := range slots {
		key := slotKey{slot.How, slot.Term}
		if seen[key] {
			continue
		}
		seen[key] = true
		w := slotWords{forms: make([][]form, len(q.segments))}
		for i, s := range q.segments {
			w.forms[i] = q.forms(s, slot)
			for _, f := range w.forms[i] {
				w.docs += f.docs
			}
		}
		words = append(words, w)
	}
	slices.SortStableFunc(words, func(a, b slotWords) int { return a.docs - b.docs })
	return words
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
