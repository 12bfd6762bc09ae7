package storetest

import (
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// task is an item of a page.
func task(text, due, scheduled string, done bool) kb.Item {
	return kb.Item{Kind: kb.TaskItem, Text: text, State: "todo", Done: done, Due: due, Scheduled: scheduled, Line: 1}
}

func having(items ...kb.Item) func(*store.PageRecord) {
	return func(r *store.PageRecord) { r.Items = items }
}

// dated gives a page timeline entries, written "DATE SOURCE TEXT".
func dated(entries ...string) func(*store.PageRecord) {
	return func(r *store.PageRecord) {
		for i, e := range entries {
			f := strings.Fields(e)
			r.Entries = append(r.Entries, kb.Entry{Date: f[0], Source: strings.Trim(f[1], "-"), Text: f[2], Line: i + 1})
		}
	}
}

var itemTests = map[string]func(*testing.T, *env){
	"Entries": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("t")
		first := doc(sp, "b.md", tagged("x"), dated("2024-03-01 meeting a", "2024-03 mail b", "2023 - c"))
		e.put(first, doc(sp, "a.md", dated("2024-03-01 Meeting/123 d", "1843-08 letter e")), doc(other, "c.md", dated("2025-01-01T10:00 meetings f")))
		of := store.Filter{Spaces: []int64{sp.Row}}
		for name, tc := range map[string]struct {
			f             store.EntryFilter
			limit, offset int
			want          string
			total         int
		}{
			"all, newest first":     {store.EntryFilter{}, 0, 0, "fdabce", 6},
			"of a space":            {store.EntryFilter{Pages: of}, 0, 0, "dabce", 5},
			"of tagged pages":       {store.EntryFilter{Pages: store.Filter{Tags: []string{"x"}}}, 0, 0, "abc", 3},
			"since a day":           {store.EntryFilter{After: "2024-03-01"}, 0, 0, "fdab", 4},
			"since a later day":     {store.EntryFilter{After: "2024-03-02"}, 0, 0, "fb", 2},
			"since a day of a year": {store.EntryFilter{After: "2023-07-01"}, 0, 0, "fdabc", 5},
			"before a day":          {store.EntryFilter{Before: "2024-03-01"}, 0, 0, "bce", 3},
			"between":               {store.EntryFilter{After: "1843-08-02", Before: "2024-01-01"}, 0, 0, "ce", 2},
			"by source":             {store.EntryFilter{Source: "meeting"}, 0, 0, "da", 2},
			"by no such source":     {store.EntryFilter{Source: "meet"}, 0, 0, "", 0},
			"some":                  {store.EntryFilter{}, 2, 1, "da", 6},
		} {
			e.view(func(tx store.Tx) error {
				found, total, err := tx.Items().Entries(e.ctx, tc.f, tc.limit, tc.offset)
				got := ""
				for _, it := range found {
					got += it.Text
					if it.Page.Row != it.Entry.Page || it.Page.Path == "" || it.Line == 0 {
						e.Errorf("%s: %s: %+v", name, it.Text, it)
					}
				}
				if got != tc.want || total != tc.total {
					e.Errorf("%s: %q of %d, want %q of %d", name, got, total, tc.want, tc.total)
				}
				return err
			})
		}
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{first.Row}) })
		e.view(func(tx store.Tx) error {
			_, total, err := tx.Items().Entries(e.ctx, store.EntryFilter{}, 0, 0)
			e.same(total, 3)
			return err
		})
	},
	"List": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("t")
		first := doc(sp, "a.md", tagged("x"), having(task("a", "", "", false), task("b", "2026-03-02", "", false), task("c", "", "2026-01-01", true)))
		e.put(first, doc(sp, "b.md", having(task("d", "2026-03-01T10:00", "", false), task("e", "2026-03-01", "2026-02-01", true))),
			doc(other, "c.md", having(task("f", "2026-03-01", "", false))))
		no, yes := false, true
		for name, tc := range map[string]struct {
			f             store.ItemFilter
			limit, offset int
			want          string
			total         int
		}{
			"all":          {store.ItemFilter{}, 0, 0, "efdbca", 6},
			"open":         {store.ItemFilter{Done: &no}, 0, 0, "fdba", 4},
			"done":         {store.ItemFilter{Done: &yes}, 0, 0, "ec", 2},
			"of pages":     {store.ItemFilter{Pages: store.Filter{Tags: []string{"X"}, Spaces: []int64{sp.Row}}}, 0, 0, "bca", 3},
			"due before":   {store.ItemFilter{DueEnd: "2026-03-02"}, 0, 0, "efd", 3},
			"due and open": {store.ItemFilter{DueEnd: "2026-03-02", Done: &no}, 0, 0, "fd", 2},
			"kind":         {store.ItemFilter{Kind: "fact"}, 0, 0, "", 0},
			"some":         {store.ItemFilter{}, 2, 1, "fd", 6},
		} {
			e.view(func(tx store.Tx) error {
				items, total, err := tx.Items().List(e.ctx, tc.f, tc.limit, tc.offset)
				got := ""
				for _, it := range items {
					got += it.Text
					if it.Page.Row != it.Item.Page || it.Page.Path == "" {
						e.Errorf("%s: page of %s: %+v", name, it.Text, it.Page)
					}
				}
				if got != tc.want || total != tc.total {
					e.Errorf("%s: %q of %d, want %q of %d", name, got, total, tc.want, tc.total)
				}
				return err
			})
		}
		first.Pages[0].Items = nil
		e.put(first)
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{first.Row}) })
		e.view(func(tx store.Tx) error {
			_, total, err := tx.Items().List(e.ctx, store.ItemFilter{}, 0, 0)
			e.same(total, 3)
			return err
		})
	},
	"Where": func(_ *testing.T, e *env) {
		sp := e.space("s")
		n := func(f float64) *float64 { return &f }
		with := func(list ...kb.Property) func(*store.PageRecord) {
			return func(r *store.PageRecord) { r.Properties = list }
		}
		e.put(doc(sp, "a.md", with(kb.Property{Key: "stage", Text: "Design"}, kb.Property{Key: "stage", Text: "Review"}, kb.Property{Key: "n", Text: "10", Number: n(10)})),
			doc(sp, "b.md", with(kb.Property{Key: "stage", Text: "done"}, kb.Property{Key: "n", Text: "9.5", Number: n(9.5)})),
			doc(sp, "c.md", with(kb.Property{Key: "n", Text: "nine"}, kb.Property{Key: "due", Text: "2026-03-01"})),
			doc(sp, "d.md", with(kb.Property{Key: "due", Text: "2027", Number: n(2027)})),
			doc(sp, "e.md", with(kb.Property{Key: "due", Text: "2025-12-31T10:00"})),
			doc(sp, "f.md", with(kb.Property{Key: "due", Text: "2026-11"})),
			doc(sp, "g.md", with(kb.Property{Key: "due", Text: "2027-02-30 or so"}, kb.Property{Key: "due", Text: "some day"})))
		for name, tc := range map[string]struct {
			where []store.Where
			want  string
		}{
			"equal":          {[]store.Where{{Key: "stage", Is: store.Equals, Text: "dESIGN"}}, "a"},
			"one of several": {[]store.Where{{Key: "stage", Is: store.Equals, Text: "review"}}, "a"},
			"differs":        {[]store.Where{{Key: "stage", Is: store.Differs, Text: "design"}}, "bcdefg"},
			"present":        {[]store.Where{{Key: "stage"}}, "ab"},
			"number":         {[]store.Where{{Key: "n", Is: store.Equals, Text: "10.0"}}, "a"},
			"less":           {[]store.Where{{Key: "n", Is: store.Less, Text: "10"}}, "b"},
			"at most":        {[]store.Where{{Key: "n", Is: store.AtMost, Text: "10"}}, "ab"},
			"greater":        {[]store.Where{{Key: "n", Is: store.Greater, Text: "9.5"}}, "a"},
			"at least":       {[]store.Where{{Key: "n", Is: store.AtLeast, Text: "9.5"}}, "ab"},
			"date":           {[]store.Where{{Key: "due", Is: store.Less, Text: "2026-03-02"}}, "ce"},
			"day of a month": {[]store.Where{{Key: "due", Is: store.Equals, Text: "2026-03"}}, "c"},
			"in a month":     {[]store.Where{{Key: "due", Is: store.AtMost, Text: "2026-03"}}, "ce"},
			"after a month":  {[]store.Where{{Key: "due", Is: store.Greater, Text: "2026-03"}}, "dfg"},
			"before a month": {[]store.Where{{Key: "due", Is: store.Less, Text: "2026-03"}}, "e"},
			"not in a month": {[]store.Where{{Key: "due", Is: store.Differs, Text: "2026-03"}}, "abdefg"},
			"to the day":     {[]store.Where{{Key: "due", Is: store.AtMost, Text: "2026-11-30"}}, "cef"},
			"a month's day":  {[]store.Where{{Key: "due", Is: store.Less, Text: "2026-11-30"}}, "ce"},
			"a year":         {[]store.Where{{Key: "due", Is: store.Equals, Text: "2026"}}, "cf"},
			"after a year":   {[]store.Where{{Key: "due", Is: store.Greater, Text: "2025"}}, "cdfg"},
			"a year's month": {[]store.Where{{Key: "due", Is: store.AtLeast, Text: "2027-01"}}, "dg"},
			"and":            {[]store.Where{{Key: "stage"}, {Key: "n", Is: store.Less, Text: "10"}}, "b"},
			"unknown":        {[]store.Where{{Key: "other"}}, ""},
		} {
			e.view(func(tx store.Tx) error {
				pages, _, err := tx.Pages().List(e.ctx, store.Filter{Where: tc.where}, store.BySlug, 0, 0)
				got := ""
				for _, p := range pages {
					got += p.Slug
				}
				if got != tc.want {
					e.Errorf("%s: %q, want %q", name, got, tc.want)
				}
				return err
			})
		}
		e.view(func(tx store.Tx) error {
			pages, _, err := tx.Pages().List(e.ctx, store.Filter{Not: &store.Filter{Where: []store.Where{{Key: "stage"}}}}, store.BySlug, 0, 0)
			e.same(len(pages), 5)
			return err
		})
	},
}
