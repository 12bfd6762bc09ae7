package index

import "github.com/cairn-kb/cairn/internal/search/lexical"

// Texts holds documents analysed for the full text before they have rows. The
// analysis is most of the work of indexing and needs no database, so a sync does it
// in the goroutines that read files. A Texts is filled by one goroutine and used
// for one Put.
type Texts struct {
	batch *lexical.Batch
	first map[*Derived]int // index of a document's first page
	n     int
}

// NewTexts returns an empty Texts with room for documents of this many bytes.
func NewTexts(bytes int64) *Texts {
	t := &Texts{batch: lexical.NewBatch(), first: map[*Derived]int{}}
	t.batch.Grow(bytes)
	return t
}

// Add analyses a document. Each is added once.
func (t *Texts) Add(d *Derived) {
	t.first[d] = t.n
	for _, page := range d.texts {
		page.ID = int64(t.n)
		t.batch.Put(page)
		t.n++
	}
	d.texts = nil // analysed: the strings are not needed any more
}

// Invert does the part of Put that needs no database. No documents may be added
// afterwards.
func (t *Texts) Invert() { t.batch.Invert() }

// settle assigns rows to the pages of the documents that are put, omits the others,
// and returns the batch to apply.
func (t *Texts) settle(put []*Derived) *lexical.Batch {
	rows := make([]int64, t.n)
	for _, d := range put {
		for j, p := range d.Record.Pages {
			rows[t.first[d]+j] = p.Page.Row
		}
	}
	t.batch.Renumber(rows)
	return t.batch
}

// analyse returns the Texts of documents that were not analysed early. It is called
// once for each.
func analyse(put []*Derived) *lexical.Batch {
	b := lexical.NewBatch()
	for _, d := range put {
		for j, p := range d.Record.Pages {
			page := d.texts[j]
			page.ID = p.Page.Row
			b.Put(page)
		}
		d.texts = nil
	}
	return b
}
