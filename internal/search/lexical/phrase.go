package lexical

import (
	"context"
	"math/bits"
	"slices"
	"sort"
)

// located is a word's postings with what is needed to find the positions of
// each.
type located struct {
	entry
	ords   []uint32
	fields []FieldSet
	first  []int    // index in counts of each posting's frequencies
	counts []uint32 // frequencies by field
	blocks []int    // where the positions of each block begin
}

// reading is where reading a word's positions stands: in a block, before the
// field with this index in counts.
type reading struct {
	*located
	block int
	at    int
	rest  []byte
}

// locate reads the postings of a word, once for a query.
func (q *searcher) locate(ctx context.Context, s *segment, w *form) (*reading, error) {
	l := q.read.located[w.postings]
	if l == nil {
		var err error
		if l, err = q.readLocated(ctx, s, w); err != nil {
			return nil, err
		}
		q.read.located[w.postings] = l
	}
	return &reading{located: l, block: -1}, nil
}

func (q *searcher) readLocated(ctx context.Context, s *segment, w *form) (*located, error) {
	p, err := q.x.postingsOf(ctx, q.r, s.table, &w.entry)
	if err != nil {
		return nil, err
	}
	l := &located{entry: w.entry, blocks: []int{0}}
	for p.advance() {
		if p.ended >= 0 {
			begin := l.blocks[len(l.blocks)-1]
			if p.ended > w.posSize-begin {
				return nil, damaged("postings")
			}
			l.blocks = append(l.blocks, begin+p.ended)
		}
		l.ords = append(l.ords, p.ord)
		l.fields = append(l.fields, p.fields)
		l.first = append(l.first, len(l.counts))
		l.counts = append(l.counts, p.frequencies[:bits.OnesCount16(uint16(p.fields))]...)
	}
	l.blocks = append(l.blocks, w.posSize)
	return l, p.err()
}

// find returns the index of a document's posting.
func (l *located) find(ord uint32) (int, bool) { return slices.BinarySearch(l.ords, ord) }

// positionsIn appends the positions of posting i in field f, which it has, to
// dst. Postings and their fields must be asked for in ascending order.
func (q *searcher) positionsIn(ctx context.Context, s *segment, l *reading, i int, f Field, dst []uint32) ([]uint32, error) {
	if block := i / postingBlock; block != l.block {
		begin := l.blocks[block]
		b, err := q.x.section(ctx, q.r, s.table, streamPositions, l.positions+begin, l.blocks[block+1]-begin)
		if err != nil {
			return nil, err
		}
		l.block, l.at, l.rest = block, l.first[block*postingBlock], b
	}
	want := l.first[i] + bits.OnesCount16(uint16(l.fields[i])&(1<<f-1))
	skip := 0
	for ; l.at < want; l.at++ {
		skip += int(l.counts[l.at])
	}
	b, ok := skipVarints(l.rest, skip)
	in := input{b: b, bad: !ok}
	position := 0
	for range l.counts[want] {
		position += in.below(maxPosition + 1 - position)
		if in.bad {
			return nil, damaged("positions")
		}
		dst = append(dst, uint32(position))
	}
	l.at, l.rest = want+1, in.left()
	return dst, nil
}

// matchPhrase returns the live documents in which words fill all slots of a
// leaf in one place of a field.
func (q *searcher) matchPhrase(ctx context.Context, s *segment, l *leaf) (*matches, error) {
	p := &phraseMatch{q: q, s: s, l: l, of: make([]int, len(l.slots))}
	number := map[slotKey]int{}
	for i, of := range l.slots {
		key := slotKey{of.How, of.Term}
		if n, ok := number[key]; ok {
			p.of[i] = n
			continue
		}
		forms, err := q.forms(ctx, s, of)
		if err != nil || len(forms) == 0 {
			return new(matches), err
		}
		var words []*reading
		for j := range forms {
			w, err := q.locate(ctx, s, &forms[j])
			if err != nil {
				return nil, err
			}
			words = append(words, w)
		}
		number[key] = len(p.words)
		p.of[i] = len(p.words)
		p.words = append(p.words, words)
	}
	m := new(matches)
	for i, ord := range p.candidates() {
		if i%ctxEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		fields, weight, err := p.match(ctx, ord)
		if err != nil {
			return nil, err
		}
		if fields != 0 {
			m.add(ord, fields, weight)
		}
	}
	return m, nil
}

// phraseMatch looks for one phrase in one segment.
type phraseMatch struct {
	q         *searcher
	s         *segment
	l         *leaf
	words     [][]*reading // those that fill slots, for equal slots once
	of        []int        // by slot: its words
	positions [][]uint32   // of words, in one field of one document
}

// ctxEvery is how many documents are looked at between looks at the context.
const ctxEvery = 128

// candidates returns the live documents that have a word for each slot.
func (p *phraseMatch) candidates() []uint32 {
	var all bitmap
	for _, words := range p.words {
		one := newBitmap(p.s.docs)
		for _, w := range words {
			for _, ord := range w.ords {
				one.set(ord)
			}
		}
		if all == nil {
			all = one
			continue
		}
		for i := range all {
			all[i] &= one[i]
		}
	}
	ords := make([]uint32, 0, all.count())
	all.each(func(ord uint32) {
		if p.s.isLive(ord) {
			ords = append(ords, ord)
		}
	})
	return ords
}

// match counts the phrase in a document.
func (p *phraseMatch) match(ctx context.Context, ord uint32) (FieldSet, float32, error) {
	fields := p.l.fields
	for _, words := range p.words {
		in := FieldSet(0)
		for _, w := range words {
			if i, ok := w.find(ord); ok {
				in |= w.fields[i]
			}
		}
		fields &= in
	}
	var frequencies [fieldCount]uint32
	var found FieldSet
	for n, rest := 0, uint16(fields); rest != 0; rest &= rest - 1 {
		f := Field(bits.TrailingZeros16(rest))
		if err := p.load(ctx, ord, f); err != nil {
			return 0, 0, err
		}
		if count := p.count(); count > 0 {
			found |= 1 << f
			frequencies[n] = uint32(count)
			n++
		}
	}
	return found, p.q.weigh(p.s, ord, found, found, &frequencies), nil
}

// load reads the positions of each slot's words in a field of a document.
func (p *phraseMatch) load(ctx context.Context, ord uint32, f Field) error {
	if p.positions == nil {
		p.positions = make([][]uint32, len(p.words))
	}
	for i, words := range p.words {
		into := p.positions[i][:0]
		for _, w := range words {
			at, ok := w.find(ord)
			if !ok || !w.fields[at].Has(f) {
				continue
			}
			var err error
			if into, err = p.q.positionsIn(ctx, p.s, w, at, f, into); err != nil {
				return err
			}
		}
		if len(words) > 1 {
			slices.Sort(into)
			into = slices.Compact(into)
		}
		p.positions[i] = into
	}
	return nil
}

// count returns at how many places the slots are filled.
func (p *phraseMatch) count() int {
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
