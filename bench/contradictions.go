package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/contradiction/contradictiontest"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// plantedPages are those among which every contradiction must be found, and no other.
const plantedPages = 10_000

// checkedPages are how many pages the spaces hold that checked writes go to.
const checkedPages = 500

// measureContradictions plants contradictions and decoys, fails where what is found is
// not what was planted, and measures the check of all pages, of one, and writes that say
// what they opened and closed.
func measureContradictions(ctx context.Context, c *setup, r *report) error {
	sizes := []int{min(plantedPages, c.notes)}
	if c.notes > plantedPages {
		sizes = append(sizes, c.notes)
	}
	for _, n := range sizes {
		if err := measureCheck(ctx, c, r, n); err != nil {
			return err
		}
	}
	return measureCheckedWrites(ctx, c, r)
}

func measureCheck(ctx context.Context, c *setup, r *report, pages int) (err error) {
	dir := filepath.Join(c.temp, fmt.Sprintf("planted-%d", pages))
	files, wrong := contradictiontest.Plant(pages, seed)
	if err := writeFiles(dir, files); err != nil {
		return err
	}
	a, err := open(ctx, c, dir+".db")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := gitsync.AddSpace(ctx, a, space.AddRequest{Root: dir, Preset: "memory"}); err != nil {
		return err
	}
	if _, err := gitsync.Sync(ctx, a, gitsync.SyncRequest{}); err != nil {
		return err
	}
	all, err := contradiction.List(ctx, a, contradiction.Request{})
	if err != nil {
		return err
	}
	found := map[string]string{}
	for _, x := range all.Items {
		if x.Certain {
			_, slug, _ := strings.Cut(x.A.Ref, ":")
			found[slug] = x.Type
		}
	}
	if !maps.Equal(found, wrong) || all.Certain != len(wrong) {
		return fmt.Errorf("%d contradictions were found on %d pages, %d were planted", all.Certain, len(found), len(wrong))
	}
	rows := []latency{{name: "all pages, the first 50 shown", aim: "2 s for 100,000"}, {name: "one page"}}
	for range c.quick {
		for i, req := range []contradiction.Request{{Limit: 50}, {Ref: "people/person1"}} {
			took, err := timed(func() error { _, err := contradiction.List(ctx, a, req); return err })
			if err != nil {
				return err
			}
			rows[i].took = append(rows[i].took, took)
		}
	}
	r.section(fmt.Sprintf("Check of %d pages: all %d planted contradictions found, no other", pages, all.Certain))
	r.latencies(rows)
	return nil
}

// measureCheckedWrites compares writes in spaces whose policy has rules for what
// contradicts itself with writes where it has none, in pairs.
func measureCheckedWrites(ctx context.Context, c *setup, r *report) (err error) {
	a, err := open(ctx, c, filepath.Join(c.temp, "checked.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	files, wrong := contradictiontest.Plant(checkedPages, seed)
	maps.DeleteFunc(files, func(path, _ string) bool {
		slug, page := strings.CutSuffix(path, ".md")
		return !page || wrong[slug] != "" // some of them no put may write
	})
	policy, err := os.ReadFile(filepath.Join(c.root, "presets", "memory.toml"))
	if err != nil {
		return err
	}
	before, rest, _ := strings.Cut(string(policy), "[predicates]")
	_, after, ok := strings.Cut(rest, "[retention]")
	if !ok {
		return errors.New("the preset memory has other sections than this removes")
	}
	spaces := []space.AddRequest{
		{Name: "database-bare", Database: true, Preset: "notes"}, {Name: "database", Database: true, Preset: "memory"},
		{Name: "directory-bare", Root: filepath.Join(c.temp, "bare"), Accept: true}, {Name: "directory", Root: filepath.Join(c.temp, "checked"), Preset: "memory"},
	}
	if err := writeFiles(spaces[2].Root, map[string]string{".cairn/space.toml": before + "[retention]" + after}); err != nil {
		return err
	}
	for _, add := range spaces {
		if add.Root != "" {
			if err := writeFiles(add.Root, files); err != nil {
				return err
			}
		}
		if _, err := gitsync.AddSpace(ctx, a, add); err != nil {
			return err
		}
		if add.Root != "" {
			if _, err := gitsync.Sync(ctx, a.In(add.Name), gitsync.SyncRequest{}); err != nil {
				return err
			}
			continue
		}
		for path, text := range files {
			if _, err := change.Put(ctx, a.In(add.Name), change.PutRequest{Ref: strings.TrimSuffix(path, ".md"), Text: []byte(text)}); err != nil {
				return err
			}
		}
	}
	var rows []latency
	for _, what := range []string{"put of a page", "link"} {
		for _, add := range spaces {
			name, aim := what+", "+add.Name, ""
			if !strings.HasSuffix(add.Name, "-bare") {
				aim = "1.2×"
			}
			rows = append(rows, latency{name: name, aim: aim})
		}
	}
	for n := range c.puts {
		for i, add := range spaces {
			ref := fmt.Sprintf("%s:people/new%d", add.Name, n)
			text := fmt.Sprintf("# New%d\n\nNew%d left [[f01]] in 2025.\n\n- works_at [[f01]] @2017..\n- knows [[f02]]\n\n---\n\n- **2024-01-02** | letter — Wrote\n", n, n)
			for j, do := range []func() (api.Written, error){
				func() (api.Written, error) {
					return change.Put(ctx, a, change.PutRequest{Ref: ref, Text: []byte(text)})
				},
				func() (api.Written, error) {
					return links.Add(ctx, a, api.LinkRequest{From: ref, Type: "works_at", To: add.Name + ":companies/f03", Since: "2020"})
				},
			} {
				var w api.Written
				took, err := timed(func() (err error) { w, err = do(); return err })
				if err != nil {
					return err
				}
				if len(w.Opened) != i%2 {
					return fmt.Errorf("a write in %s opened %v", add.Name, w.Opened)
				}
				rows[4*j+i].took = append(rows[4*j+i].took, took)
			}
		}
	}
	r.section(fmt.Sprintf("Writes that say what they opened and closed, beside %d pages; bare is without rules", checkedPages))
	r.pairs(rows)
	return nil
}

// writeFiles writes files below a directory.
func writeFiles(dir string, files map[string]string) error {
	for path, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
