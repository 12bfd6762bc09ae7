package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// The generated memory of people and what they do, which real vaults lack: pages of
// all types, each with a timeline, relations with intervals, and some that contradict
// each other.
const (
	entriesPerPage = 10
	memoryPolicy   = "id = \"0b7a3f64-27a5-4d27-9a5a-2d1f6f3f1a10\"\nname = \"memory\"\npreset = \"memory\"\n[predicates]\nsingle = [\"works_at\"]\n[lifecycle]\nbehind_days = 30\n"
)

// kindsOfPages are types with their directories, and of 20 pages how many.
var kindsOfPages = []struct {
	typ, dir string
	share    int
}{
	{"person", "people", 8}, {"company", "companies", 2}, {"source", "meetings", 3}, {"commitment", "commitments", 2},
	{"action_item", "actions", 2}, {"decision", "decisions", 1}, {"deal", "deals", 1}, {"concept", "concepts", 1},
}

// generateMemory writes n pages. The same n and day give the same bytes. Of all but
// each hundredth commitment and action what is due lies behind and is done.
func generateMemory(ctx context.Context, dir string, n int, today time.Time) error {
	r := rand.New(rand.NewSource(seed))
	l := newLexicon(r)
	if err := os.MkdirAll(filepath.Join(dir, ".cairn"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, ".cairn", "space.toml"), []byte(memoryPolicy), 0o644); err != nil {
		return err
	}
	var kinds []int
	for k, kind := range kindsOfPages {
		if err := os.MkdirAll(filepath.Join(dir, kind.dir), 0o755); err != nil {
			return err
		}
		for range kind.share {
			kinds = append(kinds, k)
		}
	}
	var b bytes.Buffer
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		kind := kindsOfPages[kinds[i%len(kinds)]]
		b.Reset()
		memoryPage(&b, r, l, kind.typ, i, n, today)
		path := filepath.Join(dir, kind.dir, nameOf(i)+".md")
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			return err
		}
		written := today.AddDate(-1, 0, 0)
		if err := os.Chtimes(path, written, written); err != nil {
			return err
		}
	}
	return nil
}

func memoryPage(b *bytes.Buffer, r *rand.Rand, l *lexicon, typ string, i, n int, today time.Time) {
	day := func(ahead int) string { return today.AddDate(0, 0, ahead).Format(time.DateOnly) }
	fmt.Fprintf(b, "---\ntitle: %s %d\ntype: %s\n", l.word(), i, typ)
	live := i/len(kindsOfPages)%100 == 0
	status, due := "done", day(-100-r.Intn(1000))
	if live {
		status, due = "open", day(r.Intn(10)-3)
	}
	switch typ {
	case "person":
		fmt.Fprintf(b, "score: %d\n", r.Intn(6))
	case "source":
		fmt.Fprintf(b, "tags: [meeting]\ndate: %s\nattendees: [\"[[%s]]\", \"[[%s]]\"]\n", day(-r.Intn(700)), nameOf(r.Intn(n)), nameOf(r.Intn(n)))
	case "commitment", "action_item":
		fmt.Fprintf(b, "status: %s\ndue: %s\nowner: %s\npriority: normal\n", status, due, l.word())
	case "deal", "decision":
		fmt.Fprintf(b, "status: %s\n", status)
	}
	fmt.Fprintf(b, "---\n# %s %d\n\n> %s %s %s %s.\n\n## State\n\n", l.word(), i, l.word(), l.word(), l.word(), l.word())
	for w := range 80 {
		b.WriteString(l.word())
		b.WriteByte(" \n"[boolInt(w%12 == 11)])
	}
	b.WriteString("\n\n")
	if typ == "person" {
		fmt.Fprintf(b, "- works_at [[%s]] @2015..2020\n- works_at [[%s]] @2020..\n- knows [[%s]]\n", nameOf(r.Intn(n)), nameOf(r.Intn(n)), nameOf(r.Intn(n)))
		if live {
			fmt.Fprintf(b, "- works_at [[%s]] @2021..\n", nameOf(r.Intn(n)))
		}
	} else {
		fmt.Fprintf(b, "- part_of [[%s]]\n- [%s] %s 📅 %s\n", nameOf(r.Intn(n)), []string{"x", " "}[boolInt(live)], l.word(), due)
	}
	b.WriteString("\n---\n\n")
	for e := range entriesPerPage {
		fmt.Fprintf(b, "- **%s** | %s/%d — %s %s [[%s]] %s\n", day(-200*e-r.Intn(200)), []string{"meeting", "email", "call"}[r.Intn(3)], r.Intn(1000), l.word(), l.word(), nameOf(r.Intn(n)), l.word())
	}
}

// measureMemory measures what asks for all of a memory at once.
func measureMemory(ctx context.Context, c *setup, r *report) (err error) {
	dir, db, today := filepath.Join(c.temp, "of-people"), filepath.Join(c.temp, "of-people.db"), time.Now()
	n := max(c.notes/10, 200)
	if err := generateMemory(ctx, dir, n, today); err != nil {
		return err
	}
	// Synced a year ago, so that not all of it is new today.
	if err := syncedAt(ctx, c, db, dir, today.AddDate(-1, 0, 1)); err != nil {
		return err
	}
	a, err := open(ctx, c, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	a = a.In("memory")
	people, err := retrieve.Pages(ctx, a, retrieve.ListRequest{Within: retrieve.Within{Types: []string{"person"}}, Limit: 1000})
	if err != nil {
		return err
	}
	for i := range min(50, len(people.Items)) {
		if _, err := change.Tag(ctx, a, change.TagRequest{Ref: people.Items[i].Ref, Add: []string{"met"}}); err != nil {
			return err
		}
	}
	rows := []latency{
		{name: "briefing", aim: "50 ms"}, {name: "check", aim: ""},
		{name: fmt.Sprintf("timeline, the newest 50 of %d entries", n*entriesPerPage), aim: "20 ms"},
		{name: "timeline, of people, by meeting, since a year", aim: "20 ms"},
		{name: "timeline, below people/", aim: "20 ms"},
		{name: "graph, depth 2, 50 pages", aim: "p95 10 ms"},
	}
	year := today.AddDate(-1, 0, 0).Format(time.DateOnly)
	random := rand.New(rand.NewSource(seed))
	for range c.quick {
		ref := people.Items[random.Intn(len(people.Items))].Ref
		for i, do := range []func() error{
			func() error { _, err := brief.CompileBriefing(ctx, a, brief.Request{}); return err },
			func() error { _, err := contradiction.List(ctx, a, contradiction.Request{Limit: 50}); return err },
			func() error { _, err := read.Timeline(ctx, a, retrieve.TimelineRequest{Limit: 50}, ""); return err },
			func() error {
				_, err := read.Timeline(ctx, a, retrieve.TimelineRequest{Within: retrieve.Within{Types: []string{"person"}, After: year}, Source: "meeting", Limit: 50}, "")
				return err
			},
			func() error {
				_, err := read.Timeline(ctx, a, retrieve.TimelineRequest{Within: retrieve.Within{Paths: []string{"people"}}, Limit: 50}, "")
				return err
			},
			func() error { _, err := links.AroundRef(ctx, a, api.GraphRequest{Ref: ref}); return err },
		} {
			took, err := timed(do)
			if err != nil {
				return fmt.Errorf("%s: %w", rows[i].name, err)
			}
			rows[i].took = append(rows[i].took, took)
		}
	}
	ingests, err := measureIngest(ctx, c, a)
	if err != nil {
		return err
	}
	r.section(fmt.Sprintf("A memory of %d pages with %d entries, one process", n, n*entriesPerPage))
	r.latencies(append(rows, ingests))
	return nil
}

// pagesOfPlan is how many pages are made of a source.
const pagesOfPlan = 20

// measureIngest keeps sources with what was planned of them, each a write of a
// page for the source and others that are new, with an entry and a link each, into
// a database space.
func measureIngest(ctx context.Context, c *setup, a *memory.Session) (latency, error) {
	row := latency{name: fmt.Sprintf("ingest of a source with %d pages", pagesOfPlan), aim: "20 ms"}
	if _, err := gitsync.AddSpace(ctx, a, space.AddRequest{Name: databaseSpace, Preset: "memory", Database: true}); err != nil {
		return row, err
	}
	a = a.In(databaseSpace)
	for round := range c.quick {
		plan, err := planOf(round)
		if err != nil {
			return row, err
		}
		source := &ingest.Source{Text: fmt.Appendf(nil, "Minutes %d\n\n%s", round, noteText), Type: "meeting", Date: "2026-03-01"}
		req := ingest.Request{Source: source, Pages: plan}
		took, err := timed(func() error { _, err := ingest.Ingest(ctx, a, req); return err })
		if err != nil {
			return row, err
		}
		row.took = append(row.took, took)
	}
	return row, nil
}

// syncedAt syncs a directory into a new memory at a time.
func syncedAt(ctx context.Context, c *setup, db, dir string, now time.Time) (err error) {
	a, err := memory.Open(ctx, memory.Options{
		Hooks: upkeep.Hooks(),
		Place: space.Place{Env: func(string) string { return "" }, Dir: c.temp, Home: c.temp, DB: db},
		Actor: kb.Actor{Kind: kb.Human, Name: "bench"}, Now: func() time.Time { return now },
	}, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	if _, err := gitsync.AddSpace(ctx, a, space.AddRequest{Root: dir, Accept: true}); err != nil {
		return err
	}
	_, err = gitsync.Sync(ctx, a, gitsync.SyncRequest{})
	return err
}

func planOf(round int) ([]api.PlannedPage, error) {
	type object = map[string]any
	var pages []object
	for i := range pagesOfPlan {
		pages = append(pages, object{
			"slug":             fmt.Sprintf("people/of-%d-%d", round, i),
			"compiled_truth":   fmt.Sprintf("> Person %d of meeting %d.\n\n%s", i, round, noteText),
			"links":            []object{{"to": fmt.Sprintf("people/of-%d-0", round), "relationship": "knows"}},
			"timeline_entries": []object{{"date": "2026-03-01", "summary": "Met", "source": "meeting"}},
		})
	}
	text, err := json.Marshal(pages)
	if err != nil {
		return nil, err
	}
	return ingest.ReadPlan(text)
}
