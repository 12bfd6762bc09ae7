package lexical

import (
	"context"
	"hash/fnv"
	"math/bits"
)

// A document's checksum covers all of its index data: each word with its field and
// position, and the length of each field. It does not depend on their order, nor on
// how documents are spread over segments, so the sum of a document in the index is
// that of the same document in a batch.

// Sums returns the sums of all documents in the index by id. It reads the whole
// index.
func (x *Index) Sums(ctx context.Context, r Reader) (map[int64]uint64, error) {
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return nil, err
	}
	sums := make(map[int64]uint64)
	for _, s := range segments {
		for ord, id := range s.ids {
			if s.isLive(uint32(ord)) {
				sums[id] += s.lengthSum(ord)
			}
		}
		in := newMergeInput(s)
		for {
			ok, err := in.next(ctx, r)
			if err != nil {
				return nil, err
			}
			if !ok {
				break
			}
			if in.entry.key[0] == stemMark {
				continue
			}
			if err := in.addSums(ctx, r, sums); err != nil {
				return nil, err
			}
		}
	}
	return sums, nil
}

// addSums adds the data of the current entry's postings to the sums of their documents.
func (in *mergeInput) addSums(ctx context.Context, r Reader, sums map[int64]uint64) error {
	e := &in.entry
	b, err := in.postings.read(ctx, r, in.table, e.postings, e.postSize)
	if err != nil {
		return err
	}
	at, err := in.positions.read(ctx, r, in.table, e.positions, e.posSize)
	if err != nil {
		return err
	}
	term, positions := termSum(e.key), input{b: at}
	err = in.eachPosting(e, b, func(ord uint32, n *counts) error {
		sum, fields := uint64(0), uint16(n.fields)
		for i := range bits.OnesCount16(fields) {
			place := uint32(bits.TrailingZeros16(fields)) << placeBits
			fields &= fields - 1
			for range n.of[i] {
				place += uint32(positions.below(maxPosition + 1))
				sum += placeSum(term, place)
			}
		}
		if positions.bad {
			return damaged("positions")
		}
		if in.isLive(ord) {
			sums[in.ids[ord]] += sum
		}
		return nil
	})
	return err
}

// Sums returns the sums of the documents of the batch, by id.
func (b *Batch) Sums() map[int64]uint64 {
	terms := make([]uint64, len(b.terms.words))
	for i, w := range b.terms.words {
		terms[i] = termSum([]byte(w))
	}
	sums, long := make(map[int64]uint64), map[int]uint32{}
	for i, d := range b.docs {
		if at, ok := b.at[d.id]; !ok || at != i {
			continue
		}
		if d.long > 0 {
			long[d.long] = uint32(i)
		}
		sum := uint64(0)
		for f, code := range d.lengths {
			sum += placeSum(uint64(f), uint32(code))
		}
		for _, o := range b.occurrences[d.from:d.to] {
			sum += placeSum(terms[o.term], o.place)
		}
		sums[d.id] = sum
	}
	var places []place
	for _, c := range b.cursors(long) {
		for more := true; more; more = c.next() {
			term := termSum(c.word)
			places = c.unpack(places[:0])
			for _, p := range places {
				sums[b.docs[p.ord].id] += placeSum(term, p.place)
			}
		}
	}
	return sums
}

// lengthSum returns the contribution of a document's lengths to its sum.
func (t *table) lengthSum(ord int) uint64 {
	sum := uint64(0)
	for f, codes := range t.lengths {
		code := byte(0)
		if codes != nil {
			code = codes[ord]
		}
		sum += placeSum(uint64(f), uint32(code))
	}
	return sum
}

func termSum(term []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(term) // never fails
	return h.Sum64()
}

// placeSum mixes a term with a place so that sums of a few of them are unlikely to be equal:
// the finaliser of SplitMix64.
func placeSum(term uint64, place uint32) uint64 {
	x := term + (uint64(place)+1)*0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
