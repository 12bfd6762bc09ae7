package secrets

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// index finds the anchors in a text, in any case. Its filters, which fit the
// first-level cache, reject most positions.
type index struct {
	twos    [1 << 10]uint64               // by the anchor
	threes  [1 << (threesBits - 6)]uint64 // by the hash of the anchor
	fours   [1 << (foursBits - 6)]uint64  // by the hash of the first four bytes of a longer anchor
	heads   [1 << headBits]uint16         // the bucket of the hash of three bytes, 0 for none
	buckets [][]entry
	longest int // bytes of an anchor
}

const (
	threesBits = 12
	foursBits  = 17
	headBits   = 16
)

// small makes small letters of four capitals. It changes other bytes, too, which
// only lets more positions pass the filters.
const small = 0x20202020

// hashed returns an n-bit hash of a word.
func hashed(head uint32, n int) uint32 { return head * 2654435761 >> (32 - n) }

type entry struct {
	anchor string // lower case
	finds  []find
}

// find is a finder with the spelling of the anchor that it needs.
type find struct {
	exact string // the anchor as it must be written; "" for any case
	look  finder
}

// finder looks at the surroundings of the anchor text[at:end] and reports the
// credentials there.
type finder func(s *scanner, at, end int)

func newIndex() *index { return &index{buckets: make([][]entry, 1)} }

// code adds a finder for an anchor in any case.
func (x *index) code(anchor string, look finder) { x.anchor(anchor, find{look: look}) }

// pattern adds a finder for the positions at which p may match.
func (x *index) pattern(p pattern, look finder) {
	pivot := &p.atoms[p.pivot]
	f := find{look: look}
	if !pivot.fold {
		f.exact = pivot.literal
	}
	x.anchor(lowered(pivot.literal), f)
}

// anchor adds an anchor of two bytes or more. An anchor of two bytes is stored
// with a zero as its third byte.
func (x *index) anchor(anchor string, f find) {
	x.longest = max(x.longest, len(anchor))
	first, second := anchor[0], anchor[1]
	if len(anchor) == 2 {
		for b := range folded {
			if folded[b] != first {
				continue
			}
			for c := range folded {
				if folded[c] == second && f.looksAt([]byte{byte(b), byte(c)}) {
					x.twos[c<<2|b>>6] |= 1 << (b & 63)
				}
			}
		}
		x.put(three(first, second, 0), anchor, f)
		return
	}
	head := three(first, second, anchor[2])
	if len(anchor) == 3 {
		hash := hashed(head|small&^0xff, threesBits)
		x.threes[hash>>6] |= 1 << (hash & 63)
	} else {
		hash := hashed(head>>8|uint32(anchor[3])<<24|small, foursBits)
		x.fours[hash>>6] |= 1 << (hash & 63)
	}
	x.put(head, anchor, f)
}

// three packs three bytes into the upper bytes of a word, the last uppermost.
func three(a, b, c byte) uint32 { return uint32(a)<<8 | uint32(b)<<16 | uint32(c)<<24 }

func (x *index) put(head uint32, anchor string, f find) {
	n := &x.heads[hashed(head, headBits)]
	if *n == 0 {
		*n = uint16(len(x.buckets))
		x.buckets = append(x.buckets, nil)
	}
	b := &x.buckets[*n]
	i := slices.IndexFunc(*b, func(e entry) bool { return e.anchor == anchor })
	if i < 0 {
		i = len(*b)
		*b = append(*b, entry{anchor: anchor})
	}
	(*b)[i].finds = append((*b)[i].finds, f)
}

// mark marks the positions in text[from:to] at which an anchor begins.
func (x *index) mark(text []byte, m marks, from, to int) {
	to = min(to, len(text)-1)
	i := from
	for last := min(to, len(text)-3); i < last; i++ {
		four := binary.LittleEndian.Uint32(text[i:]) | small
		h3, h4 := hashed(four<<8, threesBits), hashed(four, foursBits)
		first, second := text[i], int(text[i+1])
		if (x.fours[h4>>6]>>(h4&63)|x.threes[h3>>6]>>(h3&63)|x.twos[second<<2|int(first>>6)]>>(first&63))&1 != 0 && x.isAnchor(text, i) {
			m.set(i)
		}
	}
	for ; i < to; i++ {
		if x.isAnchor(text, i) {
			m.set(i)
		}
	}
}

// at returns the entries that may begin at i: of anchors of two bytes, and of longer ones.
func (x *index) at(text []byte, i int) [2][]entry {
	first, second := text[i], int(text[i+1])
	two := x.heads[hashed(three(folded[first], folded[second], 0), headBits)]
	longer := uint16(0)
	if i+2 < len(text) {
		longer = x.heads[hashed(three(folded[first], folded[second], folded[text[i+2]]), headBits)]
	}
	if two == longer || x.twos[second<<2|int(first>>6)]>>(first&63)&1 == 0 {
		two = 0
	}
	return [2][]entry{x.buckets[two], x.buckets[longer]}
}

// isAnchor reports whether an anchor begins at i in a spelling that a finder needs.
func (x *index) isAnchor(text []byte, i int) bool {
	for _, entries := range x.at(text, i) {
		for k := range entries {
			e := &entries[k]
			if !hasFold(text[i:], e.anchor) {
				continue
			}
			for n := range e.finds {
				if e.finds[n].looksAt(text[i : i+len(e.anchor)]) {
					return true
				}
			}
		}
	}
	return false
}

// looksAt reports whether the anchor has the spelling that the finder needs.
func (f *find) looksAt(anchor []byte) bool { return f.exact == "" || string(anchor) == f.exact }

// hasFold reports whether text begins with the anchor, in any case. It compares
// from the end, as the first bytes are known to match.
func hasFold(text []byte, anchor string) bool {
	if len(text) < len(anchor) {
		return false
	}
	for i := len(anchor) - 1; i >= 0; i-- {
		if folded[text[i]] != anchor[i] {
			return false
		}
	}
	return true
}

// marks is a set of positions in a text.
type marks []uint64

// room returns an empty set for a text of n bytes, in the memory of m where that is enough.
func (m marks) room(n int) marks {
	m = slices.Grow(m[:0], n/64+1)[:n/64+1]
	clear(m)
	return m
}

func (m marks) set(i int) { m[i>>6] |= 1 << (i & 63) }

// each calls f with the positions in [from, to), in order, until it returns false.
func (m marks) each(from, to int, f func(i int) bool) {
	for n := from >> 6; n<<6 < to; n++ {
		word := m[n]
		if n<<6 < from {
			word &= ^uint64(0) << (from & 63)
		}
		for ; word != 0; word &= word - 1 {
			if i := n<<6 + bits.TrailingZeros64(word); i >= to || !f(i) {
				return
			}
		}
	}
}
