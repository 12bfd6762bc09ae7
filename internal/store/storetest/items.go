package storetest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// task returns an item of a page.
func task(text, due, scheduled string, done bool) kb.Item {
	return kb.Item{Kind: kb.TaskItem, Text: text, State: "todo", Done: done, Due: due, Scheduled: scheduled, Line: 1}
}

func having(items ...kb.Item) func(*store.PageRecord) {
	return func(r *store.PageRecord) { r.Items = items }
}

// dated adds timeline entries, written "DATE SOURCE TEXT", to a page.
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
	"Many entries": func(_ *testing.T, e *env) {
		rng, sources := rand.New(rand.NewPCG(16, 2)), []string{"meeting", "meeting/7", "mail", "-"}
		spaces := []kb.Space{e.space("s"), e.space("t")}
		type entry struct {
			date, source, text, path string
			space, at                int
			tagged                   bool
		}
		var all []entry
		for i := range 60 {
			var lines []string
			path, in, x := fmt.Sprintf("n%02d.md", rng.IntN(100)*100+i), i%3/2, i%4 == 0
			for at := range 50 {
				n := entry{fmt.Sprintf("20%02d-%02d", rng.IntN(20), 1+rng.IntN(12)), sources[rng.IntN(4)], fmt.Sprintf("t%d", len(all)), path, in, at, x}
				if rng.IntN(3) > 0 {
					n.date += fmt.Sprintf("-%02d", 1+rng.IntN(28))
				}
				lines, all = append(lines, n.date+" "+n.source+" "+n.text), append(all, n)
			}
			with := []func(*store.PageRecord){dated(lines...)}
			if x {
				with = append(with, tagged("x"))
			}
			e.put(doc(spaces[in], path, with...))
		}
		slices.SortFunc(all, func(a, b entry) int {
			return cmp.Or(cmp.Compare(b.date, a.date), a.space-b.space, cmp.Compare(a.path, b.path), a.at-b.at)
		})
		for name, tc := range map[string]struct {
			f    store.EntryFilter
			pass func(entry) bool
		}{
			"all":       {store.EntryFilter{}, func(entry) bool { return true }},
			"space":     {store.EntryFilter{Pages: store.Filter{Spaces: []int64{spaces[0].Row}}}, func(n entry) bool { return n.space == 0 }},
			"spaces":    {store.EntryFilter{Pages: store.Filter{Spaces: []int64{spaces[0].Row, spaces[1].Row}}}, func(entry) bool { return true }},
			"tag":       {store.EntryFilter{Pages: store.Filter{Tags: []string{"x"}}}, func(n entry) bool { return n.tagged }},
			"path":      {store.EntryFilter{Pages: store.Filter{Paths: []string{"n1*"}}}, func(n entry) bool { return strings.HasPrefix(n.path, "n1") }},
			"before":    {store.EntryFilter{Before: "2015-03-01"}, func(n entry) bool { return n.date < "2015-03-01" }},
			"after":     {store.EntryFilter{After: "2004-06-15"}, func(n entry) bool { return n.date >= "2004-06-15"[:len(n.date)] }},
			"by source": {store.EntryFilter{Source: "meeting", Pages: store.Filter{Spaces: []int64{spaces[0].Row}}}, func(n entry) bool { return n.space == 0 && strings.HasPrefix(n.source, "meeting") }},
		} {
			var want []string
			for _, n := range all {
				if tc.pass(n) {
					want = append(want, n.text)
				}
			}
			for _, part := range [][2]int{{1, 0}, {20, 0}, {20, 500}, {50, len(want) - 10}, {10, len(want)}, {0, 0}} {
				e.view(func(tx store.Tx) error {
					found, total, err := tx.Items().Entries(e.ctx, tc.f, part[0], part[1])
					got := []string{}
					for _, x := range found {
						got = append(got, x.Text)
					}
					end := len(want)
					if part[0] > 0 {
						end = min(end, part[1]+part[0])
					}
					if total != len(want) || !slices.Equal(got, want[min(part[1], end):end]) {
						e.Errorf("%s, %v: %d of %d, want %d", name, part, len(got), total, len(want))
					}
					return err
				})
			}
		}
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
			"one of":         {[]store.Where{{Key: "stage", Is: store.OneOf, Texts: []string{"other", "DONE", "review"}}}, "ab"},
			"one of none":    {[]store.Where{{Key: "stage", Is: store.OneOf}}, ""},
			"one number of":  {[]store.Where{{Key: "n", Is: store.OneOf, Texts: []string{"9.50", "nine"}}}, "bc"},
			"one date of":    {[]store.Where{{Key: "due", Is: store.OneOf, Texts: []string{"2026-03", "2027"}}}, "cdg"},
			"between":        {[]store.Where{{Key: "n", Is: store.Between, Texts: []string{"9.5", "10"}}}, "ab"},
			"between words":  {[]store.Where{{Key: "stage", Is: store.Between, Texts: []string{"da", "e"}}}, "ab"},
			"one value":      {[]store.Where{{Key: "stage", Is: store.Between, Texts: []string{"e", "q"}}}, ""},
			"between dates":  {[]store.Where{{Key: "due", Is: store.Between, Texts: []string{"2025-12-31", "2026-03"}}}, "ce"},
			"between one":    {[]store.Where{{Key: "n", Is: store.Between, Texts: []string{"1"}}}, ""},
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
	"Permalinks and categories": func(_ *testing.T, e *env) {
		sp := e.space("s")
		named := func(permalink string, categories ...string) func(*store.PageRecord) {
			return func(r *store.PageRecord) {
				r.Page.Permalink = permalink
				for i, c := range categories {
					r.Observations = append(r.Observations, kb.Observation{Category: c, Text: "t", Line: i + 1})
				}
			}
		}
		e.put(doc(sp, "a.md", named("specs/search", "Fact", "idea")), doc(sp, "b.md", named("specs/sub/search-2", "method")), doc(sp, "c.md", named("other/[x]*")), doc(sp, "d.md"))
		for _, tc := range []struct {
			f    store.Filter
			want string
		}{
			{store.Filter{Permalinks: []string{"specs/search"}}, "a"},
			{store.Filter{Permalinks: []string{"specs"}}, ""},
			{store.Filter{Permalinks: []string{"specs/*"}}, "ab"},
			{store.Filter{Permalinks: []string{"*/search-?", "other/[x]*"}}, "bc"},
			{store.Filter{Permalinks: []string{"*search"}}, "a"},
			{store.Filter{Permalinks: []string{"other/[xy]*"}}, ""},
			{store.Filter{Not: &store.Filter{Permalinks: []string{"specs/*"}}}, "cd"},
			{store.Filter{Categories: []string{"fact"}}, "a"},
			{store.Filter{Categories: []string{"FACT", "method"}}, "ab"},
			{store.Filter{Categories: []string{"fac"}}, ""},
			{store.Filter{Not: &store.Filter{Categories: []string{"idea"}}}, "bcd"},
		} {
			e.view(func(tx store.Tx) error {
				pages, _, err := tx.Pages().List(e.ctx, tc.f, store.BySlug, 0, 0)
				got := ""
				for _, p := range pages {
					got += p.Slug
				}
				if got != tc.want {
					e.Errorf("%v: %q, want %q", tc.f, got, tc.want)
				}
				return err
			})
		}
	},
	"Own statuses": func(_ *testing.T, e *env) {
		sp := e.space("s")
		says := func(status string) func(*store.PageRecord) {
			return func(r *store.PageRecord) {
				r.Properties = []kb.Property{{Key: "status", Text: status}}
				r.Page.Status, _ = kb.ParseStatus(status)
				if r.Page.Status == "" {
					r.Page.Status = kb.Active
				}
			}
		}
		e.put(doc(sp, "a.md", says("Draft")), doc(sp, "b.md", says("stale")), doc(sp, "c.md", says("in review")), doc(sp, "d.md"))
		for _, tc := range []struct {
			f    store.Filter
			want string
		}{
			{store.Filter{Statuses: []kb.Status{"draft"}}, "a"},
			{store.Filter{Statuses: []kb.Status{"In Review", "stale"}}, "bc"},
			{store.Filter{Statuses: []kb.Status{kb.Active}}, "acd"},
			{store.Filter{Statuses: []kb.Status{"other"}}, ""},
			{store.Filter{Not: &store.Filter{Statuses: []kb.Status{"draft", kb.Stale}}}, "cd"},
		} {
			e.view(func(tx store.Tx) error {
				pages, _, err := tx.Pages().List(e.ctx, tc.f, store.BySlug, 0, 0)
				got := ""
				for _, p := range pages {
					got += p.Slug
				}
				if got != tc.want {
					e.Errorf("%v: %q, want %q", tc.f, got, tc.want)
				}
				return err
			})
		}
	},
}
