package lexical

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/query"
)

// reseal gives every stored value a valid checksum, so that damage reaches the
// decoders.
func (m *memory) reseal() {
	for key, page := range m.pages {
		if n := len(page) - 4; n >= 0 {
			m.pages[key] = sealed(page[:n:n], key.stream, key.page)
		}
	}
	for _, s := range m.segments {
		if n := len(s.Header) - 4; n >= 0 {
			s.Header = sealed(s.Header[:n:n], sealHeader, 0)
		}
		if n := len(s.Deletes) - 4; n >= 0 {
			s.Deletes = sealed(s.Deletes[:n:n], sealDeletes, 0)
		}
	}
}

// values returns every stored value.
func (m *memory) values() []*[]byte {
	var all []*[]byte
	for _, s := range m.segments {
		all = append(all, &s.Header, &s.Deletes)
	}
	return all
}

func damagedCopy(m *memory, rnd *rand.Rand, valid bool) *memory {
	c := newMemory()
	c.last = m.last
	for id, s := range m.segments {
		c.segments[id] = &Segment{id, slices.Clone(s.Header), slices.Clone(s.Deletes)}
	}
	for k, p := range m.pages {
		c.pages[k] = slices.Clone(p)
	}
	flip := func(b []byte) {
		if len(b) > 0 {
			b[rnd.IntN(len(b))] ^= byte(1 + rnd.IntN(255))
		}
	}
	switch values := c.values(); rnd.IntN(4) {
	case 0:
		flip(*values[rnd.IntN(len(values))])
	default:
		for range 1 + rnd.IntN(3) {
			at := rnd.IntN(len(c.pages))
			for k := range c.pages {
				if at == 0 {
					flip(c.pages[k])
					if rnd.IntN(8) == 0 {
						c.pages[k] = c.pages[k][:rnd.IntN(len(c.pages[k])+1)]
					}
					if rnd.IntN(16) == 0 {
						delete(c.pages, k)
					}
				}
				at--
			}
		}
	}
	if valid {
		c.reseal()
	}
	return c
}

// FuzzDamage damages an index and uses it in every way: there may be wrong
// results where checksums are forged, but no panic and no error of another kind.
func FuzzDamage(f *testing.F) {
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(7, 7))
	m, x := newMemory(), New(1<<20)
	for range 3 {
		b := NewBatch()
		for range 200 {
			b.Put(randomDocument(rnd, rnd.Int64N(300)))
		}
		if err := x.Apply(ctx, m, b); err != nil {
			f.Fatal(err)
		}
	}
	everyID, err := x.Documents(ctx, m)
	if err != nil {
		f.Fatal(err)
	}
	for seed := range uint64(60) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		rnd := rand.New(rand.NewPCG(seed, 2))
		c, x := damagedCopy(m, rnd, seed%4 != 0), New(1<<20)
		check := func(err error) {
			if err != nil && kb.CodeOf(err) != kb.Damaged {
				t.Fatalf("got %v", err)
			}
		}
		for _, text := range []string{"run the", "run OR the OR a OR cafe", `"the a" OR title:cafe`, "r* -x1", `"run running"`} {
			for _, o := range []Options{{Limit: 5}, {Limit: 5, Count: 20}, {Count: 5}} {
				_, err := x.Search(ctx, c, query.Parse(text, time.Time{}).Root, o)
				check(err)
			}
		}
		_, err := x.Near(ctx, c, []string{"run", "the", "index"}, everyID)
		check(err)
		_, err = x.Documents(ctx, c)
		check(err)
		b := NewBatch()
		b.Delete(5)
		b.Put(randomDocument(rnd, 6))
		check(x.Apply(ctx, c, b))
		check(x.Merge(ctx, c))
	})
}

// TestDamageIsNoticed changes single bits: with its checksum left alone,
// nothing that a search reads can change unnoticed.
func TestDamageIsNoticed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m, x := newMemory(), New(1<<20)
	b := NewBatch()
	b.Put(Document{ID: 3, Texts: []Text{{Title, "some words"}, {Truth, "more words"}}})
	if err := x.Apply(ctx, m, b); err != nil {
		t.Fatal(err)
	}
	if len(m.pages) != int(streamCount) {
		t.Fatalf("%d pages", len(m.pages))
	}
	find := func() error {
		_, err := New(1<<20).Search(ctx, m, &query.Phrase{Text: "some words"}, Options{Limit: 1})
		return err
	}
	if err := find(); err != nil {
		t.Fatal(err)
	}
	for k := range m.pages {
		for i := range m.pages[k] {
			m.pages[k][i] ^= 1
			if err := find(); kb.CodeOf(err) != kb.Damaged {
				t.Errorf("stream %d, byte %d: %v", k.stream, i, err)
			}
			m.pages[k][i] ^= 1
		}
	}
}
