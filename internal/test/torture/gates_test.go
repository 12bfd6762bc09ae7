package torture

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ingest"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/sqlite"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/transfer/exporter"
	"github.com/cairn-kb/cairn/internal/transfer/importer"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// messy is a directory as people leave them: of many formats, encodings and line ends, with
// people who have timelines. Each person has one fact that nobody else has.
func messy(people int) map[string]string {
	files := map[string]string{
		"README.md": "# What this is\n", "index.md": "# Index\n", "schema.md": "types\n", "log.md": "# Log\n\n2026-01-01 began\n",
		"crlf.md": "---\r\ntitle: Windows\r\n---\r\n\r\nLines\r\n", "latin.md": "Stra\xdfe\n", "empty.md": "", "broken.md": "---\ntitle: [\n---\nBody\n",
		"unclosed.md": "---\ntitle: x\n", "tree.org": "#+title: Tree\n* One\n* Two\n", "deep/a/b/c/d/e/f.md": "# Deep\n", "two words.md": "# Two words\n",
		"rule.md": "above\n\n---\n\nno timeline\n", "ü/ñ.md": "# Accents\n", "people/.raw/person-1.json": `{"sources": {"crm": {"id":  1}}}` + "\n", "picture.png": "\x89PNG",
	}
	for i := range people {
		files[fmt.Sprintf("people/person-%d.md", i)] = fmt.Sprintf(`---
title: Person Number%d
type: person
---
# Person Number%d

> Knows about trade number%d.

Works with [[Person Number%d]].

---

- **2026-01-%02d** | meeting — Promised the gazelle%d to the board
- **2025-06-%02d** | call — Asked about the weather
`, i, i, i, (i+1)%people, i%28+1, i, i%28+1)
	}
	return files
}

// tree reads a directory: its files by their paths.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		at, _ := filepath.Rel(root, name)
		out[filepath.ToSlash(at)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// sameTree fails the test where two directories differ, but for files that leave says are
// not in the second.
func sameTree(t *testing.T, a, b string, leave ...string) {
	t.Helper()
	x, y := tree(t, a), tree(t, b)
	for at, text := range x {
		if got, ok := y[at]; !ok && !slices.Contains(leave, at) || ok && got != text {
			t.Errorf("%s differs (there: %v)", at, ok)
		}
	}
	for at := range y {
		if _, ok := x[at]; !ok {
			t.Errorf("%s is new", at)
		}
	}
}

// A corpus as it really is comes in without a loss, its people are found by name and by what
// their timelines say, and it goes out and in again without a difference.
func TestGateCorpus(t *testing.T) {
	// Serial: it measures time.
	const people = 60
	files := messy(people)
	b := apptest.New(t)
	root := b.Dir("corpus", files)
	a := b.Open()
	ctx := t.Context()
	in := apptest.OK(importer.ImportDirectory(ctx, a, importer.ExportRequest{Into: "corpus", Request: importer.Request{File: root}}))(t)
	a = a.In("corpus")
	notPages := []string{"README.md", "index.md", "schema.md", "people/.raw/person-1.json", "picture.png"}
	if got := apptest.OK(state.CountStats(ctx, a, false))(t); got.Documents != len(files)-len(notPages) || got.RawData != 1 {
		t.Errorf("%d documents of %d files, %d data", got.Documents, len(files), got.RawData)
	}
	for _, c := range apptest.OK(doctor.Validate(ctx, a, true))(t) {
		if c.State == "error" {
			t.Errorf("%s: %s %v", c.Name, c.Reason, c.Items)
		}
	}
	var took []time.Duration
	ask := func(question string) []api.Served {
		began := time.Now()
		r := apptest.OK(read.Query(ctx, a, retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: question, Limit: 5}}))(t)
		took = append(took, time.Since(began))
		return r.Items
	}
	for i := range people {
		want := fmt.Sprintf("corpus:people/person-%d", i)
		if got := ask(fmt.Sprintf("Person Number%d", i)); len(got) == 0 || got[0].Ref != want {
			t.Errorf("%s is not the first of those with its name: %+v", want, got)
		}
		got := ask(fmt.Sprintf("who promised gazelle%d", i))
		if !slices.ContainsFunc(got, func(s api.Served) bool {
			return s.Ref == want && strings.Contains(s.Text+s.Snippet, fmt.Sprintf("gazelle%d ", i))
		}) {
			t.Errorf("the entry of %s is not among five", want)
		}
	}
	slices.Sort(took)
	t.Logf("%d questions: p50 %v, p95 %v", len(took), took[len(took)/2], took[len(took)*95/100])

	out := func(space, dir string, normal bool, batch string) string {
		dir = filepath.Join(b.Home, dir)
		apptest.OK(exporter.ExportDirectory(ctx, a, exporter.Request{Dir: dir, Space: space, Normalise: normal, Raw: batch != "", Import: batch}))(t)
		return dir
	}
	raw := out("", "raw", false, in.Batch)
	sameTree(t, root, raw, "picture.png")
	first := out("corpus", "first", true, "")
	apptest.OK(importer.ImportDirectory(ctx, a, importer.ExportRequest{Into: "again", Request: importer.Request{File: first}}))(t)
	sameTree(t, first, out("again", "second", true, ""))
	if d := apptest.OK(exporter.Compare(ctx, a, root, first))(t); len(d.Differences) > 0 || d.Pages == 0 {
		t.Errorf("%+v", d)
	}
}

// Sources that contradict each other are found to; one that comes twice changes nothing.
func TestGateSources(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	ctx := t.Context()
	apptest.OK(gitsync.AddSpace(ctx, asPerson(a), space.AddRequest{Name: "memory", Database: true, Preset: "memory"}))(t)
	plan := func(object string, version int) []api.PlannedPage {
		content := ""
		if version == 0 {
			content = `"content":"# Ada\n\nWorks somewhere.\n",`
		}
		return apptest.OK(ingest.ReadPlan(fmt.Appendf(nil, `[{"slug":"people/ada",%s"expected_version":%d,
"assertions":[{"subject":"people/ada","predicate":"works_at","object":%q}],
"timeline_entries":[{"date":"2026-01-02","summary":"Said to be at %s"}]}]`, content, version, object, object)))(t)
	}
	ingest := func(object string, version int) ingest.Answer {
		return apptest.OK(ingest.Ingest(ctx, a, ingest.Request{
			Source: &ingest.Source{Text: []byte("They say " + object), Name: object + ".txt", Type: "meeting"}, Pages: plan(object, version),
		}))(t)
	}
	ingest("Acme", 0)
	counts := func() [2]int {
		s := apptest.OK(state.CountStats(ctx, a, true))(t)
		return [2]int{s.Entries, s.Assertions}
	}
	before := counts()
	ingest("Acme", 0)
	if now := counts(); now != before || now[1] != 1 {
		t.Errorf("the same source again: %v, then %v entries and assertions", before, now)
	}
	version := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "memory:people/ada"}))(t).Version
	ingest("Brex", version)
	found := apptest.OK(contradiction.List(ctx, a, contradiction.Request{All: true}))(t)
	if found.Certain != 1 {
		t.Error("sources that conflict are no contradiction")
	}
}

// Writers with one version, twins that ingest one source, and compacting beside somebody who
// reads, all at once: one of the writers wins, the source is there once, and nothing is lost.
func TestGateStress(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	a := b.Open()
	ctx := t.Context()
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "page", Text: []byte("# Page\n\nbegins\n")}))(t)
	entries := 0
	for round := range 2 {
		version := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "page"}))(t).Version
		reading := apptest.OK(sqlite.Open(ctx, b.Database(), sqlite.Options{}))(t)
		var (
			all       sync.WaitGroup
			mu        sync.Mutex
			won, lost int
		)
		for i := range 4 {
			all.Go(func() {
				_, err := change.Put(ctx, b.Open(), change.PutRequest{Ref: "page", Text: fmt.Appendf(nil, "# Page\n\nround %d, writer %d\n", round, i), WriteOptions: api.WriteOptions{Expected: &version}})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err == nil:
					won++
				case kb.CodeOf(err) == kb.Conflict:
					lost++
				default:
					t.Errorf("writer %d: %v", i, err)
				}
			})
		}
		plan := apptest.OK(ingest.ReadPlan(fmt.Appendf(nil, `[{"slug":"log","timeline_entries":[{"date":"2026-01-02","summary":"Round %d"}]%s}]`,
			round, map[bool]string{true: `,"content":"# Log\n"`, false: ""}[round == 0])))(t)
		for range 2 {
			all.Go(func() {
				_, err := ingest.Ingest(ctx, b.Open(), ingest.Request{
					Source: &ingest.Source{Text: fmt.Appendf(nil, "Source %d", round), Name: "s.txt", Type: "doc"}, Pages: plan,
				})
				if err != nil && kb.CodeOf(err) != kb.Conflict {
					t.Errorf("a twin: %v", err)
				}
			})
		}
		err := reading.View(ctx, func(tx store.Tx) error {
			seen := func() (text []byte, err error) {
				spaces, err := tx.Spaces().All(ctx)
				if err != nil {
					return nil, err
				}
				pages, err := tx.Pages().ByPath(ctx, spaces[0].Row, "page.md")
				if err != nil || len(pages) == 0 {
					return nil, errors.Join(err, errors.New("the page is not there"))
				}
				return tx.History().Bytes(ctx, pages[0].Hash)
			}
			before, err := seen()
			if err != nil {
				return err
			}
			apptest.OK(backup.Compact(ctx, b.Open()))(t)
			all.Wait()
			after, err := seen()
			if !bytes.Equal(before, after) {
				t.Error("who reads sees something else than before")
			}
			return err
		})
		if err := errors.Join(err, reading.Close()); err != nil {
			t.Fatal(err)
		}
		if won != 1 || lost != 3 {
			t.Errorf("%d of four writers won, and %d were told of it", won, lost)
		}
		page := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "page"}))(t)
		if page.Version != version+1 {
			t.Errorf("version %d follows %d", page.Version, version)
		}
		entries++
		if s := apptest.OK(state.CountStats(ctx, a, true))(t); s.Entries != entries {
			t.Errorf("%d entries after %d sources", s.Entries, entries)
		}
	}
	if r := apptest.OK(backup.Compact(ctx, a))(t); r.Left != 0 {
		t.Errorf("%d bytes are in the log, and nobody reads", r.Left)
	}
	for _, c := range apptest.OK(doctor.Validate(ctx, a, true))(t) {
		if c.State != "ok" {
			t.Errorf("%s: %s %v", c.Name, c.Reason, c.Items)
		}
	}
}

// With another model twenty questions are answered as by a memory that knows no other, and
// back with the first one exactly as before.
func TestGateModels(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	subjects := []string{"ferry", "bakery", "lighthouse", "orchard", "violin", "glacier", "pottery", "beehive", "railway", "tunnel",
		"harvest", "mosaic", "compass", "cathedral", "quarry", "telescope", "vineyard", "windmill", "archive", "canal"}
	files := map[string]string{}
	for i, s := range subjects {
		other := subjects[(i*7+3)%len(subjects)]
		files[fmt.Sprintf("%s.md", s)] = fmt.Sprintf("# %s\n\nThe %s stands near the %s, and people visit it in spring.\n", s, s, other)
		files[fmt.Sprintf("%s-2.md", s)] = fmt.Sprintf("# Visit %d\n\nSomebody wrote of the %s.\n", i, other)
	}
	ctx := t.Context()
	open := func() *memory.Session {
		b := apptest.New(t)
		root := b.Dir("notes", files)
		a := b.Open()
		apptest.OK(gitsync.AddSpace(ctx, asPerson(a), space.AddRequest{Root: root}))(t)
		apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
		return a
	}
	answers := func(a *memory.Session) (out []string) {
		for _, s := range subjects {
			r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "where is the " + s, Mode: api.ModeVector, Limit: 5}))(t)
			if r.Mode != api.ModeVector || r.Left > 0 || len(r.Items) != 5 {
				t.Fatalf("%s: by %s, %d left, %d hits", s, r.Mode, r.Left, len(r.Items))
			}
			line := s
			for _, h := range r.Items {
				line += fmt.Sprintf(" %s:%.6f", h.Path, h.Score)
			}
			out = append(out, line)
		}
		return out
	}
	server := embedtest.Ollama(t, 384, "")
	const name = "ollama/some-model"
	other := func(a *memory.Session) {
		apptest.OK(embedding.AddModel(ctx, asPerson(a), embedding.ModelAdd{Name: name, URL: server.URL}))(t)
		apptest.OK(embedding.UseModel(ctx, asPerson(a), name))(t)
		if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Model != name || r.Left != 0 {
			t.Fatalf("embedded %+v", r)
		}
	}
	a := open()
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	first := answers(a)
	other(a)
	alone := open()
	other(alone)
	if got, want := answers(a), answers(alone); !slices.Equal(got, want) {
		t.Errorf("with the other model:\n%s\na memory that knows no other:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	} else if slices.Equal(got, first) {
		t.Error("the other model answers as the first: nothing was compared")
	}
	apptest.OK(embedding.UseModel(ctx, asPerson(a), bge.Name))(t)
	if got := answers(a); !slices.Equal(got, first) {
		t.Errorf("back:\n%s\nbefore:\n%s", strings.Join(got, "\n"), strings.Join(first, "\n"))
	}
	for _, c := range apptest.OK(doctor.ValidatePart(ctx, a, doctor.Embeddings, ""))(t) {
		if c.State != "ok" {
			t.Errorf("%s: %s %v", c.Name, c.Reason, c.Items)
		}
	}
}
