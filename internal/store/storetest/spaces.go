package storetest

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

var spaceTests = map[string]func(*testing.T, *env){
	"AllByName": func(_ *testing.T, e *env) {
		b := kb.Space{ID: idOf("b"), Name: "b", Kind: kb.DatabaseSpace, Policy: []byte("x = 1\n"), Created: noon, Synced: noon.Add(time.Hour), Derivation: 3, Syntax: "dendron", Filing: "wing\n"}
		empty := kb.Space{ID: idOf("c"), Name: "c", Kind: kb.DatabaseSpace, Policy: []byte{}}
		e.update(func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &b) })
		e.update(func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &empty) })
		brought := kb.Space{ID: idOf("d"), Name: "d", Kind: kb.DirectorySpace, Root: "/d", Origin: idOf("b")}
		e.update(func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &brought) })
		a := e.space("a")
		if a.Row == 0 || a.Row == b.Row {
			e.Errorf("rows %d and %d", a.Row, b.Row)
		}
		e.view(func(tx store.Tx) error {
			got, err := tx.Spaces().All(e.ctx)
			e.same(got, []kb.Space{a, b, empty, brought})
			if err == nil && (got[0].Policy != nil || got[2].Policy == nil) {
				e.Error("nil and empty policies are not distinguished")
			}
			return err
		})
	},
	"TakenNameIDRoot": func(_ *testing.T, e *env) {
		a := e.space("a")
		for name, sp := range map[string]kb.Space{
			"name": {ID: idOf("x"), Name: a.Name, Kind: kb.DatabaseSpace},
			"id":   {ID: a.ID, Name: "x", Kind: kb.DatabaseSpace},
			"root": {ID: idOf("x"), Name: "x", Kind: kb.DirectorySpace, Root: a.Root},
		} {
			e.Log(name)
			e.updateFails(kb.Conflict, func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &sp) })
		}
	},
	"OfAnotherHost": func(_ *testing.T, e *env) {
		sp := kb.Space{ID: idOf("a"), Name: "a", Kind: kb.DirectorySpace, Root: "/a", Host: "elsewhere", Created: noon}
		e.update(func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &sp) })
		sp.Kind, sp.Root, sp.There = kb.RemoteSpace, "", "/a"
		seen := func() {
			e.Helper()
			e.view(func(tx store.Tx) error {
				got, err := tx.Spaces().All(e.ctx)
				e.same(got, []kb.Space{sp})
				return err
			})
		}
		seen()
		sp.Name = "renamed"
		e.update(func(tx store.Tx) error { return tx.Spaces().Update(e.ctx, sp) })
		seen()
		// After Forget and Return, it is still on its host.
		e.update(func(tx store.Tx) error { return tx.Spaces().Forget(e.ctx, sp.Row, noon) })
		e.view(func(tx store.Tx) error {
			got, err := tx.Spaces().Forgotten(e.ctx)
			want := sp
			want.Forgotten = noon
			e.same(got, []kb.Space{want})
			return err
		})
		taken := kb.Space{ID: idOf("b"), Name: "b", Kind: kb.DirectorySpace, Root: sp.There, Host: sp.Host, Created: noon}
		e.update(func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &taken) })
		e.updateFails(kb.Conflict, func(tx store.Tx) error { return tx.Spaces().Return(e.ctx, sp) })
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, taken.Row) })
		e.update(func(tx store.Tx) error { return tx.Spaces().Return(e.ctx, sp) })
		sp.Derivation = -1
		seen()
		same := kb.Space{ID: idOf("c"), Name: "c", Kind: kb.DirectorySpace, Root: sp.There, Created: noon}
		e.update(func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &same) }) // here, another directory
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, same.Row) })
		sp.Kind, sp.Root, sp.There, sp.Host = kb.DirectorySpace, "/b", "", ""
		e.update(func(tx store.Tx) error { return tx.Spaces().Update(e.ctx, sp) })
		seen()
	},
	"ManyWithoutRoot": func(_ *testing.T, e *env) {
		for _, n := range []string{"a", "b"} {
			sp := kb.Space{ID: idOf(n), Name: n, Kind: kb.DatabaseSpace}
			e.update(func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &sp) })
		}
	},
	"Update": func(_ *testing.T, e *env) {
		a, b := e.space("a"), e.space("b")
		a.Name, a.Root, a.Origin, a.Policy, a.Synced, a.Derivation, a.Syntax, a.Filing = "new", "/elsewhere", idOf("o"), []byte("p"), noon, 7, "logseq", "room\n"
		e.update(func(tx store.Tx) error { return tx.Spaces().Update(e.ctx, a) })
		e.view(func(tx store.Tx) error {
			got, err := tx.Spaces().All(e.ctx)
			e.same(got, []kb.Space{b, a})
			return err
		})
		b.Name = "new"
		e.updateFails(kb.Conflict, func(tx store.Tx) error { return tx.Spaces().Update(e.ctx, b) })
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Spaces().Update(e.ctx, kb.Space{Row: 999, Name: "z"}) })
	},
	"Mappings": func(_ *testing.T, e *env) {
		a, b := e.space("a"), e.space("b")
		e.update(func(tx store.Tx) error {
			s := tx.Spaces()
			for glob, sp := range map[string]int64{"/w/**": a.Row, "/v/*": b.Row} {
				if err := s.Map(e.ctx, glob, sp); err != nil {
					return err
				}
			}
			return s.Map(e.ctx, "/w/**", b.Row)
		})
		e.view(func(tx store.Tx) error {
			got, err := tx.Spaces().Maps(e.ctx)
			e.same(got, []store.Mapping{{Glob: "/v/*", Space: b.Row}, {Glob: "/w/**", Space: b.Row}})
			return err
		})
		e.update(func(tx store.Tx) error { return tx.Spaces().Unmap(e.ctx, "/v/*") })
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Spaces().Unmap(e.ctx, "/v/*") })
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Spaces().Map(e.ctx, "/x", 999) })
	},
	"RemoveTakesAllOfItAndNothingElse": func(_ *testing.T, e *env) {
		gone, stays := e.space("gone"), e.space("stays")
		shared, own := []byte("shared bytes"), []byte("own bytes")
		full := func(sp kb.Space) *store.Document {
			return doc(sp, "full.md", tagged("t"), linking("other"), func(r *store.PageRecord) {
				r.Declared = r.Page.ID
				r.Observations = []kb.Observation{{Category: "c", Text: "o"}}
				r.Entries = []kb.Entry{{Date: "2026", Text: "e"}}
				r.Warnings = []store.Warning{{Code: "w", Text: "w"}}
			})
		}
		g, s, other := full(gone), full(stays), doc(gone, "other.md")
		e.put(g, s, other)
		e.update(func(tx store.Tx) error {
			// A link from the space that stays to the removed one.
			ends, err := tx.Links().From(e.ctx, s.Pages[0].Page.Row)
			if err != nil {
				return err
			}
			if err := tx.Links().Resolve(e.ctx, []store.Resolution{{Row: ends[0].Row, To: other.Pages[0].Page.Row, Candidates: 1}}); err != nil {
				return err
			}
			for _, sp := range []kb.Space{gone, stays} {
				if err := tx.Failures().Put(e.ctx, store.Failure{Space: sp.Row, Path: "f"}); err != nil {
					return err
				}
				if err := tx.Spaces().Map(e.ctx, "/"+sp.Name, sp.Row); err != nil {
					return err
				}
			}
			if err := tx.History().Record(e.ctx, &kb.Write{Time: noon, Operation: "both"}, []*store.NewVersion{
				version(g, kb.Created, shared), version(s, kb.Created, shared),
			}); err != nil {
				return err
			}
			return tx.History().Record(e.ctx, &kb.Write{Time: noon, Operation: "own"}, []*store.NewVersion{version(g, kb.Changed, own)})
		})
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, gone.Row) })
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, gone.Row) })
		e.view(func(tx store.Tx) error {
			all, err := tx.Spaces().All(e.ctx)
			e.same(all, []kb.Space{stays})
			e.check(err)
			st, err := tx.Pages().Stats(e.ctx, nil)
			e.same(st, store.Stats{
				Documents: 1, Pages: 1, LinkCounts: store.LinkCounts{Links: 1, Unresolved: 1}, Observations: 1, Entries: 1, Tags: 1, Bytes: s.Size,
				Types: []store.Count{{Value: "", N: 1}}, Statuses: []store.Count{{Value: "active", N: 1}},
			})
			e.check(err)
			names, err := tx.Pages().ByNames(e.ctx, 0, []string{"full", "other"})
			if len(names["full"]) != 1 || len(names["other"]) != 0 {
				e.Errorf("names left: %v", names)
			}
			e.check(err)
			warnings, err := tx.Pages().Warnings(e.ctx, gone.Row)
			e.same(warnings, []store.Warning(nil))
			e.check(err)
			_, versions, err := tx.History().Versions(e.ctx, store.VersionFilter{}, 0, 0)
			e.same(versions, 1)
			e.check(err)
			writes, _, err := tx.History().Writes(e.ctx, store.VersionFilter{}, 0, 0)
			if len(writes) != 1 || writes[0].Operation != "both" {
				e.Errorf("writes left: %+v", writes)
			}
			e.check(err)
			if _, err := tx.History().Bytes(e.ctx, hashOf(shared)); err != nil {
				e.Errorf("bytes that another space needs: %v", err)
			}
			_, err = tx.History().Bytes(e.ctx, hashOf(own))
			e.wantCode(err, kb.NotFound)
			failures, err := tx.Failures().All(e.ctx, gone.Row)
			e.same(failures, []store.Failure(nil))
			e.check(err)
			maps, err := tx.Spaces().Maps(e.ctx)
			e.same(maps, []store.Mapping{{Glob: "/stays", Space: stays.Row}})
			return err
		})
		if again := e.space("gone"); again.Row == gone.Row {
			e.Error("the row of a removed space was given to another")
		}
	},
	"ForgottenAndReturned": func(_ *testing.T, e *env) {
		gone, stays := e.space("gone"), e.space("stays")
		g, s := doc(gone, "a.md", tagged("t")), doc(stays, "a.md")
		both, own, raw := []byte("both"), []byte("own"), []byte("raw")
		g.Hash = hashOf(own)
		e.put(g, s)
		e.update(func(tx store.Tx) error {
			if err := tx.History().Record(e.ctx, &kb.Write{Time: noon, Operation: "both"}, []*store.NewVersion{
				version(g, kb.Created, both), version(s, kb.Created, both),
			}); err != nil {
				return err
			}
			if err := tx.History().Record(e.ctx, &kb.Write{Time: noon, Operation: "own"}, []*store.NewVersion{version(g, kb.Changed, own)}); err != nil {
				return err
			}
			for _, glob := range []string{"/gone", "/taken"} {
				if err := tx.Spaces().Map(e.ctx, glob, gone.Row); err != nil {
					return err
				}
			}
			if err := tx.Gaps().Log(e.ctx, &kb.Gap{Space: gone.Row, Hash: kb.QuestionHash("q"), Last: noon}); err != nil {
				return err
			}
			if err := tx.Claims().Dismiss(e.ctx, kb.Dismissal{Space: gone.Row, ID: "d", Note: "n", Time: noon}); err != nil {
				return err
			}
			return tx.Batches().Add(e.ctx, &kb.Batch{ID: "b", Space: gone.Row, Kind: "ingest", Created: noon}, []store.BatchItem{{Path: "r", Hash: hashOf(raw), Bytes: raw}})
		})
		known := func() (out []any) {
			e.view(func(tx store.Tx) error {
				versions, _, err := tx.History().Versions(e.ctx, store.VersionFilter{}, 0, 0)
				e.check(err)
				writes, _, err := tx.History().Writes(e.ctx, store.VersionFilter{}, 0, 0)
				e.check(err)
				gaps, _, err := tx.Gaps().List(e.ctx, nil, true, 0, 0)
				e.check(err)
				dismissed, err := tx.Claims().Dismissed(e.ctx, gone.Row)
				e.check(err)
				batches, _, err := tx.Batches().List(e.ctx, nil, 0, 0)
				e.check(err)
				var items []store.BatchItem
				for i := range batches {
					e.check(tx.Batches().Items(e.ctx, batches[i].Row, func(it store.BatchItem) error { items = append(items, it); return nil }))
					batches[i].Row = 0
				}
				out = []any{versions, writes, gaps, dismissed, batches, items}
				return nil
			})
			return out
		}
		before := known()
		e.update(func(tx store.Tx) error { return tx.Spaces().Forget(e.ctx, gone.Row, noon) })
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Spaces().Forget(e.ctx, gone.Row, noon) })

		e.view(func(tx store.Tx) error {
			all, err := tx.Spaces().All(e.ctx)
			e.same(all, []kb.Space{stays})
			e.check(err)
			forgotten, err := tx.Spaces().Forgotten(e.ctx)
			want := gone
			want.Forgotten, want.Synced, want.Derivation, want.Syntax, want.Filing = noon, time.Time{}, 0, "", ""
			e.same(forgotten, []kb.Space{want})
			e.check(err)
			states, err := tx.Spaces().ForgottenStates(e.ctx, gone.Row)
			if len(states) != 1 || states[0].Path != "a.md" || states[0].Hash != g.Hash || states[0].Row != 0 {
				e.Errorf("kept documents: %+v", states)
			}
			e.check(err)
			st, err := tx.Pages().Stats(e.ctx, nil)
			if st.Documents != 1 || st.Pages != 1 || st.Tags != 0 {
				e.Errorf("seen of the forgotten space: %+v", st)
			}
			e.check(err)
			maps, err := tx.Spaces().Maps(e.ctx)
			e.same(maps, []store.Mapping(nil))
			return err
		})
		after := known()
		if versions, _ := after[0].([]kb.Version); len(versions) != 1 || versions[0].Space != stays.Row {
			e.Errorf("versions of the forgotten space: %+v", versions)
		}
		if writes, _ := after[1].([]kb.Write); len(writes) != 1 || writes[0].Operation != "both" {
			e.Errorf("writes of the forgotten space: %+v", writes)
		}
		e.view(func(tx store.Tx) error {
			for _, b := range [][]byte{both, own, raw} {
				_, err := tx.History().Bytes(e.ctx, hashOf(b))
				e.check(err)
			}
			return nil
		})

		// Its name and root are free; a returned space may have others.
		other := kb.Space{ID: idOf("another"), Name: gone.Name, Kind: kb.DirectorySpace, Root: gone.Root}
		e.update(func(tx store.Tx) error { return tx.Spaces().Add(e.ctx, &other) })
		e.updateFails(kb.Conflict, func(tx store.Tx) error { return tx.Spaces().Return(e.ctx, gone) })
		back := gone
		back.Name, back.Root, back.Origin, back.Accepted = "back", "/back", idOf("o"), []byte("x = 1\n")
		e.update(func(tx store.Tx) error {
			if err := tx.Spaces().Map(e.ctx, "/taken", other.Row); err != nil {
				return err
			}
			return tx.Spaces().Return(e.ctx, back)
		})
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Spaces().Return(e.ctx, back) })
		e.same(known(), before)
		e.view(func(tx store.Tx) error {
			all, err := tx.Spaces().All(e.ctx)
			back.Synced, back.Derivation, back.Syntax, back.Filing = time.Time{}, -1, "", ""
			e.same(all, []kb.Space{back, other, stays})
			e.check(err)
			forgotten, err := tx.Spaces().Forgotten(e.ctx)
			e.same(forgotten, []kb.Space(nil))
			e.check(err)
			maps, err := tx.Spaces().Maps(e.ctx)
			e.same(maps, []store.Mapping{{Glob: "/gone", Space: back.Row}, {Glob: "/taken", Space: other.Row}})
			e.check(err)
			states, err := tx.Documents().States(e.ctx, back.Row)
			if len(states) != 1 || states[0].ID != g.ID || states[0].Hash != g.Hash {
				e.Errorf("documents: %+v", states)
			}
			return err
		})
	},
	"ForgottenAndRemoved": func(_ *testing.T, e *env) {
		one, two := e.space("one"), e.space("two")
		a, b := doc(one, "a.md"), doc(two, "a.md")
		both, own := []byte("both"), []byte("own")
		e.put(a, b)
		e.update(func(tx store.Tx) error {
			if err := tx.History().Record(e.ctx, &kb.Write{Time: noon, Operation: "both"}, []*store.NewVersion{
				version(a, kb.Created, both), version(b, kb.Created, both),
			}); err != nil {
				return err
			}
			return tx.History().Record(e.ctx, &kb.Write{Time: noon, Operation: "own"}, []*store.NewVersion{version(a, kb.Changed, own)})
		})
		e.update(func(tx store.Tx) error {
			if err := tx.Spaces().Forget(e.ctx, one.Row, noon); err != nil {
				return err
			}
			return tx.Spaces().Forget(e.ctx, two.Row, noon.Add(time.Hour))
		})
		e.view(func(tx store.Tx) error {
			forgotten, err := tx.Spaces().Forgotten(e.ctx)
			if len(forgotten) != 2 || forgotten[0].Row != two.Row {
				e.Errorf("forgotten: %+v", forgotten)
			}
			return err
		})
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, one.Row) })
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, one.Row) })
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Spaces().Return(e.ctx, one) })
		e.view(func(tx store.Tx) error {
			if _, err := tx.History().Bytes(e.ctx, hashOf(both)); err != nil {
				e.Errorf("bytes that another forgotten space needs: %v", err)
			}
			_, err := tx.History().Bytes(e.ctx, hashOf(own))
			e.wantCode(err, kb.NotFound)
			return nil
		})
		// A write to both spaces exists once one of them is returned.
		e.update(func(tx store.Tx) error { return tx.Spaces().Return(e.ctx, two) })
		e.view(func(tx store.Tx) error {
			writes, _, err := tx.History().Writes(e.ctx, store.VersionFilter{}, 0, 0)
			if len(writes) != 1 || writes[0].Operation != "both" {
				e.Errorf("writes: %+v", writes)
			}
			return err
		})
	},
}

// check reports a test failure for an error, and continues.
func (e *env) check(err error) {
	e.Helper()
	if err != nil {
		e.Error(err)
	}
}
