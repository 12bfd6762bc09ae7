package lexical

import (
	"encoding/binary"
	"math/bits"
)

// block is a block of postings, or the rest of a word's postings, being read. Ordinals are
// decoded at once, codes on demand.
type block struct {
	n     int
	ords  [postingBlock]uint32
	codes []byte              // contains the codes
	at    [postingBlock]int32 // offset of a posting's code in codes, or noCode
	coded [postingBlock / 64]uint64
	known bool // whether at is valid; otherwise coded has the postings with codes, in order
}

const noCode = -1

// counts are the fields of a posting, and the frequencies in them, ascending.
type counts struct {
	fields FieldSet
	of     [fieldCount]uint32
	total  int
}

// unpack reads a full block with ordinals from begin to last. It returns false
// if the block is damaged.
func (b *block) unpack(data []byte, begin, last uint32) bool {
	b.n = postingBlock
	if len(data) == 0 {
		return false
	}
	if data[0] == plainBlock {
		rest, ok := b.plain(data[1:], postingBlock, begin, int(last)+1)
		return ok && len(rest) == 0 && b.ords[postingBlock-1] == last
	}
	width := int(data[0] &^ codedBlock)
	size := postingBlock / 8 * width
	if width > 32 || len(data) < 1+size {
		return false
	}
	var buf [postingBlock/8*32 + 8]byte
	copy(buf[:size], data[1:])
	mask := uint64(1)<<width - 1
	next := uint64(begin)
	at := 0
	for i := range b.ords {
		ord := next + binary.LittleEndian.Uint64(buf[at>>3:])>>(at&7)&mask
		b.ords[i] = uint32(ord)
		next = ord + 1
		at += width
	}
	if next != uint64(last)+1 {
		return false
	}
	data = data[1+size:]
	b.known, b.coded, b.codes = false, [postingBlock / 64]uint64{}, data
	if len(data) == 0 {
		return true
	}
	if len(data) < postingBlock/8 {
		return false
	}
	for i := range b.coded {
		b.coded[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	b.codes = data[postingBlock/8:]
	return true
}

// plain reads n plain postings with ordinals from begin to below docs. It returns the
// remaining data, and whether it succeeded.
func (b *block) plain(data []byte, n int, begin uint32, docs int) ([]byte, bool) {
	b.n, b.codes, b.known = n, data, true
	in := input{b: data}
	next := uint64(begin)
	for i := range n {
		d := in.uvarint()
		ord := next + d>>1
		if in.bad || ord >= uint64(docs) {
			return nil, false
		}
		b.ords[i], b.at[i] = uint32(ord), noCode
		next = ord + 1
		if d&1 != 0 {
			b.at[i] = int32(in.at)
			skipCode(&in)
		}
	}
	return in.left(), !in.bad
}

func skipCode(in *input) {
	code := in.uvarint()
	if code&1 == 0 {
		return
	}
	for range bits.OnesCount16(uint16(code >> 1)) {
		in.uvarint()
	}
}

// find computes the offsets of the codes.
func (b *block) find() bool {
	for i := range b.at {
		b.at[i] = noCode
	}
	in := input{b: b.codes}
	for w, set := range b.coded {
		for ; set != 0; set &= set - 1 {
			b.at[w<<6+bits.TrailingZeros64(set)] = int32(in.at)
			skipCode(&in)
		}
	}
	b.known = true
	return !in.bad && len(in.left()) == 0
}

// read reads the i-th posting. It returns false if it is damaged.
func (b *block) read(i int, c *counts) bool {
	if !b.known && !b.find() {
		return false
	}
	at := b.at[i]
	if at == noCode {
		c.fields, c.of[0], c.total = onlyTruth, 1, 1
		return true
	}
	return readCode(&input{b: b.codes, at: int(at)}, c)
}

// totals computes the number of positions before those of each posting.
func (b *block) totals(before *[postingBlock]int) bool {
	if !b.known && !b.find() {
		return false
	}
	var n counts
	total := 0
	for i := range b.n {
		before[i] = total
		at := b.at[i]
		switch {
		case at == noCode:
			total++
		case b.codes[at] < 0x80 && b.codes[at]&1 == 0: // only in the truth, with a small frequency
			total += int(b.codes[at] >> 1)
		case readCode(&input{b: b.codes, at: int(at)}, &n):
			total += n.total
		default:
			return false
		}
	}
	return true
}

// readCode reads a code. It returns false if it is damaged.
func readCode(in *input, c *counts) bool {
	code := in.uvarint()
	if code&1 == 0 {
		c.fields, c.total = onlyTruth, frequency(in, code>>1)
		c.of[0] = uint32(c.total)
		return !in.bad
	}
	if code>>1 == 0 || code>>1 >= 1<<fieldCount {
		return false
	}
	c.fields, c.total = FieldSet(code>>1), 0
	for i := range bits.OnesCount16(uint16(c.fields)) {
		f := frequency(in, in.uvarint())
		c.of[i] = uint32(f)
		c.total += f
	}
	return !in.bad
}

// frequency validates a frequency.
func frequency(in *input, v uint64) int {
	if v == 0 || v >= maxFrequency {
		in.bad = true
		return 0
	}
	return int(v)
}
