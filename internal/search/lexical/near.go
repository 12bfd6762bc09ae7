package lexical

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// reach is how many positions two words that are close are apart at most. It was
// measured: from 2 to 8 gives the same within noise, 4 the most (docs/benchmarks.md).
const reach = 4

// Close is a document that has words of a question close together.
type Close struct {
	ID    int64
	Score float64     // greater than 0; on the scale of Hit.Score
	Pairs [][2]string // the terms that are close, in the order of the question
}

// Near finds which of some documents have words close together that follow each
// other in a question: in either order and any inflection, at most three words
// between them. Each such pair counts as a word of the query does in Search, with
// the inverse document frequency of the more frequent of its two words, so that a
// document's Score may be added to that of its Hit. Documents without a pair are
// left out; the others come by ascending ID.
//
// This is the sequential dependence of Metzler and Croft ("A Markov Random Field
// Model for Term Dependencies", 2005). The work is that of a search for the
// words; positions are read for these documents alone.
func (x *Index) Near(ctx context.Context, r Reader, words []string, among []int64) ([]Close, error) {
	pairs := pairsOf(words)
	if len(pairs) == 0 || len(among) == 0 {
		return nil, nil
	}
	q, docs, err := x.searcher(ctx, r)
	if err != nil {
		return nil, err
	}
	defer x.scratch.Put(q.scratch)
	var all []meeting
	for _, s := range q.segments {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		met, err := q.meetings(ctx, s, pairs, s.ordinals(among))
		if err != nil {
			return nil, err
		}
		all = append(all, met...)
	}
	return closeOf(all, pairs, docs), nil
}

// pair are two words that follow each other in a question.
type pair struct{ first, second *nearWord }

// nearWord is a word of a question, or some with the same stem.
type nearWord struct {
	slot  analysis.Slot
	found int    // live documents, after all segments were read
	spots []spot // in the documents of one segment, ascending
}

// pairsOf returns the words that follow each other, each two of them once.
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

// ordinals returns the ordinals of those of some documents that are live and in
// the segment, ascending.
func (s *segment) ordinals(ids []int64) []uint32 {
	var ords []uint32
	for _, id := range ids {
		if ord, ok := s.ordinal(id); ok && s.isLive(ord) {
			ords = append(ords, ord)
		}
	}
	slices.Sort(ords)
	return ords
}

// meeting is how much a pair counts in a document.
type meeting struct {
	id        int64
	pair      int
	frequency float32 // weighted, normalised
}

// meetings counts pairs in the documents of a segment with these ordinals.
func (q *searcher) meetings(ctx context.Context, s *segment, pairs []pair, ords []uint32) ([]meeting, error) {
	read := map[*nearWord]bool{}
	var met []meeting
	for i, p := range pairs {
		for _, w := range []*nearWord{p.first, p.second} {
			if read[w] {
				continue
			}
			read[w] = true
			if err := q.locateAmong(ctx, s, w, ords); err != nil {
				return nil, err
			}
		}
		eachMeeting(p.first.spots, p.second.spots, func(at spot) {
			ord := ords[at.doc()]
			if n := len(met); n == 0 || met[n-1].id != s.ids[ord] || met[n-1].pair != i {
				met = append(met, meeting{id: s.ids[ord], pair: i})
			}
			met[len(met)-1].frequency += q.weigh(s, ord, 1<<at.field(), 1<<at.field(), &[fieldCount]uint32{1})
		})
	}
	return met, nil
}

// eachMeeting calls f for each spot of second that is close to one of first.
func eachMeeting(first, second []spot, f func(spot)) {
	i := 0
	for _, at := range second {
		for i < len(first) && first[i]+reach < at {
			i++
		}
		near := i
		if near < len(first) && first[near] == at { // as notepad and notepad++ may be
			near++
		}
		if near < len(first) && first[near] <= at+reach {
			f(at)
		}
	}
}

// closeOf adds up what was met.
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
		c.Score += rarity(docs, max(p.first.found, p.second.found)) * saturated(m.frequency)
		c.Pairs = append(c.Pairs, [2]string{p.first.slot.Term, p.second.slot.Term})
	}
	return out
}

// spot is where a word stands: the number of the document among those that are
// looked at, the field and the position, from the upper bits to the lower.
type spot uint64

const (
	spotPlace = 29 // bits of the position, one more than it takes: fields are apart by more than reach
	fieldBits = 4
	spotDoc   = spotPlace + fieldBits
)

func (p spot) doc() int     { return int(p >> spotDoc) }
func (p spot) field() Field { return Field(p >> spotPlace & (1<<fieldBits - 1)) }

// locateAmong finds the spots of a word in the documents of a segment with these
// ordinals, and counts all live documents that have it.
func (q *searcher) locateAmong(ctx context.Context, s *segment, w *nearWord, ords []uint32) error {
	forms, err := q.forms(ctx, s, w.slot)
	if err != nil {
		return err
	}
	q.reserve(s.docs)
	seen := q.seen[:(s.docs+63)/64]
	defer clear(seen)
	w.spots = w.spots[:0]
	for i := range forms {
		if w.spots, err = q.spots(ctx, s, &forms[i], ords, w.spots); err != nil {
			return err
		}
	}
	if len(forms) > 1 {
		slices.Sort(w.spots)
	}
	for i, word := range seen {
		if s.deleted != nil {
			word &^= s.deleted[i]
		}
		w.found += bits.OnesCount64(word)
	}
	return nil
}

// spots appends where a word stands in the documents with these ordinals. It
// marks all documents that have it as seen.
func (q *searcher) spots(ctx context.Context, s *segment, w *form, ords []uint32, dst []spot) ([]spot, error) {
	p, err := q.x.postingsOf(ctx, q.r, s.table, &w.entry)
	if err != nil {
		return nil, err
	}
	var block []wanted
	begin, end := w.positions, w.positions+w.posSize
	before, next := 0, 0
	for p.advance() {
		if p.ended >= 0 {
			if p.ended > end-begin {
				return nil, damaged("postings")
			}
			if dst, err = q.readSpots(ctx, s, begin, p.ended, block, dst); err != nil {
				return nil, err
			}
			begin, before, block = begin+p.ended, 0, block[:0]
		}
		q.seen.set(p.ord)
		for next < len(ords) && ords[next] < p.ord {
			next++
		}
		if next < len(ords) && ords[next] == p.ord {
			block = append(block, wanted{next, before, p.fields, p.frequencies})
		}
		before += p.total
	}
	if err := p.err(); err != nil {
		return nil, err
	}
	return q.readSpots(ctx, s, begin, end-begin, block, dst)
}

// wanted is a posting whose positions are to be read.
type wanted struct {
	doc         int // its number among the documents that are looked at
	before      int // how many positions of the block come before its own
	fields      FieldSet
	frequencies [fieldCount]uint32
}

// readSpots appends the spots of the wanted postings of a block, whose positions
// stand from begin on.
func (q *searcher) readSpots(ctx context.Context, s *segment, begin, size int, block []wanted, dst []spot) ([]spot, error) {
	if len(block) == 0 {
		return dst, nil
	}
	b, err := q.x.section(ctx, q.r, s.table, streamPositions, begin, size)
	if err != nil {
		return nil, err
	}
	read := 0
	for _, w := range block {
		rest, ok := skipVarints(b, w.before-read)
		in := input{b: rest, bad: !ok}
		read = w.before
		for i, set := 0, uint16(w.fields); set != 0; i, set = i+1, set&(set-1) {
			field := spot(w.doc)<<spotDoc | spot(bits.TrailingZeros16(set))<<spotPlace
			position := 0
			for range w.frequencies[i] {
				position += in.below(maxPosition + 1 - position)
				if in.bad {
					return nil, damaged("positions")
				}
				dst = append(dst, field|spot(position))
			}
			read += int(w.frequencies[i])
		}
		b = in.left()
	}
	return dst, nil
}
