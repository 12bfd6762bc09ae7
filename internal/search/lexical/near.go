package lexical

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/analysis"
	"github.com/cairn-kb/cairn/internal/search/rank"
)

// reach is the maximum distance of two close words, in positions. Measured values from 2 to
// 8 differ only by noise; 4 is the best (docs/benchmarks.md).
const reach = 4

// Close is a document with adjacent words of a question close together.
type Close struct {
	ID    int64
	Score float64     // greater than 0; on the scale of Hit.Score
	Pairs [][2]string // the close terms, in the order of the question
}

// Near finds which of some documents have words that follow each other in a question close
// together: in either order and any inflection, with at most three words between them. Each
// such pair counts like a word of the query in Search, with the inverse document frequency
// of the more frequent of its two words, so that a document's Score may be added to that of
// its Hit. Documents without a pair are left out; the others are ordered by ID.
//
// This is the sequential dependence of Metzler and Croft ("A Markov Random Field Model for
// Term Dependencies", 2005). Postings and positions are read for these documents only.
func (x *Index) Near(ctx context.Context, r Reader, words []string, among []int64) ([]Close, error) {
	pairs := pairsOf(words)
	if len(pairs) == 0 || len(among) == 0 {
		return nil, nil
	}
	q, err := x.searcher(ctx, r)
	if err != nil {
		return nil, err
	}
	defer x.scratch.Put(q.scratch)
	var all []meeting
	for _, s := range q.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		all = append(all, q.meetings(s, pairs, s.ordinals(among))...)
	}
	if q.err != nil {
		return nil, q.err
	}
	return closeOf(all, pairs, q.docs), nil
}

// pair is two words that follow each other in a question.
type pair struct{ first, second *nearWord }

// nearWord is a word of a question, or several with the same stem.
type nearWord struct {
	slot  analysis.Slot
	found int    // number of live documents, after all segments were read
	spots []spot // in the documents of one segment, ascending
}

// pairsOf returns the distinct pairs of words that follow each other.
func pairsOf(words []string) []pair {
	var analyzer analysis.Analyzer
	known := map[string]*nearWord{}
	var last *nearWord
	var pairs []pair
	for _, word := range words {
		for _, slot := range analyzer.Pattern(word, analysis.Inflected, analysis.Inflected) {
			stem := string(analysis.Stem(nil, []byte(slot.Term)))
			w := known[stem]
			if w == nil {
				w = &nearWord{slot: slot}
				known[stem] = w
			}
			if p := (pair{last, w}); last != nil && last != w && !slices.Contains(pairs, p) {
				pairs = append(pairs, p)
			}
			last = w
		}
	}
	return pairs
}

// ordinals returns the ordinals of the documents with these ids that are live and in the
// segment, ascending.
func (s *segment) ordinals(ids []int64) []uint32 {
	var ords []uint32
	for _, id := range ids {
		if ord, ok := s.ordinal(id); ok && s.isLive(ord) {
			ords = append(ords, ord)
		}
	}
	slices.Sort(ords)
	return slices.Compact(ords)
}

// meeting is a document with a pair, and its weight.
type meeting struct {
	id        int64
	pair      int
	frequency float32 // weighted, normalised
}

// meetings counts pairs in the documents of a segment with these ordinals.
func (q *searcher) meetings(s *segment, pairs []pair, ords []uint32) []meeting {
	read := map[*nearWord]bool{}
	var met []meeting
	for i, p := range pairs {
		for _, w := range []*nearWord{p.first, p.second} {
			if read[w] {
				continue
			}
			read[w] = true
			q.locate(s, w, ords)
		}
		eachMeeting(p.first.spots, p.second.spots, func(at spot) {
			ord := ords[at.doc()]
			if n := len(met); n == 0 || met[n-1].id != s.ids[ord] || met[n-1].pair != i {
				met = append(met, meeting{id: s.ids[ord], pair: i})
			}
			met[len(met)-1].frequency += s.weigh(ord, 1<<at.field(), 1<<at.field(), []uint32{1})
		})
	}
	return met
}

// eachMeeting calls f for each spot of second that is close to a spot of first.
func eachMeeting(first, second []spot, f func(spot)) {
	i := 0
	for _, at := range second {
		for i < len(first) && first[i]+reach < at {
			i++
		}
		near := i
		if near < len(first) && first[near] == at { // the words overlap, such as notepad and notepad++
			near++
		}
		if near < len(first) && first[near] <= at+reach {
			f(at)
		}
	}
}

// closeOf summarises the meetings.
func closeOf(met []meeting, pairs []pair, docs int) []Close {
	slices.SortFunc(met, func(a, b meeting) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.pair, b.pair))
	})
	var out []Close
	for _, m := range met {
		if n := len(out); n == 0 || out[n-1].ID != m.id {
			out = append(out, Close{ID: m.id})
		}
		p, c := pairs[m.pair], &out[len(out)-1]
		c.Score += rank.Rarity(docs, max(p.first.found, p.second.found)) * saturated(m.frequency)
		c.Pairs = append(c.Pairs, [2]string{p.first.slot.Term, p.second.slot.Term})
	}
	return out
}

// spot is the position of a word: the index of the document among those examined, the field
// and the position, from the upper to the lower bits.
type spot uint64

const (
	spotPlace = 29 // bits of the position, one more than it needs: fields are further apart than reach
	fieldBits = 4
	spotDoc   = spotPlace + fieldBits
)

func (p spot) doc() int     { return int(p >> spotDoc) }
func (p spot) field() Field { return Field(p >> spotPlace & (1<<fieldBits - 1)) }

// locate finds the spots of a word in the documents with these ordinals, and counts all live
// documents that have it.
func (q *searcher) locate(s *segment, w *nearWord, ords []uint32) {
	forms := q.forms(s, w.slot)
	if w.slot.How >= analysis.Beginning {
		set := q.union(s, forms)
		for i, gone := range s.deleted {
			set[i] &^= gone
		}
		w.found += set.count()
	} else {
		w.found += q.having(s, forms)
	}
	w.spots = w.spots[:0]
	for _, f := range forms {
		w.spots = q.spots(q.cursor(s, f), ords, w.spots)
	}
	if len(forms) > 1 {
		slices.Sort(w.spots)
	}
}

// spots appends the positions of a word in the documents with these ordinals.
func (q *searcher) spots(c *cursor, ords []uint32, dst []spot) []spot {
	var n counts
	var at []uint32
	for doc, ord := range ords {
		if c.seek(ord); c.ord != ord || !c.read(&n) {
			continue
		}
		for rest := uint16(n.fields); rest != 0; rest &= rest - 1 {
			f := Field(bits.TrailingZeros16(rest))
			at = c.positionsIn(&n, f, at[:0])
			for _, position := range at {
				dst = append(dst, spot(doc)<<spotDoc|spot(f)<<spotPlace|spot(position))
			}
		}
	}
	return dst
}
