package lexical

import (
	"context"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/search/analysis"
)

// valueGap is the number of positions between two values of a field, so that no
// phrase matches across them.
const valueGap = 64

// maxPosition bounds positions: later words of a field get the last one.
const maxPosition = 1<<28 - 1

// Batch collects documents to put into the index and documents to delete. It
// analyses documents as they are added and inverts them at the end, which is
// most of the work of indexing and needs no database: fill several batches
// concurrently, and Apply them in order. A batch itself is not safe for
// concurrent use.
type Batch struct {
	analyzer analysis.Analyzer
	terms    terms

	// occurrences are ordered by document and field. Each has the number of a term, and its
	// field and position.
	occurrences []occurrence
	docs        []batchDoc
	at          map[int64]int // index in docs by id; -1 if only deleted

	runs   []run // most occurrences of long documents, with words that are not in terms; see pack
	long   int   // number of documents with runs
	packAt int   // the constant packAt, or less in tests

	inverted *inversion // of all documents in the present order; made by Invert
}

type occurrence struct {
	term  uint32
	place uint32 // field in the upper 4 bits, position below
}

type batchDoc struct {
	id       int64
	from, to int // its occurrences, except those in runs
	long     int // number among the long documents of the batch, from 1; 0 for other documents
	lengths  [fieldCount]byte
}

const placeBits = 28

// NewBatch returns an empty batch.
func NewBatch() *Batch {
	return &Batch{at: make(map[int64]int), packAt: packAt}
}

// wordBytes is an estimate of the bytes of a word with the blank after it.
const wordBytes = 6

// Grow makes room for documents with this many bytes of text.
func (b *Batch) Grow(bytes int64) {
	b.occurrences = slices.Grow(b.occurrences, int(min(bytes/wordBytes, packAt)))
}

// Put adds a document, or replaces the one with its id, both in the batch and in the index
// when the batch is applied.
func (b *Batch) Put(d Document) {
	b.inverted = nil
	doc, known := batchDoc{id: d.ID, from: len(b.occurrences)}, len(b.terms.words)
	var next, length [fieldCount]int
	add := func(f Field, text string) {
		base := next[f]
		used := b.analyzer.Document(text, func(t analysis.Token) {
			place := uint32(f)<<placeBits | uint32(min(base+t.Pos, maxPosition))
			b.occurrences = append(b.occurrences, occurrence{b.terms.number(t.Term), place})
			if len(b.occurrences)-doc.from >= b.packAt {
				if doc.long == 0 {
					b.long++
					doc.long = b.long
				}
				b.pack(doc, known)
			}
		})
		next[f] += used
		length[f] += used
	}
	begin := func(f Field) {
		if next[f] > 0 {
			next[f] += valueGap
		}
	}
	for _, text := range d.Texts {
		begin(text.Field)
		add(text.Field, text.Value)
	}
	for _, text := range d.Long {
		begin(text.Field)
		for part := range text.Parts {
			add(text.Field, part)
		}
	}
	for f, n := range length {
		doc.lengths[f] = lengthCode(n)
	}
	doc.to = len(b.occurrences)
	b.at[d.ID] = len(b.docs)
	b.docs = append(b.docs, doc)
}

// Delete deletes the document with this id, if it exists.
func (b *Batch) Delete(id int64) { b.at[id] = -1 }

// leftOut is the id of a document that Renumber excluded; ids of callers are not negative.
const leftOut = -1

// Renumber assigns ids to the documents of a batch that was filled before they were known:
// the document with id i gets rows[i], and is excluded if that is 0. Deleted documents keep
// their ids.
func (b *Batch) Renumber(rows []int64) {
	at := make(map[int64]int, len(b.at))
	for id, i := range b.at {
		switch {
		case i < 0:
			at[id] = i
		default:
			b.docs[i].id = leftOut
			if rows[id] != 0 {
				b.docs[i].id = rows[id]
				at[rows[id]] = i
			}
		}
	}
	b.at = at
}

// Len returns the number of documents put or deleted.
func (b *Batch) Len() int { return len(b.at) }

// Size returns the approximate memory use of the batch in bytes. Batches should be applied
// when they reach BatchSize.
func (b *Batch) Size() int {
	n := 8*len(b.occurrences) + 32*len(b.docs) + 64*len(b.terms.words) + b.terms.bytes + 48*len(b.at)
	for _, r := range b.runs {
		n += len(r.data)
	}
	return n
}

// BatchSize is the value of Batch.Size at which batches of a first sync should be applied:
// some 8,000 notes of 300 words. Applying a batch needs as much memory again.
const BatchSize = 32 << 20

// touched returns the ids put or deleted.
func (b *Batch) touched() []int64 {
	ids := make([]int64, 0, len(b.at))
	for id := range b.at {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// write writes the documents as a segment, if there are any.
func (b *Batch) write(ctx context.Context, w Writer) error {
	var docs []batchDoc
	for i, d := range b.docs {
		if at, ok := b.at[d.id]; ok && at == i {
			docs = append(docs, d)
		}
	}
	if len(docs) == 0 {
		return nil
	}
	slices.SortFunc(docs, func(a, b batchDoc) int {
		if a.id < b.id {
			return -1
		}
		return 1
	})
	ids, lengths := documentTable(docs)
	out, err := newSegmentWriter(ctx, w, ids, lengths)
	if err != nil {
		return err
	}
	in := b.inverted
	if in == nil || !slices.Equal(docs, b.docs) {
		in = b.invert(docs)
	}
	again := kin{}
	if err := b.writeStems(ctx, out, in.stems, again); err != nil {
		return err
	}
	p := out.postingsWriter()
	var ords []uint32
	i := 0
	if err := b.eachWord(in, func(word string, places []place) error {
		if i++; i%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		p.reset(len(places))
		writeOccurrences(&p, places)
		count := 0
		if again.has(word) {
			ords = ords[:0]
			for i, at := range places {
				if i == 0 || at.ord != ords[len(ords)-1] {
					ords = append(ords, at.ord)
				}
			}
			count = again.count(word, ords)
		}
		return out.word(ctx, []byte(word), &p, count)
	}); err != nil {
		return err
	}
	return out.close(ctx)
}

// place is the position of an occurrence of a term.
type place struct{ ord, place uint32 }

// stemmed is a word with its stem.
type stemmed struct{ stem, word string }

// inversion holds the documents of a batch by term.
type inversion struct {
	order  []uint32       // occurring terms ordered by word; without those of runs
	start  []int          // start of the places of each term, by term number, and the end
	places []place        // of all terms; ascending within a term
	stems  []stemmed      // words that differ from their stem, ordered by stem and word
	long   map[int]uint32 // ordinals of the long documents
}

// Invert does the part of Apply that needs no database. No document may be put afterwards.
func (b *Batch) Invert() { b.inverted = b.invert(b.docs) }

func (b *Batch) invert(docs []batchDoc) *inversion {
	in := &inversion{start: make([]int, len(b.terms.words)+1), long: map[int]uint32{}}
	for ord, d := range docs {
		if d.long > 0 {
			in.long[d.long] = uint32(ord)
		}
		for _, o := range b.occurrences[d.from:d.to] {
			in.start[o.term+1]++
		}
	}
	for term := range b.terms.words {
		if in.start[term+1] > 0 {
			in.order = append(in.order, uint32(term))
		}
		in.start[term+1] += in.start[term]
	}
	next := slices.Clone(in.start)
	in.places = make([]place, in.start[len(b.terms.words)])
	for ord, d := range docs {
		for _, o := range b.occurrences[d.from:d.to] {
			in.places[next[o.term]] = place{uint32(ord), o.place}
			next[o.term]++
		}
	}
	slices.SortFunc(in.order, func(i, j uint32) int { return strings.Compare(b.terms.words[i], b.terms.words[j]) })
	in.stems = b.stems(in)
	return in
}

// stems returns the words that differ from their stem.
func (b *Batch) stems(in *inversion) []stemmed {
	var all []stemmed
	var buf []byte
	_ = b.eachWord(in, func(word string, _ []place) error {
		buf = analysis.Stem(buf[:0], []byte(word))
		switch {
		case string(buf) == word:
		case strings.HasPrefix(word, string(buf)):
			all = append(all, stemmed{word[:len(buf)], word})
		default:
			all = append(all, stemmed{string(buf), word})
		}
		return nil
	})
	// The words are sorted, so a stable sort keeps those of one stem sorted.
	slices.SortStableFunc(all, func(a, b stemmed) int { return strings.Compare(a.stem, b.stem) })
	return all
}

// writeStems writes words by stem, and records the words that share a stem.
func (b *Batch) writeStems(ctx context.Context, out *segmentWriter, all []stemmed, again kin) error {
	var words []string
	for i, one := range all {
		words = append(words, one.word)
		if i+1 < len(all) && all[i+1].stem == one.stem {
			continue
		}
		if err := out.stem(ctx, one.stem, words); err != nil {
			return err
		}
		if b.terms.has(one.stem) || len(words) > 1 || len(b.runs) > 0 { // the stem itself may be in a run
			again.add(one.stem, words)
		}
		words = words[:0]
	}
	return nil
}

// writeOccurrences encodes the places of one term. A document's fields may
// come in any order, and a field more than once.
func writeOccurrences(p *postingsWriter, places []place) {
	var frequencies [fieldCount]uint32
	for len(places) > 0 {
		ord, n := places[0].ord, 1
		sorted := true
		for n < len(places) && places[n].ord == ord {
			sorted = sorted && places[n-1].place <= places[n].place
			n++
		}
		of := places[:n]
		places = places[n:]
		if !sorted {
			slices.SortFunc(of, func(a, b place) int { return int(a.place) - int(b.place) })
		}
		var fields FieldSet
		count := 0
		for i, o := range of {
			if i == 0 || o.place>>placeBits != of[i-1].place>>placeBits {
				fields |= 1 << (o.place >> placeBits)
				frequencies[count] = 0
				count++
			}
			frequencies[count-1]++
		}
		p.add(ord, fields, frequencies[:count])
		for i, o := range of {
			position := o.place & (1<<placeBits - 1)
			if i > 0 && o.place>>placeBits == of[i-1].place>>placeBits {
				position -= of[i-1].place & (1<<placeBits - 1)
			}
			p.positions = binary.AppendUvarint(p.positions, uint64(position))
		}
	}
}

// documentTable returns the ids and lengths of sorted documents.
func documentTable(docs []batchDoc) ([]int64, [fieldCount][]byte) {
	ids := make([]int64, len(docs))
	var lengths [fieldCount][]byte
	for i, d := range docs {
		ids[i] = d.id
		for f, code := range d.lengths {
			if code == 0 {
				continue
			}
			if lengths[f] == nil {
				lengths[f] = make([]byte, len(docs))
			}
			lengths[f][i] = code
		}
	}
	return ids, lengths
}
