package sqlite

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/store"
)

// A bundle that cannot be read says so of each of its pages, and keeps saying
// so of the others when one of them is embedded again.
func TestDamagedBundle(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db := open(t)
	docs := vault(addSpace(t, db, "notes"), 40, 0)
	putAll(t, db, docs)
	put := func(docs []*store.Document) error {
		return db.Update(ctx, func(tx store.Tx) error {
			var list []store.PageVectors
			for _, d := range docs {
				list = append(list, store.PageVectors{Page: d.Pages[0].Page.Row, Model: "m", Hash: d.Hash, Version: "1", Info: []byte("info"), Values: []byte("v")})
			}
			return errors.Join(tx.Models().Put(ctx, store.Model{Name: "m", Dims: 1}), tx.Vectors().Put(ctx, list))
		})
	}
	sound := func() (each, changed int) {
		t.Helper()
		if err := db.View(ctx, func(tx store.Tx) error {
			_, _, err := tx.Vectors().Changed(ctx, "m", 0, func(b store.Bundle) error {
				for _, p := range b.Pages {
					if string(p.Info) == "info" {
						changed++
					}
				}
				return nil
			})
			return errors.Join(err, tx.Vectors().Each(ctx, "m", func(p store.PageVectors) error {
				if string(p.Info) == "info" {
					each++
				}
				return nil
			}))
		}); err != nil {
			t.Fatal(err)
		}
		return each, changed
	}
	want := func(pages int) {
		t.Helper()
		if each, changed := sound(); each != pages || changed != pages {
			t.Errorf("%d pages and %d, want %d", each, changed, pages)
		}
	}
	if err := put(docs); err != nil {
		t.Fatal(err)
	}
	want(40)
	if err := db.Update(ctx, func(v store.Tx) error {
		_, err := v.(*tx).c.exec(ctx, "UPDATE bundles SET bytes = substr(bytes, 2) WHERE number = 0")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	want(9) // rows 32 to 40
	if err := put(docs[3:4]); err != nil {
		t.Fatal(err)
	}
	want(10)
	if err := put(docs); err != nil {
		t.Fatal(err)
	}
	want(40)
}

// What stood in one row a page comes out of bundles as it was.
func TestVectorsMoveIntoBundles(t *testing.T) {
	t.Parallel()
	const before, dims = 6, 4
	ctx := context.Background()
	path, all := filepath.Join(t.TempDir(), "memory.db"), embeddedMigrations(t)
	old, err := openWith(t, path, all[:before])
	if err != nil {
		t.Fatal(err)
	}
	const space = 1
	docs := vault(space, 100, 0)
	rnd := rand.NewChaCha8([32]byte{1})
	var want []store.PageVectors
	if err := old.Update(ctx, func(v store.Tx) error {
		_, err := v.(*tx).c.exec(ctx, "INSERT INTO models (row, name, source, dims, active, config) VALUES (1, 'a', '', ?1, 0, ''), (2, 'b', '', ?1, 0, '')", dims)
		if err == nil {
			_, err = v.(*tx).c.exec(ctx, "INSERT INTO spaces (row, id, name, kind, root) VALUES (?, 'notes', 'notes', 'directory', '/notes')", space)
		}
		for i, d := range docs { // as that schema had them
			p := &d.Pages[0].Page
			d.Row, p.Row = int64(i+1), int64(i+1)
			if err == nil {
				_, err = v.(*tx).c.exec(ctx, `INSERT INTO documents (row, space, path, path_fold, id, declared, format, hash, size, version)
VALUES (?1, ?2, ?3, fold_path(?3), ?4, 0, 'markdown', ?5, ?6, 1)`, d.Row, space, d.Path, string(d.ID), d.Hash[:], d.Size)
			}
			if err == nil {
				_, err = v.(*tx).c.exec(ctx, `INSERT INTO pages (row, document, space, node, position, id, declared, slug, title, title_fold,
type, type_fold, status, line, summary, tags, aliases, names) VALUES (?1, ?1, ?2, '', 0, ?3, '', ?4, '', '', '', '', 'active', 1, '', ?5, ?5, ?5)`,
					p.Row, space, string(d.ID), p.Slug, []byte{0})
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	insert := func(v store.Tx, model, page int64, hash []byte, chunks int, blob []byte) error {
		_, err := v.(*tx).c.exec(ctx, "INSERT INTO vectors (model, page, hash, version, chunks, bytes) VALUES (?, ?, ?, '1', ?, coalesce(?, x''))",
			model, page, hash, chunks, blob)
		return err
	}
	if err := old.Update(ctx, func(v store.Tx) error {
		for i := len(docs) - 1; i >= 0; i-- { // not in order of pages
			d := docs[i]
			if i%5 == 0 || 40 <= i && i < 80 {
				continue
			}
			model, chunks := int64(1+i%2), i%4
			blob := make([]byte, 12+28*chunks+dims*chunks+4)
			_, _ = rnd.Read(blob) // never fails
			pv := store.PageVectors{Page: d.Pages[0].Page.Row, Model: string(rune('`' + model)), Hash: d.Hash, Version: "1", Chunks: chunks}
			switch i {
			case 6: // cut off, and stays so
				blob = blob[:len(blob)-1]
				pv.Info = blob
			case 7: // twice, the later one counts
				if err := insert(v, model, pv.Page, []byte("old"), 0, []byte("old")); err != nil {
					return err
				}
				fallthrough
			default:
				pv.Info = append(bytes.Clone(blob[:12+28*chunks]), blob[len(blob)-4:]...)
				pv.Values = blob[12+28*chunks : len(blob)-4]
			}
			want = append([]store.PageVectors{pv}, want...)
			if err := insert(v, model, pv.Page, d.Hash[:], chunks, blob); err != nil {
				return err
			}
		}
		return insert(v, 1, 5000, make([]byte, 32), 1, []byte("of no page"))
	}); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	db := openAt(t, path, Options{MustExist: true})
	if err := db.Validate(ctx); err != nil {
		t.Error(err)
	}
	got := map[string][]string{}
	say := func(v store.PageVectors) string {
		return fmt.Sprintf("%d %s %s %d %q %q", v.Page, v.Hash, v.Version, v.Chunks, v.Info, v.Values)
	}
	if err := db.View(ctx, func(tx store.Tx) error {
		for _, model := range []string{"a", "b"} {
			if err := tx.Vectors().Each(ctx, model, func(v store.PageVectors) error { got[model] = append(got[model], say(v)); return nil }); err != nil {
				return err
			}
		}
		fresh, _, err := tx.Vectors().Counts(ctx, "a", "1", nil)
		if fresh != len(got["a"]) {
			t.Errorf("%d pages are fresh, want %d", fresh, len(got["a"]))
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	wanted := map[string][]string{}
	for _, v := range want {
		wanted[v.Model] = append(wanted[v.Model], say(v))
	}
	if diff := cmp.Diff(wanted, got); diff != "" || len(want) < 40 {
		t.Error(diff)
	}
}
