package lexical

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// PhraseIn reports whether at least n documents contain an exact phrase, as in Search. It
// looks up a few words at a time, the longest first, which are rare more often, and of these
// the rarest first. It stops once fewer than n documents have them. For frequent words it
// first checks the first documents that have all words.
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
	var sets [][]uint32 // documents in each segment; nil before the first word
	left := 0
	for some := range slices.Chunk(longestFirst(slots), wordsAtATime) {
		words := q.rarestFirst(some, n)
		if len(words) == 0 {
			return false, q.err
		}
		if sets == nil && words[0].docs > manyDocuments {
			largest := slices.MaxFunc(q.segments, func(a, b *segment) int { return a.docs - b.docs })
			if q.phrase(largest, l).among(manyDocuments, n) {
				return true, q.err
			}
		}
		for i, word := range words {
			first := sets == nil
			if first {
				sets = make([][]uint32, len(q.segments))
			}
			ahead := word.in(sets, first)
			if next := words[min(i+1, len(words)-1)]; first { // often there are documents with the rarest word
				for j, more := range next.in(sets, first) {
					ahead[j] = append(slices.Clip(ahead[j]), more...)
				}
			}
			if err := q.aheadPostings(ahead); err != nil {
				return false, err
			}
			left = 0
			for i, s := range q.segments {
				if first {
					sets[i] = q.live(s, word.forms[i])
				} else if len(sets[i]) > 0 {
					sets[i] = q.keep(s, word.forms[i], sets[i])
				}
				left += len(sets[i])
			}
			if left < n || q.err != nil {
				return false, q.err
			}
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

// manyDocuments is the number of documents with all words of a phrase that are checked
// before the documents with its rarest words are collected.
const manyDocuments = 1000

// among reports whether n of the first documents with all words contain the phrase.
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

// wordsAtATime is the number of words of a phrase that are looked up before documents are
// compared.
const wordsAtATime = 4

// longestFirst returns the distinct slots of a phrase, those with the longest words first.
func longestFirst(slots []analysis.Slot) []analysis.Slot {
	out := slices.Clone(slots)
	slices.SortFunc(out, func(a, b analysis.Slot) int {
		return cmp.Or(len(b.Term)-len(a.Term), cmp.Compare(a.Term, b.Term), cmp.Compare(a.How, b.How))
	})
	return slices.CompactFunc(out, func(a, b analysis.Slot) bool { return a.How == b.How && a.Term == b.Term })
}

// phraseWord is a word of a phrase.
type phraseWord struct {
	forms [][]form // in each segment
	docs  int      // documents that have it, including deleted ones
}

// in returns the forms of the word in segments that have remaining documents.
func (w *phraseWord) in(sets [][]uint32, all bool) [][]form {
	out := make([][]form, len(sets))
	for i := range sets {
		if all || len(sets[i]) > 0 {
			out[i] = w.forms[i]
		}
	}
	return out
}

// rarestFirst returns words ordered by their number of documents; none if one of them has
// fewer than n.
func (q *searcher) rarestFirst(slots []analysis.Slot, n int) []phraseWord {
	keys := make([][]byte, len(slots))
	for i, slot := range slots {
		keys[i] = []byte(slot.Term)
	}
	if err := q.aheadWords(keys); err != nil {
		q.fail(err)
		return nil
	}
	words := make([]phraseWord, 0, len(slots))
	for _, slot := range slots {
		word := phraseWord{forms: make([][]form, len(q.segments))}
		for i, s := range q.segments {
			word.forms[i] = q.forms(s, slot)
			for _, f := range word.forms[i] {
				word.docs += f.docs
			}
		}
		if word.docs < n || q.err != nil {
			return nil
		}
		words = append(words, word)
	}
	slices.SortStableFunc(words, func(a, b phraseWord) int { return a.docs - b.docs })
	return words
}

// live returns the live documents with any of some words.
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

// keep returns those of some documents that have any of some words.
func (q *searcher) keep(s *segment, forms []form, ords []uint32) []uint32 {
	w := q.words(s, forms, inAny)
	return slices.DeleteFunc(ords, func(ord uint32) bool {
		w.seek(ord)
		return w.ord != ord
	})
}
