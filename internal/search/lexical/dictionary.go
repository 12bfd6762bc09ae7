package lexical

import (
	"bytes"
	"context"
	"encoding/binary"

	"github.com/cairn-kb/cairn/internal/search/language"
)

// The dictionary is a sequence of entries with ascending keys, in pages that
// can be read independently:
//
//	page:  offset of its first postings, offset of its first positions, entries
//	entry: bytes shared with the key before, bytes that follow, those bytes, value
//	value: of a word:  documents times 2, plus 1 if some have a word before it with
//	                   the same stem, and then how many; bytes of postings, bytes
//	                   of positions
//	       of a stem:  the number of words, and each with its length
//
// A word's key is the word. A stem's key is a zero byte and the stem, and its
// value is the words other than itself that have this stem, ascending: postings
// are kept for words alone, so that exact and inflected matches both have what
// they need and nothing is stored twice.
const dictionaryPage = 8 << 10

// stemMark is the first byte of a stem's key; no term starts with it.
const stemMark = 0

// entry is a decoded entry of the dictionary.
type entry struct {
	key   []byte // valid until the next one is read
	words []byte // of a stem: its value, without the count
	count int    // of a stem: the number of words

	docs               int // of a word
	again              int // documents among these that also have an earlier word with its stem
	postings, postSize int
	positions, posSize int
}

func (e *entry) isStem() bool { return len(e.key) > 0 && e.key[0] == stemMark }

// eachWord calls f for each word of a stem.
func (e *entry) eachWord(f func(word []byte)) error {
	in := input{b: e.words}
	for range e.count {
		f(in.take(in.uvarint()))
	}
	if in.bad {
		return damaged("a stem")
	}
	return nil
}

// dictionaryReader reads the entries of one page.
type dictionaryReader struct {
	in                  input
	former              bool // whether the format is that of version 2 or earlier
	key                 []byte
	postings, positions int
}

func (t *table) readDictionary(page []byte) *dictionaryReader {
	d := &dictionaryReader{in: input{b: page}, former: t.isFormer()}
	d.postings, d.positions = d.in.below(maxStream), d.in.below(maxStream)
	return d
}

// next reads an entry; it returns false at the end of the page.
func (d *dictionaryReader) next(e *entry) (bool, error) {
	if len(d.in.left()) == 0 && !d.in.bad {
		return false, nil
	}
	shared := d.in.below(len(d.key) + 1)
	rest := d.in.take(d.in.uvarint())
	d.key = append(d.key[:shared], rest...)
	*e = entry{key: d.key}
	if e.isStem() {
		e.count = d.in.below(1 << 30)
		start := d.in.left()
		for i := 0; i < e.count && !d.in.bad; i++ {
			d.in.take(d.in.uvarint())
		}
		e.words = start[:len(start)-len(d.in.left())]
	} else {
		if e.docs = d.in.below(2 * maxDocs); !d.former {
			if e.docs&1 != 0 {
				e.again = d.in.below(e.docs>>1 + 1)
			}
			e.docs >>= 1
		}
		e.postSize, e.posSize = d.in.below(maxStream), d.in.below(maxStream)
		e.postings, e.positions = d.postings, d.positions
		d.postings += e.postSize
		d.positions += e.posSize
		// Each block of postings takes at least one byte.
		if e.docs == 0 || e.docs > postingBlock*e.postSize {
			d.in.bad = true
		}
	}
	if d.in.bad || len(d.key) == 0 {
		return false, damaged("the dictionary")
	}
	return true, nil
}

// dictionary returns a reader of a page, positioned at or before a key.
func (x *Index) dictionary(ctx context.Context, r Reader, t *table, page int, from []byte) (*dictionaryReader, error) {
	p, err := x.termPage(ctx, r, t, page)
	if err != nil {
		return nil, err
	}
	d := t.readDictionary(p.payload)
	d.seek(from, p.marks)
	return d, nil
}

// scan calls f for the entries from a key on, ascending, until f returns false.
func (x *Index) scan(ctx context.Context, r Reader, t *table, from []byte, f func(*entry) bool) error {
	var e entry
	for page := t.pageOf(from); page < len(t.firsts); page++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		d, err := x.dictionary(ctx, r, t, page, from)
		if err != nil {
			return err
		}
		for {
			ok, err := d.next(&e)
			if err != nil {
				return err
			}
			if !ok {
				break
			}
			if bytes.Compare(e.key, from) >= 0 && !f(&e) {
				return nil
			}
		}
	}
	return nil
}

// lookUp returns the entry of a key.
func (x *Index) lookUp(ctx context.Context, r Reader, t *table, key []byte) (entry, bool, error) {
	page := t.pageOf(key)
	if page >= len(t.firsts) {
		return entry{}, false, nil
	}
	d, err := x.dictionary(ctx, r, t, page, key)
	if err != nil {
		return entry{}, false, err
	}
	var e entry
	for {
		ok, err := d.next(&e)
		if err != nil || !ok {
			return entry{}, false, err
		}
		if c := bytes.Compare(e.key, key); c >= 0 {
			return e, c == 0, nil
		}
	}
}

// segmentWriter writes a new segment: stems, then words, both by ascending key, then close.
type segmentWriter struct {
	w         Writer
	t         table
	terms     streamWriter
	postings  streamWriter
	positions streamWriter
	last      []byte // previous key in this page
	marks     []uint8
}

// newSegmentWriter starts a segment of documents.
func newSegmentWriter(ctx context.Context, w Writer, ids []int64, lengths [fieldCount][]byte) (*segmentWriter, error) {
	id, err := w.CreateSegment(ctx)
	if err != nil {
		return nil, err
	}
	sum := newSum()
	stream := func(s Stream) streamWriter {
		return streamWriter{w: w, segment: id, stream: s, sum: sum}
	}
	out := &segmentWriter{
		w: w, t: table{id: id, version: formatVersion, docs: len(ids), ids: ids, lengths: lengths},
		terms: stream(streamTerms), postings: stream(streamPostings), positions: stream(streamPositions),
		marks: make([]uint8, len(language.All)),
	}
	out.t.sum()
	return out, nil
}

// key starts an entry.
func (s *segmentWriter) key(ctx context.Context, key []byte) error {
	if len(s.terms.buf) >= dictionaryPage {
		if err := s.terms.flush(ctx); err != nil {
			return err
		}
	}
	shared := 0
	if len(s.terms.buf) == 0 {
		s.t.firsts = append(s.t.firsts, bytes.Clone(key))
		s.terms.buf = binary.AppendUvarint(s.terms.buf, uint64(s.postings.size()))
		s.terms.buf = binary.AppendUvarint(s.terms.buf, uint64(s.positions.size()))
	} else {
		for shared < len(key) && shared < len(s.last) && key[shared] == s.last[shared] {
			shared++
		}
	}
	s.terms.buf = binary.AppendUvarint(s.terms.buf, uint64(shared))
	s.terms.buf = binary.AppendUvarint(s.terms.buf, uint64(len(key)-shared))
	s.terms.buf = append(s.terms.buf, key[shared:]...)
	s.last = append(s.last[:0], key...)
	return nil
}

// stem writes the words of a stem, which must be ascending.
func (s *segmentWriter) stem(ctx context.Context, stem string, words []string) error {
	if err := s.key(ctx, append([]byte{stemMark}, stem...)); err != nil {
		return err
	}
	s.terms.buf = binary.AppendUvarint(s.terms.buf, uint64(len(words)))
	for _, w := range words {
		s.terms.buf = append(binary.AppendUvarint(s.terms.buf, uint64(len(w))), w...)
	}
	return nil
}

// postingsWriter returns a writer for the postings of words.
func (s *segmentWriter) postingsWriter() postingsWriter { return postingsWriter{of: s.t.ownWeigher()} }

// word writes the postings of a word. again is the number of its documents that also have an
// earlier word with the same stem.
func (s *segmentWriter) word(ctx context.Context, word []byte, p *postingsWriter, again int) error {
	if err := s.key(ctx, word); err != nil {
		return err
	}
	s.mark(word)
	postings := p.finish()
	if again > 0 {
		s.terms.buf = binary.AppendUvarint(s.terms.buf, uint64(p.n)<<1|1)
		s.terms.buf = binary.AppendUvarint(s.terms.buf, uint64(again))
	} else {
		s.terms.buf = binary.AppendUvarint(s.terms.buf, uint64(p.n)<<1)
	}
	s.terms.buf = binary.AppendUvarint(s.terms.buf, uint64(len(postings)))
	s.terms.buf = binary.AppendUvarint(s.terms.buf, uint64(len(p.positions)))
	if err := s.postings.write(ctx, postings); err != nil {
		return err
	}
	return s.positions.write(ctx, p.positions)
}

// close writes the documents and completes the segment.
func (s *segmentWriter) close(ctx context.Context) error {
	for _, w := range []*streamWriter{&s.terms, &s.postings, &s.positions} {
		if err := w.flush(ctx); err != nil {
			return err
		}
	}
	t := &s.t
	t.minID, t.maxID = t.ids[0], t.ids[t.docs-1]
	t.termPages = s.terms.page
	docs := streamWriter{w: s.w, segment: t.id, stream: streamDocs, sum: s.terms.sum}
	if err := docs.write(ctx, t.encodeDocs()); err != nil {
		return err
	}
	if err := docs.flush(ctx); err != nil {
		return err
	}
	t.sizes = [streamCount]int{docs.size(), s.terms.size(), s.postings.size(), s.positions.size()}
	t.fingerprint = s.terms.sum.Sum64()
	if !t.isSmall() {
		if err := s.putMarks(ctx); err != nil {
			return err
		}
	}
	return s.w.PutHeader(ctx, t.id, t.encodeHeader())
}
