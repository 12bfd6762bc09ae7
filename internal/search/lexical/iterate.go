package lexical

import (
	"math/bits"
	"slices"
)

// iterator iterates over documents of a segment, ascending. A new one has no
// position until the first seek.
type iterator interface {
	// seek moves to the first document from ord on. It never moves back.
	seek(ord uint32)

	// at returns the ordinal of the document, or noMore.
	at() uint32

	// size returns the approximate number of documents.
	size() int
}

// evident is an iterator over the matches of a leaf.
type evident interface {
	iterator

	// evidence returns the fields in which the document matches, and their
	// weight.
	evidence() (FieldSet, float32)

	// bound returns a weight that no document from ord up to the returned
	// ordinal exceeds. Calls, and seeks, never go back to lesser ordinals.
	bound(ord uint32) (uint32, float32)
}

// tree returns an iterator over the documents of a segment that match a node. They may
// include deleted ones.
func (q *searcher) tree(node any, s *segment, matching func(*leaf) iterator) iterator {
	all := func(nodes []any) []iterator {
		of := make([]iterator, len(nodes))
		for i, n := range nodes {
			of[i] = q.tree(n, s, matching)
		}
		return of
	}
	switch n := node.(type) {
	case allOf:
		return newEach(all(n))
	case anyOf:
		return &either{of: all(n)}
	case noneOf:
		return &others{but: q.tree(n.node, s, matching), docs: uint32(s.docs)}
	case filtered:
		return &members{set: s.members(n.ids)}
	case everything:
		return &others{docs: uint32(s.docs)}
	}
	return matching(node.(*leaf))
}

// each iterates over the intersection of iterators, the shortest first.
type each struct {
	of    []iterator
	ord   uint32
	begun bool
}

func newEach(of []iterator) *each {
	slices.SortStableFunc(of, func(a, b iterator) int { return a.size() - b.size() })
	return &each{of: of}
}

func (e *each) at() uint32 { return e.ord }
func (e *each) size() int  { return e.of[0].size() }

func (e *each) seek(ord uint32) {
	if e.begun && e.ord >= ord {
		return
	}
	e.begun = true
	for i := 0; i < len(e.of); i++ {
		e.of[i].seek(ord)
		if at := e.of[i].at(); at != ord {
			if at == noMore {
				break
			}
			if i > 0 {
				i = -1 // start again with the shortest
			}
			ord = at
		}
	}
	e.ord = e.of[0].at()
	for _, it := range e.of {
		e.ord = max(e.ord, it.at())
	}
}

// either iterates over the union of iterators.
type either struct {
	of    []iterator
	ord   uint32
	begun bool
}

func (e *either) at() uint32 { return e.ord }

func (e *either) size() int {
	n := 0
	for _, it := range e.of {
		n += it.size()
	}
	return n
}

func (e *either) seek(ord uint32) {
	if e.begun && e.ord >= ord {
		return
	}
	e.begun, e.ord = true, noMore
	for _, it := range e.of {
		it.seek(ord)
		e.ord = min(e.ord, it.at())
	}
}

// others iterates over all documents except those of but; over all when but is
// nil.
type others struct {
	but   iterator
	docs  uint32
	ord   uint32
	begun bool
}

func (o *others) at() uint32 { return o.ord }
func (o *others) size() int  { return int(o.docs) }

func (o *others) seek(ord uint32) {
	if o.begun && o.ord >= ord {
		return
	}
	o.begun = true
	for ; ord < o.docs && o.but != nil; ord++ {
		if o.but.seek(ord); o.but.at() != ord {
			break
		}
	}
	if o.ord = ord; ord >= o.docs {
		o.ord = noMore
	}
}

// members iterates over a set.
type members struct {
	set bitmap
	n   int // its size plus 1, once computed
	ord uint32
}

func (m *members) at() uint32 { return m.ord }

func (m *members) size() int {
	if m.n == 0 {
		m.n = m.set.count() + 1
	}
	return m.n - 1
}

func (m *members) seek(ord uint32) {
	m.ord = noMore
	i := int(ord >> 6)
	if i >= len(m.set) {
		return
	}
	word := m.set[i] &^ (1<<(ord&63) - 1)
	for word == 0 {
		if i++; i == len(m.set) {
			return
		}
		word = m.set[i]
	}
	m.ord = uint32(i<<6 + bits.TrailingZeros64(word))
}

// members returns the live documents of the segment that are in ids; nil means all.
func (s *segment) members(ids *IDs) bitmap {
	if ids == nil {
		return everyLive(s)
	}
	set := newBitmap(s.docs)
	for ord := 0; ord < s.docs; {
		number := s.ids[ord] >> chunkBits
		chunk := ids.chunks[number]
		if chunk == nil { // skip to the next chunk
			n, _ := slices.BinarySearch(s.ids[ord:], (number+1)<<chunkBits)
			ord += n
			continue
		}
		for ; ord < s.docs && s.ids[ord]>>chunkBits == number; ord++ {
			at := uint64(s.ids[ord]) & (1<<chunkBits - 1)
			set[ord>>6] |= chunk[at>>6] >> (at & 63) & 1 << (ord & 63)
		}
	}
	for i, gone := range s.deleted {
		set[i] &^= gone
	}
	return set
}

func everyLive(s *segment) bitmap {
	b := newBitmap(s.docs)
	for i := range b {
		b[i] = ^uint64(0)
		if s.deleted != nil {
			b[i] &^= s.deleted[i]
		}
	}
	if rest := s.docs % 64; rest != 0 {
		b[len(b)-1] &= 1<<rest - 1
	}
	return b
}
