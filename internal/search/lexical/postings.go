package lexical

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// The postings of a word, one for each document that has it, in blocks of
// postingBlock and a rest of fewer:
//
//	postings:  if there are blocks: the size of the skips, the skips, the blocks; the rest
//	skip:      of a block: its last ordinal, less the least that it could be; the size of
//	           its postings and of their positions; the fields that they are in; the
//	           greatest weight among them (2 bytes, see roundedUp)
//	block:     plainBlock and plain postings; or the bits of a difference, plus codedBlock
//	           if there are codes, the differences of ordinals less one in so many bits
//	           each, a bit for each posting that is set if it has a code, and the codes
//	rest:      plain postings
//	plain:     for each posting the difference of ordinals less one, times 2, plus 1 if a
//	           code follows
//	code:      frequency times 2 if only the truth has the word; else the set
//	           of fields times 2 plus 1, and the frequency in each of them
//	positions: for each field that has the word, ascending, its positions
//	           there: the first, then differences
//
// A posting without a code has the word once in the truth, which is the usual
// case.
//
// Weights are computed with the average lengths of the segment's own documents.
// The averages of the memory may differ, and change with every document: see
// stretch.
const (
	postingBlock = 128
	plainBlock   = 0xff
	codedBlock   = 0x40
)

// maxFrequency bounds a term's frequency in a field and a position.
const maxFrequency = 1 << 30

const onlyTruth = FieldSet(1 << Truth)

// postingsWriter encodes the postings of one word.
type postingsWriter struct {
	of        weigher // of the segment being written
	positions []byte
	elsewhere int  // bytes of positions that are stored elsewhere
	few       bool // there are no full blocks, so that weights are not needed
	n         int

	skips, blocks []byte
	next          uint32 // minimum ordinal of the next posting
	written       int    // start of the positions of this block

	// State of the current block.
	begin   uint32 // minimum ordinal in it
	pending int
	ords    [postingBlock]uint32
	coded   [postingBlock / 64]uint64
	codes   []byte
	ends    [postingBlock]int // of the codes
	fields  FieldSet
	weight  float32
}

// reset starts a word with at most this many postings.
func (w *postingsWriter) reset(most int) {
	w.few = most < postingBlock
	w.positions, w.skips, w.blocks, w.codes = w.positions[:0], w.skips[:0], w.blocks[:0], w.codes[:0]
	w.n, w.next, w.written, w.begin, w.pending = 0, 0, 0, 0, 0
	w.coded, w.fields, w.weight = [postingBlock / 64]uint64{}, 0, 0
}

// add adds a posting with a greater ordinal than the previous one. frequencies are those of
// the fields in the set, ascending. The caller then appends the positions.
func (w *postingsWriter) add(ord uint32, fields FieldSet, frequencies []uint32) {
	if w.pending == postingBlock {
		w.flush()
	}
	i := w.pending
	w.ords[i] = ord
	switch {
	case fields == onlyTruth && frequencies[0] == 1:
	case fields == onlyTruth:
		w.coded[i>>6] |= 1 << (i & 63)
		w.codes = binary.AppendUvarint(w.codes, uint64(frequencies[0])<<1)
	default:
		w.coded[i>>6] |= 1 << (i & 63)
		w.codes = binary.AppendUvarint(w.codes, uint64(fields)<<1|1)
		for _, f := range frequencies {
			w.codes = binary.AppendUvarint(w.codes, uint64(f))
		}
	}
	w.ends[i] = len(w.codes)
	w.fields |= fields
	if !w.few {
		w.weight = max(w.weight, w.of.weigh(ord, fields, fields, frequencies))
	}
	w.next = ord + 1
	w.pending++
	w.n++
}

// flush writes a full block.
func (w *postingsWriter) flush() {
	size := len(w.blocks)
	width, coded := 0, 0
	for i, next := 0, w.begin; i < postingBlock; i++ {
		width = max(width, bits.Len32(w.ords[i]-next))
		next = w.ords[i] + 1
	}
	if len(w.codes) > 0 {
		coded = codedBlock
	}
	w.blocks = append(w.blocks, byte(width|coded))
	w.pack(width)
	if coded != 0 {
		for _, set := range w.coded {
			w.blocks = binary.LittleEndian.AppendUint64(w.blocks, set)
		}
		w.blocks = append(w.blocks, w.codes...)
	}
	if packed := len(w.blocks); packed-size > 1+postingBlock { // plain postings may be smaller for clusters
		w.blocks = w.plain(append(w.blocks, plainBlock))
		if plain := len(w.blocks) - packed; plain < packed-size {
			copy(w.blocks[size:], w.blocks[packed:])
			w.blocks = w.blocks[:size+plain]
		} else {
			w.blocks = w.blocks[:packed]
		}
	}
	last := w.ords[postingBlock-1]
	w.skips = binary.AppendUvarint(w.skips, uint64(last-w.begin-(postingBlock-1)))
	w.skips = binary.AppendUvarint(w.skips, uint64(len(w.blocks)-size))
	w.skips = binary.AppendUvarint(w.skips, uint64(w.placed()-w.written))
	w.skips = binary.AppendUvarint(w.skips, uint64(w.fields))
	w.skips = binary.LittleEndian.AppendUint16(w.skips, roundedUp(w.weight))
	w.begin, w.written, w.pending, w.codes = last+1, w.placed(), 0, w.codes[:0]
	w.coded, w.fields, w.weight = [postingBlock / 64]uint64{}, 0, 0
}

// placed returns the size of the positions so far.
func (w *postingsWriter) placed() int { return len(w.positions) + w.elsewhere }

// pack appends the differences of a full block with width bits each.
func (w *postingsWriter) pack(width int) {
	var held uint64
	n := 0
	next := w.begin
	for _, ord := range w.ords {
		held |= uint64(ord-next) << n
		for n += width; n >= 8; n -= 8 {
			w.blocks = append(w.blocks, byte(held))
			held >>= 8
		}
		next = ord + 1
	}
}

// plain appends the pending postings to dst as plain postings.
func (w *postingsWriter) plain(dst []byte) []byte {
	next, from := w.begin, 0
	for i, ord := range w.ords[:w.pending] {
		coded := w.coded[i>>6] >> (i & 63) & 1
		dst = binary.AppendUvarint(dst, uint64(ord-next)<<1|coded)
		dst = append(dst, w.codes[from:w.ends[i]]...)
		next, from = ord+1, w.ends[i]
	}
	return dst
}

// finish returns the postings, valid until the next reset.
func (w *postingsWriter) finish() []byte {
	if w.pending == postingBlock {
		w.flush()
	}
	if w.n < postingBlock {
		w.blocks = w.plain(w.blocks)
		return w.blocks
	}
	out := binary.AppendUvarint(nil, uint64(len(w.skips)))
	out = append(append(out, w.skips...), w.blocks...)
	return w.plain(out)
}

// roundedUp returns the upper half of the bits of a number that is not negative, rounded up.
func roundedUp(f float32) uint16 {
	b := math.Float32bits(f)
	if b&0xffff != 0 {
		b += 1 << 16
	}
	return uint16(b >> 16)
}

func fromUpper(b uint16) float32 { return math.Float32frombits(uint32(b) << 16) }

// skips are the positions and summaries of the blocks of a word's postings. They never
// change.
type skips struct {
	last   []uint32 // last ordinal of each block
	at     []int    // start of its postings; the last element is the start of the rest
	places []int    // start of its positions; likewise
	fields []FieldSet
	weight []float32 // maximum weight
}

// skipSize is the approximate size in memory of the skip entry of a block,
// leastSkip its minimum stored size, in bytes.
const (
	skipSize  = 4 + 8 + 8 + 2 + 4
	leastSkip = 6
)

// readSkips reads the skips of n blocks with postings that start at a position.
func readSkips(b []byte, n, at int, e *entry, docs int) (*skips, error) {
	if len(b) < leastSkip*n {
		return nil, damaged("postings")
	}
	k := &skips{
		last: make([]uint32, n), at: make([]int, n+1), places: make([]int, n+1),
		fields: make([]FieldSet, n), weight: make([]float32, n),
	}
	in := input{b: b}
	next, place := 0, 0
	for i := range n {
		k.at[i], k.places[i] = at, place
		last := next + postingBlock - 1 + in.below(maxDocs)
		at += in.below(maxStream)
		place += in.below(maxStream)
		k.fields[i] = FieldSet(in.below(1 << fieldCount))
		if upper := in.take(2); upper != nil {
			k.weight[i] = fromUpper(binary.LittleEndian.Uint16(upper))
		}
		if in.bad || last >= docs || at > e.postSize || place > e.posSize {
			return nil, damaged("postings")
		}
		k.last[i] = uint32(last)
		next = last + 1
	}
	if len(in.left()) > 0 {
		return nil, damaged("postings")
	}
	k.at[n], k.places[n] = at, place
	return k, nil
}
