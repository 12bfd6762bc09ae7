package lexical

import (
	"math/bits"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// phrase iterates over the documents of a segment in which words fill all slots of a leaf in
// one place of a field. It reads positions only of documents with all the words.
type phrase struct {
	q     *searcher
	s     *segment
	l     *leaf
	all   iterator   // documents with all words
	words []slotWord // words for the slots, once for equal slots
	order []slotAt   // slots, those of the rarest words first

	ord    uint32
	begun  bool
	fields FieldSet
	weight float32
	begins []uint32 // kept for reuse
	looked int      // number of documents checked
}

// slotWord holds the words that fill a slot.
type slotWord struct {
	*words
	fresh     bool // fields and counts are those of the current document
	fields    FieldSet
	counts    []counts
	positions []uint32 // in one field of one document
}

// slotAt is a slot of a phrase.
type slotAt struct {
	word   int // index of its word
	offset uint32
}

// manyForms is the number of words for a slot above which their documents are collected
// first, since each word would be looked up for each document.
const manyForms = 8

func (q *searcher) phrase(s *segment, l *leaf) *phrase {
	p := &phrase{q: q, s: s, l: l}
	number := map[slotKey]int{}
	var all []iterator
	for _, of := range l.slots {
		key := slotKey{of.How, of.Term}
		if n, ok := number[key]; ok {
			p.order = append(p.order, slotAt{n, uint32(of.Offset)})
			continue
		}
		number[key] = len(p.words)
		p.order = append(p.order, slotAt{len(p.words), uint32(of.Offset)})
		forms := q.forms(s, of)
		w := q.words(s, forms, inAny)
		p.words = append(p.words, slotWord{words: w, counts: make([]counts, len(forms))})
		if len(forms) > manyForms {
			all = append(all, &members{set: q.union(s, forms)})
		} else {
			all = append(all, w)
		}
		if len(forms) == 0 || q.err != nil {
			p.all = &members{}
			return p
		}
	}
	slices.SortStableFunc(p.order, func(a, b slotAt) int { return p.words[a.word].size() - p.words[b.word].size() })
	p.all = newEach(all)
	return p
}

// slotKey identifies the terms that a slot matches.
type slotKey struct {
	how  analysis.How
	term string
}

// union returns the documents of a segment with any of some words.
func (q *searcher) union(s *segment, forms []form) bitmap {
	set := newBitmap(s.docs)
	for _, f := range forms {
		c := q.cursor(s, f)
		for c.next(); c.ord != noMore; c.next() {
			set.set(c.ord)
		}
	}
	return set
}

func (p *phrase) at() uint32 { return p.ord }
func (p *phrase) size() int  { return p.all.size() }

func (p *phrase) seek(ord uint32) {
	if p.begun && p.ord >= ord {
		return
	}
	p.begun = true
	for {
		p.all.seek(ord)
		if p.ord = p.all.at(); p.ord == noMore || p.stopped() {
			return
		}
		if p.s.isLive(p.ord) && p.match() {
			return
		}
		ord = p.ord + 1
	}
}

// ctxEvery is the number of documents between checks of the context.
const ctxEvery = 128

// stopped checks the context at intervals.
func (p *phrase) stopped() bool {
	if p.looked++; p.looked%ctxEvery == 0 && p.q.ctx.Err() != nil {
		p.q.fail(p.q.ctx.Err())
	}
	if p.q.err != nil {
		p.ord = noMore
	}
	return p.q.err != nil
}

// match counts the phrase in the current document.
func (p *phrase) match() bool {
	for i := range p.words {
		p.words[i].fresh = false
	}
	first := &p.words[p.order[0].word]
	var frequencies [fieldCount]uint32
	p.fields = 0
	for n, rest := 0, uint16(p.l.fields&p.in(first)); rest != 0; rest &= rest - 1 {
		f := Field(bits.TrailingZeros16(rest))
		if count := p.count(f); count > 0 {
			p.fields |= 1 << f
			frequencies[n] = uint32(count)
			n++
		}
	}
	p.weight = p.s.weigh(p.ord, p.fields, p.fields, frequencies[:])
	return p.fields != 0
}

// in returns the fields of the document that have any of a slot's words.
func (p *phrase) in(w *slotWord) FieldSet {
	if w.fresh {
		return w.fields
	}
	w.fresh, w.fields = true, 0
	w.seek(p.ord)
	for i, c := range w.of {
		w.counts[i].fields = 0
		if c.ord == p.ord && c.read(&w.counts[i]) {
			w.fields |= w.counts[i].fields
		}
	}
	return w.fields
}

// count returns the number of places in a field where all slots are filled. It starts from
// the positions of the rarest word and keeps those that fit the others.
func (p *phrase) count(f Field) int {
	loaded := uint64(0) // words with loaded positions, among the first 64
	var begins []uint32
	for i, slot := range p.order {
		w := &p.words[slot.word]
		if !p.in(w).Has(f) {
			return 0
		}
		if slot.word >= 64 || loaded>>slot.word&1 == 0 {
			p.load(w, f)
			loaded |= 1 << (slot.word & 63)
		}
		if i == 0 {
			begins = p.begins[:0]
			for _, at := range w.positions {
				if at >= slot.offset {
					begins = append(begins, at-slot.offset)
				}
			}
			p.begins = begins
		} else {
			begins = filled(begins, w.positions, slot.offset)
		}
		if len(begins) == 0 {
			return 0
		}
	}
	return len(begins)
}

// filled keeps those of ascending places that have a word at the offset after them.
func filled(begins, positions []uint32, offset uint32) []uint32 {
	kept, j := begins[:0], 0
	for _, begin := range begins {
		for j < len(positions) && positions[j] < begin+offset {
			j++
		}
		if j == len(positions) {
			break
		}
		if positions[j] == begin+offset {
			kept = append(kept, begin)
		}
	}
	return kept
}

// load reads the positions of a slot's words in a field of the document.
func (p *phrase) load(w *slotWord, f Field) {
	w.positions = w.positions[:0]
	for i, c := range w.of {
		if n := &w.counts[i]; c.ord == p.ord && n.fields.Has(f) {
			w.positions = c.positionsIn(n, f, w.positions)
		}
	}
	if len(w.of) > 1 {
		slices.Sort(w.positions)
		w.positions = slices.Compact(w.positions)
	}
}
