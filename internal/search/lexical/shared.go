package lexical

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// PhraseIn reports whether at least n documents have a phrase as it stands, as
// Search finds it. It reads the postings of the phrase's rarest words first, and no
// more once fewer than n documents have them all.
func (x *Index) PhraseIn(ctx context.Context, r Reader, phrase string, n int) (bool, error) {
	var analyzer analysis.Analyzer
	slots := analyzer.Pattern(phrase, analysis.Exactly, analysis.Exactly)
	if len(slots) == 0 {
		return n <= 0, nil
	}
	q, _, err := x.searcher(ctx, r)
	if err != nil {
		return false, err
	}
	defer x.scratch.Put(q.scratch)
	words, err := q.rarestFirst(ctx, slots)
	if err != nil {
		return false, err
	}
	sets := make([]bitmap, len(q.segments))
	for i, s := range q.segments {
		sets[i] = everyLive(s)
	}
	for _, w := range words {
		if w.docs < n {
			return false, nil
		}
		left := 0
		for i, s := range q.segments {
			if err := q.keep(ctx, s, w.forms[i], sets[i]); err != nil {
				return false, err
			}
			left += sets[i].count()
		}
		if left < n {
			return false, nil
		}
	}
	ids := new(IDs)
	for i, s := range q.segments {
		sets[i].each(func(ord uint32) { ids.Add(s.ids[ord]) })
	}
	found, err := x.Search(ctx, r, &query.Phrase{Text: phrase}, Options{Allowed: ids})
	return err == nil && found.Total >= n, err
}

// slotWords are the words that fill a slot.
type slotWords struct {
	docs  int      // that have them at most
	forms [][]form // by segment
}

// rarestFirst returns the words of each slot, those of equal ones once, by the
// number of documents that have them.
func (q *searcher) rarestFirst(ctx context.Context, slots []analysis.Slot) ([]slotWords, error) {
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
			var err error
			if w.forms[i], err = q.lookUpForms(ctx, s, slot); err != nil {
				return nil, err
			}
			for _, f := range w.forms[i] {
				w.docs += f.docs
			}
		}
		words = append(words, w)
	}
	slices.SortStableFunc(words, func(a, b slotWords) int { return a.docs - b.docs })
	return words, nil
}

// keep takes the documents that have none of some words out of a set.
func (q *searcher) keep(ctx context.Context, s *segment, forms []form, set bitmap) error {
	one := newBitmap(s.docs)
	for i := range forms {
		p, err := q.x.postingsOf(ctx, q.r, s.table, &forms[i].entry)
		if err != nil {
			return err
		}
		for p.advance() {
			one.set(p.ord)
		}
		if err := p.err(); err != nil {
			return err
		}
	}
	for i := range set {
		set[i] &= one[i]
	}
	return nil
}
