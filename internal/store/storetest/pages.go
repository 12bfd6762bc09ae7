package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

var pageTests = map[string]func(*testing.T, *env){
	"ByIDAndPrefix": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		a, b := doc(s1, "a.md"), doc(s2, "b.md")
		a.ID, b.ID = "0123abcd-4567-89ab-cdef-0123456789ab", "0123abcd-4567-89ab-cdef-0123456789ab"
		c := doc(s1, "c.md")
		c.ID = "0123abcd-9999-89ab-cdef-0123456789ab"
		e.put(a, b, c)
		e.view(func(tx store.Tx) error {
			got, err := tx.Pages().ByID(e.ctx, a.ID)
			e.same(slugs(got), []string{"a", "b"})
			e.check(err)
			for _, tc := range []struct {
				digits string
				limit  int
				want   string
			}{
				{"0123abcd", 10, "a b c"},
				{"0123ABCD", 2, "a b"},
				{"0123abcd4", 10, "a b"},
				{"0123abcd9999", 10, "c"},
				{"0123abcd456789abcdef0123456789ab", 10, "a b"},
				{"0123abcd456789abcdef0123456789ab0", 10, ""},
				{"ffff", 10, ""},
				{"zz", 10, ""},
				{"%", 10, ""},
			} {
				got, err := tx.Pages().ByIDPrefix(e.ctx, tc.digits, tc.limit)
				e.check(err)
				if s := strings.Join(slugs(got), " "); s != tc.want {
					e.Errorf("prefix %s: %q, want %q", tc.digits, s, tc.want)
				}
			}
			digits, err := tx.Pages().Telling(e.ctx, []kb.ID{a.ID, c.ID, idOf("nobody")})
			e.check(err)
			e.same(digits, map[kb.ID]int{a.ID: 33, c.ID: 9, idOf("nobody"): digits[idOf("nobody")]})
			if n := digits[idOf("nobody")]; n < 1 || n > 8 {
				e.Errorf("an id without a page has %d digits", n)
			}
			none, err := tx.Pages().Telling(e.ctx, nil)
			e.same(none, map[kb.ID]int{})
			e.check(err)
			places, err := tx.Pages().Places(e.ctx, []int64{b.Pages[0].Page.Row, c.Pages[0].Page.Row, a.Pages[0].Page.Row, 999})
			e.same(places, []kb.Page{
				{Row: a.Pages[0].Page.Row, Space: "s1", Slug: "a", Updated: a.Pages[0].Page.Updated},
				{Row: c.Pages[0].Page.Row, Space: "s1", Slug: "c", Updated: c.Pages[0].Page.Updated},
				{Row: b.Pages[0].Page.Row, Space: "s2", Slug: "b", Updated: b.Pages[0].Page.Updated},
			})
			e.check(err)
			all := []int64{b.Pages[0].Page.Row, c.Pages[0].Page.Row, a.Pages[0].Page.Row, 999}
			newest, err := tx.Pages().Newest(e.ctx, all, 2)
			e.same(slugs(newest), []string{"a", "c"})
			e.check(err)
			newest, err = tx.Pages().Newest(e.ctx, all[:1], 9)
			e.same(slugs(newest), []string{"b"})
			e.check(err)
			briefs, err := tx.Pages().Briefs(e.ctx, s1.Row)
			brief := func(d *store.Document) kb.Page {
				p := d.Pages[0].Page
				return kb.Page{Row: p.Row, ID: d.ID, Title: p.Title, Type: p.Type, Status: p.Status, Summary: p.Summary, Updated: p.Updated}
			}
			e.same(briefs, []kb.Page{brief(a), brief(c)})
			e.check(err)
			named, err := tx.Pages().Named(e.ctx, store.Filter{Spaces: []int64{s1.Row}})
			name := func(d *store.Document) kb.Page {
				p := d.Pages[0].Page
				return kb.Page{Row: p.Row, Title: p.Title, Aliases: p.Aliases}
			}
			e.same(named, []kb.Page{name(a), name(c)})
			e.check(err)
			state, err := tx.Pages().NamedState(e.ctx, store.Filter{Spaces: []int64{s1.Row}})
			e.check(err)
			other, err := tx.Pages().NamedState(e.ctx, store.Filter{Titles: []string{a.Pages[0].Page.Title}})
			if state == other || state == "" {
				e.Errorf("the state of the names %q and of others %q", state, other)
			}
			e.check(err)
			rows, err := tx.Pages().ByIDs(e.ctx, func(id kb.ID) bool { return id == a.ID || id == c.ID })
			e.same(rows, []int64{a.Pages[0].Page.Row, b.Pages[0].Page.Row, c.Pages[0].Page.Row})
			e.check(err)
			holders, err := tx.Pages().Holders(e.ctx, s1.Row, []kb.ID{c.ID, a.ID, idOf("nobody")})
			e.same(holders, map[kb.ID]int64{a.ID: a.Pages[0].Page.Row, c.ID: c.Pages[0].Page.Row})
			return err
		})
	},
	"NewestOfMany": func(_ *testing.T, e *env) {
		const many, days = 300, 7
		var docs []*store.Document
		want := map[int][]string{} // by the day, which is the last of a week for pages without a time
		sp := e.space("s")
		for i := range many {
			day, updated := i*i%days, time.Time{}
			if day != days-1 && i%50 != 0 {
				updated = noon.AddDate(0, 0, -day)
			} else {
				day = days - 1
			}
			slug := fmt.Sprintf("page-%03d", i)
			want[day] = append(want[day], slug)
			docs = append(docs, doc(sp, slug+".md", func(r *store.PageRecord) { r.Page.Updated = updated }))
		}
		e.put(docs...)
		rows := []int64{-1, 1 << 40}
		for _, d := range docs {
			rows = append(rows, d.Pages[0].Page.Row)
		}
		order := []string{}
		for day := range days {
			order = append(order, want[day]...)
		}
		e.view(func(tx store.Tx) error {
			for _, n := range []int{1, 10, len(want[0]), len(want[0]) + 1, 140, many, many + 9} {
				got, err := tx.Pages().Newest(e.ctx, rows, n)
				e.check(err)
				e.same(slugs(got), order[:min(n, many)])
			}
			return nil
		})
	},
	"ByPathOwnPageFirst": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := doc(sp, "z.org")
		node(d, "b", "B")
		node(d, "a", "A")
		e.put(d, doc(sp, "other.org"))
		e.view(func(tx store.Tx) error {
			got, err := tx.Pages().ByPath(e.ctx, sp.Row, "z.org")
			e.same(slugs(got), []string{"z", "z#b", "z#a"})
			e.check(err)
			got, err = tx.Pages().ByPath(e.ctx, sp.Row, "none.org")
			e.same(got, []kb.Page(nil))
			return err
		})
	},
	"ByNames": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		e.put(doc(s1, "b/same.md"), doc(s1, "a/same.md"), doc(s2, "same.md"), doc(s1, "révolution.md"))
		e.view(func(tx store.Tx) error {
			got, err := tx.Pages().ByNames(e.ctx, s1.Row, []string{"same", "same", "none", kb.NameKey("RE\u0301VOLUTION")})
			e.same(slugs(got["same"]), []string{"a/same", "b/same"})
			e.same(slugs(got["révolution"]), []string{"révolution"})
			e.same(len(got), 2)
			e.check(err)
			got, err = tx.Pages().ByNames(e.ctx, 0, []string{"same"})
			e.same(slugs(got["same"]), []string{"a/same", "b/same", "same"})
			e.check(err)
			got, err = tx.Pages().ByNames(e.ctx, 0, nil)
			e.same(got, map[string][]kb.Page{})
			return err
		})
	},
	"ListOrdersAndPages": func(_ *testing.T, e *env) {
		sp := e.space("s")
		at := func(title string, updated, created time.Time) func(*store.PageRecord) {
			return func(r *store.PageRecord) { r.Page.Title, r.Page.Updated, r.Page.Created = title, updated, created }
		}
		e.put(
			doc(sp, "d.md", at("Alpha", noon, time.Time{})),
			doc(sp, "a.md", at("beta", noon.Add(time.Hour), noon)),
			doc(sp, "c.md", at("ALPHA", noon, noon.Add(time.Hour))),
			doc(sp, "b.md", at("Ärger", time.Time{}, time.Time{})),
		)
		e.view(func(tx store.Tx) error {
			for by, want := range map[store.Order]string{
				store.BySlug:    "a b c d",
				store.ByTitle:   "c d a b",
				store.ByUpdated: "a c d b",
				store.ByCreated: "c a b d",
			} {
				var all []string
				for offset := 0; offset < 6; offset += 2 {
					part, total, err := tx.Pages().List(e.ctx, store.Filter{}, by, 2, offset)
					e.check(err)
					if total != 4 {
						e.Errorf("%s: total %d at offset %d", by, total, offset)
					}
					all = append(all, slugs(part)...)
				}
				if got := strings.Join(all, " "); got != want {
					e.Errorf("%s: %q, want %q", by, got, want)
				}
			}
			got, _, err := tx.Pages().List(e.ctx, store.Filter{}, store.BySlug, 0, 1)
			e.same(slugs(got), []string{"b", "c", "d"})
			e.check(err)
			_, _, err = tx.Pages().List(e.ctx, store.Filter{}, "shoe size", 0, 0)
			e.wantCode(err, kb.Usage)
			return nil
		})
	},
	"TagsCountSpellingsTogether": func(_ *testing.T, e *env) {
		sp := e.space("s")
		e.put(doc(sp, "a.md", tagged("Go", "x")), doc(sp, "b.md", tagged("go", "GO")), doc(sp, "c.md", tagged("go", "É")), doc(sp, "d.md", tagged("é", "y")))
		e.view(func(tx store.Tx) error {
			got, err := tx.Pages().Tags(e.ctx, store.Filter{})
			e.same(got, []store.Count{{Value: "go", N: 3}, {Value: "É", N: 2}, {Value: "x", N: 1}, {Value: "y", N: 1}})
			e.check(err)
			got, err = tx.Pages().Tags(e.ctx, store.Filter{Tags: []string{"X"}})
			e.same(got, []store.Count{{Value: "Go", N: 1}, {Value: "x", N: 1}})
			return err
		})
	},
	"StatsOfSpaces": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		typed := func(typ string) func(*store.PageRecord) { return func(r *store.PageRecord) { r.Page.Type = typ } }
		d := rich(s1)
		e.put(d, doc(s1, "a.md", typed("concept")), doc(s2, "b.md", linking("x")))
		want := store.Stats{
			Documents: 2, Pages: 4, LinkCounts: store.LinkCounts{Links: 2, Unresolved: 1, Ambiguous: 1}, Observations: 2, Entries: 1, Tags: 3, Bytes: d.Size + 4,
			Types:    []store.Count{{Value: "", N: 2}, {Value: "Concept", N: 2}},
			Statuses: []store.Count{{Value: "active", N: 3}, {Value: "stale", N: 1}},
		}
		e.view(func(tx store.Tx) error {
			got, err := tx.Pages().Stats(e.ctx, []int64{s1.Row})
			e.same(got, want)
			e.check(err)
			statuses, err := tx.Pages().Statuses(e.ctx, []int64{s1.Row})
			e.same(statuses, want.Statuses)
			e.check(err)
			got, err = tx.Pages().Stats(e.ctx, []int64{s1.Row, s2.Row})
			if got.Documents != 3 || got.Links != 3 || got.Unresolved != 2 {
				e.Errorf("both: %+v", got)
			}
			e.check(err)
			all, err := tx.Pages().Stats(e.ctx, nil)
			e.same(all, got)
			return err
		})
	},
	"StatusesFollowPages": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		status := func(s kb.Status) func(*store.PageRecord) { return func(r *store.PageRecord) { r.Page.Status = s } }
		counts := func(want ...store.Count) {
			e.Helper()
			e.view(func(tx store.Tx) error {
				for _, spaces := range [][]int64{{s1.Row}, {s1.Row, s1.Row}} {
					got, err := tx.Pages().Statuses(e.ctx, spaces)
					e.same(got, want)
					e.check(err)
				}
				stats, err := tx.Pages().Stats(e.ctx, nil)
				e.check(err)
				all, err := tx.Pages().Statuses(e.ctx, nil)
				e.same(all, stats.Statuses)
				return err
			})
		}
		a, b := doc(s1, "a.md", status(kb.Active)), doc(s1, "b.md", status(kb.Stale))
		e.put(a, b, doc(s2, "c.md", status(kb.Stale)))
		counts(store.Count{Value: "active", N: 1}, store.Count{Value: "stale", N: 1})
		a.Pages[0].Page.Status = kb.Stale
		e.put(a)
		counts(store.Count{Value: "stale", N: 2})
		e.put(a)
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{b.Row}) })
		counts(store.Count{Value: "stale", N: 1})
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, s2.Row) })
		counts(store.Count{Value: "stale", N: 1})
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, s1.Row) })
		counts()
	},
	"FactsOfPages": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		d := rich(sp)
		e.put(doc(other, "x.md", func(r *store.PageRecord) { r.Warnings = []store.Warning{{Code: "elsewhere"}} }), d)
		want := filled(sp, d).Pages[0]
		e.view(func(tx store.Tx) error {
			obs, err := tx.Pages().Observations(e.ctx, d.Pages[0].Page.Row)
			e.same(obs, want.Observations)
			e.check(err)
			entries, err := tx.Pages().Entries(e.ctx, d.Pages[0].Page.Row)
			e.same(entries, want.Entries)
			e.check(err)
			obs, err = tx.Pages().Observations(e.ctx, d.Pages[1].Page.Row)
			e.same(obs, []kb.Observation(nil))
			e.check(err)
			warnings, err := tx.Pages().Warnings(e.ctx, sp.Row)
			e.same(warnings, want.Warnings)
			return err
		})
	},
	"Declared": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		x := idOf("x")
		says := func(r *store.PageRecord) { r.Declared = x }
		e.put(doc(s1, "b.md", says), doc(s1, "a.md", says), doc(s1, "c.md"), doc(s2, "d.md", says))
		e.view(func(tx store.Tx) error {
			got, err := tx.Pages().Declared(e.ctx, s1.Row, []kb.ID{idOf("y"), x})
			var who []string
			for _, d := range got {
				who = append(who, d.Page.Slug)
				e.same(d.Declared, x)
			}
			e.same(who, []string{"a", "b"})
			return err
		})
	},
	"Shared": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		says := func(name string) func(*store.PageRecord) {
			return func(r *store.PageRecord) { r.Declared = idOf(name) }
		}
		e.put(doc(s1, "a.md", says("x")), doc(s1, "b.md", says("x")), doc(s1, "c.md", says("once")), doc(s1, "d.md"), doc(s1, "e.md"),
			doc(s2, "a.md", says("once")))
		e.view(func(tx store.Tx) error {
			got, err := tx.Pages().Shared(e.ctx, s1.Row)
			e.check(err)
			e.same(got, []kb.ID{idOf("x")})
			got, err = tx.Pages().Shared(e.ctx, s2.Row)
			e.same(got, []kb.ID(nil))
			return err
		})
	},
	"SetID": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a, b, gone := doc(sp, "a.md", func(r *store.PageRecord) { r.Declared = idOf("new") }), doc(sp, "b.md"), doc(sp, "gone.md")
		e.put(a, b, gone)
		gone.ID = idOf("new") // a page that is gone had the id before
		e.update(func(tx store.Tx) error {
			if err := tx.Documents().Remove(e.ctx, []int64{gone.Row}); err != nil {
				return err
			}
			return tx.History().Record(e.ctx, &kb.Write{Time: noon}, []*store.NewVersion{
				version(gone, kb.Created, []byte("g")), version(gone, kb.Deleted, nil), version(a, kb.Created, []byte("a")),
			})
		})
		e.updateFails(kb.Conflict, func(tx store.Tx) error { return tx.Pages().SetID(e.ctx, a.Pages[0].Page.Row, b.ID) })
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Pages().SetID(e.ctx, 999, b.ID) })
		e.update(func(tx store.Tx) error { return tx.Pages().SetID(e.ctx, a.Pages[0].Page.Row, idOf("new")) })
		e.view(func(tx store.Tx) error {
			got, err := tx.Documents().ByPath(e.ctx, sp.Row, "a.md")
			e.check(err)
			if got.ID != idOf("new") || got.Version != 3 {
				e.Errorf("id %s version %d", got.ID, got.Version)
			}
			states, err := tx.Documents().States(e.ctx, sp.Row)
			e.check(err)
			if !states[0].Declared || states[0].ID != idOf("new") {
				e.Errorf("state: %+v", states[0])
			}
			newest, err := tx.History().Version(e.ctx, sp.Row, idOf("new"), 0)
			if newest.Version != 3 || newest.Path != "a.md" {
				e.Errorf("newest version: %+v", newest)
			}
			e.check(err)
			_, err = tx.History().Version(e.ctx, sp.Row, a.ID, 0)
			e.wantCode(err, kb.NotFound)
			return nil
		})
	},
}

var filterTests = map[string]func(*testing.T, *env){
	"Fields": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		with := func(typ string, status kb.Status, updated time.Time) func(*store.PageRecord) {
			return func(r *store.PageRecord) { r.Page.Type, r.Page.Status, r.Page.Updated = typ, status, updated }
		}
		e.put(
			doc(s1, "proj/a.md", tagged("Go", "db"), with("Note", "", noon), titled("Straße nach Rom"), in("river-ai")),
			doc(s1, "proj/deep/b.md", tagged("go", "tools/CLI/fast", "tools0"), with("concept", kb.Stale, noon.Add(time.Hour)), titled("100% of it_all"), in("The River AI: series A")),
			doc(s1, "Proj/c.md", tagged("DB", "x y"), with("NOTE", kb.Superseded, time.Time{}), titled("ÉCOLE"), in("riverside")),
			doc(s2, "proj/d.md", tagged("toolsmith", "Tools"), with("", kb.Active, noon.Add(-time.Hour)), titled("a\x00hidden")),
			doc(s2, "[x]/e*.md", tagged("go", "DB"), with("note", kb.Active, noon.Add(time.Nanosecond*1500))),
		)
		// Slugs differ in their last letter.
		for name, tc := range map[string]struct {
			f    store.Filter
			want string
		}{
			"nothing":            {store.Filter{}, "abcde"},
			"space":              {store.Filter{Spaces: []int64{s1.Row}}, "abc"},
			"spaces":             {store.Filter{Spaces: []int64{s1.Row, s2.Row, 99}}, "abcde"},
			"unknown space":      {store.Filter{Spaces: []int64{99}}, ""},
			"type":               {store.Filter{Types: []string{"nOTE"}}, "ace"},
			"types":              {store.Filter{Types: []string{"note", "Concept"}}, "abce"},
			"tag":                {store.Filter{Tags: []string{"GO"}}, "abe"},
			"any tag":            {store.Filter{Tags: []string{"x Y", "go"}}, "abce"},
			"all tags":           {store.Filter{AllTags: []string{"go", "db"}}, "ae"},
			"tag and all tags":   {store.Filter{Tags: []string{"x y"}, AllTags: []string{"db"}}, "c"},
			"tag with sign":      {store.Filter{AllTags: []string{"#go"}}, "abe"},
			"tag above":          {store.Filter{Tags: []string{"Tools"}}, "bd"},
			"tag between":        {store.Filter{AllTags: []string{"#tools/cli"}}, "b"},
			"not tag above":      {store.Filter{Not: &store.Filter{Tags: []string{"tools"}}}, "ace"},
			"tag that begins so": {store.Filter{Tags: []string{"tool", "tools/", "tools/c"}}, ""},
			"status":             {store.Filter{Statuses: []kb.Status{"ACTIVE"}}, "ade"},
			"statuses":           {store.Filter{Statuses: []kb.Status{kb.Stale, kb.Superseded}}, "bc"},
			"prefix":             {store.Filter{Paths: []string{"proj/"}}, "abd"},
			"prefix keeps case":  {store.Filter{Paths: []string{"Proj/"}}, "c"},
			"glob one level":     {store.Filter{Paths: []string{"proj/*"}}, "ad"},
			"glob deep":          {store.Filter{Paths: []string{"proj/**"}}, "abd"},
			"glob of a start":    {store.Filter{Paths: []string{"pro*/**"}}, "abd"},
			"glob of a longer":   {store.Filter{Paths: []string{"proj/d*/**"}}, "bd"},
			"glob of all":        {store.Filter{Paths: []string{"*/**"}}, "abcde"},
			"glob of start, esc": {store.Filter{Paths: []string{`\[x*/**`}}, "e"},
			"glob middle":        {store.Filter{Paths: []string{"proj/**/b.md"}}, "b"},
			"glob anywhere":      {store.Filter{Paths: []string{"**/d.md"}}, "d"},
			"glob class":         {store.Filter{Paths: []string{"[pP]roj/{a,c}.md"}}, "ac"},
			"glob escaped":       {store.Filter{Paths: []string{`\[x\]/e\*.md`}}, "e"},
			"exact path":         {store.Filter{Paths: []string{"proj/a.md"}}, "a"},
			"paths":              {store.Filter{Paths: []string{"proj/deep/", "Proj/*"}}, "bc"},
			"title":              {store.Filter{Titles: []string{"STRASSE"}}, "a"},
			"title accents":      {store.Filter{Titles: []string{"e\u0301co"}}, "c"},
			"title like signs":   {store.Filter{Titles: []string{"0% of it_a"}}, "b"},
			"title no wildcards": {store.Filter{Titles: []string{"%a%", "a_c"}}, ""},
			"beyond ascii":       {store.Filter{BeyondASCII: true, Not: &store.Filter{Titles: []string{"hidden"}}}, "ac"},
			"title after nul":    {store.Filter{Titles: []string{"HIDDEN"}}, "d"},
			"wing":               {store.Filter{Wings: []string{"river-ai"}}, "ab"},
			"wing's words":       {store.Filter{Wings: []string{"RIVER"}}, "ab"},
			"wings":              {store.Filter{Wings: []string{"River AI series", "riverside"}}, "bc"},
			"wing's parts":       {store.Filter{Wings: []string{"iver", "ai river", ""}}, ""},
			"not wing":           {store.Filter{Not: &store.Filter{Wings: []string{"river"}}}, "cde"},
			"updated since":      {store.Filter{UpdatedSince: noon}, "abe"},
			"after":              {store.Filter{After: noon}, "abe"},
			"before":             {store.Filter{Before: noon}, "d"},
			"between":            {store.Filter{After: noon, Before: noon.Add(time.Hour)}, "ae"},
			"all required":       {store.Filter{Types: []string{"note"}, Tags: []string{"go"}, Spaces: []int64{s2.Row}}, "e"},
			"not type":           {store.Filter{Not: &store.Filter{Types: []string{"note"}}}, "bd"},
			"not any field":      {store.Filter{Not: &store.Filter{Types: []string{"concept"}, Tags: []string{"db"}}}, "d"},
			"not between":        {store.Filter{Not: &store.Filter{After: noon, Before: noon.Add(time.Hour)}}, "bcd"},
			"not empty":          {store.Filter{Not: &store.Filter{}}, "abcde"},
			"not path":           {store.Filter{Tags: []string{"go"}, Not: &store.Filter{Paths: []string{"proj/"}}}, "e"},
			"not not":            {store.Filter{Not: &store.Filter{Not: &store.Filter{Tags: []string{"db"}}}}, "ace"},
		} {
			e.view(func(tx store.Tx) error {
				pages, total, err := tx.Pages().List(e.ctx, tc.f, store.ByTitle, 0, 0)
				if err != nil {
					return err
				}
				rows, err := tx.Pages().Rows(e.ctx, tc.f)
				if err != nil {
					return err
				}
				byRow, err := tx.Pages().Get(e.ctx, rows)
				letters := func(list []kb.Page) string {
					var found string
					for _, l := range "abcde" {
						for _, p := range list {
							if strings.Trim(p.Slug[len(p.Slug)-2:], "/*") == string(l) {
								found += string(l)
							}
						}
					}
					return found
				}
				if got := letters(pages); got != tc.want || total != len(tc.want) {
					e.Errorf("%s: listed %q of %d, want %q", name, got, total, tc.want)
				}
				if got := letters(byRow); got != tc.want {
					e.Errorf("%s: rows of %q, want %q", name, got, tc.want)
				}
				for i := 1; i < len(rows); i++ {
					if rows[i] <= rows[i-1] {
						e.Errorf("%s: rows %v do not ascend", name, rows)
					}
				}
				return err
			})
		}
	},
	// A page matches by its day, by the update time in its document, or,
	// without a day, by the time at which its document was recorded; never by
	// the time of its file.
	"Times": func(_ *testing.T, e *env) {
		sp := e.space("s")
		on := func(day string) func(*store.PageRecord) { return func(r *store.PageRecord) { r.Page.Day = day } }
		says := func(t time.Time) func(*store.PageRecord) { return func(r *store.PageRecord) { r.Page.Updated = t } }
		march := time.Date(2024, 3, 1, 0, 0, 0, 0, time.FixedZone("west", -8*3600))
		recorded := doc(sp, "d.md")
		recorded.Recorded = noon
		e.put(doc(sp, "a.md", on("2024-03-01")), doc(sp, "b.md", on("2024-02-29")),
			doc(sp, "c.md", on("2024-01-01"), says(march.AddDate(0, 0, 3))), recorded)
		day := func(n int) time.Time { return march.AddDate(0, 0, n) }
		for name, tc := range map[string]struct {
			f    store.Filter
			want string
		}{
			"from a day on":       {store.Filter{After: day(0)}, "acd"},
			"before a day":        {store.Filter{Before: day(0)}, "bc"},
			"a day":               {store.Filter{After: day(0), Before: day(1)}, "a"},
			"from within it on":   {store.Filter{After: day(0).Add(time.Hour), Before: day(1)}, "a"},
			"before within it":    {store.Filter{After: day(-1), Before: day(0).Add(time.Hour)}, "ab"},
			"as in its text":      {store.Filter{After: day(2), Before: day(4)}, "c"},
			"not":                 {store.Filter{Not: &store.Filter{Before: day(2)}}, "d"},
			"when it was written": {store.Filter{After: noon, Before: noon.Add(time.Microsecond)}, "d"},
		} {
			e.view(func(tx store.Tx) error {
				pages, _, err := tx.Pages().List(e.ctx, tc.f, store.BySlug, 0, 0)
				found := ""
				for _, p := range pages {
					found += p.Slug
				}
				if found != tc.want {
					e.Errorf("%s: %q, want %q", name, found, tc.want)
				}
				return err
			})
		}
	},
	"MalformedGlob": func(_ *testing.T, e *env) {
		e.view(func(tx store.Tx) error {
			_, err := tx.Pages().Rows(e.ctx, store.Filter{Paths: []string{"a/[b"}})
			e.wantCode(err, kb.Usage)
			return nil
		})
	},
	"ManyValues": func(_ *testing.T, e *env) {
		sp := e.space("s")
		e.put(doc(sp, "a.md", tagged("t777")), doc(sp, "b.md"))
		var tags []string
		for i := range 2000 {
			tags = append(tags, "t"+strings.Repeat("7", i%900))
		}
		e.view(func(tx store.Tx) error {
			got, err := tx.Pages().Rows(e.ctx, store.Filter{Tags: tags})
			e.same(len(got), 1)
			return err
		})
	},
}
