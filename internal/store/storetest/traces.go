package storetest

import (
	"bytes"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// held returns the tables with a value that contains the text.
func (e *env) held(text string) (tables []string) {
	e.Helper()
	e.view(func(tx store.Tx) error {
		return tx.Traces().Values(e.ctx, func(table string, value []byte) error {
			if bytes.Contains(value, []byte(text)) && (len(tables) == 0 || tables[len(tables)-1] != table) {
				tables = append(tables, table)
			}
			return nil
		})
	})
	return tables
}

var tracesTests = map[string]func(*testing.T, *env){
	"EraseDeletesADocument": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		a, b := doc(sp, "a.md"), doc(sp, "b.md")
		node(a, "part", "Part")
		e.put(a, b)
		long := bytes.Repeat([]byte("the secret of a, again and again. "), 20)
		w1 := e.record(0, alice, "put", version(a, kb.Created, long), version(b, kb.Created, []byte("the text of b")))
		w2 := e.record(1, alice, "edit", beside(version(a, kb.Changed, []byte("shared")), "side of a"))
		w3 := e.record(2, alice, "edit", version(b, kb.Changed, []byte("shared")))
		e.update(func(tx store.Tx) error {
			g := kb.Gap{Space: other.Row, Hash: hashOf([]byte("q")), Words: "what of a", Last: noon, Asker: alice}
			e.check(tx.Gaps().Log(e.ctx, &g))
			g.Words, g.Candidate = "what of a", &kb.GapCandidate{Page: idOf("part"), Space: sp.Row}
			e.check(tx.Gaps().Update(e.ctx, g))
			e.check(tx.Lives().Use(e.ctx, sp.Row, []kb.ID{a.ID, b.ID}, "2026-03-14"))
			e.check(tx.Failures().Put(e.ctx, store.Failure{Space: sp.Row, Path: "a.md", Reason: "of a", Last: noon}))
			raw := []byte("what a was made of")
			e.check(tx.Batches().Add(e.ctx, &kb.Batch{ID: "1", Space: sp.Row, Kind: "k", Source: "from a", Created: noon},
				[]store.BatchItem{{Path: "x", Page: a.ID, Hash: hashOf(raw), Bytes: raw}}))
			return nil
		})
		for _, text := range []string{"the secret of a", "side of a", "what a was made of", "from a"} {
			if e.held(text) == nil {
				e.Errorf("nothing has %q before", text)
			}
		}
		var done store.Erased
		gone := map[kb.Hash]string{}
		e.update(func(tx store.Tx) (err error) {
			e.check(tx.Documents().Remove(e.ctx, []int64{a.Row}))
			done, err = tx.Traces().Erase(e.ctx, store.Erasure{Documents: []store.DocumentKey{{Space: sp.Row, ID: a.ID, Nodes: []kb.ID{idOf("part")}}}},
				func(b store.ErasedBytes) error { gone[b.Hash] = string(b.Bytes); return nil })
			return err
		})
		e.same([]int{done.Versions, done.Texts, done.Gaps, done.Items}, []int{2, 3, 1, 1})
		e.same(done.Kept, []kb.Hash{hashOf([]byte("shared"))})
		e.same(gone[hashOf(long)], string(long))
		for _, text := range []string{"the secret of a", "side of a", "what a was made of", "from a", "of a", string(a.ID), "a.md"} {
			if tables := e.held(text); tables != nil {
				e.Errorf("%v have %q still", tables, text)
			}
		}
		if e.held("the text of b") == nil || e.held("shared") == nil {
			e.Error("texts of b are gone")
		}
		e.view(func(tx store.Tx) error {
			left, err := tx.History().Write(e.ctx, w1.ID)
			e.check(err)
			e.same(left.Message, "")
			_, err = tx.History().Write(e.ctx, w2.ID)
			e.wantCode(err, kb.NotFound)
			left, err = tx.History().Write(e.ctx, w3.ID)
			e.same(left.Message, w3.Message)
			return err
		})
		if v, ok := e.m.(store.Validator); ok {
			e.check(v.Validate(e.ctx))
		}
	},
	"EraseDeletesOldTexts": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a := doc(sp, "a.md")
		a.Hash = hashOf([]byte("two"))
		e.put(a)
		first := version(a, kb.Created, []byte("one with a secret"))
		e.record(0, alice, "put", first)
		e.record(1, alice, "edit", version(a, kb.Changed, []byte("two")))
		e.update(func(tx store.Tx) error {
			done, err := tx.Traces().Erase(e.ctx, store.Erasure{Versions: []int64{first.Seq}}, func(store.ErasedBytes) error { return nil })
			e.same([]any{done.Texts, done.Writes}, []any{1, []int64{first.Write}})
			return err
		})
		if e.held("a secret") != nil || e.held("two") == nil {
			e.Error("the wrong texts are gone")
		}
		e.view(func(tx store.Tx) error {
			v, err := tx.History().Version(e.ctx, sp.Row, a.ID, 1)
			if !v.Pruned {
				e.Errorf("the version: %+v", v)
			}
			return err
		})
	},
	"EraseReachesForgottenSpaces": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a := doc(sp, "a.md")
		e.put(a)
		e.record(0, alice, "put", version(a, kb.Created, []byte("the secret of a")))
		e.update(func(tx store.Tx) error {
			raw := []byte("raw a")
			e.check(tx.Batches().Add(e.ctx, &kb.Batch{ID: "1", Space: sp.Row, Kind: "k", Source: "from a", Created: noon},
				[]store.BatchItem{{Path: "x", Page: a.ID, Hash: hashOf(raw), Bytes: raw}}))
			return tx.Spaces().Forget(e.ctx, sp.Row, noon)
		})
		e.update(func(tx store.Tx) error {
			_, err := tx.Traces().Erase(e.ctx, store.Erasure{Documents: []store.DocumentKey{{Space: sp.Row, ID: a.ID}}}, func(store.ErasedBytes) error { return nil })
			return err
		})
		for _, text := range []string{"secret of a", "raw a", "from a", "a.md"} {
			if tables := e.held(text); tables != nil {
				e.Errorf("%v have %q still", tables, text)
			}
		}
	},
	"ScrubKeepsTheRest": func(_ *testing.T, e *env) {
		s, ok := e.m.(store.Scrubber)
		if !ok {
			e.Fatal("the database cannot be scrubbed")
		}
		sp := e.space("s")
		a := doc(sp, "a.md")
		e.put(a)
		e.record(0, alice, "put", version(a, kb.Created, []byte("stays")))
		_, err := s.Scrub(e.ctx)
		e.check(err)
		if e.held("stays") == nil {
			e.Error("the text is gone")
		}
	},
}
