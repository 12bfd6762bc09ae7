package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// odd is text that a store must preserve: NUL, quotes, invalid UTF-8, an emoji and a
// combining accent.
const odd = "a\x00b'\"%_\\ \xff\xfe 🦰 e\u0301 日本"

// rich is a document with every field set.
func rich(sp kb.Space) *store.Document {
	d := doc(sp, "dir/rich.org", tagged("One", "two words", odd), func(r *store.PageRecord) {
		r.Page.Title, r.Page.Type, r.Page.Status, r.Page.Summary, r.Page.Permalink = "Rich "+odd, "Concept", kb.Stale, odd, "p/"+odd
		r.Page.Aliases, r.Page.Line = []string{"alias", odd, ""}, 1
		r.Page.Created = time.Date(1066, 10, 14, 9, 0, 0, 0, time.UTC)
		r.Page.Day = "1066-10-14"
		r.Page.Wing, r.Page.Room, r.TruthSum, r.TimelineSum = "w "+odd, odd, -3, 1<<62
		r.Page.TruthUpdated, r.Page.TimelineUpdated = noon.Add(-time.Hour), noon.Add(time.Hour)
		r.Names = []string{"rich", odd}
		r.Declared = r.Page.ID
		r.Links = []kb.Link{
			{Kind: "relation", Type: "works_at", Name: odd, Key: odd, Heading: "h", Text: "t", ValidFrom: "2017-01-03", ValidUntil: "2026-03", Context: odd, Line: 3},
			{Kind: "wikilink", Type: "links_to", Name: "n", Key: "n", Line: 9, Candidates: 2},
		}
		r.Observations = []kb.Observation{{Category: "c", Text: odd, Tags: []string{"x", odd}, Context: "ctx", Line: 4}, {Text: "second"}}
		r.Entries = []kb.Entry{{Date: "2026-01", Source: "mail", Text: odd, Detail: "more\nlines", Line: 20}}
		r.Warnings = []store.Warning{{Code: "w", Text: odd, Line: 2}}
		half := 0.5
		r.Properties = []kb.Property{{Key: "a.b", Text: odd}, {Key: "n", Text: "0.50", Number: &half}, {Key: "n", Text: "0.50", Number: &half}}
		r.Items = []kb.Item{
			{Kind: kb.TaskItem, Text: odd, State: "TODO", Due: "2026-01-01T10:00", Scheduled: "2026-01-02", Start: "2026-01-03", Created: "2026-01-04", Line: 5},
			{Kind: kb.TaskItem, Text: "second", State: "done", Done: true, Completed: "2026-01-05", Line: 6},
		}
	})
	node(d, "sub-1", "Sub One")
	node(d, "sub-2", "Sub Two")
	d.Side = side("next to it", noon.Add(-time.Hour+3))
	return d
}

// side describes a sidecar.
func side(text string, mod time.Time) kb.Sidecar {
	return kb.Sidecar{Hash: hashOf([]byte(text)), Size: int64(len(text)), ModTime: mod}
}

// filled returns the result of Load for d.
func filled(sp kb.Space, d *store.Document) *store.Document {
	out := *d
	out.Pages = slices.Clone(d.Pages)
	for i := range out.Pages {
		rec := &out.Pages[i]
		p := &rec.Page
		p.Space, p.SpaceID, p.Path, p.Version, p.Hash, p.Size = sp.Name, sp.ID, d.Path, d.Version, d.Hash, d.Size
		p.Side = d.Side.Hash
		rec.Links, rec.Observations = slices.Clone(rec.Links), slices.Clone(rec.Observations)
		rec.Entries, rec.Warnings = slices.Clone(rec.Entries), slices.Clone(rec.Warnings)
		for j := range rec.Links {
			rec.Links[j].From = p.Row
		}
		rec.Properties, rec.Items = slices.Clone(rec.Properties), slices.Clone(rec.Items)
		for j := range rec.Properties {
			rec.Properties[j].Page = p.Row
		}
		for j := range rec.Items {
			rec.Items[j].Page = p.Row
		}
		for j := range rec.Observations {
			rec.Observations[j].Page = p.Row
		}
		for j := range rec.Entries {
			rec.Entries[j].Page = p.Row
		}
		for j := range rec.Warnings {
			rec.Warnings[j].Page = p.Row
		}
	}
	return &out
}

func (e *env) wantLoaded(sp kb.Space, d *store.Document) {
	e.Helper()
	e.view(func(tx store.Tx) error {
		got, err := tx.Documents().Load(e.ctx, d.Row)
		e.same(got, filled(sp, d))
		return err
	})
}

var documentTests = map[string]func(*testing.T, *env){
	"LoadGivesBackWhatWasPut": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := rich(sp)
		e.put(d)
		if d.Row == 0 || d.Pages[0].Page.Row == 0 || d.Pages[1].Page.Row == d.Pages[2].Page.Row {
			e.Fatalf("rows not set: %d, %d", d.Row, d.Pages[0].Page.Row)
		}
		e.wantLoaded(sp, d)
		e.view(func(tx store.Tx) error {
			bare := *d
			bare.Pages = nil
			got, err := tx.Documents().ByPath(e.ctx, sp.Row, d.Path)
			e.same(got, &bare)
			e.check(err)
			got, err = tx.Documents().ByRow(e.ctx, d.Row)
			e.same(got, &bare)
			return err
		})
	},
	"ReplaceKeepsPageRowsAndReplacesFacts": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := rich(sp)
		from := doc(sp, "from.md", linking("a", "b"))
		e.put(d, from)
		before := [3]int64{d.Pages[0].Page.Row, d.Pages[1].Page.Row, d.Pages[2].Page.Row}
		e.resolve(from, before[1], before[2])

		d.Path, d.Hash, d.Version, d.Size = "moved/rich.org", hashOf([]byte("new")), 2, 99
		d.Side = kb.Sidecar{}
		own := &d.Pages[0]
		own.Page.Row, own.Page.Tags, own.Names, own.Page.Slug = 0, []string{"three"}, []string{"rich", "third"}, "moved/rich"
		own.Links, own.Observations, own.Entries, own.Warnings = own.Links[:1], nil, append(own.Entries, kb.Entry{Date: "2027"}), nil
		d.Pages = []store.PageRecord{*own, d.Pages[2]} // the first node is gone
		d.Pages[1].Page.Row = 0
		node(d, "sub-3", "Sub Three")
		e.put(d)
		if d.Pages[0].Page.Row != before[0] || d.Pages[1].Page.Row != before[2] {
			e.Errorf("page rows changed: %d %d, were %v", d.Pages[0].Page.Row, d.Pages[1].Page.Row, before)
		}
		if slices.Contains(before[:], d.Pages[2].Page.Row) {
			e.Errorf("the new page got the old row %d", d.Pages[2].Page.Row)
		}
		e.wantLoaded(sp, d)
		e.view(func(tx store.Tx) error {
			ends, err := tx.Links().From(e.ctx, from.Pages[0].Page.Row)
			if len(ends) != 2 || ends[0].To != 0 || ends[0].Candidates != 0 || ends[1].To != before[2] {
				e.Errorf("links to the removed and the kept page: %+v", ends)
			}
			e.check(err)
			names, err := tx.Pages().ByNames(e.ctx, sp.Row, []string{"rich", "third", odd, "sub-one", "sub-three"})
			e.same([]int{len(names["rich"]), len(names["third"]), len(names[odd]), len(names["sub-one"]), len(names["sub-three"])}, []int{1, 1, 0, 0, 1})
			e.check(err)
			tags, err := tx.Pages().Tags(e.ctx, store.Filter{})
			e.same(tags, []store.Count{{Value: "three", N: 1}})
			return err
		})
	},
	"PutAgainChangesNothing": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := rich(sp)
		e.put(d)
		e.put(d)
		e.wantLoaded(sp, d)
	},
	"TakenPathOrID": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		a := doc(sp, "a.md")
		e.put(a)
		samePath := doc(sp, "a.md")
		samePath.ID = idOf("another")
		e.updateFails(kb.Conflict, func(tx store.Tx) error { return tx.Documents().Put(e.ctx, []*store.Document{samePath}) })
		sameID := doc(sp, "b.md")
		sameID.ID = a.ID
		e.updateFails(kb.Conflict, func(tx store.Tx) error { return tx.Documents().Put(e.ctx, []*store.Document{sameID}) })
		withNode := doc(sp, "c.md")
		node(withNode, "x", "X")
		withNode.Pages[1].Page.ID = a.ID
		e.updateFails(kb.Conflict, func(tx store.Tx) error { return tx.Documents().Put(e.ctx, []*store.Document{withNode}) })
		elsewhere := doc(other, "a.md")
		elsewhere.ID = a.ID
		e.put(elsewhere)
	},
	"ExchangePathsAndIDs": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a, b := doc(sp, "a.md"), doc(sp, "b.md")
		e.put(a, b)
		a.Path, b.Path = b.Path, a.Path
		a.ID, b.ID = b.ID, a.ID
		a.Pages[0].Page.ID, b.Pages[0].Page.ID = a.ID, b.ID
		e.put(a, b)
		e.wantLoaded(sp, a)
		e.wantLoaded(sp, b)
	},
	"NewDocumentTakesThePathOfOneThatMoves": func(_ *testing.T, e *env) {
		sp := e.space("s")
		old := doc(sp, "a.md")
		e.put(old)
		fresh := doc(sp, "a.md")
		fresh.ID = idOf("fresh")
		old.Path = "z.md"
		e.put(fresh, old)
		e.wantLoaded(sp, old)
	},
	"ReplaceOfMissing": func(_ *testing.T, e *env) {
		d := doc(e.space("s"), "a.md")
		d.Row = 12345
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Documents().Put(e.ctx, []*store.Document{d}) })
	},
	"Remove": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d, keep := rich(sp), doc(sp, "keep.md", linking("rich"))
		e.put(d, keep)
		e.resolve(keep, d.Pages[0].Page.Row)
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{d.Row, 4711}) })
		e.view(func(tx store.Tx) error {
			_, err := tx.Documents().Load(e.ctx, d.Row)
			e.wantCode(err, kb.NotFound)
			_, err = tx.Documents().ByPath(e.ctx, sp.Row, d.Path)
			e.wantCode(err, kb.NotFound)
			st, err := tx.Pages().Stats(e.ctx, nil)
			if st.Documents != 1 || st.Pages != 1 || st.Links != 1 || st.Unresolved != 1 || st.Observations+st.Entries+st.Tags != 0 {
				e.Errorf("left: %+v", st)
			}
			return err
		})
		again := rich(sp)
		e.put(again)
		if again.Pages[0].Page.Row == d.Pages[0].Page.Row {
			e.Error("the row of a removed page was given to another")
		}
	},
	"StatesByPath": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		declares := func(r *store.PageRecord) { r.Declared = r.Page.ID }
		another := func(r *store.PageRecord) { r.Declared = idOf("held by another page") }
		b, a, c := doc(sp, "b.md", declares), doc(sp, "a.md"), doc(sp, "B.md", another)
		b.Side = side("next to b", noon.Add(-time.Hour))
		e.put(b, a, doc(other, "x.md"), c)
		state := func(d *store.Document, declared bool) store.FileState {
			return store.FileState{Row: d.Row, ID: d.ID, Path: d.Path, Hash: d.Hash, Size: d.Size, ModTime: d.ModTime, Side: d.Side, Indexed: d.Indexed, Declared: declared}
		}
		e.view(func(tx store.Tx) error {
			got, err := tx.Documents().States(e.ctx, sp.Row)
			e.same(got, []store.FileState{state(c, false), state(a, false), state(b, true)})
			return err
		})
		a.Size, a.ModTime, a.Indexed = 77, noon.Add(time.Nanosecond), noon.Add(time.Minute)
		e.update(func(tx store.Tx) error { return tx.Documents().Touch(e.ctx, a.Row, a.Size, a.ModTime, noon, a.Indexed) })
		b.Side.ModTime = noon.Add(time.Second + 1)
		e.update(func(tx store.Tx) error {
			return tx.Documents().Touch(e.ctx, b.Row, b.Size, b.ModTime, b.Side.ModTime, b.Indexed)
		})
		e.view(func(tx store.Tx) error {
			got, err := tx.Documents().States(e.ctx, sp.Row)
			e.same(got[1], state(a, false)) // the time of a missing sidecar is ignored
			e.same(got[2], state(b, true))
			return err
		})
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Documents().Touch(e.ctx, 999, 1, noon, noon, noon) })
	},
	"TouchMovesWhatWasUpdatedThen": func(_ *testing.T, e *env) {
		sp := e.space("s")
		own := noon.Add(-time.Hour)
		file := doc(sp, "file.md", func(r *store.PageRecord) { r.Page.Updated = noon.Add(1001) })
		says := doc(sp, "says.md", func(r *store.PageRecord) { r.Page.Updated = own })
		file.ModTime, says.ModTime = noon.Add(1001), noon.Add(1001)
		e.put(file, says)
		later := noon.Add(time.Minute)
		for d, want := range map[*store.Document]time.Time{file: later, says: own} {
			e.update(func(tx store.Tx) error { return tx.Documents().Touch(e.ctx, d.Row, d.Size, later, time.Time{}, later) })
			e.view(func(tx store.Tx) error {
				got, err := tx.Pages().Get(e.ctx, []int64{d.Pages[0].Page.Row})
				if err == nil && !got[0].Updated.Equal(want) {
					e.Errorf("%s was updated at %s", d.Path, got[0].Updated)
				}
				return err
			})
		}
	},
	"Twins": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		upper, accent := doc(sp, "Notes/A.md"), doc(sp, "d/e\u0301.md")
		e.put(upper, accent, doc(sp, "two/x.md"), doc(sp, "Two/y.md"), doc(other, "alone.md"))
		for _, tc := range []struct {
			path   string
			except []int64
			want   string
		}{
			{path: "new.md"},
			{path: "Alone.md"}, // of another space
			{path: "Notes/A.md"},
			{path: "Notes/b.md"},
			{path: "Notes-b.md"},
			{path: "Notes/a.md", want: "Notes/A.md"},
			{path: "Notes/a.MD", want: "Notes/A.md"},
			{path: "notes/A.md", want: "Notes/A.md"},
			{path: "notes/b.md", want: "Notes/A.md"},
			{path: "notes", want: "Notes/A.md"},
			{path: "notes/in/b.md", want: "Notes/A.md"},
			{path: "notes.md"},
			{path: "Notes/a.md", except: []int64{upper.Row}},
			{path: "notes/a.md", except: []int64{7, upper.Row}},
			{path: "notes/b.md", except: []int64{accent.Row}, want: "Notes/A.md"},
			{path: "Notes/a.md/b.md", want: "Notes/A.md"},
			{path: "d/\u00e9.md", want: "d/e\u0301.md"},
			{path: "d/\u00c9.md", want: "d/e\u0301.md"},
			{path: "d/e\u0301.md"},
			{path: "two/z.md"}, // both exist: neither is new
			{path: "two/y.md", want: "Two/y.md"},
			{path: "TWO/z.md", want: "two/x.md"},
		} {
			e.view(func(tx store.Tx) error {
				except := map[int64]bool{}
				for _, row := range tc.except {
					except[row] = true
				}
				// A call with several paths of the same directories has the same results.
				for _, paths := range [][]string{{tc.path}, {tc.path + "x", tc.path + "/x", tc.path, "notes/z.md", "Notes/z.md"}} {
					got, err := tx.Documents().Twins(e.ctx, sp.Row, paths, except)
					if err != nil {
						return err
					}
					if got[tc.path] != tc.want {
						e.Errorf("the twin of %q in %q but for %v is %q, want %q", tc.path, paths, tc.except, got[tc.path], tc.want)
					}
				}
				return nil
			})
		}
		// A move removes the old path from the twins.
		upper.Path = "elsewhere.md"
		e.put(upper)
		e.view(func(tx store.Tx) error {
			got, err := tx.Documents().Twins(e.ctx, sp.Row, []string{"notes/a.md"}, nil)
			if len(got) > 0 {
				e.Errorf("%q is left", got)
			}
			return err
		})
	},
	"ManyPages": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := doc(sp, "many.org")
		for i := range 700 {
			node(d, fmt.Sprint("n", i), fmt.Sprint("Node ", i))
		}
		e.put(d)
		e.wantLoaded(sp, d)
		var rows []int64
		for _, rec := range d.Pages {
			rows = append(rows, rec.Page.Row)
		}
		slices.Reverse(rows)
		e.view(func(tx store.Tx) error {
			got, err := tx.Pages().Get(e.ctx, append(rows, 1<<40))
			var back []int64
			for _, p := range got {
				back = append(back, p.Row)
			}
			e.same(back, rows, cmpopts.EquateEmpty())
			return err
		})
	},
}

// resolve sets the targets of a document's links, in order.
func (e *env) resolve(d *store.Document, to ...int64) {
	e.Helper()
	e.update(func(tx store.Tx) error {
		ends, err := tx.Links().From(e.ctx, d.Pages[0].Page.Row)
		if err != nil {
			return err
		}
		var res []store.Resolution
		for i, row := range to {
			res = append(res, store.Resolution{Row: ends[i].Row, To: row, Candidates: 1})
		}
		return tx.Links().Resolve(e.ctx, res)
	})
}
