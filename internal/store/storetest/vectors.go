package storetest

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// embeddings returns vectors for all pages of the documents in their present state.
func embeddings(model, version string, docs ...*store.Document) []store.PageVectors {
	var out []store.PageVectors
	for _, d := range docs {
		for _, rec := range d.Pages {
			out = append(out, store.PageVectors{
				Page: rec.Page.Row, Model: model, Hash: d.Hash, Version: version, Chunks: 2,
				Info: fmt.Appendf(nil, "%s\x00%s", model, rec.Page.Slug), Values: fmt.Appendf(nil, "\xff%s", d.Hash),
			})
		}
	}
	return out
}

func (e *env) putVectors(list ...store.PageVectors) {
	e.Helper()
	e.update(func(tx store.Tx) error { return tx.Vectors().Put(e.ctx, list) })
}

// embed stores vectors for all pages of the documents.
func (e *env) embed(model, version string, docs ...*store.Document) []store.PageVectors {
	e.Helper()
	list := embeddings(model, version, docs...)
	e.putVectors(list...)
	return list
}

func (e *env) wantCounts(model, version string, fresh, stale int, spaces ...int64) {
	e.Helper()
	e.view(func(tx store.Tx) error {
		f, s, err := tx.Vectors().Counts(e.ctx, model, version, spaces)
		if f != fresh || s != stale {
			e.Errorf("%d fresh and %d stale, want %d and %d", f, s, fresh, stale)
		}
		return err
	})
}

func (e *env) wantStale(model, version string, want []int64, spaces ...int64) {
	e.Helper()
	e.view(func(tx store.Tx) error {
		stale, err := tx.Vectors().Stale(e.ctx, model, version, spaces)
		var got []int64
		for _, p := range stale {
			got = append(got, p.Row)
		}
		e.same(got, want)
		return err
	})
}

// embedded returns the rows of the pages that have vectors.
func (e *env) embedded(tx store.Tx, model string) (rows []int64, err error) {
	err = tx.Vectors().Each(e.ctx, model, func(v store.PageVectors) error { rows = append(rows, v.Page); return nil })
	return rows, err
}

// wantEach checks the results of all ways to read a model's vectors.
func (e *env) wantEach(model string, want ...store.PageVectors) {
	e.Helper()
	hashes := slices.Clone(want)
	for i, v := range want {
		hashes[i] = hashed(v)
	}
	e.view(func(tx store.Tx) error {
		var each, one []store.PageVectors
		e.check(tx.Vectors().Each(e.ctx, model, func(v store.PageVectors) error { each = append(each, hashed(v)); return nil }))
		e.same(each, hashes)
		for _, v := range want {
			got, err := tx.Vectors().Get(e.ctx, model, v.Page)
			e.check(err)
			one = append(one, hashed(got))
		}
		e.same(one, hashes)
		return nil
	})
}

// wantSpare checks the spare vectors of a model: info and values of each, the
// newest first.
func (e *env) wantSpare(model string, want ...string) {
	e.Helper()
	e.view(func(tx store.Tx) error {
		var got []string
		err := tx.Vectors().Spare(e.ctx, model, func(key int64, info []byte) error {
			values, err := tx.Vectors().SpareValues(e.ctx, key)
			got = append(got, string(info)+string(values))
			return err
		})
		e.same(got, want)
		return err
	})
}

// hashed replaces the vectors by a hash: comparing large ones with same takes long.
func hashed(v store.PageVectors) store.PageVectors {
	h := vectorsHash(v.Info, v.Values)
	v.Info, v.Values = h[:], nil
	return v
}

func rowsOf(list []store.PageVectors) []int64 {
	var out []int64
	for _, v := range list {
		out = append(out, v.Page)
	}
	return out
}

// rowsIn returns the rows of all pages of the documents.
func rowsIn(docs ...*store.Document) []int64 { return rowsOf(embeddings("", "", docs...)) }

var vectorTests = map[string]func(*testing.T, *env){
	"PutGivesBack": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := rich(sp)
		e.put(d)
		e.model("m")
		e.model("other")
		list := embeddings("m", odd, d)
		list[0].Values = noise(3 << 20)         // far beyond a page of the database
		list[1].Values, list[1].Chunks = nil, 0 // a page without text
		list[2].Info = make([]byte, 100)        // zeros
		e.putVectors(list[2], list[0], list[1]) // in any order
		e.wantEach("m", list...)
		e.wantEach("other")
		list[1].Values, list[1].Chunks, list[1].Version = []byte("now it has text"), 1, "2"
		e.putVectors(list[1])
		e.wantEach("m", list...)
	},
	"ManyPages": func(_ *testing.T, e *env) {
		var docs []*store.Document
		sp := e.space("s")
		for i := range 150 {
			docs = append(docs, doc(sp, fmt.Sprint(i, ".md")))
		}
		e.put(docs...)
		e.model("m")
		e.model("other")
		want := embeddings("m", "1", docs...)
		for i, v := range want { // all lengths, across the sizes of bundles that a store may use
			want[i].Info, want[i].Values = bytes.Repeat(v.Info, 1+i%7), bytes.Repeat(v.Values, i)
		}
		mixed := slices.Concat(want[100:], embeddings("other", "1", docs[40:60]...), want[:30], want[30:100])
		e.putVectors(mixed...)
		e.wantEach("m", want...)
		e.wantEach("other", embeddings("other", "1", docs[40:60]...)...)
		var gone []int64
		var left []store.PageVectors
		for i, d := range docs {
			if i%3 == 0 || 31 <= i && i <= 70 {
				gone = append(gone, d.Row)
			} else {
				left = append(left, want[i])
			}
		}
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, gone) })
		e.wantEach("m", left...)
		e.wantEach("other")
	},
	"SpareVectors": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a, b := doc(sp, "a.md"), doc(sp, "b.md")
		e.put(a, b)
		e.model("m")
		e.model("other")
		e.wantSpare("m")
		list := e.embed("m", "1", a, b)
		others := e.embed("other", "1", b)
		e.wantSpare("m") // those of existing pages are not spare
		now := list[0]
		now.SpareInfo, now.SpareValues = []byte("of a before"), []byte("\x00\x01")
		e.putVectors(now)
		e.wantSpare("m", "of a before\x00\x01")
		e.wantEach("m", list...) // they are not part of the page's
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{b.Row}) })
		gone := func(v store.PageVectors) string { return string(v.Info) + string(v.Values) }
		e.wantSpare("m", gone(list[1]), "of a before\x00\x01")
		e.wantSpare("other", gone(others[0]))
		e.update(func(tx store.Tx) error { return tx.Models().Remove(e.ctx, "other") })
		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, sp.Row) })
		e.wantSpare("m", gone(list[0]), gone(list[1]), "of a before\x00\x01")
		e.view(func(tx store.Tx) error {
			_, err := tx.Vectors().SpareValues(e.ctx, 1<<40)
			e.wantCode(err, kb.NotFound)
			e.wantCode(tx.Vectors().Spare(e.ctx, "other", func(int64, []byte) error { return nil }), kb.NotFound)
			return nil
		})
		e.update(func(tx store.Tx) error { return tx.Vectors().ForgetSpare(e.ctx) })
		e.wantSpare("m")
	},
	"SpareVectorsAreFew": func(_ *testing.T, e *env) {
		d := doc(e.space("s"), "a.md")
		e.put(d)
		e.model("m")
		const part = store.SpareBytes / 8
		for i := range 20 {
			v := embeddings("m", "1", d)[0]
			v.SpareInfo, v.SpareValues = fmt.Append(nil, i), make([]byte, part)
			if i == 19 { // more than there is room for pushes nothing out
				v.SpareValues = make([]byte, store.SpareBytes+1)
			}
			e.putVectors(v)
		}
		var infos []string
		e.view(func(tx store.Tx) error {
			return tx.Vectors().Spare(e.ctx, "m", func(_ int64, info []byte) error { infos = append(infos, string(info)); return nil })
		})
		e.same(infos, []string{"18", "17", "16", "15", "14", "13", "12", "11"})
	},
	"LongPages": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d := rich(sp)
		e.put(d)
		e.model("m")
		e.model("other")
		list := e.embed("m", "1", d)
		list[1].Chunks, list[2].Chunks, list[2].Version = 9, 8, "stale"
		e.putVectors(list...)
		other := embeddings("other", "1", d)[:1]
		other[0].Chunks = 8
		e.putVectors(other...)
		e.view(func(tx store.Tx) error {
			for n, want := range map[int][]int64{8: {list[1].Page, list[2].Page}, 9: {list[1].Page}, 10: nil} {
				got, err := tx.Vectors().Long(e.ctx, "m", n)
				e.check(err)
				e.same(got, want)
			}
			_, err := tx.Vectors().Long(e.ctx, "unknown", 1)
			e.wantCode(err, kb.NotFound)
			return nil
		})
	},
	"UnknownModelOrPage": func(_ *testing.T, e *env) {
		d := doc(e.space("s"), "a.md")
		e.put(d)
		e.model("m")
		page := d.Pages[0].Page.Row
		e.view(func(tx store.Tx) error {
			v := tx.Vectors()
			never := func(store.PageVectors) error { return errors.New("called") }
			_, err := v.Get(e.ctx, "m", page)
			e.wantCode(err, kb.NotFound)
			_, err = v.Get(e.ctx, "none", page)
			e.wantCode(err, kb.NotFound)
			_, err = v.Stale(e.ctx, "none", "1", nil)
			e.wantCode(err, kb.NotFound)
			_, _, err = v.Counts(e.ctx, "none", "1", nil)
			e.wantCode(err, kb.NotFound)
			e.wantCode(v.Each(e.ctx, "none", never), kb.NotFound)
			_, _, err = v.Changed(e.ctx, "none", 0, func(store.Bundle) error { return errors.New("called") })
			e.wantCode(err, kb.NotFound)
			_, err = v.Bundles(e.ctx, "none")
			e.wantCode(err, kb.NotFound)
			return nil
		})
		e.updateFails(kb.NotFound, func(tx store.Tx) error { return tx.Vectors().Drop(e.ctx, "none") })
		e.updateFails(kb.NotFound, func(tx store.Tx) error {
			return tx.Vectors().Put(e.ctx, append(embeddings("m", "1", d), embeddings("M", "1", d)...))
		})
		e.updateFails(kb.Invalid, func(tx store.Tx) error {
			return tx.Vectors().Put(e.ctx, append(embeddings("m", "1", d), store.PageVectors{Page: page, Model: "m", Values: []byte("v")}))
		})
		e.wantEach("m") // nothing of the failed calls
	},
	"ErrorsOfTheCallerComeBack": func(_ *testing.T, e *env) {
		d := rich(e.space("s"))
		e.put(d)
		e.model("m")
		e.embed("m", "1", d)
		calls := 0
		fails := func(store.PageVectors) error { calls++; return errUndo }
		e.view(func(tx store.Tx) error {
			if err := tx.Vectors().Each(e.ctx, "m", fails); !errors.Is(err, errUndo) {
				e.Errorf("Each: %v", err)
			}
			if _, _, err := tx.Vectors().Changed(e.ctx, "m", 0, func(store.Bundle) error { return fails(store.PageVectors{}) }); !errors.Is(err, errUndo) {
				e.Errorf("Changed: %v", err)
			}
			return nil
		})
		e.same(calls, 2)
	},
	"StaleUntilEmbedded": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a, b := doc(sp, "a.md"), rich(sp)
		e.model("m")
		e.model("other")
		e.wantStale("m", "1", nil)
		e.wantCounts("m", "1", 0, 0)
		e.put(a, b)
		e.wantStale("m", "1", rowsIn(a, b))
		e.wantCounts("m", "1", 0, 4)
		e.embed("m", "1", b)
		e.wantStale("m", "1", rowsIn(a))
		e.wantCounts("m", "1", 3, 1)
		e.embed("m", "1", a)
		e.wantStale("m", "1", nil)
		e.wantCounts("m", "1", 4, 0)
		for _, other := range [][2]string{{"m", "2"}, {"m", ""}, {"other", "1"}} {
			e.wantStale(other[0], other[1], rowsIn(a, b))
			e.wantCounts(other[0], other[1], 0, 4)
		}
		e.update(func(tx store.Tx) error { return tx.Vectors().Drop(e.ctx, "m") })
		e.wantStale("m", "1", rowsIn(a, b))
		e.wantEach("m")
	},
	"StaleSaysWhatChanged": func(_ *testing.T, e *env) {
		sp := e.space("s")
		a, b := doc(sp, "a.md"), doc(sp, "b.md")
		b.Version = 2
		e.model("m")
		e.put(a, b)
		e.view(func(tx store.Tx) error {
			stale, err := tx.Vectors().Stale(e.ctx, "m", "1", nil)
			var got []bool
			for _, p := range stale {
				got = append(got, p.Changed)
			}
			e.same(got, []bool{false, true})
			return err
		})
	},
	"StaleInSpaces": func(_ *testing.T, e *env) {
		s1, s2, s3 := e.space("s1"), e.space("s2"), e.space("s3")
		e.model("m")
		var docs [3][]*store.Document
		for i := range 10 {
			for j, sp := range []kb.Space{s1, s2, s3} {
				d := doc(sp, fmt.Sprint(i, ".md"))
				e.put(d)
				docs[j] = append(docs[j], d)
			}
		}
		e.embed("m", "1", docs[0][:4]...)
		e.wantStale("m", "1", rowsIn(docs[0][4:]...), s1.Row)
		e.wantCounts("m", "1", 4, 6, s1.Row)
		e.wantCounts("m", "1", 4, 16, s1.Row, s3.Row)
		e.wantCounts("m", "1", 0, 0, 999)
		e.wantStale("m", "1", nil, 999)
		want := append(rowsIn(docs[0][4:]...), rowsIn(docs[1]...)...)
		slices.Sort(want)
		e.wantStale("m", "1", want, s1.Row, s2.Row)
	},
	"StaleBytes": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d, still := rich(sp), doc(sp, "still.md")
		d.Size, still.Size = 1200, 70
		e.put(d, still)
		e.model("m")
		e.view(func(tx store.Tx) error {
			stale, err := tx.Vectors().Stale(e.ctx, "m", "1", nil)
			sums := map[int64]int64{}
			for _, p := range stale {
				sums[p.Bytes]++
			}
			// The pages of a document share its bytes.
			e.same(sums, map[int64]int64{1200 / int64(len(d.Pages)): int64(len(d.Pages)), 70: 1})
			return err
		})
	},
	"EditMoveAndDelete": func(_ *testing.T, e *env) {
		sp, other := e.space("s"), e.space("other")
		d, still := rich(sp), doc(sp, "still.md")
		e.put(d, still)
		e.model("m")
		e.model("second")
		stored := e.embed("m", "1", d, still)
		e.embed("second", "1", d, still)

		d.Path, d.Space = "moved/rich.org", other.Row
		e.put(d)
		e.wantStale("m", "1", nil)
		e.wantCounts("m", "1", 3, 0, other.Row)
		e.wantEach("m", stored...)

		old := d.Hash
		d.Hash, d.Version = hashOf([]byte("edited")), 2
		e.put(d)
		e.wantStale("m", "1", rowsIn(d))
		e.wantCounts("m", "1", 1, 3)
		e.wantEach("m", stored...) // they remain, since unchanged chunks are taken from them

		// Made from bytes that are no longer current.
		late := embeddings("m", "1", d)[0]
		late.Hash = hashOf([]byte("in between"))
		e.putVectors(late)
		e.wantStale("m", "1", rowsIn(d))

		d.Hash = old // undone: the earlier vectors are valid again
		e.put(d)
		e.wantStale("m", "1", rowsIn(d)[:1])

		d.Pages = d.Pages[:2] // a page of the document is gone
		e.put(d)
		gone := stored[2].Page
		e.update(func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{still.Row}) })
		for _, model := range []string{"m", "second"} {
			e.view(func(tx store.Tx) error {
				rows, err := e.embedded(tx, model)
				e.same(rows, rowsIn(d))
				_, missing := tx.Vectors().Get(e.ctx, model, gone)
				e.wantCode(missing, kb.NotFound)
				return err
			})
		}
		// Embedded while it was being deleted: left out.
		e.update(func(tx store.Tx) error { return tx.Vectors().Put(e.ctx, stored) })
		e.view(func(tx store.Tx) error {
			rows, err := e.embedded(tx, "m")
			e.same(rows, rowsIn(d))
			return err
		})

		e.update(func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, other.Row) })
		e.wantEach("m")
		e.wantEach("second")
		e.wantCounts("m", "1", 0, 0)
	},
	"StaleUnderAnotherTitleOrFormat": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d, still := rich(sp), doc(sp, "still.md")
		e.put(d, still)
		e.model("m")
		e.model("second")
		stored := e.embed("m", "1", d, still)
		e.embed("second", "1", d, still)

		// The title can change with the file's name, the bytes being the same.
		title := d.Pages[1].Page.Title
		d.Pages[1].Page.Title = "Volcano eruptions"
		e.put(d)
		want := rowsIn(d)[1:2]
		e.wantStale("m", "1", want)
		e.wantCounts("m", "1", 3, 1)
		e.wantStale("second", "1", want)
		stored[1].Hash = kb.Hash{}
		e.wantEach("m", stored...) // they remain, since unchanged chunks are taken from them
		// The text from which they were made is no longer recorded, so the change cannot be
		// undone for them.
		d.Pages[1].Page.Title = title
		e.put(d)
		e.wantStale("m", "1", want)

		e.embed("m", "1", d)
		e.wantStale("m", "1", nil)
		// If the title is a heading, the file's name is embedded as well.
		d.Path = "other/" + d.Path[strings.LastIndexByte(d.Path, '/')+1:]
		e.put(d)
		e.wantStale("m", "1", nil)
		d.Path = "other/name.md"
		e.put(d)
		e.wantStale("m", "1", rowsIn(d))

		e.embed("m", "1", d)
		d.Path, d.Format = "dir/name.md", "other"
		e.put(d)
		e.wantStale("m", "1", rowsIn(d))
		e.wantCounts("m", "1", 1, 3)
	},
	"SwitchAndGoBack": func(_ *testing.T, e *env) {
		d := rich(e.space("s"))
		e.put(d)
		e.model("a")
		e.model("b")
		first := e.embed("a", "1", d)
		e.activate("a")
		second := e.embed("b", "1", d)
		e.activate("b")
		e.wantEach("b", second...)
		e.activate("a")
		e.wantEach("a", first...)
		e.wantEach("b", second...)
		e.update(func(tx store.Tx) error { return tx.Vectors().Drop(e.ctx, "b") })
		e.wantEach("a", first...)
		e.wantCounts("a", "1", 3, 0)
	},
	"UndoneChangesLeaveNothing": func(_ *testing.T, e *env) {
		sp := e.space("s")
		d, later := rich(sp), doc(sp, "later.md")
		e.put(d, later)
		e.model("m")
		stored := e.embed("m", "1", d)
		for name, change := range map[string]func(tx store.Tx) error{
			"Put":          func(tx store.Tx) error { return tx.Vectors().Put(e.ctx, embeddings("m", "2", d, later)) },
			"Drop":         func(tx store.Tx) error { return tx.Vectors().Drop(e.ctx, "m") },
			"Remove":       func(tx store.Tx) error { return tx.Documents().Remove(e.ctx, []int64{d.Row}) },
			"Model":        func(tx store.Tx) error { return tx.Models().Remove(e.ctx, "m") },
			"RemoveSpaces": func(tx store.Tx) error { return tx.Spaces().Remove(e.ctx, sp.Row) },
		} {
			if err := e.m.Update(e.ctx, func(tx store.Tx) error {
				e.check(change(tx))
				return errUndo
			}); !errors.Is(err, errUndo) {
				e.Errorf("%s: %v", name, err)
			}
			e.wantEach("m", stored...)
			e.wantCounts("m", "1", 3, 1)
		}
	},
	"FollowChanges": followChanges,
}
