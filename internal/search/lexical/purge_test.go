package lexical

import (
	"bytes"
	"context"
	"testing"
)

// After Purge no page of the index has a word of documents that were deleted or replaced,
// not even one of a stem; a merge alone leaves those.
func TestPurgeLeavesNoWords(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	x, m := New(1<<20), newMemory()
	put := func(id int64, text string) {
		t.Helper()
		b := NewBatch()
		if text == "" {
			b.Delete(id)
		} else {
			b.Put(Document{ID: id, Texts: []Text{{Truth, text}}})
		}
		if err := x.Apply(ctx, m, b); err != nil {
			t.Fatal(err)
		}
	}
	b := NewBatch()
	b.Put(Document{ID: 1, Texts: []Text{{Truth, "the zebraquills were running"}}})
	b.Put(Document{ID: 2, Texts: []Text{{Truth, "a cairn of stones, running"}}})
	if err := x.Apply(ctx, m, b); err != nil {
		t.Fatal(err)
	}
	put(1, "nothing of that kind")
	if err := x.Merge(ctx, m); err != nil {
		t.Fatal(err)
	}
	put(1, "")
	has := func(word string) bool {
		for _, p := range m.pages {
			if bytes.Contains(p, []byte(word)) {
				return true
			}
		}
		return false
	}
	if !has("zebraq") || !has("stone") {
		t.Fatal("the words are not in the index before")
	}
	if err := x.Purge(ctx, m); err != nil {
		t.Fatal(err)
	}
	if has("zebraq") || has("nothing") || !has("stone") {
		t.Errorf("after Purge: %v %v %v", has("zebraq"), has("nothing"), has("stone"))
	}
	got, err := x.Sums(ctx, m)
	want := NewBatch()
	want.Put(Document{ID: 2, Texts: []Text{{Truth, "a cairn of stones, running"}}})
	if err != nil || len(got) != 1 || got[2] != want.Sums()[2] {
		t.Errorf("the sums: %v %v", got, err)
	}
}
