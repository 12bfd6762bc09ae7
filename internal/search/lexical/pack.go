package lexical

import (
	"cmp"
	"container/heap"
	"encoding/binary"
	"slices"
	"strings"
)

// packAt is the maximum number of occurrences of one document that a batch stores unpacked.
// Each takes 8 bytes, and 8 more while it is inverted. Those of a longer document are packed
// into two or three bytes each, which is slower and only worthwhile for pages of some
// megabytes.
const packAt = 1 << 19

// run is a part of the occurrences of a long document. For each word, ascending, it has the
// number of bytes shared with the previous word, the number of further bytes, these bytes,
// the size of its places, and each place as the difference from the previous one. Numbers
// are varints.
type run struct {
	long int // number of the long document
	data []byte
}

// pack moves the occurrences of the document being put, the last in the batch, to a run,
// with the words that only this document has: those numbered from known on. A page may have
// a million of them.
func (b *Batch) pack(d batchDoc, known int) {
	all := b.occurrences[d.from:]
	next := make([]uint32, len(b.terms.words)+1)
	for _, o := range all {
		next[o.term+1]++
	}
	var order []uint32
	for term := range b.terms.words {
		if next[term+1] > 0 {
			order = append(order, uint32(term))
		}
		next[term+1] += next[term]
	}
	places := make([]uint32, len(all))
	for _, o := range all { // afterwards next has the end of the places of each term
		places[next[o.term]] = o.place
		next[o.term]++
	}
	slices.SortFunc(order, func(i, j uint32) int { return strings.Compare(b.terms.words[i], b.terms.words[j]) })
	var out, of []byte
	before := ""
	for _, term := range order {
		begin, word := uint32(0), b.terms.words[term]
		if term > 0 {
			begin = next[term-1]
		}
		shared := 0
		for shared < min(len(word), len(before)) && word[shared] == before[shared] {
			shared++
		}
		before = word
		of = packPlaces(of[:0], places[begin:next[term]])
		out = binary.AppendUvarint(out, uint64(shared))
		out = binary.AppendUvarint(out, uint64(len(word)-shared))
		out = append(out, word[shared:]...)
		out = binary.AppendUvarint(out, uint64(len(of)))
		out = append(out, of...)
	}
	b.runs = append(b.runs, run{d.long, slices.Clone(out)})
	b.occurrences = b.occurrences[:d.from]
	b.terms.keep(known)
}

func packPlaces(out []byte, places []uint32) []byte {
	last := uint32(0)
	for _, p := range places {
		out = binary.AppendVarint(out, int64(p)-int64(last))
		last = p
	}
	return out
}

// runCursor is a position in a run.
type runCursor struct {
	number int // of the run
	ord    uint32
	in     input
	word   []byte
	places []byte
}

func (c *runCursor) next() bool {
	if len(c.in.left()) == 0 {
		return false
	}
	shared, n := c.in.uvarint(), c.in.uvarint()
	c.word = append(c.word[:shared], c.in.take(n)...)
	c.places = c.in.take(c.in.uvarint())
	return true
}

// unpack appends the places of the current word.
func (c *runCursor) unpack(out []place) []place {
	last := int64(0)
	for b := c.places; len(b) > 0; {
		d, n := binary.Varint(b)
		b = b[n:]
		last += d
		out = append(out, place{c.ord, uint32(last)})
	}
	return out
}

// runCursors is a heap ordered by word, then by run.
type runCursors []*runCursor

func (c runCursors) Len() int { return len(c) }
func (c runCursors) Less(i, j int) bool {
	a, b := c[i], c[j]
	return string(a.word) < string(b.word) || string(a.word) == string(b.word) && a.number < b.number
}
func (c runCursors) Swap(i, j int) { c[i], c[j] = c[j], c[i] }
func (c *runCursors) Push(x any)   { *c = append(*c, x.(*runCursor)) }
func (c *runCursors) Pop() any {
	last := len(*c) - 1
	x := (*c)[last]
	*c = (*c)[:last]
	return x
}

// cursors returns cursors at the first words of the runs, for documents with an ordinal.
func (b *Batch) cursors(ords map[int]uint32) (all runCursors) {
	for i, r := range b.runs {
		ord, ok := ords[r.long]
		if c := (&runCursor{number: i, ord: ord, in: input{b: r.data}}); ok && c.next() {
			all = append(all, c)
		}
	}
	heap.Init(&all)
	return all
}

// eachWord calls f with the words of an inversion and of the runs, ascending, and the places
// of each, which are valid until f returns.
func (b *Batch) eachWord(in *inversion, f func(word string, places []place) error) error {
	packed, order := b.cursors(in.long), in.order
	var merged []place
	for len(packed) > 0 || len(order) > 0 {
		word := ""
		if len(order) > 0 {
			word = b.terms.words[order[0]]
		}
		if len(packed) > 0 && (len(order) == 0 || string(packed[0].word) < word) {
			word = string(packed[0].word)
		}
		merged = merged[:0]
		for len(packed) > 0 && string(packed[0].word) == word {
			if merged = packed[0].unpack(merged); packed[0].next() {
				heap.Fix(&packed, 0)
			} else {
				heap.Pop(&packed)
			}
		}
		places := merged
		if len(order) > 0 && b.terms.words[order[0]] == word {
			places = in.places[in.start[order[0]]:in.start[order[0]+1]]
			order = order[1:]
			if len(merged) > 0 {
				merged = append(merged, places...)
				places = merged
			}
		}
		if len(merged) > 0 {
			slices.SortStableFunc(places, func(a, b place) int { return cmp.Compare(a.ord, b.ord) })
		}
		if err := f(word, places); err != nil {
			return err
		}
	}
	return nil
}
