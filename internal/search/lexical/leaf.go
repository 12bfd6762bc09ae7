package lexical

import (
	"bytes"
	"context"
	"math/bits"
	"slices"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// matches are the live documents of one segment that a leaf matches.
type matches struct {
	ords   []uint32
	fields []FieldSet
	weight []float32 // weighted, normalised frequency
}

func (m *matches) add(ord uint32, fields FieldSet, weight float32) {
	m.ords = append(m.ords, ord)
	m.fields = append(m.fields, fields)
	m.weight = append(m.weight, weight)
}

// form is a word that fills a slot.
type form struct {
	entry
	weight float32
}

// searcher runs one query in one transaction.
type searcher struct {
	x        *Index
	r        Reader
	norms    *norms
	segments []*segment
	leaves   []*leaf
	found    []map[*leaf]*matches // by segment
	read     read
	*scratch
}

// read is what a query has read of one segment, so that a word that it has many
// times is read once.
type read struct {
	matched map[string]*matches
	forms   map[slotKey][]form
	located map[int]*located // by where the postings of the word stand
}

func newRead() read {
	return read{matched: map[string]*matches{}, forms: map[slotKey][]form{}, located: map[int]*located{}}
}

// slotKey is what a slot takes.
type slotKey struct {
	how  analysis.How
	term string
}

// scratch is memory that searches use one after the other. It is clean between
// uses: each use cleans what it touched.
type scratch struct {
	weight []float32  // by ordinal
	fields []FieldSet // by ordinal
	scores []float64  // by ordinal
	seen   bitmap
}

// reserve makes room for a segment of n documents.
func (s *scratch) reserve(n int) {
	if len(s.weight) < n {
		s.weight, s.fields = make([]float32, n), make([]FieldSet, n)
		s.scores, s.seen = make([]float64, n), newBitmap(n)
	}
}

// forms returns the words of a segment that fill a slot, ascending.
func (q *searcher) forms(ctx context.Context, s *segment, of analysis.Slot) ([]form, error) {
	key := slotKey{of.How, of.Term}
	if forms, ok := q.read.forms[key]; ok {
		return forms, nil
	}
	forms, err := q.lookUpForms(ctx, s, of)
	if err == nil && q.read.forms != nil {
		q.read.forms[key] = forms
	}
	return forms, err
}

func (q *searcher) lookUpForms(ctx context.Context, s *segment, of analysis.Slot) ([]form, error) {
	switch of.How {
	case analysis.Beginning:
		return q.beginning(ctx, s, of.Term)
	case analysis.Inflected:
		return q.inflections(ctx, s, of.Term)
	}
	e, ok, err := q.x.lookUp(ctx, q.r, s.table, []byte(of.Term))
	if !ok {
		return nil, err
	}
	return []form{{e, 1}}, nil
}

// beginning returns the words with a prefix, all of them: their number is
// bounded by the vocabulary, and leaving some out would make the total a lie.
func (q *searcher) beginning(ctx context.Context, s *segment, prefix string) ([]form, error) {
	var forms []form
	err := q.x.scan(ctx, q.r, s.table, []byte(prefix), func(e *entry) bool {
		if !bytes.HasPrefix(e.key, []byte(prefix)) {
			return false
		}
		forms = append(forms, form{*e, 1})
		return true
	})
	return forms, err
}

// inflections returns the words with the same stem as word.
func (q *searcher) inflections(ctx context.Context, s *segment, word string) ([]form, error) {
	stem := string(analysis.Stem(nil, []byte(word)))
	var words []string
	if isStem := string(analysis.Stem(nil, []byte(stem))) == stem; isStem {
		words = append(words, stem)
	}
	e, ok, err := q.x.lookUp(ctx, q.r, s.table, append([]byte{stemMark}, stem...))
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
		e, ok, err := q.x.lookUp(ctx, q.r, s.table, []byte(w))
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

// match returns the live documents of a segment that a leaf matches, those of
// equal leaves once.
func (q *searcher) match(ctx context.Context, s *segment, l *leaf) (*matches, error) {
	key := l.key()
	if m := q.read.matched[key]; m != nil {
		return m, nil
	}
	m, err := q.evaluateLeaf(ctx, s, l)
	if err == nil {
		q.read.matched[key] = m
	}
	return m, err
}

func (q *searcher) evaluateLeaf(ctx context.Context, s *segment, l *leaf) (*matches, error) {
	q.reserve(s.docs)
	if len(l.slots) > 1 {
		return q.matchPhrase(ctx, s, l)
	}
	forms, err := q.forms(ctx, s, l.slots[0])
	if err != nil {
		return nil, err
	}
	if len(forms) == 1 {
		n := min(forms[0].docs, s.docs)
		m := &matches{ords: make([]uint32, 0, n), fields: make([]FieldSet, 0, n), weight: make([]float32, 0, n)}
		return m, q.eachPosting(ctx, s, &forms[0], l.fields, m.add)
	}
	for i := range forms {
		err := q.eachPosting(ctx, s, &forms[i], l.fields, func(ord uint32, fields FieldSet, weight float32) {
			q.seen.set(ord)
			q.fields[ord] |= fields
			q.weight[ord] += weight
		})
		if err != nil {
			q.collect(s) // clean
			return nil, err
		}
	}
	return q.collect(s), nil
}

// collect moves what was gathered by ordinal into matches.
func (q *searcher) collect(s *segment) *matches {
	seen := q.seen[:(s.docs+63)/64]
	n := seen.count()
	m := &matches{ords: make([]uint32, 0, n), fields: make([]FieldSet, 0, n), weight: make([]float32, 0, n)}
	seen.each(func(ord uint32) {
		m.add(ord, q.fields[ord], q.weight[ord])
		q.fields[ord], q.weight[ord] = 0, 0
	})
	clear(seen)
	return m
}

// eachPosting calls f for the live postings of a word that are in one of
// fields.
func (q *searcher) eachPosting(ctx context.Context, s *segment, w *form, in FieldSet, f func(uint32, FieldSet, float32)) error {
	p, err := q.x.postingsOf(ctx, q.r, s.table, &w.entry)
	if err != nil {
		return err
	}
	truth, norm := s.lengths[Truth], &q.norms[Truth]
	for p.advance() {
		if s.deleted != nil && s.deleted.has(p.ord) {
			continue
		}
		fields := p.fields & in
		switch {
		case fields == 0:
		case p.fields == onlyTruth && truth != nil:
			f(p.ord, fields, w.weight*(float32(p.frequencies[0])*norm[truth[p.ord]]))
		default:
			f(p.ord, fields, w.weight*q.weigh(s, p.ord, p.fields, fields, &p.frequencies))
		}
	}
	return p.err()
}

// weigh adds up frequencies: those of the fields in all, of which only those
// in wanted count.
func (q *searcher) weigh(s *segment, ord uint32, all, wanted FieldSet, frequencies *[fieldCount]uint32) float32 {
	sum, i := float32(0), 0
	for rest := uint16(all); rest != 0; rest &= rest - 1 {
		f := bits.TrailingZeros16(rest)
		if wanted.Has(Field(f)) {
			code := byte(0)
			if s.lengths[f] != nil {
				code = s.lengths[f][ord]
			}
			sum += float32(frequencies[i]) * q.norms[f][code]
		}
		i++
	}
	return sum
}
