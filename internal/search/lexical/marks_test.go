package lexical

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
)

// indexed returns an index of one document.
func indexed(t *testing.T, text string) (*memory, *Index) {
	t.Helper()
	m, x := newMemory(), New(1<<20)
	b := NewBatch()
	b.Put(Document{ID: 1, Texts: []Text{{Truth, text}}})
	if err := x.Apply(t.Context(), m, b); err != nil {
		t.Fatal(err)
	}
	return m, x
}

// TestLookUp finds each key of a dictionary of several pages, and none that is
// not there, as one finds them who reads the whole dictionary.
func TestLookUp(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	rnd := rand.New(rand.NewPCG(3, 3))
	var text bytes.Buffer
	for range 4000 {
		fmt.Fprintf(&text, "w%d ", rnd.IntN(9000))
	}
	m, x := indexed(t, text.String())
	segments, err := x.openAll(ctx, m)
	if err != nil || len(segments) != 1 || segments[0].termPages < 3 {
		t.Fatalf("%d segments: %v", len(segments), err)
	}
	s := segments[0]
	all := map[string]entry{}
	if err := x.scan(ctx, m, s.table, nil, func(e *entry) bool {
		all[string(e.key)] = *e
		return true
	}); err != nil {
		t.Fatal(err)
	}
	if len(all) < 3*markEvery {
		t.Fatalf("%d keys", len(all))
	}
	for key, want := range all {
		got, ok, err := x.lookUp(ctx, m, s.table, []byte(key))
		if err != nil || !ok || got.postings != want.postings || got.positions != want.positions || got.posSize != want.posSize {
			t.Errorf("%q: %v, %v, %+v, want %+v", key, err, ok, got, want)
		}
		if _, ok, err := x.lookUp(ctx, m, s.table, []byte(key+"\x01")); err != nil || ok {
			t.Errorf("%q: what is not there is found: %v", key, err)
		}
	}
}

// TestMarksBoundTheReading: to find a key takes few entries wherever it stands.
func TestMarksBoundTheReading(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var text bytes.Buffer
	for n := range 600 {
		fmt.Fprintf(&text, "w%04d ", n)
	}
	m, x := indexed(t, text.String())
	segments, err := x.openAll(ctx, m)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 600 {
		key := fmt.Appendf(nil, "w%04d", n)
		d, err := x.dictionary(ctx, m, segments[0].table, 0, key)
		if err != nil {
			t.Fatal(err)
		}
		var e entry
		read := 0
		for ok := true; ok && !bytes.Equal(e.key, key); read++ {
			if ok, err = d.next(&e); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(e.key, key) || read > markEvery {
			t.Errorf("%s: %d entries read to find %q", key, read, e.key)
		}
	}
}
