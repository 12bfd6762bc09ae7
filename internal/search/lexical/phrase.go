package lexical

import (
	"math/bits"
	"slices"
	"sort"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// phrase goes through the documents of a segment in which words fill all slots of a
// leaf in one place of a field. It reads the positions of those alone that have all
// the words.
type phrase struct {
	q     *searcher
	s     *segment
	l     *leaf
	all   iterator // documents with all words
	words []*words // those that fill slots, for equal slots once
	of    []int    // by slot: its words

	ord       uint32
	begun     bool
	fields    FieldSet
	weight    float32
	positions [][]uint32 // of words, in one field of one document
	looked    int        // documents looked at
}

// manyForms is how many words may fill a slot before their documents are gathered
// first: each would be asked for each document.
const manyForms = 8

func (q *searcher) phrase(s *segment, l *leaf) *phrase {
	p := &phrase{q: q, s: s, l: l, of: make([]int, len(l.slots))}
	number := map[slotKey]int{}
	var all []iterator
	for i, of := range l.slots {
		key := slotKey{of.How, of.Term}
		if n, ok := number[key]; ok {
			p.of[i] = n
			continue
		}
		number[key] = len(p.words)
		p.of[i] = len(p.words)
		forms := q.forms(s, of)
		w := q.words(s, forms, inAny)
		p.words = append(p.words, w)
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
	p.positions = make([][]uint32, len(p.words))
	p.all = newEach(all)
	return p
}

// slotKey is what a slot takes.
type slotKey struct {
	how  analysis.How
	term string
}

// union returns the documents of a segment that have one of some words.
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

// ctxEvery is how many documents are looked at between looks at the context.
const ctxEvery = 128

// stopped looks at the context now and then.
func (p *phrase) stopped() bool {
	if p.looked++; p.looked%ctxEvery == 0 && p.q.ctx.Err() != nil {
		p.q.fail(p.q.ctx.Err())
	}
	if p.q.err != nil {
		p.ord = noMore
	}
	return p.q.err != nil
}

// match counts the phrase in the document.
func (p *phrase) match() bool {
	fields := p.l.fields
	for _, w := range p.words {
		w.seek(p.ord)
		in := FieldSet(0)
		var n counts
		for _, c := range w.of {
			if c.ord == p.ord && c.read(&n) {
				in |= n.fields
			}
		}
		fields &= in
	}
	var frequencies [fieldCount]uint32
	p.fields = 0
	for n, rest := 0, uint16(fields); rest != 0; rest &= rest - 1 {
		f := Field(bits.TrailingZeros16(rest))
		p.load(f)
		if count := p.count(); count > 0 {
			p.fields |= 1 << f
			frequencies[n] = uint32(count)
			n++
		}
	}
	p.weight = p.s.weigh(p.ord, p.fields, p.fields, frequencies[:])
	return p.fields != 0
}

// load reads the positions of each slot's words in a field of the document.
func (p *phrase) load(f Field) {
	var n counts
	for i, w := range p.words {
		into := p.positions[i][:0]
		for _, c := range w.of {
			if c.ord == p.ord && c.read(&n) && n.fields.Has(f) {
				into = c.positionsIn(&n, f, into)
			}
		}
		if len(w.of) > 1 {
			slices.Sort(into)
			into = slices.Compact(into)
		}
		p.positions[i] = into
	}
}

// count returns at how many places the slots are filled.
func (p *phrase) count() int {
	rarest := 0
	for i, words := range p.of {
		if len(p.positions[words]) < len(p.positions[p.of[rarest]]) {
			rarest = i
		}
	}
	n := 0
	for _, position := range p.positions[p.of[rarest]] {
		begin := int(position) - p.l.slots[rarest].Offset
		filled := begin >= 0
		for i := 0; filled && i < len(p.of); i++ {
			want := uint32(begin + p.l.slots[i].Offset)
			at := p.positions[p.of[i]]
			j := sort.Search(len(at), func(j int) bool { return at[j] >= want })
			filled = j < len(at) && at[j] == want
		}
		if filled {
			n++
		}
	}
	return n
}
