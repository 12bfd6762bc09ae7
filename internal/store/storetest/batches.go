package storetest

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

func item(path, page, text string) store.BatchItem {
	return store.BatchItem{Path: path, Page: kb.ID(page), Hash: sha256.Sum256([]byte(text)), Bytes: []byte(text)}
}

var batchTests = map[string]func(*testing.T, *env){
	"Batches": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		first := kb.Batch{ID: "one", Space: sp.Row, Kind: "ingest", Source: "a.txt", Plan: sha256.Sum256([]byte("plan")), Created: noon}
		second := kb.Batch{ID: "two", Space: sp.Row, Kind: "ingest", Source: "b.txt", Created: noon.Add(time.Second)}
		elsewhere := kb.Batch{ID: "three", Space: other.Row, Kind: "import", Source: "/notes", Created: noon.Add(time.Minute)}
		e.update(func(tx store.Tx) error {
			e.check(tx.Batches().Add(e.ctx, &first, []store.BatchItem{item("a.txt", "p", "same\r\n")}))
			e.check(tx.Batches().Add(e.ctx, &second, []store.BatchItem{item("b.txt", "", "same\r\n")}))
			e.check(tx.Batches().Add(e.ctx, &elsewhere, []store.BatchItem{item("y.md", "", "same\r\n"), item("empty.md", "", "")}))
			e.check(tx.Batches().Append(e.ctx, elsewhere.Row, []store.BatchItem{item("x.md", "q", "x")}))
			return tx.Batches().Rename(e.ctx, first.Row, "/tmp/a.txt")
		})
		first.Source, elsewhere.Items = "/tmp/a.txt", 3
		e.updateFails(kb.Internal, func(tx store.Tx) error {
			again := first
			return tx.Batches().Add(e.ctx, &again, nil)
		})
		hash := item("", "", "same\r\n").Hash
		e.view(func(tx store.Tx) error {
			all, total, err := tx.Batches().List(e.ctx, nil, 2, 0)
			e.check(err)
			e.same(all, []kb.Batch{elsewhere, second})
			e.same(total, 3)
			all, total, err = tx.Batches().List(e.ctx, []int64{sp.Row}, 10, 1)
			e.check(err)
			e.same(all, []kb.Batch{first})
			e.same(total, 2)
			got, err := tx.Batches().ByID(e.ctx, "one")
			e.check(err)
			e.same(got, first)
			_, err = tx.Batches().ByID(e.ctx, "none")
			e.wantCode(err, kb.NotFound)
			all, err = tx.Batches().Same(e.ctx, sp.Row, "ingest", hash)
			e.check(err)
			e.same(all, []kb.Batch{second, first})
			all, err = tx.Batches().Same(e.ctx, other.Row, "ingest", hash)
			e.check(err)
			e.same(len(all), 0)
			for page, want := range map[kb.ID]bool{"p": true, "q": false} {
				has, err := tx.Batches().Has(e.ctx, page, hash)
				e.check(err)
				e.same(has, want)
			}
			var paths []string
			e.check(tx.Batches().Items(e.ctx, elsewhere.Row, func(it store.BatchItem) error {
				paths = append(paths, it.Path+" "+string(it.Page))
				return nil
			}))
			e.same(paths, []string{"empty.md ", "x.md q", "y.md "})
			b, err := tx.History().Bytes(e.ctx, hash)
			e.same(string(b), "same\r\n")
			return err
		})
	},
	"BatchesGetPagesAndGo": func(_ *testing.T, e *env) {
		sp := e.space("s")
		one, two := kb.Batch{ID: "one", Space: sp.Row, Kind: "ingest", Created: noon}, kb.Batch{ID: "two", Space: sp.Row, Kind: "ingest", Created: noon}
		e.update(func(tx store.Tx) error {
			e.check(tx.Batches().Add(e.ctx, &one, []store.BatchItem{item("a.md", "", "a"), item("b.md", "", "b")}))
			e.check(tx.Batches().Add(e.ctx, &two, []store.BatchItem{item("a.md", "", "a")}))
			e.check(tx.Batches().SetPage(e.ctx, one.Row, "b.md", "p"))
			return tx.Batches().Remove(e.ctx, two.Row)
		})
		e.view(func(tx store.Tx) error {
			_, total, err := tx.Batches().List(e.ctx, nil, 10, 0)
			e.check(err)
			e.same(total, 1)
			var pages []string
			e.check(tx.Batches().Items(e.ctx, one.Row, func(it store.BatchItem) error {
				pages = append(pages, it.Path+" "+string(it.Page))
				return nil
			}))
			e.same(pages, []string{"a.md ", "b.md p"})
			return nil
		})
	},
	"BatchesGoWithTheirSpace": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		own, shared := item("own", "", "only here"), item("shared", "", "in both")
		e.update(func(tx store.Tx) error {
			e.check(tx.Batches().Add(e.ctx, &kb.Batch{ID: "one", Space: sp.Row, Kind: "import", Created: noon}, []store.BatchItem{own, shared}))
			return tx.Batches().Add(e.ctx, &kb.Batch{ID: "two", Space: other.Row, Kind: "import", Created: noon}, []store.BatchItem{shared})
		})
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, sp.Row) })
		e.view(func(tx store.Tx) error {
			_, total, err := tx.Batches().List(e.ctx, nil, 10, 0)
			e.check(err)
			e.same(total, 1)
			_, err = tx.History().Bytes(e.ctx, own.Hash)
			e.wantCode(err, kb.NotFound)
			_, err = tx.History().Bytes(e.ctx, shared.Hash)
			return err
		})
		if v, ok := e.m.(store.Validator); ok {
			e.check(v.Validate(e.ctx))
		}
	},
	"BatchesKeepWhatVersionsLetGo": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := doc(sp, "a.md")
		e.put(d)
		kept := item("a.md", string(d.ID), "kept")
		v := &store.NewVersion{Version: kb.Version{Space: sp.Row, Page: d.ID, Change: kb.Created, Path: "a.md", Hash: kept.Hash, Size: 4}, Bytes: kept.Bytes}
		w := &kb.Write{Time: noon, Operation: "put"}
		e.update(func(tx store.Tx) error {
			e.check(tx.History().Record(e.ctx, w, []*store.NewVersion{v}))
			return tx.Batches().Add(e.ctx, &kb.Batch{ID: "one", Space: sp.Row, Kind: "import", Created: noon}, []store.BatchItem{kept})
		})
		e.update(func(tx store.Tx) error {
			freed, err := tx.History().Prune(e.ctx, []int64{v.Seq})
			e.same(freed, int64(0))
			return err
		})
		e.view(func(tx store.Tx) error {
			_, err := tx.History().Bytes(e.ctx, kept.Hash)
			return err
		})
	},
}
