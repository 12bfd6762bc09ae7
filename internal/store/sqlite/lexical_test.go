package sqlite

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/search/lexical"
	"github.com/cairn-kb/cairn/internal/search/query"
	"github.com/cairn-kb/cairn/internal/store"
)

// apply puts documents, one batch and transaction.
func applyTexts(t testing.TB, db *DB, x *lexical.Index, texts map[int64]string) {
	t.Helper()
	ctx := context.Background()
	b := lexical.NewBatch()
	for id, text := range texts {
		b.Put(lexical.Document{ID: id, Texts: []lexical.Text{{Field: lexical.Truth, Value: text}}})
	}
	err := db.Update(ctx, func(t store.Tx) error { return x.Apply(ctx, t.(*tx).Lexical(), b) })
	if err != nil {
		t.Fatal(err)
	}
}

// found returns the ids that a word finds.
func found(t testing.TB, db *DB, x *lexical.Index, word string) []int64 {
	t.Helper()
	ctx := context.Background()
	var ids []int64
	err := db.View(ctx, func(t store.Tx) error {
		res, err := x.Search(ctx, t.(*tx).Lexical(), &query.Phrase{Text: word}, lexical.Options{Limit: 10})
		if err != nil {
			return err
		}
		for _, h := range res.Hits {
			ids = append(ids, h.ID)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestLexicalFollowsTransactions(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, x := open(t), lexical.New(1<<20)
	for id := range int64(40) {
		applyTexts(t, db, x, map[int64]string{id: fmt.Sprintf("common word%d", id)})
	}
	if got := found(t, db, x, "word7"); len(got) != 1 || got[0] != 7 {
		t.Errorf("word7 finds %v", got)
	}

	// What is rolled back leaves nothing, in the index or in its caches.
	failure := errors.New("no")
	err := db.Update(ctx, func(w store.Tx) error {
		b := lexical.NewBatch()
		b.Delete(7)
		b.Put(lexical.Document{ID: 50, Texts: []lexical.Text{{Field: lexical.Title, Value: "phantom"}}})
		if err := x.Apply(ctx, w.(*tx).Lexical(), b); err != nil {
			return err
		}
		res, err := x.Search(ctx, w.(*tx).Lexical(), &query.Word{Text: "phantom"}, lexical.Options{})
		if err != nil || res.Total != 1 {
			t.Errorf("the transaction does not see its own document: %v, %v", res, err)
		}
		return failure
	})
	if !errors.Is(err, failure) {
		t.Fatal(err)
	}
	applyTexts(t, db, x, map[int64]string{60: "real"})
	if got := found(t, db, x, "phantom"); len(got) != 0 {
		t.Errorf("phantom finds %v", got)
	}
	if got := found(t, db, x, "real"); len(got) != 1 {
		t.Errorf("real finds %v", got)
	}
	if got := found(t, db, x, "word7"); len(got) != 1 {
		t.Errorf("word7 finds %v", got)
	}

	err = db.Update(ctx, func(w store.Tx) error { return x.Merge(ctx, w.(*tx).Lexical()) })
	if err != nil {
		t.Fatal(err)
	}
	var segments, strays int
	err = db.View(ctx, func(v store.Tx) error {
		return v.(*tx).c.query(ctx, `SELECT (SELECT count(*) FROM lexical_segments),
			(SELECT count(*) FROM lexical_pages WHERE row >> 32 NOT IN (SELECT row FROM lexical_segments))`,
			nil, func(r row) error { segments, strays = r.Num(0), r.Num(1); return nil })
	})
	if err != nil || segments != 1 || strays != 0 {
		t.Errorf("after a merge: %d segments, %d stray pages, %v", segments, strays, err)
	}
	// All of them: those that score as the last one come on top of the limit.
	if got := found(t, db, x, "common"); len(got) != 40 {
		t.Errorf("common finds %v", got)
	}
}

func TestLexicalDoesNotWriteInAView(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, x := open(t), lexical.New(1<<20)
	err := db.View(ctx, func(v store.Tx) error {
		b := lexical.NewBatch()
		b.Put(lexical.Document{ID: 1, Texts: []lexical.Text{{Field: lexical.Title, Value: "a"}}})
		return x.Apply(ctx, v.(*tx).Lexical(), b)
	})
	if kb.CodeOf(err) != kb.Internal {
		t.Errorf("got %v", err)
	}
}

func TestLexicalReportsDamage(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, x := open(t), lexical.New(1<<20)
	applyTexts(t, db, x, map[int64]string{1: "some words"})
	err := db.Update(ctx, func(w store.Tx) error {
		n, err := w.(*tx).c.Change(ctx, "UPDATE lexical_pages SET bytes = zeroblob(length(bytes))")
		if n == 0 {
			t.Error("no pages")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = db.View(ctx, func(v store.Tx) error {
		_, err := lexical.New(1<<20).Search(ctx, v.(*tx).Lexical(), &query.Word{Text: "words"}, lexical.Options{Limit: 1})
		return err
	})
	if kb.CodeOf(err) != kb.Damaged {
		t.Errorf("got %v", err)
	}
}
