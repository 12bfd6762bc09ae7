package lexical

import (
	"bytes"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// form is a word that fills a slot.
type form struct {
	entry
	weight float32
}

// searcher runs one query in one transaction.
type searcher struct {
	ctx      context.Context // of the call
	x        *Index
	r        Reader
	segments []*segment
	docs     int   // number of live documents
	blocks   int   // number of blocks of postings read
	err      error // the first error; later reads return nothing
	*scratch
}

// fail keeps the first error.
func (q *searcher) fail(err error) {
	if q.err == nil {
		q.err = err
	}
}

// scratch is memory that is reused by consecutive searches. It is clean between uses: each
// use cleans up after itself.
type scratch struct {
	weight []float32  // by ordinal
	fields []FieldSet // by ordinal
	seen   bitmap
	sums   []float64 // of scores, by ordinal
}

// reserve allocates memory for a segment of n documents.
func (s *scratch) reserve(n int) {
	if len(s.weight) < n {
		s.weight, s.fields, s.seen = make([]float32, n), make([]FieldSet, n), newBitmap(n)
	}
}

// searcher opens the segments. The caller must return the searcher's scratch.
func (x *Index) searcher(ctx context.Context, r Reader) (*searcher, error) {
	segments, err := x.openAll(ctx, r)
	if err != nil {
		return nil, err
	}
	q := &searcher{ctx: ctx, x: x, r: r, segments: segments, scratch: x.scratch.Get().(*scratch)}
	var sums [fieldCount]int
	for _, s := range segments {
		q.docs += s.live
		s.addLengths(&sums)
	}
	norms := x.normsOf(q.docs, sums)
	for _, s := range segments {
		s.weigher = weigher{norms, &s.table.lengths}
		s.stretch = stretch(q.docs, &sums, s.table)
	}
	return q, nil
}

// forms returns the words of a segment that fill a slot, ascending.
func (q *searcher) forms(s *segment, of analysis.Slot) []form {
	var forms []form
	var err error
	switch of.How {
	case analysis.Beginning:
		forms, err = q.beginning(s, of.Term)
	case analysis.Containing:
		forms, err = q.containing(s, of.Term)
	case analysis.Inflected:
		forms, err = q.inflections(s, of.Term)
	default:
		var e entry
		var ok bool
		if e, ok, err = q.x.lookUp(q.ctx, q.r, s.table, []byte(of.Term)); ok {
			forms = []form{{e, 1}}
		}
	}
	if err != nil {
		q.fail(err)
		return nil
	}
	return forms
}

// formsOf returns the words of a segment that match a leaf of one slot.
func (q *searcher) formsOf(s *segment, l *leaf) []form {
	forms := q.forms(s, l.slots[0])
	for _, v := range l.also {
		e, ok, err := q.x.lookUp(q.ctx, q.r, s.table, []byte(v.Term))
		if err != nil {
			q.fail(err)
			return nil
		}
		if ok && !slices.ContainsFunc(forms, func(f form) bool { return f.postings == e.postings }) {
			forms = append(forms, form{e, v.Weight})
		}
	}
	return forms
}

// containing returns all words that contain a text.
func (q *searcher) containing(s *segment, text string) ([]form, error) {
	var forms []form
	err := q.x.scan(q.ctx, q.r, s.table, []byte{stemMark + 1}, func(e *entry) bool {
		if bytes.Contains(e.key, []byte(text)) {
			forms = append(forms, form{*e, 1})
		}
		return true
	})
	return forms, err
}

// beginning returns all words with a prefix. Their number is bounded by the vocabulary, and
// a limit would make the total wrong.
func (q *searcher) beginning(s *segment, prefix string) ([]form, error) {
	var forms []form
	err := q.x.scan(q.ctx, q.r, s.table, []byte(prefix), func(e *entry) bool {
		if !bytes.HasPrefix(e.key, []byte(prefix)) {
			return false
		}
		forms = append(forms, form{*e, 1})
		return true
	})
	return forms, err
}

// inflections returns the words with the same stem as word.
func (q *searcher) inflections(s *segment, word string) ([]form, error) {
	stem := string(analysis.Stem(nil, []byte(word)))
	var words []string
	if isStem(stem) {
		words = append(words, stem)
	}
	e, ok, err := q.x.lookUp(q.ctx, q.r, s.table, append([]byte{stemMark}, stem...))
	if err != nil {
		return nil, err
	}
	if ok {
		if err := e.eachWord(func(w []byte) { words = append(words, string(w)) }); err != nil {
			return nil, err
		}
	}
	slices.Sort(words)
	var forms []form
	for _, w := range words {
		e, ok, err := q.x.lookUp(q.ctx, q.r, s.table, []byte(w))
		if err != nil {
			return nil, err
		}
		weight := float32(1)
		if w != word {
			weight = inflected
		}
		if ok {
			forms = append(forms, form{e, weight})
		}
	}
	return forms, nil
}

// isStem reports whether a stem is also a word with that stem.
func isStem(stem string) bool { return string(analysis.Stem(nil, []byte(stem))) == stem }

// inAny are all fields.
const inAny = ^FieldSet(0)

// words iterates over the documents of a segment, including deleted ones, that have any of
// some words in any of some fields.
type words struct {
	of    []*cursor
	in    FieldSet
	ord   uint32
	begun bool
}

func (q *searcher) words(s *segment, forms []form, in FieldSet) *words {
	w := &words{in: in}
	for _, f := range forms {
		w.of = append(w.of, q.cursor(s, f))
	}
	return w
}

func (w *words) at() uint32 { return w.ord }

func (w *words) size() int {
	n := 0
	for _, c := range w.of {
		n += c.docs
	}
	return n
}

func (w *words) seek(ord uint32) {
	if w.begun && w.ord >= ord {
		return
	}
	w.begun = true
	for {
		w.ord = noMore
		for _, c := range w.of {
			c.seek(ord)
			w.ord = min(w.ord, c.ord)
		}
		if w.ord == noMore || w.in == inAny {
			return
		}
		if fields, _ := w.evidence(); fields != 0 {
			return
		}
		ord = w.ord + 1
	}
}

// evidence returns the fields of the document that have the words, and their weight.
func (w *words) evidence() (fields FieldSet, weight float32) {
	for _, c := range w.of {
		if c.ord == w.ord {
			f, x := c.weigh(w.in)
			fields |= f
			weight += x
		}
	}
	return fields, weight
}

func (w *words) bound(ord uint32) (end uint32, weight float32) {
	end = noMore
	for _, c := range w.of {
		e, x := c.bound(ord)
		end = min(end, e)
		weight += x
	}
	return end, weight
}

// matches are live documents of a segment, with the weights of a leaf.
type matches struct {
	ords   []uint32
	fields []FieldSet
	weight []float32 // weighted, normalised frequency
	most   []float32 // maximum weight of each group of postingBlock documents
}

func (m *matches) add(ord uint32, fields FieldSet, weight float32) {
	if len(m.ords)%postingBlock == 0 {
		m.most = append(m.most, 0)
	}
	m.ords, m.fields, m.weight = append(m.ords, ord), append(m.fields, fields), append(m.weight, weight)
	m.most[len(m.most)-1] = max(m.most[len(m.most)-1], weight)
}

// listed iterates over matches.
type listed struct {
	*matches
	i int
}

func (l *listed) size() int { return len(l.ords) }

func (l *listed) at() uint32 {
	if l.i == len(l.ords) {
		return noMore
	}
	return l.ords[l.i]
}

func (l *listed) seek(ord uint32) {
	for steps := 0; l.i < len(l.ords) && l.ords[l.i] < ord; steps++ {
		if l.i++; steps == 8 {
			n, _ := slices.BinarySearch(l.ords[l.i:], ord)
			l.i += n
		}
	}
}

func (l *listed) evidence() (FieldSet, float32) { return l.fields[l.i], l.weight[l.i] }

func (l *listed) bound(ord uint32) (uint32, float32) {
	l.seek(ord)
	if l.i == len(l.ords) {
		return noMore, 0
	}
	n := l.i / postingBlock
	return l.ords[min((n+1)*postingBlock, len(l.ords))-1], l.most[n]
}

// gather reads all postings of many words, and returns the live documents that have any of
// them in any of some fields.
func (q *searcher) gather(s *segment, forms []form, in FieldSet) *matches {
	q.reserve(s.docs)
	for _, f := range forms {
		c := q.cursor(s, f)
		for c.next(); c.ord != noMore; c.next() {
			if !s.isLive(c.ord) {
				continue
			}
			if fields, weight := c.weigh(in); fields != 0 {
				q.seen.set(c.ord)
				q.fields[c.ord] |= fields
				q.weight[c.ord] += weight
			}
		}
	}
	m := new(matches)
	seen := q.seen[:(s.docs+63)/64]
	seen.each(func(ord uint32) {
		m.add(ord, q.fields[ord], q.weight[ord])
		q.fields[ord], q.weight[ord] = 0, 0
	})
	clear(seen)
	return m
}

// having counts the live documents of a segment with any of some words, which are a single
// word or all words of one stem.
func (q *searcher) having(s *segment, forms []form) int {
	if len(forms) == 0 {
		return 0
	}
	n := 0
	for _, f := range forms {
		n += f.docs - f.again
	}
	if s.deleted == nil && (!s.isFormer() || len(forms) == 1) {
		return n
	}
	several := 0
	if len(forms) > 1 {
		several = 1
	}
	key := pageKey{s.id, s.fingerprint ^ s.deletions, cachedCounts, forms[0].postings<<1 | several}
	if v, ok := q.x.cache.get(key); ok {
		return v.(int)
	}
	w := q.words(s, forms, inAny)
	if s.isFormer() {
		n = 0
		for w.seek(0); w.ord != noMore; w.seek(w.ord + 1) {
			if s.isLive(w.ord) {
				n++
			}
		}
	} else {
		s.deleted.each(func(ord uint32) {
			if w.seek(ord); w.ord == ord {
				n--
			}
		})
	}
	if q.err == nil {
		q.x.cache.put(key, n, cachedCountSize)
	}
	return n
}

// cachedCountSize is the approximate cost of a number in the cache.
const cachedCountSize = 128
