package sqlite

import (
	"context"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// vault makes documents shaped like those of a large vault of notes: one page
// each with three names, two tags, a summary and links.
func vault(space int64, n, linksEach int) []*store.Document {
	docs := make([]*store.Document, n)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for i := range docs {
		path := fmt.Sprintf("area%02d/topic%03d/note %05d.md", i%17, i%211, i)
		title := fmt.Sprintf("Note %05d about something", i)
		d := &store.Document{
			Space: space, ID: kb.DerivedID("5b1d5b4e-6a35-5d0f-9c39-0f5c7f2d1a10", path, "", 0), Path: path, Format: "markdown",
			Hash: sha256.Sum256([]byte(path)), Size: 4096, ModTime: now, Indexed: now, Version: 1,
		}
		rec := store.PageRecord{
			Page: kb.Page{ID: d.ID, Slug: path[:len(path)-3], Title: title, Type: "note", Tags: []string{fmt.Sprintf("tag%d", i%50), "all"},
				Summary: "A paragraph that says in a few dozen words what this note is about, as the first line of most notes does.", Updated: now},
			Names:        []string{fmt.Sprintf("note-%05d", i), kb.NameKey(title), fmt.Sprintf("alias-%05d", i)},
			Observations: []kb.Observation{{Category: "fact", Text: "One fact of the note", Line: 3}},
		}
		for j := range linksEach {
			to := (i*7919 + j*104729) % n
			rec.Links = append(rec.Links, kb.Link{Kind: "markdown", Type: "links_to", Name: fmt.Sprintf("../topic%03d/note %05d.md", to%211, to),
				Key: fmt.Sprintf("note-%05d", to), Text: "see there", Line: 10 + j})
		}
		d.Pages = []store.PageRecord{rec}
		docs[i] = d
	}
	return docs
}

func addSpace(t testing.TB, db *DB, name string) int64 {
	t.Helper()
	sp := kb.Space{ID: kb.DerivedID("", name, "", 0), Name: name, Kind: kb.DirectorySpace, Root: "/" + name}
	ctx := context.Background()
	if err := db.Update(ctx, func(tx store.Tx) error { return tx.Spaces().Add(ctx, &sp) }); err != nil {
		t.Fatal(err)
	}
	return sp.Row
}

// putAll stores documents, without their links.
func putAll(t testing.TB, db *DB, docs []*store.Document) {
	t.Helper()
	ctx := context.Background()
	for len(docs) > 0 {
		n := min(500, len(docs))
		if err := db.Update(ctx, func(tx store.Tx) error { return tx.Documents().Put(ctx, docs[:n]) }); err != nil {
			t.Fatal(err)
		}
		docs = docs[n:]
	}
}

// BenchmarkFirstSync is what a first sync of 9,753 notes with 74,000 links
// asks of the store, without full text.
func BenchmarkFirstSync(b *testing.B) {
	ctx := context.Background()
	text := make([]byte, 4096)
	for i := range text {
		text[i] = "some words of a note, repeated with little variation. "[(i*i/7+i)%54]
	}
	var put, links, record time.Duration
	for b.Loop() {
		b.StopTimer()
		db := open(b)
		space := addSpace(b, db, "notes")
		docs := vault(space, 9753, 7)
		b.StartTimer()
		start := time.Now()
		putAll(b, db, docs)
		put += time.Since(start)
		start = time.Now()
		byName := make(map[string]int64)
		for _, d := range docs {
			byName[d.Pages[0].Names[0]] = d.Pages[0].Page.Row
		}
		for _, d := range docs {
			for i := range d.Pages[0].Links {
				l := &d.Pages[0].Links[i]
				l.To, l.Candidates = byName[l.Key], 1
			}
		}
		for i := 0; i < len(docs); i += 500 {
			if err := db.Update(ctx, func(tx store.Tx) error { return tx.Links().Put(ctx, docs[i:min(i+500, len(docs))]) }); err != nil {
				b.Fatal(err)
			}
		}
		links += time.Since(start)
		start = time.Now()
		for i := 0; i < len(docs); i += 500 {
			var versions []*store.NewVersion
			for _, d := range docs[i:min(i+500, len(docs))] {
				body := append([]byte(d.Path), text...)
				versions = append(versions, &store.NewVersion{Bytes: body, Version: kb.Version{
					Space: space, Page: d.ID, Change: kb.Created, Path: d.Path, Title: d.Pages[0].Page.Title, Hash: sha256.Sum256(body), Size: d.Size}})
			}
			if err := db.Update(ctx, func(tx store.Tx) error {
				return tx.History().Record(ctx, &kb.Write{Time: docs[0].Indexed, Operation: "sync"}, versions)
			}); err != nil {
				b.Fatal(err)
			}
		}
		record += time.Since(start)
	}
	for name, d := range map[string]time.Duration{"put-ms": put, "links-ms": links, "record-ms": record} {
		b.ReportMetric(float64(d.Milliseconds())/float64(b.N), name)
	}
}

func BenchmarkReads(b *testing.B) {
	ctx := context.Background()
	db := open(b)
	space := addSpace(b, db, "notes")
	docs := vault(space, 9753, 7)
	putAll(b, db, docs)
	view := func(b *testing.B, f func(store.Tx) error) {
		for b.Loop() {
			if err := db.View(ctx, f); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("States", func(b *testing.B) {
		view(b, func(tx store.Tx) error { _, err := tx.Documents().States(ctx, space); return err })
	})
	b.Run("ByPath", func(b *testing.B) {
		view(b, func(tx store.Tx) error { _, err := tx.Pages().ByPath(ctx, space, docs[77].Path); return err })
	})
	b.Run("ListBySlug", func(b *testing.B) {
		view(b, func(tx store.Tx) error {
			_, _, err := tx.Pages().List(ctx, store.Filter{Spaces: []int64{space}}, store.BySlug, 50, 0)
			return err
		})
	})
	b.Run("RowsByTagAndGlob", func(b *testing.B) {
		view(b, func(tx store.Tx) error {
			_, err := tx.Pages().Rows(ctx, store.Filter{Tags: []string{"ALL"}, Paths: []string{"area1*/**"}})
			return err
		})
	})
	b.Run("Stats", func(b *testing.B) {
		view(b, func(tx store.Tx) error { _, err := tx.Pages().Stats(ctx, nil); return err })
	})
	b.Run("Open", func(b *testing.B) {
		for b.Loop() {
			again, err := Open(ctx, db.Path(), Options{MustExist: true})
			if err != nil {
				b.Fatal(err)
			}
			if err := again.Close(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("UpdateOneRow", func(b *testing.B) {
		for b.Loop() {
			if err := db.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, "k", "v") }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
