package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// linkNames returns the names of links in their order.
func linkNames(ends []store.LinkEnd) []string {
	var out []string
	for _, l := range ends {
		out = append(out, l.Name)
	}
	return out
}

var linkTests = map[string]func(*testing.T, *env){
	"FromAndTo": func(_ *testing.T, e *env) {
		sp := e.space("s")
		z, a, target := doc(sp, "z.md", linking("t", "x", "T")), doc(sp, "a.md", linking("t")), doc(sp, "t.md")
		e.put(z, a, target)
		to := target.Pages[0].Page.Row
		e.resolve(z, to, 0, to)
		e.resolve(a, to)
		e.view(func(tx store.Tx) error {
			from, err := tx.Links().From(e.ctx, z.Pages[0].Page.Row)
			e.same(linkNames(from), []string{"t", "x", "T"})
			e.check(err)
			if from[0].Page.Slug != "t" || from[0].To != to || from[1].Page.Row != 0 || from[0].From != z.Pages[0].Page.Row {
				e.Errorf("from: %+v", from)
			}
			back, err := tx.Links().To(e.ctx, to)
			var who []string
			for _, l := range back {
				who = append(who, l.Page.Slug+" "+l.Name)
			}
			e.same(who, []string{"a t", "z t", "z T"})
			return err
		})
	},
	"Edges": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		z, a, target := doc(s1, "z.md", linking("t", "x", "T")), doc(s2, "a.md", linking("t")), doc(s1, "t.md")
		for i, text := range [][3]string{{"works_at", "2017", "2020-05"}, {"knows", "", ""}, {"works_at", "", "2016"}} {
			l := &z.Pages[0].Links[i]
			l.Type, l.ValidFrom, l.ValidUntil = text[0], text[1], text[2]
		}
		e.put(z, a, target)
		from, to := z.Pages[0].Page.Row, target.Pages[0].Page.Row
		e.resolve(z, to, 0, to)
		e.resolve(a, to)
		first := kb.Link{From: from, To: to, Type: "works_at", ValidFrom: "2017", ValidUntil: "2020-05"}
		last := kb.Link{From: from, To: to, Type: "works_at", ValidUntil: "2016"}
		plain := kb.Link{From: a.Pages[0].Page.Row, To: to, Type: "links_to"}
		e.view(func(tx store.Tx) error {
			got, err := tx.Links().EdgesFrom(e.ctx, []int64{to, from})
			e.same(got, []kb.Link{first, last})
			e.check(err)
			got, err = tx.Links().EdgesFrom(e.ctx, []int64{from, to, plain.From})
			e.same(got, []kb.Link{first, last, plain})
			e.check(err)
			got, err = tx.Links().EdgesFrom(e.ctx, []int64{plain.From, from})
			e.same(got, []kb.Link{first, last, plain})
			e.check(err)
			got, err = tx.Links().EdgesFrom(e.ctx, nil)
			e.same(len(got), 0)
			e.check(err)
			got, err = tx.Links().EdgesTo(e.ctx, []int64{to, from})
			e.same(got, []kb.Link{first, last, plain})
			e.check(err)
			joined, err := tx.Links().Joined(e.ctx)
			slices.Sort(joined)
			want := []int64{plain.From, from, to}
			slices.Sort(want)
			e.same(joined, want)
			e.check(err)
			// The broken link is on a page with dates.
			got, err = tx.Links().Dated(e.ctx, s1.Row)
			var said []string
			for _, l := range got {
				said = append(said, l.Type+" "+l.Name+" "+l.Interval().String())
			}
			e.same(said, []string{"works_at t 2017..2020-05", "knows x ", "works_at T ..2016"})
			e.check(err)
			got, err = tx.Links().Dated(e.ctx, s2.Row)
			e.same(len(got), 0)
			return err
		})
	},
	"SpacesTo": func(_ *testing.T, e *env) {
		s1, s2, s3 := e.space("s1"), e.space("s2"), e.space("s3")
		target, a, b, c := doc(s1, "t.md"), doc(s1, "a.md", linking("t")), doc(s2, "b.md", linking("s1/t", "s1/T")), doc(s3, "c.md", linking("t"))
		e.put(target, a, b, c)
		to := target.Pages[0].Page.Row
		e.resolve(a, to)
		e.resolve(b, to, to)
		e.view(func(tx store.Tx) error {
			spaces, err := tx.Links().SpacesTo(e.ctx, to)
			slices.Sort(spaces)
			e.same(spaces, []int64{s1.Row, s2.Row})
			e.check(err)
			spaces, err = tx.Links().SpacesTo(e.ctx, c.Pages[0].Page.Row)
			e.same(len(spaces), 0)
			return err
		})
	},
	"LinksToHeadings": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		heading := func(r *store.PageRecord) { r.Links[0].Heading = "Wheel" }
		a, b, c := doc(s1, "a.md", linking("t", "u"), heading), doc(s1, "b.md", linking("x"), heading), doc(s2, "c.md", linking("t"), heading)
		e.put(a, b, c)
		to := a.Pages[0].Page.Row
		e.resolve(a, to, to)
		e.resolve(c, to)
		e.view(func(tx store.Tx) error {
			got, err := tx.Links().Anchored(e.ctx, []int64{s1.Row})
			e.check(err)
			e.same(len(got), 1)
			e.same(got[0].Link, kb.Link{From: to, To: to, Heading: "Wheel"})
			all, err := tx.Links().Anchored(e.ctx, nil)
			e.check(err)
			e.same(len(all), 2)
			whole, err := tx.Links().Get(e.ctx, []int64{all[1].Row, got[0].Row})
			e.check(err)
			e.same(len(whole), 2)
			e.same([]int64{whole[0].From, whole[1].From}, []int64{c.Pages[0].Page.Row, to})
			e.same(whole[1].Name+" "+whole[1].Type+" "+whole[1].Heading, "t links_to Wheel")
			return nil
		})
	},
	"PutKeepsGivenTargets": func(_ *testing.T, e *env) {
		sp := e.space("s")
		target := doc(sp, "t.md")
		e.put(target)
		d := doc(sp, "d.md", linking("t"))
		d.Pages[0].Links[0].To, d.Pages[0].Links[0].Candidates = target.Pages[0].Page.Row, 1
		e.put(d)
		e.view(func(tx store.Tx) error {
			back, err := tx.Links().To(e.ctx, target.Pages[0].Page.Row)
			e.same(len(back), 1)
			return err
		})
	},
	"Candidates": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		a, b, c := doc(s1, "dir/a.md", linking("X", "y")), doc(s2, "b.md", linking("x")), doc(s1, "c.md", linking("Y", "z"))
		e.put(a, b, c)
		e.resolve(c, a.Pages[0].Page.Row)
		e.view(func(tx store.Tx) error {
			pick := func(list []store.Candidate) (out [][2]string) {
				for _, c := range list {
					out = append(out, [2]string{c.FromPath, c.Name})
				}
				return out
			}
			got, err := tx.Links().ByKeys(e.ctx, s1.Row, []string{"y", "x", "none"})
			e.same(pick(got), [][2]string{{"dir/a.md", "X"}, {"dir/a.md", "y"}, {"c.md", "Y"}})
			e.check(err)
			for _, c := range got {
				e.same(c.Space, s1.Row)
			}
			if last := got[2]; last.To != a.Pages[0].Page.Row || last.Candidates != 1 || last.Key != "y" || last.Kind != "wikilink" || last.From != c.Pages[0].Page.Row {
				e.Errorf("candidate: %+v", last)
			}
			return nil
		})
	},
	"LinksThatMayLeadAbroad": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		a, b := doc(s1, "a.md", linking("s2/x", "x", "s2/y", "s1/b", "s2:x")), doc(s2, "x.md", linking("d/x"))
		a.Pages[0].Links[2].Kind = "markdown"
		e.put(b, a)
		to := b.Pages[0].Page.Row
		e.resolve(a, to, to, 0, a.Pages[0].Page.Row, to)
		e.resolve(b, to)
		pick := func(list []store.Candidate) (out []string) {
			for _, c := range list {
				out = append(out, c.FromPath+" "+c.Name)
			}
			return out
		}
		e.view(func(tx store.Tx) error {
			// Links of another space count only if they name the space.
			got, err := tx.Links().ByKeys(e.ctx, s2.Row, []string{kb.NameKey("s2/x"), kb.NameKey("d/x"), kb.NameKey("s2:x"), "x"})
			e.same(pick(got), []string{"x.md d/x", "a.md s2/x", "a.md s2:x"})
			e.check(err)
			e.same(got[1].Space, s1.Row)
			// A link to a page of its own space cannot have another target.
			got, err = tx.Links().CrossSpace(e.ctx)
			e.same(pick(got), []string{"a.md s2/x", "a.md s2:x"})
			return err
		})
	},
	"Targets": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		d := doc(s1, "b/a.org", titled("Title"), func(r *store.PageRecord) { r.Page.Aliases = []string{"Al"}; r.Names = append(r.Names, "al") })
		node(d, "n1", "Node")
		e.put(d, doc(s1, "a.md"), doc(s2, "a.md"))
		want := []store.Target{
			{Page: d.Pages[0].Page.Row, ID: d.ID, Path: "b/a.org", Title: "Title", Aliases: []string{"Al"}, Names: []string{"a", "title", "al"}},
			{Page: d.Pages[1].Page.Row, ID: idOf("n1"), Path: "b/a.org", Node: "n1", Title: "Node", Names: []string{"node"}},
		}
		e.view(func(tx store.Tx) error {
			got, err := tx.Links().TargetsByKeys(e.ctx, s1.Row, []string{"title", "al", "node", "none"})
			e.same(got, want)
			e.check(err)
			got, err = tx.Links().TargetsByKeys(e.ctx, s1.Row, []string{"a"})
			e.same(len(got), 2)
			return err
		})
	},
	"UnresolvedMostWantedFirst": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		a, b := doc(s1, "a.md", linking("Once", "twice", "done", "thrice")), doc(s1, "b.md", linking("Twice", "thrice", "thrice"))
		e.put(a, b, doc(s2, "c.md", linking("once", "once", "once", "once")))
		e.update(func(tx store.Tx) error {
			ends, err := tx.Links().From(e.ctx, a.Pages[0].Page.Row)
			if err != nil {
				return err
			}
			return tx.Links().Resolve(e.ctx, []store.Resolution{
				{Row: ends[2].Row, To: b.Pages[0].Page.Row, Candidates: 1}, {Row: ends[0].Row, Candidates: 3},
			})
		})
		e.view(func(tx store.Tx) error {
			got, total, err := tx.Links().Unresolved(e.ctx, []int64{s1.Row}, 4, 0)
			e.same(linkNames(got), []string{"thrice", "thrice", "thrice", "twice"})
			e.same(total, 6)
			e.check(err)
			got, total, err = tx.Links().Unresolved(e.ctx, []int64{s1.Row}, 4, 4)
			e.same(linkNames(got), []string{"Twice", "Once"})
			e.same(total, 6)
			e.check(err)
			if got[1].Candidates != 3 || got[1].Page.Row != 0 {
				e.Errorf("ambiguous link: %+v", got[1])
			}
			_, total, err = tx.Links().Unresolved(e.ctx, nil, 1, 100)
			e.same(total, 10)
			return err
		})
	},
	"MostLinked": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		a, b, c := doc(s1, "a.md", linking("b", "b", "c", "a")), doc(s1, "b.md", linking("c", "b")), doc(s1, "c.md", linking("gone"))
		d := doc(s2, "d.md", linking("c"))
		e.put(a, b, c, d)
		to := map[string]int64{"a": a.Pages[0].Page.Row, "b": b.Pages[0].Page.Row, "c": c.Pages[0].Page.Row}
		e.update(func(tx store.Tx) error {
			for _, x := range []*store.Document{a, b, c, d} {
				ends, err := tx.Links().From(e.ctx, x.Pages[0].Page.Row)
				if err != nil {
					return err
				}
				for _, end := range ends {
					if row := to[end.Name]; row != 0 {
						if err := tx.Links().Resolve(e.ctx, []store.Resolution{{Row: end.Row, To: row, Candidates: 1}}); err != nil {
							return err
						}
					}
				}
			}
			return nil
		})
		e.view(func(tx store.Tx) error {
			// A page that links counts once, and its own links do not count.
			got, err := tx.Links().MostLinked(e.ctx, []int64{s1.Row}, 5)
			e.same(got, []store.Linked{{Page: to["c"], N: 3}, {Page: to["b"], N: 1}})
			e.check(err)
			got, err = tx.Links().MostLinked(e.ctx, []int64{s1.Row}, 1)
			e.same(got, []store.Linked{{Page: to["c"], N: 3}})
			e.check(err)
			got, err = tx.Links().MostLinked(e.ctx, []int64{s2.Row}, 5)
			e.same(len(got), 0)
			return err
		})
	},
	// With more pages than the limit: several links on one page count once, and ties are
	// ordered by row.
	"MostLinkedOfMany": func(_ *testing.T, e *env) {
		sp := e.space("s")
		names := []string{"x", "y", "p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"}
		to := map[string]int64{}
		var all []*store.Document
		for _, name := range names {
			d := doc(sp, name+".md")
			all = append(all, d)
		}
		m, n := doc(sp, "m.md", linking(append([]string{"x", "x", "x"}, names[1:]...)...)), doc(sp, "n.md", linking("y"))
		e.put(append(all, m, n)...)
		for i, name := range names {
			to[name] = all[i].Pages[0].Page.Row
		}
		e.update(func(tx store.Tx) error {
			for _, x := range []*store.Document{m, n} {
				ends, err := tx.Links().From(e.ctx, x.Pages[0].Page.Row)
				if err != nil {
					return err
				}
				for _, end := range ends {
					if err := tx.Links().Resolve(e.ctx, []store.Resolution{{Row: end.Row, To: to[end.Name], Candidates: 1}}); err != nil {
						return err
					}
				}
			}
			return nil
		})
		e.view(func(tx store.Tx) error {
			got, err := tx.Links().MostLinked(e.ctx, []int64{sp.Row}, 1)
			e.same(got, []store.Linked{{Page: to["y"], N: 2}})
			e.check(err)
			got, err = tx.Links().MostLinked(e.ctx, []int64{sp.Row}, 2)
			e.same(got, []store.Linked{{Page: to["y"], N: 2}, {Page: to["x"], N: 1}})
			return err
		})
	},
	// With many pages of few links and some of many, for any limit.
	"MostLinkedOfAll": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		const pages = 40
		all := make([]*store.Document, pages)
		links := make([][]int, pages) // by page, the pages that its links lead to
		random := rand.New(rand.NewPCG(1, 2))
		for i := range all {
			var names []string
			for range random.IntN(12) {
				to := min(random.IntN(pages), random.IntN(pages), random.IntN(pages)) // the first have the most
				links[i] = append(links[i], to)
				names = append(names, fmt.Sprint("p", to))
			}
			in := sp
			if i%10 == 9 {
				in = other
			}
			all[i] = doc(in, fmt.Sprintf("p%d.md", i), linking(names...))
		}
		e.put(all...)
		from := make([]map[int]bool, pages)
		for i, d := range all {
			var to []int64
			for _, n := range links[i] {
				to = append(to, all[n].Pages[0].Page.Row)
				if from[n] == nil {
					from[n] = map[int]bool{}
				}
				if n != i {
					from[n][i] = true
				}
			}
			e.resolve(d, to...)
		}
		for _, of := range []kb.Space{sp, other} { // nearly all pages, and few
			var want []store.Linked
			for i, d := range all {
				if (i%10 == 9) == (of.Row == other.Row) && len(from[i]) > 0 {
					want = append(want, store.Linked{Page: d.Pages[0].Page.Row, N: len(from[i])})
				}
			}
			slices.SortFunc(want, func(a, b store.Linked) int { return cmp.Or(b.N-a.N, cmp.Compare(a.Page, b.Page)) })
			e.view(func(tx store.Tx) error {
				for limit := range pages + 1 {
					got, err := tx.Links().MostLinked(e.ctx, []int64{of.Row}, limit)
					e.check(err)
					e.same(append([]store.Linked{}, got...), append([]store.Linked{}, want[:min(limit, len(want))]...))
				}
				return nil
			})
		}
	},
	"ResolveToNothingAgain": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a, b := doc(sp, "a.md", linking("b")), doc(sp, "b.md")
		e.put(a, b)
		e.resolve(a, b.Pages[0].Page.Row)
		e.resolve(a, 0)
		e.view(func(tx store.Tx) error {
			back, err := tx.Links().To(e.ctx, b.Pages[0].Page.Row)
			e.same(back, []store.LinkEnd(nil))
			return err
		})
		e.updateFails(kb.Internal, func(tx store.Tx) error {
			ends, err := tx.Links().From(e.ctx, a.Pages[0].Page.Row)
			if err != nil {
				return err
			}
			return tx.Links().Resolve(e.ctx, []store.Resolution{{Row: ends[0].Row, To: 999}})
		})
	},
}
