package storetest

import (
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

var assertionTests = map[string]func(*testing.T, *env){
	"Assertions": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		works := kb.Assertion{
			Subject: "Ada", SubjectKey: "ada", Predicate: "works_at", Object: "Brex " + odd, ObjectKey: "brex", ValidFrom: "2017", ValidUntil: "2020-05",
			Nth: 1, Supersedes: 1<<53 - 1, Confidence: 0.25, AssertedBy: "manual", Source: "s", Evidence: "e", Lines: [2]int{3, 4}, Created: "t", Line: 5,
		}
		knows := kb.Assertion{Subject: "Bob", SubjectKey: "bob", Predicate: "knows", Object: "Ada", ObjectKey: "ada", Confidence: 1, Line: 6}
		having := func(all ...kb.Assertion) func(*store.PageRecord) {
			return func(r *store.PageRecord) { r.Assertions = all }
		}
		b, a, other := doc(s1, "b.md", having(works, knows)), doc(s1, "a.md", having(knows)), doc(s2, "c.md", having(works))
		e.put(b, a, other)
		row := func(d *store.Document) int64 { return d.Pages[0].Page.Row }
		at := func(d *store.Document, x kb.Assertion) kb.Assertion { x.Page = row(d); return x }
		list := func(f store.AssertionFilter) (out []kb.Assertion) {
			e.view(func(tx store.Tx) (err error) {
				out, err = tx.Assertions().List(e.ctx, f)
				return err
			})
			return out
		}
		e.same(list(store.AssertionFilter{}), []kb.Assertion{at(a, knows), at(b, works), at(b, knows), at(other, works)})
		e.same(list(store.AssertionFilter{Spaces: []int64{s1.Row}, Subjects: []string{"ada", "x"}}), []kb.Assertion{at(b, works)})
		e.same(list(store.AssertionFilter{Objects: []string{"ada"}, Pages: []int64{row(b), row(other)}}), []kb.Assertion{at(b, knows)})
		e.same(list(store.AssertionFilter{Superseding: true, Spaces: []int64{s2.Row}}), []kb.Assertion{at(other, works)})
		e.same(list(store.AssertionFilter{Subjects: []string{"x"}}), []kb.Assertion(nil))
		e.view(func(tx store.Tx) error {
			d, err := tx.Documents().Load(e.ctx, b.Row)
			e.same(d.Pages[0].Assertions, []kb.Assertion{at(b, works), at(b, knows)})
			return err
		})
		b.Pages[0].Assertions = []kb.Assertion{knows}
		e.put(b)
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{a.Row}) })
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, s2.Row) })
		e.same(list(store.AssertionFilter{}), []kb.Assertion{at(b, knows)})
	},
	"Relations": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		b, a, other := doc(s1, "b.md", claiming("links_to", "works_at")), doc(s1, "a.md", claiming("knows")), doc(s2, "c.md", claiming("knows"))
		e.put(b, a, other)
		types := func(f store.AssertionFilter) (out []string) {
			e.view(func(tx store.Tx) error {
				got, err := tx.Assertions().Relations(e.ctx, f)
				for _, l := range got {
					out = append(out, l.Type)
				}
				return err
			})
			return out
		}
		e.same(types(store.AssertionFilter{Spaces: []int64{s1.Row}}), []string{"knows", "works_at"})
		e.same(types(store.AssertionFilter{Pages: []int64{b.Pages[0].Page.Row}}), []string{"works_at"})
		e.same(types(store.AssertionFilter{ObjectPage: 1 << 40}), []string(nil))
		e.view(func(tx store.Tx) error {
			got, err := tx.Assertions().Relations(e.ctx, store.AssertionFilter{Pages: []int64{b.Pages[0].Page.Row}})
			e.same(got, []kb.Link{{From: b.Pages[0].Page.Row, Type: "works_at", Name: "t", Line: 2, ValidFrom: "2017", Context: "c"}})
			return err
		})
	},
}
