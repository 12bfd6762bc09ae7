package storetest

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

func hashOf(b []byte) kb.Hash { return sha256.Sum256(b) }

// version is a change of a document to the given bytes, nil when deleted.
func version(d *store.Document, change kb.ChangeKind, b []byte) *store.NewVersion {
	v := &store.NewVersion{Bytes: b, Version: kb.Version{
		Space: d.Space, Page: d.ID, Change: change, Path: d.Path, Title: d.Pages[0].Page.Title, Size: int64(len(b)),
	}}
	if b != nil {
		v.Hash = hashOf(b)
	}
	return v
}

// beside adds a sidecar to a version.
func beside(v *store.NewVersion, text string) *store.NewVersion {
	v.SideBytes = []byte(text)
	v.Side = kb.Sidecar{Hash: hashOf(v.SideBytes), Size: int64(len(text))}
	return v
}

// record adds a write, hour hours after noon.
func (e *env) record(hour int, actor kb.Actor, operation string, versions ...*store.NewVersion) kb.Write {
	e.Helper()
	w := kb.Write{Time: noon.Add(time.Duration(hour) * time.Hour), Actor: actor, Operation: operation, Message: "m " + operation}
	e.update(func(tx store.Tx) error { return tx.History().Record(e.ctx, &w, versions) })
	return w
}

var (
	alice = kb.Actor{Kind: kb.Human, Name: "alice"}
	bot   = kb.Actor{Kind: kb.Agent, Name: "bot"}
)

var historyTests = map[string]func(*testing.T, *env){
	"RecordNumbersVersions": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a, b := doc(sp, "a.md"), doc(sp, "b.md")
		e.put(a, b)
		v1, v2 := version(a, kb.Created, []byte("1")), version(b, kb.Created, []byte("b"))
		w1 := e.record(0, alice, "put", v1, v2)
		v3 := beside(version(a, kb.Changed, []byte("2")), "next to it")
		w2 := e.record(1, bot, "edit", v3)
		if w1.ID == 0 || w2.ID <= w1.ID || v1.Seq >= v2.Seq || v2.Seq >= v3.Seq {
			e.Errorf("writes %d %d, seq %d %d %d", w1.ID, w2.ID, v1.Seq, v2.Seq, v3.Seq)
		}
		e.same([]int{v1.Version.Version, v2.Version.Version, v3.Version.Version}, []int{1, 1, 2})
		e.same([]int64{v1.Write, v3.Write}, []int64{w1.ID, w2.ID})
		e.view(func(tx store.Tx) error {
			got, err := tx.History().Version(e.ctx, sp.Row, a.ID, 0)
			e.same(got, v3.Version)
			e.same(got.Actor, bot)
			e.same(got.Time, w2.Time)
			e.check(err)
			got, err = tx.History().Version(e.ctx, sp.Row, a.ID, 1)
			e.same(got, v1.Version)
			e.check(err)
			_, err = tx.History().Version(e.ctx, sp.Row, a.ID, 3)
			e.wantCode(err, kb.NotFound)
			_, err = tx.History().Version(e.ctx, sp.Row, idOf("none"), 0)
			e.wantCode(err, kb.NotFound)
			d, err := tx.Documents().ByRow(e.ctx, a.Row)
			e.check(err)
			e.same(d.Version, 2)
			w, err := tx.History().Write(e.ctx, 0)
			e.same(w, w2)
			e.check(err)
			w, err = tx.History().Write(e.ctx, w1.ID)
			e.same(w, w1)
			e.check(err)
			_, err = tx.History().Write(e.ctx, 999)
			e.wantCode(err, kb.NotFound)
			return nil
		})
	},
	"EmptyHistory": func(_ *testing.T, e *env) {
		e.view(func(tx store.Tx) error {
			_, err := tx.History().Write(e.ctx, 0)
			e.wantCode(err, kb.NotFound)
			_, total, err := tx.History().Versions(e.ctx, store.VersionFilter{}, 10, 0)
			e.same(total, 0)
			return err
		})
	},
	"AsOf": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a := doc(sp, "a.md")
		for i := range 3 {
			e.record(i, alice, "put", version(a, kb.Changed, []byte{byte(i)}))
		}
		e.record(3, alice, "delete", version(a, kb.Deleted, nil))
		e.view(func(tx store.Tx) error {
			for at, want := range map[time.Duration]int{0: 1, 90 * time.Minute: 2, 2 * time.Hour: 3, 2*time.Hour - time.Nanosecond: 2, 99 * time.Hour: 4} {
				got, err := tx.History().AsOf(e.ctx, sp.Row, a.ID, noon.Add(at))
				e.check(err)
				if got.Version != want {
					e.Errorf("after %s: version %d, want %d", at, got.Version, want)
				}
			}
			_, err := tx.History().AsOf(e.ctx, sp.Row, a.ID, noon.Add(-time.Second))
			e.wantCode(err, kb.NotFound)
			return nil
		})
	},
	// A time selects a number of writes, so that it refers to a state that existed even if
	// the clock was set back.
	"AsOfAClockSetBack": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a := doc(sp, "a.md")
		for _, hour := range []int{0, 5, 1, 6} {
			e.record(hour, alice, "put", version(a, kb.Changed, []byte{byte(hour)}))
		}
		e.view(func(tx store.Tx) error {
			for hour, want := range map[int]int{0: 1, 1: 3, 2: 3, 5: 3, 6: 4} {
				at := noon.Add(time.Duration(hour) * time.Hour)
				got, err := tx.History().AsOf(e.ctx, sp.Row, a.ID, at)
				e.check(err)
				seq, err := tx.History().Seq(e.ctx, at)
				e.check(err)
				if got.Version != want || seq != got.Seq {
					e.Errorf("at %d: version %d and seq %d, want version %d with its seq", hour, got.Version, seq, want)
				}
			}
			seq, err := tx.History().Seq(e.ctx, noon.Add(-time.Second))
			e.same(seq, int64(0))
			return err
		})
	},
	"State": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		a, b, c := doc(s1, "a.md"), doc(s2, "b.md"), doc(s1, "c.md")
		moved := doc(s1, "moved.md")
		moved.ID = a.ID
		dated := version(b, kb.Created, []byte("b1"))
		dated.ModTime = noon.Add(123456789)
		e.record(0, alice, "one", version(c, kb.Created, []byte("c1")), dated)
		e.record(1, alice, "two", version(a, kb.Created, []byte("a1")))
		e.record(2, alice, "three", version(a, kb.Changed, []byte("a2")), version(b, kb.Deleted, nil))
		e.record(3, alice, "four", version(moved, kb.Moved, []byte("a2")), version(c, kb.Deleted, nil))
		e.record(4, alice, "five", version(c, kb.Created, []byte("c3")))
		e.view(func(tx store.Tx) error {
			for hour, want := range []string{"c.md1 b.md1", "c.md1 b.md1 a.md1", "c.md1 a.md2", "moved.md3", "moved.md3 c.md3"} {
				seq, err := tx.History().Seq(e.ctx, noon.Add(time.Duration(hour)*time.Hour))
				e.check(err)
				state, err := tx.History().State(e.ctx, seq)
				e.check(err)
				var got []byte
				for _, v := range state {
					got = fmt.Appendf(got, "%s%d ", v.Path, v.Version)
					if v.Path == "b.md" && !v.ModTime.Equal(dated.ModTime) {
						e.Errorf("b.md was last modified %s", v.ModTime)
					}
				}
				if string(bytes.TrimSpace(got)) != want {
					e.Errorf("after %d: %s, want %s", hour, got, want)
				}
			}
			return nil
		})
	},
	// A document that takes the id of one that is deleted later existed at the same time.
	"StateOfTwoThatHadOneIDAfterAnother": func(_ *testing.T, e *env) {
		sp := e.space("s")
		first, second := doc(sp, "first.md"), doc(sp, "second.md")
		e.put(first, second)
		e.record(0, alice, "one", version(first, kb.Created, []byte("1")))
		e.record(1, alice, "two", version(second, kb.Created, []byte("2")))
		e.record(2, alice, "three", version(first, kb.Deleted, nil))
		e.update(func(tx store.Tx) error {
			if err := tx.Documents().Remove(e.ctx, []int64{first.Row}); err != nil {
				return err
			}
			return tx.Pages().SetID(e.ctx, second.Pages[0].Page.Row, first.ID)
		})
		e.view(func(tx store.Tx) error {
			seq, err := tx.History().Seq(e.ctx, noon.Add(90*time.Minute))
			e.check(err)
			state, err := tx.History().State(e.ctx, seq)
			e.check(err)
			if len(state) != 2 || state[0].Path != "first.md" || state[1].Path != "second.md" {
				e.Errorf("%+v", state)
			}
			return nil
		})
	},
	"Prune": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a, b := doc(sp, "a.md"), doc(sp, "b.md")
		a.Hash = hashOf([]byte("a3"))
		e.put(a)
		once, twice, now := version(a, kb.Created, []byte("a1")), version(a, kb.Changed, []byte("both")), version(a, kb.Changed, []byte("a3"))
		gone := version(b, kb.Deleted, nil)
		e.record(0, alice, "put", once, twice, version(b, kb.Created, []byte("both")), gone, now)
		var freed int64
		e.update(func(tx store.Tx) error {
			var err error
			freed, err = tx.History().Prune(e.ctx, []int64{once.Seq, twice.Seq, gone.Seq, now.Seq})
			return err
		})
		if freed != 2 {
			e.Errorf("freed %d bytes, want 2: those of one version", freed)
		}
		e.view(func(tx store.Tx) error {
			for v, want := range map[*store.NewVersion]kb.Code{once: kb.NotFound, twice: "", now: ""} {
				_, err := tx.History().Bytes(e.ctx, v.Hash)
				if kb.CodeOf(err) != want {
					e.Errorf("bytes of version %d: %v", v.Version.Version, err)
				}
				got, err := tx.History().Version(e.ctx, sp.Row, a.ID, v.Version.Version)
				e.check(err)
				if got.Pruned != (want != "") {
					e.Errorf("version %d is marked as pruned: %v", v.Version.Version, got.Pruned)
				}
			}
			got, err := tx.History().Version(e.ctx, sp.Row, b.ID, 2)
			if got.Pruned {
				e.Errorf("a deletion has no bytes to prune")
			}
			return err
		})
		again := version(a, kb.Changed, []byte("a1"))
		e.record(1, alice, "put", again)
		e.view(func(tx store.Tx) error {
			got, err := tx.History().Bytes(e.ctx, once.Hash)
			e.same(string(got), "a1")
			return err
		})
	},
	"PruneOfSidecars": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a := doc(sp, "a.md")
		a.Hash, a.Side = hashOf([]byte("text")), side("new", noon)
		e.put(a)
		first := beside(version(a, kb.Created, []byte("text")), "old")
		second := beside(version(a, kb.Changed, []byte("text")), "new")
		e.record(0, alice, "put", first, second)
		e.view(func(tx store.Tx) error {
			got, err := tx.History().Bytes(e.ctx, first.Side.Hash)
			e.same(string(got), "old")
			return err
		})
		var freed int64
		e.update(func(tx store.Tx) (err error) {
			freed, err = tx.History().Prune(e.ctx, []int64{first.Seq, second.Seq})
			return err
		})
		e.same(freed, int64(len("old"))) // the document needs the rest
		e.view(func(tx store.Tx) error {
			for v, want := range map[*store.NewVersion]kb.Code{first: kb.NotFound, second: ""} {
				_, err := tx.History().Bytes(e.ctx, v.Side.Hash)
				if kb.CodeOf(err) != want {
					e.Errorf("sidecar of version %d: %v", v.Version.Version, err)
				}
				got, err := tx.History().Version(e.ctx, sp.Row, a.ID, v.Version.Version)
				e.check(err)
				e.same(got.Pruned, want != "")
			}
			return nil
		})
	},
	"BytesComeBack": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a := doc(sp, "a.md")
		bodies := [][]byte{
			{}, []byte("short"), []byte(odd), bytes.Repeat([]byte("compresses well "), 5000), noise(100), noise(70_000), make([]byte, 1<<20),
		}
		var versions []*store.NewVersion
		for _, b := range bodies {
			versions = append(versions, version(a, kb.Changed, b))
		}
		e.record(0, alice, "put", versions...)
		again := version(a, kb.Changed, nil)
		again.Hash = hashOf(bodies[3]) // stored already
		e.record(1, alice, "restore", again)
		e.view(func(tx store.Tx) error {
			for i, b := range bodies {
				got, err := tx.History().Bytes(e.ctx, hashOf(b))
				e.check(err)
				if got == nil || !bytes.Equal(got, b) {
					e.Errorf("body %d of %d bytes came back as %d", i, len(b), len(got))
				}
			}
			_, err := tx.History().Bytes(e.ctx, hashOf([]byte("never stored")))
			e.wantCode(err, kb.NotFound)
			return nil
		})
	},
	"Filters": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		a, b, c := doc(s1, "a.md"), doc(s2, "b.md"), doc(s1, "c.md")
		w1 := e.record(0, alice, "one", version(a, kb.Created, []byte("a1")), version(b, kb.Created, []byte("b1")))
		w2 := e.record(1, bot, "two", version(a, kb.Changed, []byte("a2")))
		w3 := e.record(2, alice, "three", version(a, kb.Deleted, nil), version(c, kb.Created, []byte("c")))
		w4 := e.record(3, kb.Actor{Kind: kb.Agent, Name: "other"}, "four", version(c, kb.Deleted, nil))
		e.record(4, bot, "five", version(c, kb.Created, []byte("c2")))
		e.record(5, bot, "nothing")
		for name, tc := range map[string]struct {
			f        store.VersionFilter
			versions string // path and version, newest first
			writes   string
		}{
			"all":             {store.VersionFilter{}, "c3 c2 c1 a3 a2 b1 a1", "nothing five four three two one"},
			"space":           {store.VersionFilter{Spaces: []int64{s2.Row}}, "b1", "one"},
			"page":            {store.VersionFilter{Page: a.ID}, "a3 a2 a1", "three two one"},
			"page in space":   {store.VersionFilter{Page: a.ID, Spaces: []int64{s2.Row}}, "", ""},
			"write":           {store.VersionFilter{Write: w3.ID}, "c1 a3", "three"},
			"writes":          {store.VersionFilter{Write: w2.ID, Last: w3.ID}, "c1 a3 a2", "three two"},
			"writes of one":   {store.VersionFilter{Write: w1.ID, Last: w4.ID + 2, Actor: bot}, "c3 a2", "five two"},
			"kind":            {store.VersionFilter{Actor: kb.Actor{Kind: kb.Agent}}, "c3 c2 a2", "nothing five four two"},
			"actor":           {store.VersionFilter{Actor: bot}, "c3 a2", "nothing five two"},
			"name":            {store.VersionFilter{Actor: kb.Actor{Name: "alice"}}, "c1 a3 b1 a1", "three one"},
			"since":           {store.VersionFilter{Since: w3.Time}, "c3 c2 c1 a3", "nothing five four three"},
			"until":           {store.VersionFilter{Until: w2.Time}, "b1 a1", "one"},
			"since and until": {store.VersionFilter{Since: w1.Time.Add(1), Until: w3.Time}, "a2", "two"},
			"deleted":         {store.VersionFilter{Deleted: true}, "a3", "three"},
			"paths":           {store.VersionFilter{Paths: []string{"a.md", "b.md", "d.md"}}, "a3 a2 b1 a1", "three two one"},
			"deleted at":      {store.VersionFilter{Deleted: true, Paths: []string{"a.md", "c.md"}, Spaces: []int64{s1.Row}}, "a3", "three"},
			"deleted by":      {store.VersionFilter{Deleted: true, Write: w4.ID}, "", ""},
		} {
			e.view(func(tx store.Tx) error {
				versions, vTotal, err := tx.History().Versions(e.ctx, tc.f, 0, 0)
				e.check(err)
				writes, wTotal, err := tx.History().Writes(e.ctx, tc.f, 0, 0)
				e.check(err)
				var vs, ws []byte
				for _, v := range versions {
					vs = append(vs, v.Path[0], byte('0'+v.Version), ' ')
				}
				for _, w := range writes {
					ws = append(append(ws, w.Operation...), ' ')
				}
				if got := string(bytes.TrimSpace(vs)); got != tc.versions || vTotal != len(versions) {
					e.Errorf("%s: versions %q of %d, want %q", name, got, vTotal, tc.versions)
				}
				if got := string(bytes.TrimSpace(ws)); got != tc.writes || wTotal != len(writes) {
					e.Errorf("%s: writes %q of %d, want %q", name, got, wTotal, tc.writes)
				}
				return nil
			})
		}
		e.view(func(tx store.Tx) error {
			all, total, err := tx.History().Versions(e.ctx, store.VersionFilter{}, 2, 1)
			e.same([]int{len(all), total}, []int{2, 7})
			e.check(err)
			after, _, err := tx.History().Versions(e.ctx, store.VersionFilter{After: all[1].Seq}, 0, 0)
			e.same(len(after), 2)
			e.check(err)
			writes, total, err := tx.History().Writes(e.ctx, store.VersionFilter{}, 2, 4)
			e.same([]int{len(writes), total}, []int{2, 6})
			return err
		})
	},
}

// noise returns bytes that do not compress.
func noise(n int) []byte {
	var out []byte
	for sum := hashOf([]byte("seed")); len(out) < n; sum = hashOf(sum[:]) {
		out = append(out, sum[:]...)
	}
	return out[:n]
}
