package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// claiming adds relations, "type target", and other claims to a page.
func claiming(types ...string) func(*store.PageRecord) {
	return func(r *store.PageRecord) {
		for i, t := range types {
			r.Links = append(r.Links, kb.Link{Kind: "relation", Type: t, Name: "t", Key: "t", Line: i + 1, ValidFrom: "2017", Context: "c"})
		}
	}
}

var claimTests = map[string]func(*testing.T, *env){
	"Claims of spaces alone and with others": func(_ *testing.T, e *env) {
		employed := func(r *store.PageRecord) { r.Properties = []kb.Property{{Key: "employer", Text: "T"}} }
		s1 := e.space("s1")
		one, two := doc(s1, "one.md", employed), doc(s1, "two.md", employed)
		e.put(one, two)
		want := []store.PropertyValue{{Key: "employer", Text: "T", At: []store.PropertyPlace{{Page: one.Pages[0].Page.Row}, {Page: two.Pages[0].Page.Row}}}}
		same := func() {
			e.view(func(tx store.Tx) error {
				got, err := tx.Claims().Values(e.ctx, s1.Row, []string{"employer"})
				e.check(err)
				e.same(got, want)
				properties, err := tx.Claims().Properties(e.ctx, store.Claimants{Space: s1.Row}, []string{"employer"})
				e.same(len(properties), 2)
				return err
			})
		}
		same()
		e.put(doc(e.space("s2"), "other.md", employed))
		same()
	},
	"Claims": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		two := doc(s1, "two.md", claiming("works_at", "links_to", "Works at", "knows"))
		ended := doc(s1, "ended.md", claiming("links_to", "works_at"), func(r *store.PageRecord) {
			r.Endings = []kb.Ending{
				{Subject: -1, Object: 1, Until: "2025-03", On: "2025-04-01", Source: "email", Entry: true, Quote: "Left T in 2025. " + odd, Line: 9},
				{Subject: 0, Object: -1, Name: "T", Quote: "?", Line: 10},
			}
		})
		keyed := doc(s1, "keyed.md", claiming("works_at"), func(r *store.PageRecord) {
			r.Properties = []kb.Property{{Key: "city", Text: "Rome"}, {Key: "employer", Text: "[[T]]"}, {Key: "map.a.b", Text: "x"}, {Key: "map", Text: "y"}, {Key: "maps.a", Text: "z"}, {Key: "projects", Text: "loom"}, {Key: "projects", Text: "emacs"}, {Key: "status", Text: "current"}}
		})
		one, none, other := doc(s1, "one.md", claiming("works_at")), doc(s1, "none.md"), doc(s2, "other.md", claiming("a", "b"))
		e.put(two, ended, keyed, one, none, other)
		row := func(d *store.Document) int64 { return d.Pages[0].Page.Row }
		all := store.Claimants{Space: s1.Row}
		types := func(in store.Claimants, keys ...string) (out []string) {
			e.view(func(tx store.Tx) error {
				got, err := tx.Claims().Relations(e.ctx, in, keys)
				for _, l := range got {
					for _, d := range []*store.Document{two, ended, keyed, one, other} {
						if row(d) == l.From {
							out = append(out, d.Path+" "+l.Type)
						}
					}
				}
				return err
			})
			return out
		}
		e.same(types(all), []string{"two.md works_at", "two.md Works at", "two.md knows", "ended.md works_at"})
		e.same(types(all, "employer", "x"), []string{"two.md works_at", "two.md Works at", "two.md knows", "ended.md works_at", "keyed.md works_at"})
		e.same(types(store.Claimants{Space: s1.Row, Pages: []int64{row(one), row(two), row(one)}}), []string{"two.md works_at", "two.md Works at", "two.md knows", "one.md works_at"})
		e.same(types(store.Claimants{Space: s1.Row, Pages: []int64{}}), []string(nil))
		e.view(func(tx store.Tx) error {
			works := map[string]bool{kb.NameKey("Works at"): true, "a": true, "links_to": true}
			typed, err := tx.Claims().Typed(e.ctx, all, works)
			e.check(err)
			e.same(len(typed), 5) // from two, ended, keyed and one, and no plain links
			e.same(typed[0].Context, "c")
			typed, err = tx.Claims().Typed(e.ctx, store.Claimants{Space: s2.Row}, works)
			e.check(err)
			e.same(len(typed), 1)
			typed, err = tx.Claims().Typed(e.ctx, all, map[string]bool{"none": true})
			e.check(err)
			e.same(len(typed), 0)
			typed, err = tx.Claims().Typed(e.ctx, store.Claimants{Space: s1.Row, Pages: []int64{row(one), row(none)}}, works)
			e.check(err)
			e.same(len(typed), 1)
			relations, err := tx.Claims().Relations(e.ctx, store.Claimants{Space: s1.Row, Pages: []int64{row(one)}}, nil)
			e.check(err)
			e.same(relations, []kb.Link{{From: row(one), Type: "works_at", Name: "t", Line: 1, ValidFrom: "2017", Context: "c"}})
			for _, in := range []store.Claimants{all, {Space: s1.Row, Pages: []int64{row(ended)}}} {
				endings, err := tx.Claims().Endings(e.ctx, in)
				e.check(err)
				e.same(len(endings), 2)
				e.same(endings[0].Ending, kb.Ending{
					Page: row(ended), Subject: -1, Object: 1, Until: "2025-03", On: "2025-04-01", Source: "email", Entry: true, Quote: "Left T in 2025. " + odd, Line: 9,
				})
				e.same(endings[1].Ending, kb.Ending{Page: row(ended), Subject: 0, Object: -1, Name: "T", Quote: "?", Line: 10})
				e.same([]string{endings[0].By.Type, endings[0].To.Type, endings[1].By.Type, endings[1].To.Type}, []string{"", "works_at", "links_to", ""})
			}
			got, err := tx.Claims().Properties(e.ctx, all, []string{"employer", "none"})
			e.same(got, []kb.Property{{Page: row(keyed), Key: "employer", Text: "[[T]]"}})
			e.check(err)
			got, err = tx.Claims().Properties(e.ctx, all, []string{"map.", "em."})
			e.same(got, []kb.Property{{Page: row(keyed), Key: "map.a.b", Text: "x"}})
			e.check(err)
			values, err := tx.Claims().Values(e.ctx, s1.Row, []string{"employer", "map", "none"})
			e.check(err)
			e.same(values, []store.PropertyValue{
				{Key: "employer", Text: "[[T]]", At: []store.PropertyPlace{{Page: row(keyed), Position: 1}}},
				{Key: "map", Text: "y", At: []store.PropertyPlace{{Page: row(keyed), Position: 3}}},
			})
			values, err = tx.Claims().Values(e.ctx, s1.Row, []string{"projects", "status"})
			e.check(err)
			e.same(values, []store.PropertyValue{
				{Key: "projects", Text: "emacs", At: []store.PropertyPlace{{Page: row(keyed), Position: 6}}},
				{Key: "projects", Text: "loom", At: []store.PropertyPlace{{Page: row(keyed), Position: 5}}},
				{Key: "status", Text: "current", At: []store.PropertyPlace{{Page: row(keyed), Position: 7}}},
			})
			for key, want := range map[string][]string{"projects": {"emacs", "loom"}, "status": {"current"}, "employer": {"[[T]]"}, "none": nil} {
				texts, err := tx.Claims().Texts(e.ctx, key)
				e.check(err)
				slices.Sort(texts)
				e.same(texts, want)
			}
			got, err = tx.Claims().Properties(e.ctx, all, nil)
			e.same(len(got), 0)
			e.check(err)
			loaded, err := tx.Documents().Load(e.ctx, ended.Row)
			e.same(len(loaded.Pages[0].Endings), 2)
			return err
		})
		ended.Pages[0].Endings = ended.Pages[0].Endings[:1]
		ended.Pages[0].Links = ended.Pages[0].Links[:2]
		e.put(ended)
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{two.Row}) })
		e.same(types(all), []string{"ended.md works_at"})
	},
	"ClaimsThatMayContradict": func(_ *testing.T, e *env) {
		sp := e.space("s")
		const type1, type2 = "works_at", "Works At"
		page := func(path string, relations ...kb.Link) *store.Document {
			return doc(sp, path, func(r *store.PageRecord) {
				for _, l := range relations {
					l.Kind, l.Key = "relation", l.Name
					r.Links = append(r.Links, l)
				}
			})
		}
		docs := []*store.Document{
			page("two-types.md", kb.Link{Type: type1, Name: "a"}, kb.Link{Type: "knows", Name: "b"}),
			page("two-now.md", kb.Link{Type: type1, Name: "two-types", ValidUntil: "2026"}, kb.Link{Type: type2, Name: "over"}),
			page("over.md", kb.Link{Type: type1, Name: "two-types", ValidUntil: "2025-12-31"}, kb.Link{Type: type1, Name: "two-now"}),
			page("over-unknown.md", kb.Link{Type: type1, Name: "x", ValidUntil: "2020"}, kb.Link{Type: type2, Name: "x", ValidFrom: "2021"}),
			page("over-again.md", kb.Link{Type: type1, Name: "over", ValidUntil: "2020"}, kb.Link{Type: type2, Name: "over", ValidUntil: "2021"}),
			page("many.md", kb.Link{Type: "knows", Name: "two-types"}, kb.Link{Type: "Knows", Name: "two-now"}),
		}
		e.put(docs...)
		a, b := docs[0].Pages[0].Page.Row, docs[1].Pages[0].Page.Row
		e.resolve(docs[0], b, a)
		e.resolve(docs[1], a, b)
		e.resolve(docs[2], a, b)
		e.resolve(docs[4], a, a)
		e.resolve(docs[5], a, b)
		paths := func(in store.Claimants) (out []string) {
			e.view(func(tx store.Tx) error {
				got, err := tx.Claims().Relations(e.ctx, in, nil)
				for _, l := range got {
					for _, d := range docs {
						if d.Pages[0].Page.Row == l.From {
							out = append(out, d.Path)
						}
					}
				}
				return err
			})
			return slices.Compact(out)
		}
		many := map[string]bool{kb.NameKey("knows"): true}
		e.same(paths(store.Claimants{Space: sp.Row, Today: "2026-11-26", Many: many}), []string{"two-now.md", "over-unknown.md", "over-again.md"})
		e.same(paths(store.Claimants{Space: sp.Row, Today: "2026-11-26"}), []string{"two-now.md", "over-unknown.md", "over-again.md", "many.md"})
		e.same(paths(store.Claimants{Space: sp.Row, Today: "2026-11-26", Many: many, Also: []int64{a}}), []string{"two-types.md", "two-now.md", "over-unknown.md", "over-again.md"})
		e.same(paths(store.Claimants{Space: sp.Row, Many: many}), []string{"two-now.md", "over.md", "over-unknown.md", "over-again.md"})
	},
	"Behind": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		dated := func(truth, timeline time.Time) func(*store.PageRecord) {
			return func(r *store.PageRecord) { r.Page.TruthUpdated, r.Page.TimelineUpdated = truth, timeline }
		}
		month := 30 * 24 * time.Hour
		a, b := doc(s1, "a.md", dated(noon, noon.Add(month))), doc(s1, "b.md", dated(noon, noon.Add(month-time.Second)))
		c, d := doc(s1, "c.md", dated(noon, time.Time{})), doc(s2, "d.md", dated(noon, noon.Add(2*month)))
		e.put(a, b, c, d)
		rows := []int64{a.Pages[0].Page.Row, b.Pages[0].Page.Row, c.Pages[0].Page.Row}
		e.view(func(tx store.Tx) error {
			for _, in := range []store.Claimants{{Space: s1.Row}, {Space: s1.Row, Pages: rows}} {
				got, err := tx.Claims().Behind(e.ctx, in, month)
				e.check(err)
				e.same(got, rows[:1])
			}
			got, err := tx.Claims().Behind(e.ctx, store.Claimants{Space: s1.Row, Pages: rows[1:]}, month)
			e.same(len(got), 0)
			return err
		})
		// A truth with an "as of" date is as old as that date, whenever it was written.
		said := func(asOf string, entries ...string) func(*store.PageRecord) {
			return func(r *store.PageRecord) {
				r.Page.AsOf, r.Page.TruthUpdated, r.Page.TimelineUpdated = asOf, noon, noon
				for _, date := range entries {
					r.Entries = append(r.Entries, kb.Entry{Date: date, Text: "x"})
				}
			}
		}
		s3 := e.space("s3")
		old, month3 := doc(s3, "old.md", said("2026-01-01", "2025-12-01", "2026-02-01", "2099")), doc(s3, "month.md", said("2026-01", "2026-03-15T10:00"))
		fresh, soon, ahead := doc(s3, "fresh.md", said("2026-01-01", "2025-12-01")), doc(s3, "soon.md", said("2026-01", "2026-02-15")), doc(s3, "ahead.md", said("2026-01-01", "2026-12"))
		e.put(old, month3, fresh, soon, ahead)
		e.view(func(tx store.Tx) error {
			want := []int64{old.Pages[0].Page.Row, month3.Pages[0].Page.Row}
			got, err := tx.Claims().Behind(e.ctx, store.Claimants{Space: s3.Row, Today: "2026-11-30"}, month)
			e.check(err)
			e.same(got, want)
			got, err = tx.Claims().Behind(e.ctx, store.Claimants{Space: s3.Row, Today: "2026-11-30", Pages: []int64{old.Pages[0].Page.Row, soon.Pages[0].Page.Row}}, month)
			e.same(got, want[:1])
			return err
		})
	},
	"Dismissals": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		b := kb.Dismissal{Space: s1.Row, ID: "bb", Note: "no " + odd, Actor: claude, Time: noon}
		a := kb.Dismissal{Space: s1.Row, ID: "aa", Note: "yes", Actor: alice, Time: noon}
		other := kb.Dismissal{Space: s2.Row, ID: "aa", Note: "other", Actor: alice, Time: noon}
		for _, d := range []kb.Dismissal{b, a, other} {
			e.update(func(tx store.Tx) error { return tx.Claims().Dismiss(e.ctx, d) })
		}
		b.Note = "again"
		e.update(func(tx store.Tx) error { return tx.Claims().Dismiss(e.ctx, b) })
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, s2.Row) })
		e.view(func(tx store.Tx) error {
			got, err := tx.Claims().Dismissed(e.ctx, s1.Row)
			e.same(got, []kb.Dismissal{a, b})
			e.check(err)
			got, err = tx.Claims().Dismissed(e.ctx, s2.Row)
			e.same(len(got), 0)
			return err
		})
	},
}
