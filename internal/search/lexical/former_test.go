package lexical

import (
	"context"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// formerly returns an index as version 2 kept it.
func formerly(t *testing.T, m *memory) *memory {
	t.Helper()
	ctx := context.Background()
	c := newMemory()
	c.last = m.last
	segments, err := New(1<<20).openAll(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range segments {
		c.segments[s.id] = &Segment{ID: s.id, Deletes: slices.Clone(m.segments[s.id].Deletes)}
		sum := newSum()
		stream := func(k Stream) *streamWriter {
			return &streamWriter{w: c, segment: s.id, stream: k, sum: sum}
		}
		terms, postings, positions, docs := stream(streamTerms), stream(streamPostings), stream(streamPositions), stream(streamDocs)
		write := func(w *streamWriter, b []byte) {
			if err := w.write(ctx, b); err != nil {
				t.Fatal(err)
			}
		}
		flush := func(w *streamWriter) {
			if err := w.flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
		old := *s.table
		old.version, old.firsts = 2, nil
		in := newMergeInput(s)
		for {
			ok, err := in.next(ctx, m)
			if err != nil {
				t.Fatal(err)
			}
			if !ok {
				break
			}
			e := &in.entry
			if len(terms.buf) >= dictionaryPage {
				flush(terms)
			}
			if len(terms.buf) == 0 {
				old.firsts = append(old.firsts, slices.Clone(e.key))
				terms.buf = binary.AppendUvarint(terms.buf, uint64(postings.size()))
				terms.buf = binary.AppendUvarint(terms.buf, uint64(positions.size()))
			}
			terms.buf = binary.AppendUvarint(terms.buf, 0)
			terms.buf = append(binary.AppendUvarint(terms.buf, uint64(len(e.key))), e.key...)
			if e.isStem() {
				terms.buf = append(binary.AppendUvarint(terms.buf, uint64(e.count)), e.words...)
				continue
			}
			at, err := in.positions.read(ctx, m, in.table, e.positions, e.posSize)
			if err != nil {
				t.Fatal(err)
			}
			b, err := in.postings.read(ctx, m, in.table, e.postings, e.postSize)
			if err != nil {
				t.Fatal(err)
			}
			was := formerPostings(t, in, b, at)
			for _, v := range []int{e.docs, len(was), len(at)} {
				terms.buf = binary.AppendUvarint(terms.buf, uint64(v))
			}
			write(postings, was)
			write(positions, at)
		}
		flush(terms)
		flush(postings)
		flush(positions)
		old.termPages = terms.page
		write(docs, old.encodeDocs())
		flush(docs)
		old.sizes = [streamCount]int{docs.size(), terms.size(), postings.size(), positions.size()}
		header, err := unsealed(old.encodeHeader(), sealHeader, 0)
		if err != nil {
			t.Fatal(err)
		}
		header = slices.Clone(header)
		header[0] = 2
		c.segments[s.id].Header = sealed(header, sealHeader, 0)
	}
	return c
}

// formerPostings encodes postings as version 2 did.
func formerPostings(t *testing.T, in *mergeInput, b, positions []byte) []byte {
	var out []byte
	n, next, block := 0, uint32(0), positions
	rest := positions
	err := in.eachPosting(&in.entry, b, func(ord uint32, c *counts) error {
		if n > 0 && n%postingBlock == 0 {
			out = binary.AppendUvarint(out, uint64(len(block)-len(rest)))
			block = rest
		}
		rest, _ = skipVarints(rest, c.total)
		d := uint64(ord-next) << 1
		switch {
		case c.fields == onlyTruth && c.total == 1:
			out = binary.AppendUvarint(out, d)
		case c.fields == onlyTruth:
			out = binary.AppendUvarint(out, d|1)
			out = binary.AppendUvarint(out, uint64(c.total)<<1)
		default:
			out = binary.AppendUvarint(out, d|1)
			out = binary.AppendUvarint(out, uint64(c.fields)<<1|1)
			for _, f := range c.of[:bits.OnesCount16(uint16(c.fields))] {
				out = binary.AppendUvarint(out, uint64(f))
			}
		}
		next = ord + 1
		n++
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestFormerVersion: an index of version 2 answers as the present one does, and its
// next change makes it one of this version, in which nothing is lost.
func TestFormerVersion(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(2, 3))
	m, x := newMemory(), New(1<<20)
	for range 8 {
		b := NewBatch()
		for range 90 {
			if d := randomDocument(rnd, rnd.Int64N(500)); rnd.IntN(9) == 0 {
				b.Delete(d.ID)
			} else {
				b.Put(d)
			}
		}
		if err := x.Apply(ctx, m, b); err != nil {
			t.Fatal(err)
		}
	}
	sums, err := x.Sums(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	old, y := formerly(t, m), New(1<<20)
	same := func(when string, of *memory) {
		t.Helper()
		got, err := y.Sums(ctx, of)
		if err != nil || !reflect.DeepEqual(got, sums) {
			t.Fatalf("%s: another index: %v", when, err)
		}
		hits := 0
		for range 200 {
			text := randomQuery(rnd)
			q := query.Parse(text, time.Time{}).Root
			o := Options{Limit: 1 + rnd.IntN(20), Count: rnd.IntN(50)}
			want, err := x.Search(ctx, m, q, o)
			if err != nil {
				t.Fatal(err)
			}
			r, err := y.Search(ctx, of, q, o)
			if err != nil || !reflect.DeepEqual(r, want) {
				t.Fatalf("%s, %s: %+v, want %+v: %v", when, text, r, want, err)
			}
			hits += len(r.Hits)
		}
		if hits < 200 {
			t.Fatalf("%s: %d hits", when, hits)
		}
	}
	same("as it was", old)
	b := NewBatch()
	b.Delete(10_000) // which is not there
	if err := y.Apply(ctx, old, b); err != nil {
		t.Fatal(err)
	}
	segments, err := y.openAll(ctx, old)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range segments {
		if s.isFormer() {
			t.Errorf("segment %d is still of the version before", s.id)
		}
	}
	same("changed", old)
}
