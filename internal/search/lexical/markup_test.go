package lexical

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/search/query"
)

// What stands in markup alone is found, comes last and covers nothing of a query.
func TestMarkupWeighsLeast(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	x, m := New(1<<20), newMemory()
	b := NewBatch()
	b.Put(Document{ID: 1, Texts: []Text{{Truth, "Awk is a language."}, {Markup, "https://sparky.rice.edu/rice"}}})
	b.Put(Document{ID: 2, Texts: []Text{{Truth, "How to boil rice, among many other words that make this a long page."}}})
	if err := x.Apply(ctx, m, b); err != nil {
		t.Fatal(err)
	}
	r, err := x.Search(ctx, m, query.Parse("rice", time.Time{}).Root, Options{Limit: 5})
	if err != nil || len(r.Hits) != 2 || r.Hits[0].ID != 2 || r.Hits[1].ID != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	if best, last := r.Hits[0], r.Hits[1]; best.Coverage != 1 || best.Markup != 0 || last.Coverage != 0 || last.Markup != 1 || !slices.Equal(last.Fields.Names(), []string{"markup"}) || last.Score > best.Score/3 {
		t.Errorf("%+v", r.Hits)
	}
}

// Segments from before the field Markup are read as they are.
func TestSegmentsOfVersion1(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	x, m := New(1<<20), newMemory()
	b := NewBatch()
	b.Put(Document{ID: 7, Texts: []Text{{Title, "Apples"}, {Truth, "Pears and plums."}}})
	if err := x.Apply(ctx, m, b); err != nil {
		t.Fatal(err)
	}
	m = formerly(t, m)
	m.toVersion1(t)
	x = New(1 << 20)
	for _, word := range []string{"apples", "plums"} {
		r, err := x.Search(ctx, m, query.Parse(word, time.Time{}).Root, Options{Limit: 5})
		if err != nil || r.Total != 1 {
			t.Errorf("%s: %+v, %v", word, r, err)
		}
	}
	b = NewBatch()
	b.Put(Document{ID: 8, Texts: []Text{{Truth, "Plums."}, {Markup, "x.example"}}})
	if err := x.Apply(ctx, m, b); err != nil {
		t.Fatal(err)
	}
	if r, err := x.Search(ctx, m, query.Parse("plums", time.Time{}).Root, Options{Limit: 5}); err != nil || r.Total != 2 {
		t.Errorf("with a new segment: %+v, %v", r, err)
	}
}

// toVersion1 makes the only segment, of one document, one of version 1.
func (m *memory) toVersion1(t *testing.T) {
	t.Helper()
	s := m.segments[m.last]
	header, err := decodeHeader(*s)
	if err != nil {
		t.Fatal(err)
	}
	page := memoryPage{m.last, streamDocs, 0}
	docs, err := unsealed(m.pages[page], streamDocs, 0)
	if err != nil {
		t.Fatal(err)
	}
	in := input{b: docs}
	in.uvarint() // the id
	for range Markup {
		if in.below(2) == 1 {
			in.take(1)
		}
	}
	at := len(docs) - len(in.left()) // of Markup, which no document has
	m.pages[page] = sealed(slices.Delete(slices.Clone(docs), at, at+1), streamDocs, 0)
	header.sizes[streamDocs]--
	payload, err := unsealed(header.encodeHeader(), sealHeader, 0)
	if err != nil {
		t.Fatal(err)
	}
	payload = slices.Clone(payload)
	payload[0] = 1
	s.Header = sealed(payload, sealHeader, 0)
}
