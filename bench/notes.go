package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/conformity"
	notebook "github.com/cairn-kb/cairn/internal/knowledge/note"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// measureNotes measures what the tools over notes need in one process: filters by
// property beside the plain search, lines as hits, what is around a note, a schema.
func measureNotes(ctx context.Context, c *setup, r *report) error {
	for i, dir := range c.vaults {
		if err := measureNotesOf(ctx, c, r, dir, filepath.Join(c.temp, fmt.Sprintf("notes-%d.db", i))); err != nil {
			return err
		}
	}
	return nil
}

// noted is a case, done with a question and a page that are drawn by chance.
type noted struct {
	latency
	do func(question, page string) error
}

func measureNotesOf(ctx context.Context, c *setup, r *report, dir, db string) (err error) {
	a, err := open(ctx, c, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := a.Spaces.Attach(ctx, dir); err != nil {
		return err
	}
	if _, err := gitsync.Sync(ctx, a, gitsync.SyncRequest{}); err != nil {
		return err
	}
	pages, err := retrieve.Pages(ctx, a, retrieve.ListRequest{})
	if err != nil {
		return err
	}
	words, err := someWords(dir)
	if err != nil {
		return err
	}
	if len(pages.Items) == 0 || len(words) == 0 {
		return fmt.Errorf("%s has no notes", dir)
	}
	search := func(n retrieve.Narrow) func(string, string) error {
		return func(question, _ string) error {
			_, err := read.Search(ctx, a, retrieve.SearchRequest{Query: question, Narrow: n})
			return err
		}
	}
	where := func(conditions ...string) func(string, string) error {
		return search(retrieve.Narrow{Where: conditions})
	}
	asked := 0
	rows := []noted{
		{latency{name: "search"}, search(retrieve.Narrow{})},
		{latency{name: "with a property that is there", aim: "1.5×"}, where("title")},
		{latency{name: "the same, never asked before", aim: "1.5×"}, func(question, _ string) error {
			asked++
			_, err := read.Search(ctx, a, retrieve.SearchRequest{Query: question, Narrow: retrieve.Narrow{Where: []string{fmt.Sprintf("title!=%d", asked)}}})
			return err
		}},
		{latency{name: "in a range, never asked before", aim: "1.5×"}, func(question, _ string) error {
			asked++
			_, err := read.Search(ctx, a, retrieve.SearchRequest{Query: question, Narrow: retrieve.Narrow{Where: []string{fmt.Sprintf("title>.%d", asked)}}})
			return err
		}},
		{latency{name: "of a value in a range", aim: "1.5×"}, where("title>a", "title<z")},
		{latency{name: "of a value of which most have another", aim: "1.5×"}, where("title!=nothing")},
		{latency{name: "of a permalink with a pattern", aim: "1.5×"}, search(retrieve.Narrow{Permalinks: []string{"*e*"}})},
		{latency{name: "for observations and relations"}, search(retrieve.Narrow{Items: []string{"observation", "relation"}})},
		{latency{name: "build_context, depth 2", aim: "p95 10 ms"}, func(_, page string) error {
			_, err := notebook.BuildContext(ctx, a, api.ContextRequest{URI: page, Depth: 2})
			return err
		}},
	}
	if name := mostType(pages.Items); name != "" {
		rows = append(rows, noted{latency{name: "schema infer of " + name, aim: "200 ms"}, func(string, string) error {
			_, err := conformity.Infer(ctx, a, conformity.InferRequest{Type: name, Above: conformity.DefaultShare})
			return err
		}})
	}
	random := rand.New(rand.NewPCG(18, 1))
	for range 3 * c.quick {
		question, page := words[random.IntN(len(words))]+" "+words[random.IntN(len(words))], pages.Items[random.IntN(len(pages.Items))].Ref
		for i := range rows {
			before := cpuTime()
			if err := rows[i].do(question, page); err != nil {
				return fmt.Errorf("%s: %w", rows[i].name, err)
			}
			rows[i].took = append(rows[i].took, cpuTime()-before)
		}
	}
	out := make([]latency, len(rows))
	for i, x := range rows {
		out[i] = x.latency
	}
	r.section("Notes, CPU of " + filepath.Base(dir))
	r.latencies(out)
	return nil
}

// mostType is the type that most pages have, "" for none.
func mostType(pages []api.Page) (name string) {
	counts := map[string]int{}
	for _, p := range pages {
		if counts[p.Type]++; p.Type != "" && (name == "" || counts[p.Type] > counts[name]) {
			name = p.Type
		}
	}
	return name
}

// someWords returns a word of each of up to 60 notes.
func someWords(dir string) (words []string, err error) {
	n := 0
	err = eachNote(dir, func(path string, _ fs.DirEntry) error {
		if n++; n%100 != 1 {
			return nil
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if found := longWord.FindAllString(string(b), -1); len(found) > 0 {
			words = append(words, found[len(found)/2])
		}
		if len(words) == 60 {
			return fs.SkipAll
		}
		return nil
	})
	return words, err
}
