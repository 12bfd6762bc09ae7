package storetest

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// saying adds two facts of each kind to a page, by its name.
func saying(name, kind string) func(*store.PageRecord) {
	return func(r *store.PageRecord) {
		half := 0.5
		r.Page.Type = kind
		r.Observations = []kb.Observation{{Category: "c", Text: name + "1", Tags: []string{"t"}, Context: "x", Line: 3}, {Category: "d", Text: name + "2", Line: 4}}
		r.Properties = []kb.Property{{Key: "n", Text: name + ".5", Number: &half}, {Key: "n", Text: name}, {Key: "o", Text: "other"}}
		r.Links = []kb.Link{
			{Kind: "wikilink", Type: kb.PlainLink, Name: "plain", Key: "plain", Line: 5},
			{Kind: "relation", Type: "knows", Name: name + "x", Key: "x", Context: "y", Line: 6},
		}
	}
}

var factTests = map[string]func(*testing.T, *env){
	"Many pages": func(_ *testing.T, e *env) {
		sp := e.space("s")
		var docs []*store.Document
		for i := range 12 {
			docs = append(docs, doc(sp, fmt.Sprintf("%c.md", 'a'+i), saying(string(rune('a'+i)), "kind "+string(rune('a'+i)))))
		}
		e.put(docs...)
		row := func(i int) int64 { return docs[i].Pages[0].Page.Row }
		e.resolve(docs[2], row(0), row(1))
		half := 0.5
		for _, asked := range [][]int{{}, {3}, {2, 0}, {0, 1, 2, 3, 11}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}} {
			var (
				rows         []int64
				observations []kb.Observation
				properties   []kb.Property
				links, typed []kb.Link
			)
			types, values := map[int64]string{}, map[int64]string{}
			for _, i := range asked {
				rows = append(rows, row(i))
				types[row(i)], values[row(i)] = "kind "+string(rune('a'+i)), string(rune('a'+i))+".5"
			}
			for i := range docs {
				if _, is := types[row(i)]; !is {
					continue
				}
				name := string(rune('a' + i))
				observations = append(observations, kb.Observation{Page: row(i), Category: "c", Text: name + "1", Tags: []string{"t"}, Context: "x", Line: 3},
					kb.Observation{Page: row(i), Category: "d", Text: name + "2", Line: 4})
				properties = append(properties, kb.Property{Page: row(i), Key: "n", Text: name + ".5", Number: &half},
					kb.Property{Page: row(i), Key: "n", Text: name}, kb.Property{Page: row(i), Key: "o", Text: "other"})
				plain, knows := kb.Link{From: row(i), Type: kb.PlainLink, Name: "plain", Line: 5}, kb.Link{From: row(i), Type: "knows", Name: name + "x", Context: "y", Line: 6}
				if i == 2 {
					plain.To, knows.To = row(0), row(1)
				}
				links, typed = append(links, plain, knows), append(typed, knows)
			}
			rows = append(rows, 1<<30) // an unknown row
			e.view(func(tx store.Tx) error {
				f := tx.Facts()
				gotObservations, err := f.Observations(e.ctx, rows)
				e.check(err)
				e.same(gotObservations, observations)
				gotProperties, err := f.Properties(e.ctx, rows)
				e.check(err)
				e.same(gotProperties, properties)
				gotLinks, err := f.Links(e.ctx, rows, false)
				e.check(err)
				e.same(gotLinks, links)
				gotLinks, err = f.Links(e.ctx, rows, true)
				e.check(err)
				e.same(gotLinks, typed)
				gotTypes, err := f.Types(e.ctx, rows)
				e.check(err)
				e.same(gotTypes, types)
				gotValues, err := f.Values(e.ctx, "n", rows)
				e.check(err)
				e.same(gotValues, values)
				gotValues, err = f.Values(e.ctx, "none", rows)
				e.same(gotValues, map[int64]string{})
				return err
			})
		}
	},
}
