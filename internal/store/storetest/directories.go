package storetest

import (
	"fmt"
	"testing"

	"github.com/cairn-kb/cairn/internal/store"
)

var directoryTests = map[string]func(*testing.T, *env){
	"Below": func(_ *testing.T, e *env) {
		s1, s2 := e.space("s1"), e.space("s2")
		composed, decomposed := "Caf\u00e9", "Cafe\u0301"
		tree := doc(s1, "a/tree.org")
		node(tree, "one", "One")
		node(tree, "two", "Two")
		docs := []*store.Document{
			doc(s1, "b.md"), doc(s1, "a.md"), doc(s1, "a-b/x.md"), doc(s1, "a/c.md"), tree, doc(s1, "a/d/e/f.md"), doc(s1, "a0.md"), doc(s1, "A/c.md"),
			doc(s1, composed+"/x.md"), doc(s1, decomposed+"/"+decomposed+"/y.md"), doc(s1, "Cafe/z.md"), doc(s1, "[/x.md"), doc(s1, "[/%/y.md"),
			doc(s2, "a/other.md"), doc(s2, "z.md"),
		}
		e.put(docs...)
		path := map[int64]string{}
		for _, d := range docs {
			path[d.Pages[0].Page.Row] = d.Path
		}
		for dir, want := range map[string]string{
			"":                              "A 1, Cafe 1, " + decomposed + " 1, " + composed + " 1, [ 2, a 5, a-b 1: a.md a0.md b.md",
			"a/":                            "d 1: a/c.md a/tree.org",
			"a/d/":                          "e 1: ",
			"a/d/e/":                        ": a/d/e/f.md",
			"[/":                            "% 1: [/x.md",
			"[/%/":                          ": [/%/y.md",
			composed + "/":                  decomposed + " 1: " + composed + "/x.md",
			decomposed + "/":                decomposed + " 1: " + composed + "/x.md",
			"Cafe/":                         ": Cafe/z.md",
			composed + "/" + composed + "/": ": " + decomposed + "/" + decomposed + "/y.md",
			"none/":                         ": ",
			"a.md/":                         ": ",
			"é/":                            ": ",
		} {
			e.view(func(tx store.Tx) error {
				got, err := tx.Directories().Below(e.ctx, s1.Row, dir)
				said := ""
				for i, d := range got.Directories {
					if i > 0 {
						said += ", "
					}
					said += fmt.Sprint(d.Name, " ", d.Pages)
				}
				said += ":"
				for _, row := range got.Pages {
					said += " " + path[row]
				}
				if len(got.Pages) == 0 {
					said += " "
				}
				if said != want {
					e.Errorf("below %q: %s, want %s", dir, said, want)
				}
				return err
			})
		}
	},
}
