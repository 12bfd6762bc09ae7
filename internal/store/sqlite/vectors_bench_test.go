package sqlite

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
)

// BenchmarkVectors works on 10,000 pages of 4 to 10 chunks of 384 bytes, which
// is what int8 vectors of 384 dimensions take, with 32 to say of each.
func BenchmarkVectors(b *testing.B) {
	const n, chunkBytes, infoBytes, version = 10_000, 384, 32, "1"
	ctx := context.Background()
	db := open(b)
	space := addSpace(b, db, "notes")
	docs := vault(space, n, 0)
	putAll(b, db, docs)
	random := rand.NewChaCha8([32]byte{1})
	list := make([]store.PageVectors, n)
	total := 0
	for i, d := range docs {
		chunks := 4 + i%7
		values, info := make([]byte, chunks*chunkBytes), make([]byte, chunks*infoBytes)
		_, _ = random.Read(values) // never fails
		list[i] = store.PageVectors{
			Page: d.Pages[0].Page.Row, Model: "m", Hash: d.Hash, Version: version, Chunks: chunks, Info: info, Values: values,
		}
		total += len(values)
	}
	if err := db.Update(ctx, func(tx store.Tx) error {
		if err := tx.Models().Put(ctx, store.Model{Name: "m", Dims: 384}); err != nil {
			return err
		}
		return tx.Vectors().Put(ctx, list)
	}); err != nil {
		b.Fatal(err)
	}
	view := func(name string, f func(b *testing.B, v store.Vectors) error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := db.View(ctx, func(tx store.Tx) error { return f(b, tx.Vectors()) }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	read := 0
	add := func(v store.PageVectors) error { read += len(v.Values); return nil }
	view("Each", func(b *testing.B, v store.Vectors) error {
		read = 0
		err := v.Each(ctx, "m", add)
		if read != total {
			b.Errorf("%d bytes, want %d", read, total)
		}
		b.SetBytes(int64(read))
		return err
	})
	view("ChangedAll", func(_ *testing.B, v store.Vectors) error {
		_, _, err := v.Changed(ctx, "m", 0, func(store.Bundle) error { return nil })
		return err
	})
	view("ChangedNone", func(_ *testing.B, v store.Vectors) error {
		_, _, err := v.Changed(ctx, "m", n, func(store.Bundle) error { return nil })
		return err
	})
	view("Bundles", func(_ *testing.B, v store.Vectors) error { _, err := v.Bundles(ctx, "m"); return err })
	view("CountsFresh", func(_ *testing.B, v store.Vectors) error { _, _, err := v.Counts(ctx, "m", version, nil); return err })
	view("CountsOfSpace", func(_ *testing.B, v store.Vectors) error {
		_, _, err := v.Counts(ctx, "m", version, []int64{space})
		return err
	})
	view("CountsStale", func(_ *testing.B, v store.Vectors) error { _, _, err := v.Counts(ctx, "m", "2", nil); return err })
	view("StaleNone", func(_ *testing.B, v store.Vectors) error { _, err := v.Stale(ctx, "m", version, nil); return err })
	view("StaleAll", func(_ *testing.B, v store.Vectors) error { _, err := v.Stale(ctx, "m", "2", nil); return err })
	b.Run("PutOne", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			if err := db.Update(ctx, func(tx store.Tx) error { return tx.Vectors().Put(ctx, list[i%n:i%n+1]) }); err != nil {
				b.Fatal(err)
			}
		}
	})
}
