package lexical

import (
	"encoding/binary"
	"slices"
)

// packAt is how many occurrences of one document a batch holds as they are, of 8 bytes
// each and 8 more while they are inverted. Those of a longer document are packed, which
// takes two or three bytes each: only pages of some megabytes pay for it.
const packAt = 1 << 19

// pack moves the occurrences of the document that is being put, the last in the batch,
// to those packed by term. A term has for each document and call of pack:
//
//	the number of the document, the number of places, and each as the difference from
//	the one before, all as varints
func (b *Batch) pack(d batchDoc) {
	all := b.occurrences[d.from:]
	b.packed = append(b.packed, make([][]byte, len(b.words)-len(b.packed))...)
	next := make([]uint32, len(b.words)+1)
	for _, o := range all {
		next[o.term+1]++
	}
	for term := range b.words {
		next[term+1] += next[term]
	}
	places := make([]uint32, len(all))
	for _, o := range all { // leaves in next where the places of each term end
		places[next[o.term]] = o.place
		next[o.term]++
	}
	begin := uint32(0)
	for term, end := range next[:len(b.words)] {
		if of := places[begin:end]; len(of) > 0 {
			b.packed[term] = appendPlaces(b.packed[term], d.long, of)
		}
		begin = end
	}
	b.occurrences = b.occurrences[:d.from]
}

func appendPlaces(out []byte, long int, places []uint32) []byte {
	out = slices.Grow(out, 2*len(places)+4)
	out = binary.AppendUvarint(out, uint64(long))
	out = binary.AppendUvarint(out, uint64(len(places)))
	last := uint32(0)
	for _, p := range places {
		out = binary.AppendVarint(out, int64(p)-int64(last))
		last = p
	}
	return out
}

// isPacked reports whether a term has packed occurrences.
func (b *Batch) isPacked(term uint32) bool { return int(term) < len(b.packed) && b.packed[term] != nil }

// unpack appends the packed places of a term in the documents that have an ordinal.
func (b *Batch) unpack(out []place, term uint32, ords map[int]uint32) []place {
	in := input{b: b.packed[term]}
	for len(in.left()) > 0 {
		ord, ok := ords[int(in.uvarint())]
		last, n := int64(0), in.uvarint()
		if ok {
			out = slices.Grow(out, int(n))
		}
		for range n {
			d, n := binary.Varint(in.left())
			in.at += n
			last += d
			if ok {
				out = append(out, place{ord, uint32(last)})
			}
		}
	}
	return out
}
