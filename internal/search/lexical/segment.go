package lexical

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"math/bits"
	"sort"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// formatVersion is the version of every stored byte of a segment. A segment
// of another version, or of another version of the analysis, is Damaged: it is
// derived data, and built again.
//
// Version 3. Segments of version 2 are read as well, see former.go, and so are those
// of version 1, which have no field Markup.
// All numbers are varints; ordinals number a segment's documents
// from 0 by ascending id.
//
//	header:    version, analysis version, fingerprint (8 bytes, little endian),
//	           documents, least id, greatest id, the size of each stream,
//	           the page count of the dictionary; CRC-32C
//	docs:      ids as differences; for each field a 1 and a length code
//	           for each document, or a 0 if no document has the field;
//	           the first key of each dictionary page, with its length
//	terms:     see dictionary.go
//	postings:  see postings.go
//	positions: see postings.go
//	deletes:   the number of ordinals, and the ordinals as differences; CRC-32C
const formatVersion = 3

// maxDocs bounds the documents of a segment, so that a damaged count cannot request
// unlimited memory. Ordinals are 32 bits wide.
const maxDocs = 1 << 28

// table is the decoded header and docs stream of a segment. It never changes.
type table struct {
	id          int64
	fingerprint uint64
	version     byte
	fields      int // number of its fields
	docs        int
	minID       int64
	maxID       int64
	sizes       [streamCount]int
	termPages   int

	ids     []int64
	lengths [fieldCount][]byte // codes by ordinal; nil if no document has the field
	firsts  [][]byte           // first key of each dictionary page
	sums    [fieldCount]int    // of lengths
}

// size returns the segment's size on disk, which controls merging.
func (t *table) size() int {
	n := 0
	for _, s := range t.sizes {
		n += s
	}
	return n
}

// ordinal returns the ordinal of a document id.
func (t *table) ordinal(id int64) (uint32, bool) {
	if id < t.minID || id > t.maxID {
		return 0, false
	}
	i := sort.Search(len(t.ids), func(i int) bool { return t.ids[i] >= id })
	return uint32(i), i < len(t.ids) && t.ids[i] == id
}

// segment is a table with the deletions that a transaction sees.
type segment struct {
	*table
	deleted   bitmap // nil while nothing is deleted
	deletions uint64 // changes with the deletions
	live      int

	// State of a search.
	weigher
	stretch [fieldCount]float32 // see stretched
}

// isLive reports whether the document with this ordinal exists.
func (s *segment) isLive(ord uint32) bool { return s.deleted == nil || !s.deleted.has(ord) }

// addLengths adds the lengths of live documents to sums.
func (s *segment) addLengths(sums *[fieldCount]int) {
	for f, codes := range s.lengths {
		sums[f] += s.sums[f]
		if codes != nil && s.deleted != nil {
			s.deleted.each(func(ord uint32) { sums[f] -= lengthOf(codes[ord]) })
		}
	}
}

// bitmap is a set of ordinals.
type bitmap []uint64

func newBitmap(n int) bitmap { return make(bitmap, (n+63)/64) }

func (b bitmap) has(i uint32) bool { return b[i>>6]&(1<<(i&63)) != 0 }
func (b bitmap) set(i uint32)      { b[i>>6] |= 1 << (i & 63) }

func (b bitmap) count() int {
	n := 0
	for _, w := range b {
		n += bits.OnesCount64(w)
	}
	return n
}

// each calls f for each ordinal, ascending.
func (b bitmap) each(f func(uint32)) {
	for i, w := range b {
		for w != 0 {
			f(uint32(i<<6 + bits.TrailingZeros64(w)))
			w &= w - 1
		}
	}
}

// encodeDeletes encodes the list of deletions.
func encodeDeletes(deleted bitmap) []byte {
	out := binary.AppendUvarint(nil, uint64(deleted.count()))
	last := uint32(0)
	deleted.each(func(ord uint32) {
		out = binary.AppendUvarint(out, uint64(ord-last))
		last = ord
	})
	return sealed(out, sealDeletes, 0)
}

// decodeDeletes decodes it for a segment with that many documents.
func decodeDeletes(b []byte, docs int) (bitmap, int, error) {
	if len(b) == 0 {
		return nil, 0, nil
	}
	payload, err := unsealed(b, sealDeletes, 0)
	if err != nil {
		return nil, 0, err
	}
	in := input{b: payload}
	n := in.below(docs + 1)
	deleted := newBitmap(docs)
	ord := 0
	for range n {
		ord += in.below(docs - ord)
		if in.bad {
			return nil, 0, damaged("deletions")
		}
		deleted.set(uint32(ord))
	}
	if in.bad || deleted.count() != n {
		return nil, 0, damaged("deletions")
	}
	return deleted, n, nil
}

// headers decodes the headers of segments.
func headers(stored []Segment) (tables []*table, err error) {
	tables = make([]*table, len(stored))
	for i := range stored {
		if tables[i], err = decodeHeader(stored[i]); err != nil {
			return nil, err
		}
	}
	return tables, nil
}

// open returns a segment with this header, from the cache if possible.
func (x *Index) open(ctx context.Context, r Reader, t *table, stored Segment) (*segment, error) {
	key := t.key()
	if v, ok := x.cache.get(key); ok {
		t = v.(*table)
	} else {
		docs, err := x.docs(ctx, r, t)
		if err != nil {
			return nil, err
		}
		if err := t.decodeDocs(docs); err != nil {
			return nil, err
		}
		x.cache.put(key, t, t.sizes[streamDocs]+8*t.docs+48*t.termPages)
	}
	deleted, n, err := decodeDeletes(stored.Deletes, t.docs)
	if err != nil {
		return nil, err
	}
	s := &segment{table: t, deleted: deleted, live: t.docs - n}
	if n > 0 {
		sum := binary.LittleEndian.Uint32(stored.Deletes[len(stored.Deletes)-crc32.Size:])
		s.deletions = uint64(sum)<<32 | uint64(n)
	}
	return s, nil
}

// docsPages returns the number of pages of the docs stream.
func (t *table) docsPages() int { return (t.sizes[streamDocs] + pagePayload - 1) / pagePayload }

// docs returns the payload of the docs stream. Its pages are not cached, since the table is.
func (x *Index) docs(ctx context.Context, r Reader, t *table) ([]byte, error) {
	raw, err := r.Pages(ctx, t.id, streamDocs, 0, t.docsPages())
	if err != nil {
		return nil, err
	}
	var all []byte
	for p := 0; len(raw) > 0; p++ {
		page := raw[:min(pageSize, len(raw))]
		raw = raw[len(page):]
		payload, err := unsealed(page, streamDocs, p)
		if err != nil {
			return nil, err
		}
		all = append(all, payload...)
	}
	if len(all) != t.sizes[streamDocs] {
		return nil, damaged("pages are missing")
	}
	return all, nil
}

// openAll reads all segments.
func (x *Index) openAll(ctx context.Context, r Reader) ([]*segment, error) {
	stored, err := r.Segments(ctx)
	if err != nil {
		return nil, err
	}
	tables, err := headers(stored)
	if err != nil {
		return nil, err
	}
	if err := x.ahead(ctx, r, tables); err != nil {
		return nil, err
	}
	segments := make([]*segment, len(stored))
	for i, t := range tables {
		if segments[i], err = x.open(ctx, r, t, stored[i]); err != nil {
			return nil, err
		}
	}
	return segments, nil
}

// smallSegment is the maximum number of pages of a segment that is read as a whole when it
// is first opened, like the newest segments.
const smallSegment = 8

// isSmall reports whether the segment is read as a whole.
func (t *table) isSmall() bool { return len(t.pages()) <= smallSegment }

// ahead announces the pages of segments that were not opened before: all pages of small
// ones, and the documents and marks of others.
func (x *Index) ahead(ctx context.Context, r Reader, tables []*table) error {
	var pages []PageAt
	for _, t := range tables {
		if _, ok := x.cache.get(t.key()); ok {
			continue
		}
		all := t.pages()
		if len(all) > smallSegment {
			all = append(all[:t.docsPages()], PageAt{t.id, streamMarks, 0})
		}
		pages = append(pages, all...)
	}
	return r.Ahead(ctx, pages)
}

// pages returns the pages of all streams.
func (t *table) pages() (all []PageAt) {
	for s, size := range t.sizes {
		n := (size + pagePayload - 1) / pagePayload
		if Stream(s) == streamTerms {
			n = t.termPages
		}
		for page := range n {
			all = append(all, PageAt{t.id, Stream(s), page})
		}
	}
	return all
}

// key returns the key of the table in the cache.
func (t *table) key() pageKey {
	return pageKey{segment: t.id, fingerprint: t.fingerprint, page: -1}
}

func (t *table) encodeHeader() []byte {
	out := []byte{formatVersion, analysis.Version}
	out = binary.LittleEndian.AppendUint64(out, t.fingerprint)
	for _, v := range []int{t.docs, int(t.minID), int(t.maxID)} {
		out = binary.AppendUvarint(out, uint64(v))
	}
	for _, size := range t.sizes {
		out = binary.AppendUvarint(out, uint64(size))
	}
	return sealed(binary.AppendUvarint(out, uint64(t.termPages)), sealHeader, 0)
}

func decodeHeader(stored Segment) (*table, error) {
	payload, err := unsealed(stored.Header, sealHeader, 0)
	if err != nil {
		return nil, err
	}
	if len(payload) < 10 || payload[0] < 1 || payload[0] > formatVersion || payload[1] != analysis.Version {
		return nil, damaged("it was written by another version")
	}
	t := &table{id: stored.ID, version: payload[0], fields: fieldCount, fingerprint: binary.LittleEndian.Uint64(payload[2:])}
	if payload[0] == 1 {
		t.fields = int(Markup)
	}
	in := input{b: payload[10:]}
	t.docs = in.below(maxDocs)
	t.minID, t.maxID = int64(in.uvarint()), int64(in.uvarint())
	for s := range t.sizes {
		t.sizes[s] = in.below(maxStream)
	}
	t.termPages = in.below(1 << 28)
	// Each document and page takes at least one byte: a damaged count with a valid checksum
	// still cannot request more memory than was stored.
	if in.bad || len(in.left()) > 0 || t.docs+t.termPages > t.sizes[streamDocs] {
		return nil, damaged("a header")
	}
	return t, nil
}

// encodeDocs encodes the docs stream.
func (t *table) encodeDocs() []byte {
	out := make([]byte, 0, 10*len(t.ids))
	last := int64(0)
	for _, id := range t.ids {
		out = binary.AppendUvarint(out, uint64(id-last))
		last = id
	}
	for _, codes := range t.lengths {
		if codes == nil {
			out = append(out, 0)
			continue
		}
		out = append(append(out, 1), codes...)
	}
	for _, key := range t.firsts {
		out = append(binary.AppendUvarint(out, uint64(len(key))), key...)
	}
	return out
}

func (t *table) decodeDocs(b []byte) error {
	in := input{b: b}
	t.ids = make([]int64, t.docs)
	id := uint64(0)
	for i := range t.ids {
		d := in.uvarint()
		id += d
		if i > 0 && d == 0 || id > 1<<63-1 {
			return damaged("document ids")
		}
		t.ids[i] = int64(id)
	}
	for f := range t.lengths[:t.fields] {
		if in.below(2) == 1 {
			t.lengths[f] = in.take(uint64(t.docs))
		}
	}
	t.firsts = make([][]byte, t.termPages)
	for i := range t.firsts {
		t.firsts[i] = in.take(in.uvarint())
		if i > 0 && bytes.Compare(t.firsts[i-1], t.firsts[i]) >= 0 {
			return damaged("the dictionary's order")
		}
	}
	t.sum()
	if in.bad || len(in.left()) > 0 || t.docs > 0 && (t.ids[0] != t.minID || id != uint64(t.maxID)) {
		return damaged("a table of documents")
	}
	return nil
}

// sum adds up the lengths.
func (t *table) sum() {
	for f, codes := range t.lengths {
		for _, code := range codes {
			t.sums[f] += lengthOf(code)
		}
	}
}

// ownWeigher computes weights with the averages of the segment's own documents. It
// precomputes the lengths that occur, which are few in a new segment of one page.
func (t *table) ownWeigher() weigher {
	n := new(norms)
	for f, codes := range t.lengths {
		n[f][0] = normOf(f, 0, t.docs, &t.sums)
		for _, code := range codes {
			if n[f][code] == 0 {
				n[f][code] = normOf(f, code, t.docs, &t.sums)
			}
		}
	}
	return weigher{n, &t.lengths}
}

// newSum returns the hash function for fingerprints.
func newSum() hash.Hash64 { return crc64.New(crc64.MakeTable(crc64.ECMA)) }
