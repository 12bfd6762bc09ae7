package storetest

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// manyValues exceeds the number of single values that a statement takes in any database.
const manyValues = 40_000

// manyRows returns unknown rows, and one more.
func manyRows(row int64) []int64 {
	out := make([]int64, manyValues)
	for i := range out {
		out[i] = 1<<40 + int64(i)
	}
	return append(out, row)
}

// manyNames returns unknown names, and one more.
func manyNames(name string) []string {
	out := make([]string, manyValues)
	for i := range out {
		out[i] = fmt.Sprintf("no %q\n%d", "é", i)
	}
	return append(out, name)
}

// A filter with many values has the same meaning as one with few.
var longListTests = map[string]func(*testing.T, *env){
	"LongLists": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		odd := `b"\c` + " é"
		a := doc(s1, "a.md", claiming("works_at"), func(r *store.PageRecord) {
			r.Page.Type, r.Page.Tags = odd, []string{odd}
			r.Assertions = []kb.Assertion{{Subject: "Ada", SubjectKey: odd, Predicate: "p", Object: "x", ObjectKey: odd, Confidence: 1}}
		})
		e.put(a, doc(s2, "b.md"))
		row := a.Pages[0].Page.Row
		list := func(f store.Filter) (slugs []string) {
			e.view(func(tx store.Tx) error {
				pages, _, err := tx.Pages().List(e.ctx, f, store.BySlug, -1, 0)
				for _, p := range pages {
					slugs = append(slugs, p.Slug)
				}
				return err
			})
			return slugs
		}
		one := []string{"a"}
		e.same(list(store.Filter{Spaces: manyRows(s1.Row)}), one)
		e.same(list(store.Filter{Types: manyNames(odd)}), one)
		e.same(list(store.Filter{Tags: manyNames(odd)}), one)
		e.same(list(store.Filter{Spaces: manyRows(s1.Row), Types: manyNames(odd), Tags: manyNames(odd)}), one)
		e.view(func(tx store.Tx) error {
			for _, f := range []store.AssertionFilter{
				{Spaces: manyRows(s1.Row)}, {Pages: manyRows(row)}, {Subjects: manyNames(odd)}, {Objects: manyNames(odd)},
				{Spaces: manyRows(s1.Row), Pages: manyRows(row), Subjects: manyNames(odd), Objects: manyNames(odd)},
			} {
				found, err := tx.Assertions().List(e.ctx, f)
				if err != nil || len(found) != 1 {
					e.Errorf("%d assertions, %v", len(found), err)
				}
			}
			if _, err := tx.Claims().Relations(e.ctx, store.Claimants{Space: s1.Row, Pages: manyRows(row)}, manyNames(odd)); err != nil {
				return err
			}
			names := map[string]bool{"works-at": true}
			for _, name := range manyNames("x") {
				names[name] = true
			}
			if links, err := tx.Claims().Typed(e.ctx, store.Claimants{Space: s1.Row}, names); err != nil || len(links) != 1 {
				e.Errorf("%d links, %v", len(links), err)
			}
			if _, err := tx.Lives().Linked(e.ctx, manyRows(row)); err != nil {
				return err
			}
			if n, err := tx.Gaps().Open(e.ctx, manyRows(s1.Row)); err != nil || n != 0 {
				e.Errorf("%d gaps, %v", n, err)
			}
			if _, _, err := tx.Gaps().List(e.ctx, manyRows(s1.Row), true, -1, 0); err != nil {
				return err
			}
			if _, _, err := tx.Batches().List(e.ctx, manyRows(s1.Row), -1, 0); err != nil {
				return err
			}
			stats, err := tx.Pages().Stats(e.ctx, manyRows(s1.Row))
			if err == nil && (stats.Pages != 1 || stats.Assertions != 1) {
				e.Errorf("%+v", stats)
			}
			return err
		})
	},
}
