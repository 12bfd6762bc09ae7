package indexfile_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/doc/indexfile"
)

// What files become by their rows is what all pages make, whatever changes.
func TestReviseIsRender(t *testing.T) {
	t.Parallel()
	for _, org := range []bool{true, false} {
		for seed := range uint64(30) {
			r := rand.New(rand.NewPCG(seed, 0))
			o := indexfile.Options{Name: "index", Org: org, MaxTokens: []int{0, 120, 400}[seed%3]}
			all := map[string]indexfile.Entry{}
			for i := range 80 {
				all[fmt.Sprint("id", i)] = drawn(r, fmt.Sprint("id", i))
			}
			files, revised := render(all, o), 0
			for step := range 40 {
				var gone, came []indexfile.Entry
				for range 1 + r.IntN(3) {
					id := fmt.Sprint("id", r.IntN(100))
					if slices.ContainsFunc(came, func(e indexfile.Entry) bool { return e.ID == id }) {
						continue
					}
					if old, ok := all[id]; ok {
						if slices.ContainsFunc(gone, func(e indexfile.Entry) bool { return e.ID == id }) {
							continue
						}
						gone = append(gone, old)
						delete(all, id)
					}
					if r.IntN(4) > 0 {
						came = append(came, drawn(r, id))
					}
				}
				before := all
				find := func(id string) (indexfile.Entry, bool) { e, ok := before[id]; e.Projects = nil; return e, ok }
				got, ok := indexfile.Revise(files, gone, came, o, find)
				for _, e := range came {
					all[e.ID] = e
				}
				files = render(all, o)
				if !ok {
					continue
				}
				revised++
				if !reflect.DeepEqual(files, got) {
					t.Fatalf("org %v, seed %d, step %d: without %v, with %v:\n%s", org, seed, step, gone, came, cmp.Diff(files, got))
				}
			}
			if revised < 20 {
				t.Errorf("org %v, seed %d: only %d of 40 were revised", org, seed, revised)
			}
		}
	}
}

func render(all map[string]indexfile.Entry, o indexfile.Options) []indexfile.File {
	var list []indexfile.Entry
	for _, e := range all {
		list = append(list, e)
	}
	return indexfile.Render(list, o)
}

func drawn(r *rand.Rand, id string) indexfile.Entry {
	words := []string{"Alpha", "beta", "Äpfel", "a | b", "[[x]]", "x\\", "<b>", "x  y", "Node"}
	e := indexfile.Entry{
		ID: id, Title: words[r.IntN(len(words))] + " " + words[r.IntN(len(words))],
		Type:   []string{"procedure", "preference", "bee"}[r.IntN(3)],
		Status: []string{"active", "active", "active", "contested", "superseded"}[r.IntN(5)],
	}
	if r.IntN(2) == 0 {
		e.Summary, e.Updated = strings.Repeat(words[r.IntN(len(words))]+" ", r.IntN(4)), "2026-05-24"
	}
	e.Projects = append(e.Projects, []string{"general", "emacs", "été"}[:1+r.IntN(2)]...)
	return e
}

// Files that lack what Revise needs are left to Render.
func TestReviseRefuses(t *testing.T) {
	t.Parallel()
	o := indexfile.Options{Name: "index", Org: true, MaxTokens: 4000}
	find := func(id string) (indexfile.Entry, bool) {
		i := slices.IndexFunc(pages, func(e indexfile.Entry) bool { return e.ID == id })
		return pages[max(i, 0)], i >= 0
	}
	added := indexfile.Entry{Title: "New", ID: "6666", Type: "preference"}
	if _, ok := indexfile.Revise(indexfile.Render(pages, o), nil, []indexfile.Entry{added}, o, find); !ok {
		t.Error("a page of a known type was refused")
	}
	for name, try := range map[string]struct {
		files      []indexfile.File
		gone, came []indexfile.Entry
	}{
		"a new type":                       {indexfile.Render(pages, o), nil, []indexfile.Entry{{Title: "New", ID: "6666", Type: "wasp"}}},
		"the last page of a type":          {indexfile.Render(pages, o), pages[4:], nil},
		"a type with the heading of other": {indexfile.Render(pages, o), nil, []indexfile.Entry{{Title: "New", ID: "6666", Type: "preferences"}}},
		"an entry with another row":        {indexfile.Render(pages, o), []indexfile.Entry{{Title: "Tabs", ID: "2222", Type: "preference"}}, nil},
		"no file":                          {nil, nil, []indexfile.Entry{added}},
		"a text between":                   {[]indexfile.File{{Path: "index.org", Text: []byte(strings.Replace(string(indexfile.Render(pages, o)[0].Text), "* Bees", "Mine.\n\n* Bees", 1))}}, nil, []indexfile.Entry{added}},
		"without a part":                   {indexfile.Render(pages, indexfile.Options{Name: "index", Org: true, MaxTokens: 60})[:1], nil, []indexfile.Entry{added}},
	} {
		if files, ok := indexfile.Revise(try.files, try.gone, try.came, o, find); ok {
			t.Errorf("%s: %s", name, files[0].Text)
		}
	}
}
