package lexical

import (
	"context"
	"encoding/binary"
	"hash"
	"hash/crc32"
)

// A page is a payload and its checksum. All pages of a stream except the last are full;
// those of the dictionary are shorter, one block each. 32 KiB keeps the number of database
// rows and the waste of single reads small.
const (
	pageSize    = 32 << 10
	pagePayload = pageSize - crc32.Size
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Kinds of sealed data other than pages.
const (
	sealHeader  = streamCount
	sealDeletes = streamCount + 1
)

// Kinds of cached data other than pages and tables.
const (
	cachedSkips     = streamCount + 2 + iota // of the postings that start there
	cachedCounts                             // of live documents
	cachedFormer                             // postings of a former version, converted
	cachedLanguages                          // marks of languages among the words
	cachedWords                              // a wordList
)

// checksum is the CRC-32C of a payload and its identity, so that a page in the
// place of another is noticed.
func checksum(payload []byte, s Stream, page int) uint32 {
	what := binary.LittleEndian.AppendUint32(nil, uint32(page)<<3|uint32(s))
	return crc32.Update(crc32.Checksum(what, castagnoli), castagnoli, payload)
}

// sealed appends the checksum to payload.
func sealed(payload []byte, s Stream, page int) []byte {
	return binary.LittleEndian.AppendUint32(payload, checksum(payload, s, page))
}

// unsealed returns the payload of a page.
func unsealed(b []byte, s Stream, page int) ([]byte, error) {
	n := len(b) - crc32.Size
	if n < 0 || binary.LittleEndian.Uint32(b[n:]) != checksum(b[:n], s, page) {
		return nil, damaged("a checksum does not match")
	}
	return b[:n:n], nil
}

// streamWriter writes one stream of a new segment, a page at a time.
type streamWriter struct {
	w       Writer
	segment int64
	stream  Stream
	sum     hash.Hash64 // over all pages of the segment
	page    int
	buf     []byte
	written int // bytes of payload in stored pages
}

func (s *streamWriter) size() int { return s.written + len(s.buf) }

// write appends b, across pages.
func (s *streamWriter) write(ctx context.Context, b []byte) error {
	for len(b) > 0 {
		n := min(len(b), pagePayload-len(s.buf))
		s.buf = append(s.buf, b[:n]...)
		b = b[n:]
		if len(s.buf) == pagePayload {
			if err := s.flush(ctx); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush stores the buffer as a page.
func (s *streamWriter) flush(ctx context.Context) error {
	if len(s.buf) == 0 {
		return nil
	}
	s.written += len(s.buf)
	page := sealed(s.buf, s.stream, s.page)
	s.sum.Write(page[len(page)-crc32.Size:])
	err := s.w.PutPage(ctx, s.segment, s.stream, s.page, page)
	s.page++
	s.buf = s.buf[:0]
	return err
}

// pageKey identifies a page in the cache. The fingerprint distinguishes segments that got
// the same ID because one of their transactions was rolled back.
type pageKey struct {
	segment     int64
	fingerprint uint64
	stream      Stream
	page        int
}

// pages returns the payloads of the pages [from, to) of any stream except the dictionary;
// see termPage for that.
func (x *Index) pages(ctx context.Context, r Reader, t *table, s Stream, from, to int) ([][]byte, error) {
	payloads := make([][]byte, to-from)
	missing, end := to, from
	for i := range payloads {
		key := pageKey{t.id, t.fingerprint, s, from + i}
		if v, ok := x.cache.get(key); ok {
			payloads[i] = v.([]byte)
			continue
		}
		missing, end = min(missing, from+i), from+i+1
	}
	if missing >= end {
		return payloads, nil
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	raw, err := r.Pages(ctx, t.id, s, missing, end)
	if err != nil {
		return nil, err
	}
	for p := missing; p < end; p++ {
		page := raw[:min(pageSize, len(raw))]
		raw = raw[len(page):]
		payload, err := unsealed(page, s, p)
		if err != nil {
			return nil, err
		}
		if payloads[p-from] == nil {
			payloads[p-from] = payload
			x.cache.put(pageKey{t.id, t.fingerprint, s, p}, payload, len(page))
		}
	}
	return payloads, nil
}

// section returns n bytes of a stream from an offset.
func (x *Index) section(ctx context.Context, r Reader, t *table, s Stream, off, n int) ([]byte, error) {
	if n == 0 {
		return nil, nil
	}
	if off < 0 || n < 0 || off > t.sizes[s]-n {
		return nil, damaged("a term points outside its segment")
	}
	from, to := off/pagePayload, (off+n-1)/pagePayload+1
	payloads, err := x.pages(ctx, r, t, s, from, to)
	if err != nil {
		return nil, err
	}
	off -= from * pagePayload
	if len(payloads) == 1 {
		if off+n > len(payloads[0]) {
			return nil, damaged("a page is short")
		}
		return payloads[0][off : off+n], nil
	}
	all := make([]byte, 0, n)
	for _, p := range payloads {
		if part := p[min(off, len(p)):]; len(all) < n {
			all = append(all, part[:min(len(part), n-len(all))]...)
		}
		off = 0
	}
	if len(all) < n {
		return nil, damaged("a page is short")
	}
	return all, nil
}

// pinned is the most recently read page of a stream.
type pinned struct {
	page    int
	payload []byte
}

// bytes returns n bytes of a stream from an offset, like section; nothing after damage.
func (q *searcher) bytes(t *table, s Stream, p *pinned, off, n int) []byte {
	if q.err != nil || n == 0 {
		return nil
	}
	from, at := off/pagePayload, off%pagePayload
	if off >= 0 && n > 0 && off <= t.sizes[s]-n && at+n <= pagePayload {
		if p.payload == nil || p.page != from {
			payloads, err := q.x.pages(q.ctx, q.r, t, s, from, from+1)
			if err != nil {
				q.fail(err)
				return nil
			}
			p.page, p.payload = from, payloads[0]
		}
		if at+n <= len(p.payload) {
			return p.payload[at : at+n : at+n]
		}
	}
	b, err := q.x.section(q.ctx, q.r, t, s, off, n)
	if err != nil {
		q.fail(err)
	}
	return b
}
