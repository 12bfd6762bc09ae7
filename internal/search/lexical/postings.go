package lexical

import (
	"context"
	"encoding/binary"
	"math/bits"
)

// The postings of a word, one for each document that has it:
//
//	postings:  difference of ordinals less one, times 2, plus 1 if a code follows
//	code:      frequency times 2 if only the truth has the word; else the set
//	           of fields times 2 plus 1, and the frequency in each of them
//	positions: for each field that has the word, ascending, its positions
//	           there: the first, then differences
//
// Without a code the word is once in the truth, which most postings are. After
// every postingBlock postings stands the size of their positions, so that a
// phrase reads the positions of few documents only.
const postingBlock = 128

// maxFrequency bounds a term's frequency in a field and a position.
const maxFrequency = 1 << 30

const onlyTruth = FieldSet(1 << Truth)

// postingsWriter encodes the postings of one word.
type postingsWriter struct {
	postings, positions []byte
	n                   int
	next                uint32 // the least ordinal that may come
	block               int    // where the positions of this block begin
}

func (w *postingsWriter) reset() {
	*w = postingsWriter{postings: w.postings[:0], positions: w.positions[:0]}
}

// add adds a posting with a greater ordinal than the last. The frequencies are
// those of the fields in the set, ascending. The caller then appends the
// positions.
func (w *postingsWriter) add(ord uint32, fields FieldSet, frequencies []uint32) {
	if w.n > 0 && w.n%postingBlock == 0 {
		w.postings = binary.AppendUvarint(w.postings, uint64(len(w.positions)-w.block))
		w.block = len(w.positions)
	}
	d := uint64(ord-w.next) << 1
	switch {
	case fields == onlyTruth && frequencies[0] == 1:
		w.postings = binary.AppendUvarint(w.postings, d)
	case fields == onlyTruth:
		w.postings = binary.AppendUvarint(w.postings, d|1)
		w.postings = binary.AppendUvarint(w.postings, uint64(frequencies[0])<<1)
	default:
		w.postings = binary.AppendUvarint(w.postings, d|1)
		w.postings = binary.AppendUvarint(w.postings, uint64(fields)<<1|1)
		for _, f := range frequencies {
			w.postings = binary.AppendUvarint(w.postings, uint64(f))
		}
	}
	w.next = ord + 1
	w.n++
}

// postingsReader decodes the postings of one word.
type postingsReader struct {
	in   input
	docs int // of the segment
	left int // postings to come
	read int // postings read
	next int // the least ordinal that may come

	// The posting that was read last.
	ord         uint32
	fields      FieldSet
	frequencies [fieldCount]uint32 // of the fields in the set, ascending
	total       int                // their sum

	// ended is set to the size of the positions of a block when the first
	// posting after it is read.
	ended int
}

func readPostings(b []byte, e *entry, docs int) postingsReader {
	return postingsReader{in: input{b: b}, docs: docs, left: e.docs}
}

// advance reads a posting. It returns false at the end and after damage, which
// err tells apart.
func (p *postingsReader) advance() bool {
	if p.left == 0 || p.in.bad {
		return false
	}
	p.ended = -1
	if p.read > 0 && p.read%postingBlock == 0 {
		p.ended = p.in.below(maxStream)
	}
	// Most of the time of a search is spent here, and a call would double it.
	var d uint64
	if in := &p.in; in.at < len(in.b) && in.b[in.at] < 0x80 {
		d = uint64(in.b[in.at])
		in.at++
	} else {
		d = in.long()
	}
	ord := uint64(p.next) + d>>1
	if ord >= uint64(p.docs) {
		p.in.bad = true
		return false
	}
	p.ord, p.next = uint32(ord), int(ord)+1
	p.left--
	p.read++
	if d&1 == 0 {
		p.fields, p.frequencies[0], p.total = onlyTruth, 1, 1
		return !p.in.bad
	}
	code := p.in.uvarint()
	if code&1 == 0 {
		p.fields = onlyTruth
		p.total = p.frequency(code >> 1)
		p.frequencies[0] = uint32(p.total)
		return !p.in.bad
	}
	if code>>1 == 0 || code>>1 >= 1<<fieldCount {
		p.in.bad = true
		return false
	}
	p.fields = FieldSet(code >> 1)
	p.total = 0
	for i := range bits.OnesCount16(uint16(p.fields)) {
		f := p.frequency(p.in.uvarint())
		p.frequencies[i] = uint32(f)
		p.total += f
	}
	return !p.in.bad
}

func (p *postingsReader) frequency(v uint64) int {
	if v == 0 || v >= maxFrequency {
		p.in.bad = true
		return 0
	}
	return int(v)
}

// err returns the damage that ended the reading, if any.
func (p *postingsReader) err() error {
	if p.in.bad || p.left == 0 && len(p.in.left()) > 0 {
		return damaged("postings")
	}
	return nil
}

// postingsOf returns the reader of a word's postings.
func (x *Index) postingsOf(ctx context.Context, r Reader, t *table, e *entry) (postingsReader, error) {
	b, err := x.section(ctx, r, t, streamPostings, e.postings, e.postSize)
	if err != nil {
		return postingsReader{}, err
	}
	return readPostings(b, e, t.docs), nil
}
