package lexical

import (
	"context"
	"math/bits"
	"slices"
)

// Segments of version 2 and earlier can be read until they are merged, which the first
// change of the index does. Their postings are
//
//	postings: difference of ordinals less one, times 2, plus 1 if a code follows
//
// with codes in the current format; after every postingBlock postings comes the size of
// their positions, which are in the current format. Their dictionaries do not record which
// documents have several words of a stem.

// isFormer reports whether the segment has an earlier format version.
func (t *table) isFormer() bool { return t.version < 3 }

// renewed converts the postings of a word of a former segment to the present format.
func (q *searcher) renewed(s *segment, e *entry) []byte {
	key := pageKey{s.id, s.fingerprint, cachedFormer, e.postings}
	if v, ok := q.x.cache.get(key); ok {
		return v.([]byte)
	}
	b, err := q.x.section(q.ctx, q.r, s.table, streamPostings, e.postings, e.postSize)
	if err != nil {
		q.fail(err)
		return nil
	}
	w := postingsWriter{of: s.ownWeigher()}
	err = eachFormer(b, e, s.docs, func(ord uint32, n *counts, ended int) error {
		w.elsewhere += ended
		w.add(ord, n.fields, n.of[:bits.OnesCount16(uint16(n.fields))])
		return nil
	})
	if err != nil {
		q.fail(err)
		return nil
	}
	w.elsewhere = e.posSize
	out := slices.Clone(w.finish())
	q.x.cache.put(key, out, len(out))
	return out
}

// eachFormer calls f for each posting of a word in the former format, with the size of the
// positions of the block that ended before it.
func eachFormer(b []byte, e *entry, docs int, f func(ord uint32, n *counts, ended int) error) error {
	in := input{b: b}
	var n counts
	next := uint64(0)
	for i := range e.docs {
		ended := 0
		if i > 0 && i%postingBlock == 0 {
			ended = in.below(maxStream)
		}
		d := in.uvarint()
		ord := next + d>>1
		if in.bad || ord >= uint64(docs) {
			return damaged("postings")
		}
		next = ord + 1
		n.fields, n.of[0], n.total = onlyTruth, 1, 1
		if d&1 != 0 && !readCode(&in, &n) {
			return damaged("postings")
		}
		if err := f(uint32(ord), &n, ended); err != nil {
			return err
		}
	}
	if len(in.left()) > 0 {
		return damaged("postings")
	}
	return nil
}

// renew replaces the segments of former versions by one segment.
func (x *Index) renew(ctx context.Context, w Writer) error {
	segments, err := x.openAll(ctx, w)
	if err != nil {
		return err
	}
	segments = slices.DeleteFunc(segments, func(s *segment) bool { return !s.isFormer() })
	if len(segments) == 0 {
		return nil
	}
	return x.merge(ctx, w, segments)
}
