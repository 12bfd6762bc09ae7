package storetest

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

var liveTests = map[string]func(*testing.T, *env){
	"Lives": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		pinned := func(tags ...string) func(*store.PageRecord) {
			return func(r *store.PageRecord) { r.Page.Tags = tags }
		}
		at := func(updated time.Time, status kb.Status) func(*store.PageRecord) {
			return func(r *store.PageRecord) {
				r.Page.Updated, r.Page.Created, r.Page.Status = updated, updated, status
			}
		}
		later := noon.Add(time.Hour)
		a := doc(s1, "a.md", at(noon, kb.Active), linking("b", "b", "a"))
		b := doc(s1, "b.md", at(later, kb.Active), linking("b"), pinned("x", "pinned"))
		c := doc(s1, "c.md", at(later, kb.Stale), pinned("pinned"))
		d := doc(s1, "d.md", at(noon, kb.Active), pinned("Pinned/top"))
		undated := doc(s1, "undated.md", at(time.Time{}, kb.Active))
		other := doc(s2, "other.md", at(later, kb.Active), linking("b"), pinned("pinned"))
		e.put(a, b, c, d, undated, other)
		row := func(x *store.Document) int64 { return x.Pages[0].Page.Row }
		e.resolve(a, row(b), row(b), row(a))
		e.resolve(b, row(b))
		e.resolve(other, row(b))
		e.view(func(tx store.Tx) error {
			for _, tc := range []struct {
				space  kb.Space
				status kb.Status
				limit  int
				want   []int64
			}{
				{s1, kb.Active, 10, []int64{row(b), row(a), row(d), row(undated)}},
				{s1, kb.Active, 2, []int64{row(b), row(a)}},
				{s1, kb.Stale, 2, []int64{row(c)}},
				{s1, kb.Compacted, 2, nil},
				{s2, kb.Active, 2, []int64{row(other)}},
			} {
				got, err := tx.Lives().Newest(e.ctx, tc.space.Row, tc.status, tc.limit)
				e.check(err)
				e.same(got, tc.want)
			}
			top, err := tx.Lives().Pinned(e.ctx, s1.Row, []kb.Status{kb.Active, kb.Contested}, 5)
			e.check(err)
			e.same(top, []int64{row(b), row(d)})
			top, err = tx.Lives().Pinned(e.ctx, s1.Row, []kb.Status{kb.Active}, 1)
			e.check(err)
			e.same(top, []int64{row(b)})
			places, err := tx.Lives().Places(e.ctx, []int64{row(c), row(undated), row(other), 1 << 30})
			e.check(err)
			slices.SortFunc(places, func(x, y store.LifePlace) int { return cmp.Compare(x.Page, y.Page) })
			e.same(places, []store.LifePlace{
				{Page: row(c), Space: s1.Row, Slug: "c", Status: kb.Stale, Updated: later},
				{Page: row(undated), Space: s1.Row, Slug: "undated", Status: kb.Active},
				{Page: row(other), Space: s2.Row, Slug: "other", Status: kb.Active, Updated: later},
			})

			// A page of any space that links counts once, and its own links do not count.
			got, err := tx.Lives().Linked(e.ctx, []int64{row(a), row(b), row(c)})
			e.check(err)
			e.same(got, map[int64]int{row(b): 2})

			days, err := tx.Lives().Days(e.ctx, s1.Row)
			e.check(err)
			e.same(len(days), 5)
			for i, x := range []*store.Document{a, b, c, d, undated} {
				p := x.Pages[0].Page
				e.same(days[i], store.LifeDays{Page: p.Row, Document: days[i].Document, Own: true, Created: p.Created, Updated: p.Updated})
				e.same(i > 0 && days[i].Document == days[i-1].Document, false)
			}
			all, err := tx.Lives().All(e.ctx, s1.Row)
			e.check(err)
			e.same(len(all), 5)
			for i, x := range []*store.Document{a, b, c, d, undated} {
				p := x.Pages[0].Page
				e.same(all[i], store.Life{
					Page: p.Row, Slug: p.Slug, Status: p.Status, Created: p.Created, TruthUpdated: p.TruthUpdated, TimelineUpdated: p.TimelineUpdated, Linked: x == b,
				})
			}
			return nil
		})
	},
	"Automatic relations do not count": func(_ *testing.T, e *env) {
		s1 := e.space("s1")
		automatic := func(r *store.PageRecord) { r.Links[0].Type, r.Links[0].Context = "related", "auto 0.94" }
		a, b := doc(s1, "a.md", linking("b"), automatic), doc(s1, "b.md", linking("c"))
		c := doc(s1, "c.md")
		e.put(a, b, c)
		row := func(x *store.Document) int64 { return x.Pages[0].Page.Row }
		e.resolve(a, row(b))
		e.resolve(b, row(c))
		e.view(func(tx store.Tx) error {
			all, err := tx.Lives().All(e.ctx, s1.Row)
			e.check(err)
			for i, linked := range []bool{false, false, true} {
				e.same(all[i].Linked, linked)
			}
			n, err := tx.Lives().Linked(e.ctx, []int64{row(a), row(b), row(c)})
			e.check(err)
			e.same(n, map[int64]int{row(c): 1})
			most, err := tx.Links().MostLinked(e.ctx, []int64{s1.Row}, 5)
			e.check(err)
			e.same(most, []store.Linked{{Page: row(c), N: 1}})
			return nil
		})
	},
	"Uses": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		a, b := doc(s1, "a.md"), doc(s1, "b.md")
		e.put(a, b)
		page := func(x *store.Document) kb.Page { return x.Pages[0].Page }
		e.update(func(tx store.Tx) error {
			e.check(tx.Lives().Use(e.ctx, s1.Row, []kb.ID{page(a).ID, page(b).ID, "gone"}, "2026-03-01"))
			e.check(tx.Lives().Use(e.ctx, s1.Row, []kb.ID{page(a).ID}, "2026-02-01")) // by a clock that was corrected
			return tx.Lives().Use(e.ctx, s1.Row, nil, "2026-02-01")
		})
		e.view(func(tx store.Tx) error {
			used, err := tx.Lives().Used(e.ctx, s1.Row)
			e.check(err)
			e.same(used, map[int64]string{page(a).Row: "2026-02-01", page(b).Row: "2026-03-01"})
			none, err := tx.Lives().Used(e.ctx, s2.Row)
			e.check(err)
			e.same(len(none), 0)
			day, err := tx.Lives().UsedOn(e.ctx, s1.Row, page(b).ID)
			e.check(err)
			e.same(day, "2026-03-01")
			day, err = tx.Lives().UsedOn(e.ctx, s2.Row, page(b).ID)
			e.check(err)
			e.same(day, "")
			return nil
		})
	},
	"Lives far apart": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		first := doc(s2, "first.md")
		e.put(first)
		for i := range 20 {
			e.put(doc(s1, fmt.Sprintf("%d.md", i)))
		}
		last := doc(s2, "last.md", linking("first", "last"))
		e.put(last)
		row := func(x *store.Document) int64 { return x.Pages[0].Page.Row }
		e.resolve(last, row(first), row(last))
		e.view(func(tx store.Tx) error {
			all, err := tx.Lives().All(e.ctx, s2.Row)
			e.check(err)
			e.same(len(all), 2)
			for i, x := range []*store.Document{first, last} {
				e.same(all[i].Page, row(x))
				e.same(all[i].Linked, x == first)
			}
			all, err = tx.Lives().All(e.ctx, s1.Row)
			e.check(err)
			e.same(len(all), 20)
			none, err := tx.Lives().All(e.ctx, 1<<30)
			e.check(err)
			e.same(len(none), 0)
			return nil
		})
	},
}
