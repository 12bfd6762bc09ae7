package scenarios_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// chronicle is a memory with a clock, whose answers are written down as time
// goes by.
type chronicle struct {
	t     *testing.T
	ctx   context.Context
	a     *memory.Session
	root  string
	clock *apptest.Clock
	seen  []moment
}

type moment struct {
	at      time.Time
	answers map[string]string
}

func newChronicle(t *testing.T, files map[string]string) *chronicle {
	t.Helper()
	b := apptest.New(t)
	c := &chronicle{t: t, ctx: context.Background(), clock: b.Clock(time.Date(2026, 1, 31, 22, 0, 0, 0, time.UTC), 7*time.Millisecond)}
	b.Opts.Workers = 2
	c.root = b.Dir("garden", files)
	c.touch()
	c.a = b.Open()
	apptest.OK(gitsync.AddSpace(c.ctx, c.a, space.AddRequest{Root: c.root}))(t)
	apptest.OK(gitsync.AddSpace(c.ctx, c.a, space.AddRequest{Database: true, Name: "own"}))(t)
	return c
}

// touch gives all files a time of their own in the chronicle's past.
func (c *chronicle) touch() {
	c.t.Helper()
	n := 0
	err := filepath.Walk(c.root, func(p string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		n++
		at := c.clock.Last().Add(-time.Duration(n) * time.Hour)
		return os.Chtimes(p, at, at)
	})
	if err != nil {
		c.t.Fatal(err)
	}
}

// file changes a file as an editor does; no text removes it.
func (c *chronicle) file(path, text string) {
	c.t.Helper()
	name := filepath.Join(c.root, filepath.FromSlash(path))
	var err error
	if text == "" {
		err = os.Remove(name)
	} else {
		if err = os.MkdirAll(filepath.Dir(name), 0o755); err == nil {
			if err = os.WriteFile(name, []byte(text), 0o644); err == nil {
				err = os.Chtimes(name, c.clock.Last(), c.clock.Last())
			}
		}
	}
	if err != nil {
		c.t.Fatal(err)
	}
}

func (c *chronicle) sync() {
	c.t.Helper()
	apptest.OK(gitsync.Sync(c.ctx, c.a, gitsync.SyncRequest{Space: "garden"}))(c.t)
}

// later lets time pass; what is searched then is written down first.
func (c *chronicle) later(d time.Duration, ask func() map[string]string) {
	c.t.Helper()
	c.seen = append(c.seen, moment{c.clock.Last(), ask()})
	c.clock.Advance(d)
}

// pastQueries are asked again and again. They cover every filter, exact names,
// looser matches, more hits than are shown, and phrases of dates.
var pastQueries = []retrieve.SearchRequest{
	{Query: "engine"}, {Query: "ada"}, {Query: "met", Limit: 3}, {Query: "met", Limit: 3, Offset: 3}, {Query: "edit"},
	{Query: "日本"}, {Query: "café"}, {Query: "tag:countess"}, {Query: "type:person"}, {Query: "status:contested"},
	{Query: `"first programmer"`}, {Query: "lisp OR windows"}, {Query: "-engine day"}, {Query: "path:journal/ day", Limit: 50},
	{Query: "path:humans/"}, {Query: "difference eng*"}, {Query: "title:front"}, {Query: "nothing like this anywhere engine"},
	{Query: "after:yesterday"}, {Query: "before:2026-02-03 day"}, {Query: "macros", All: true}, {Query: "page", All: true, Explain: true},
	{Query: "space:own body"}, {Query: "star", Mode: api.ModeExact}, {Query: "Front Door", Mode: api.ModeExact}, {Query: "type:project OR tag:fresh", All: true},
}

func (c *chronicle) answers(asOf time.Time) map[string]string {
	c.t.Helper()
	out := map[string]string{}
	for _, q := range pastQueries {
		if !asOf.IsZero() {
			q.AsOf = asOf.Format(time.RFC3339Nano)
		}
		r := apptest.OK(read.Search(c.ctx, c.a, q))(c.t)
		if !asOf.IsZero() && r.AsOf == nil {
			c.t.Error("the answer does not say of when it is")
		}
		r.AsOf, r.SyncedAt, q.AsOf = nil, nil, ""
		out[fmt.Sprintf("%+v", q)] = text(c.t, r)
	}
	return out
}

func text(t *testing.T, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// events is what happens to the garden, step by step.
func (c *chronicle) events() []func() {
	c.t.Helper()
	return []func(){
		func() {}, // an empty memory
		c.sync,
		func() {
			apptest.OK(change.Put(c.ctx, c.a, change.PutRequest{Ref: "own:new/page", Title: "New Page", Tags: []string{"fresh"}, Text: []byte("Body of a page, [[Engine]].\n")}))(c.t)
			apptest.OK(change.Tag(c.ctx, c.a, change.TagRequest{Ref: "Ada Lovelace", Add: []string{"countess"}, Remove: []string{"pioneer"}}))(c.t)
			apptest.OK(ageing.ChangeStatus(c.ctx, c.a, ageing.StatusRequest{Ref: "roam/lisp", Status: "contested"}))(c.t)
		},
		func() {
			apptest.OK(change.Move(c.ctx, c.a, change.MoveRequest{Ref: "people/ada", To: "humans/lovelace"}))(c.t)
			apptest.OK(change.Delete(c.ctx, c.a, change.DeleteRequest{Ref: "projects/engine"}))(c.t)
			apptest.OK(change.EditPage(c.ctx, c.a, change.EditRequest{Ref: "index", Edits: []doc.Edit{doc.SetTitle{Title: "Front Door"}}}))(c.t)
		},
		func() { // a copy with the id of the note it was made of, which then goes
			text := "---\ntitle: Twin\nid: 7d1b6dd4-6a3a-4cbb-9d4e-1f5b0e1a2b3c\n---\nmet an engine\n"
			c.file("twin.md", text)
			c.file("copies/of/twin.md", text)
			c.sync()
		},
		func() {
			c.file("twin.md", "")
			c.file("copies/of/twin.md", "---\ntitle: Twin\nid: 7d1b6dd4-6a3a-4cbb-9d4e-1f5b0e1a2b3c\n---\nalone\n")
			c.sync()
		},
		func() {
			apptest.OK(change.Undo(c.ctx, c.a, history.UndoRequest{All: true}))(c.t)
			apptest.OK(change.Restore(c.ctx, c.a, change.RestoreRequest{Ref: "projects/engine"}))(c.t)
			apptest.OK(change.Put(c.ctx, c.a, change.PutRequest{Ref: "own:other", Text: []byte("Another page about an engine.\n")}))(c.t)
		},
		func() { // an editor's changes, found late: moved, changed, gone, new
			if err := os.Rename(filepath.Join(c.root, "odd"), filepath.Join(c.root, "even")); err != nil {
				c.t.Fatal(err)
			}
			c.file("journal/2026-01-07.md", "- met nobody, edit\n")
			c.file("journal/2026-01-08.md", "")
			c.file("journal/2026-02-01.md", "- met [[ada]] and a star, edit, day\n")
			c.sync()
		},
		func() {
			for i := range 12 {
				apptest.OK(change.EditPage(c.ctx, c.a, change.EditRequest{Ref: fmt.Sprintf("journal/2026-01-%02d", i+12), Edits: []doc.Edit{doc.Append{Text: fmt.Sprintf("edit %d\n", i)}}}))(c.t)
			}
			apptest.OK(change.Delete(c.ctx, c.a, change.DeleteRequest{Ref: "own:new/page"}))(c.t)
			apptest.OK(change.Put(c.ctx, c.a, change.PutRequest{Ref: "own:new/page", Text: []byte("The page made anew, with a body.\n")}))(c.t)
			apptest.OK(change.EditPage(c.ctx, c.a, change.EditRequest{Ref: "roam/lisp", Edits: []doc.Edit{doc.Append{Text: "\n* Closures\n:PROPERTIES:\n:ID: bbbbbbbb-bbbb-4ccc-8ddd-eeeeeeeeeeee\n:END:\nmet a page\n"}}}))(c.t)
		},
	}
}

// TestSearchAsOf: what a search gives as of a time is what a search at that
// time gave, to the byte, through everything that happened since.
func TestSearchAsOf(t *testing.T) {
	t.Parallel()
	c := newChronicle(t, garden())
	ask := func() map[string]string { return c.answers(time.Time{}) }
	for _, f := range c.events() {
		f()
		c.later(20*time.Hour, ask)
	}
	for i, m := range c.seen {
		for q, got := range c.answers(m.at) {
			if diff := cmp.Diff(strings.Split(m.answers[q], "\n"), strings.Split(got, "\n")); diff != "" {
				t.Fatalf("moment %d, %s:\n%s", i, q, diff)
			}
		}
	}
	if c.seen[1].answers[fmt.Sprintf("%+v", pastQueries[0])] == c.seen[3].answers[fmt.Sprintf("%+v", pastQueries[0])] {
		t.Error("the moments do not differ: nothing is shown by this test")
	}
}

// Whatever a search as of a time answers can be read as of that time, by the ref
// that it gives and by the id, though since then pages were moved and deleted and
// others took their names.
func TestGetAsOf(t *testing.T) {
	t.Parallel()
	c := newChronicle(t, garden())
	texts := func() map[string]string {
		out := map[string]string{}
		for _, p := range apptest.OK(retrieve.Pages(c.ctx, c.a, retrieve.ListRequest{Within: retrieve.Within{All: true}}))(t).Items {
			out[p.Ref] = apptest.OK(read.Get(c.ctx, c.a, read.GetRequest{Ref: p.Ref}))(t).Text
		}
		return out
	}
	events := append(c.events(), func() { // one takes the name of another
		apptest.OK(change.Move(c.ctx, c.a, change.MoveRequest{Ref: "own:other", To: "own:third"}))(t)
		apptest.OK(change.Move(c.ctx, c.a, change.MoveRequest{Ref: "own:new/page", To: "own:other"}))(t)
		apptest.OK(change.Put(c.ctx, c.a, change.PutRequest{Ref: "garden:humans/lovelace", Overwrite: true, Text: []byte("Nobody.\n")}))(t)
		apptest.OK(change.Put(c.ctx, c.a, change.PutRequest{Ref: "garden:people/ada", Text: []byte("Another Ada.\n")}))(t)
		c.file("journal/2026-01-08.md", "- back, and somebody else\n")
		c.sync()
	}, func() {})
	for _, f := range events {
		f()
		c.later(20*time.Hour, texts)
	}
	foundRead := 0
	for i, m := range c.seen {
		asOf := m.at.Format(time.RFC3339Nano)
		for ref, want := range m.answers {
			got, err := read.Get(c.ctx, c.a, read.GetRequest{Ref: ref, AsOf: asOf})
			if err != nil || got.Text != want {
				t.Errorf("moment %d, %s: %q, %v; want %q", i, ref, got.Text, err, want)
			}
			foundRead++
		}
		if len(m.answers) == 0 {
			continue
		}
		found := apptest.OK(read.Search(c.ctx, c.a, retrieve.SearchRequest{Query: "met", All: true, Limit: 100, AsOf: asOf}))(t)
		for _, h := range found.Items {
			got, err := read.Get(c.ctx, c.a, read.GetRequest{Ref: string(h.ID), AsOf: asOf})
			if kb.CodeOf(err) == kb.Ambiguous {
				continue // two files say this id
			}
			if err != nil || got.Text != m.answers[h.Ref] {
				t.Errorf("moment %d, %s by its id: %q, %v", i, h.Ref, got.Text, err)
			}
		}
	}
	if foundRead == 0 {
		t.Error("nothing was read")
	}
}

// Nothing of a search as of a time stays, and what is asked of another time
// says so.
func TestSearchAsOfRefusals(t *testing.T) {
	t.Parallel()
	c := newChronicle(t, garden())
	c.sync()
	for _, tc := range []struct {
		asOf string
		want kb.Code
	}{{"2020-01-01", kb.NotFound}, {"never", kb.Usage}, {"today", ""}, {"2030-01-01", ""}} {
		r, err := read.Search(c.ctx, c.a, retrieve.SearchRequest{Query: "ada", AsOf: tc.asOf})
		if kb.CodeOf(err) != tc.want {
			t.Errorf("%s: %v", tc.asOf, err)
		}
		if err == nil && r.AsOf.After(c.clock.Last()) {
			t.Errorf("%s: as of %s, which is not yet", tc.asOf, r.AsOf)
		}
	}
}

// Two files that say the same id are two pages, each with its own history.
func TestHistoriesOfCopies(t *testing.T) {
	t.Parallel()
	c := newChronicle(t, map[string]string{"a.md": "a\n"})
	found := [][]string{{"copies/of/twin.md"}, {"copies/twin.md", "twin.md"}} // by one sync and the next
	for _, paths := range found {
		for _, path := range paths {
			c.file(path, "---\nid: 7d1b6dd4-6a3a-4cbb-9d4e-1f5b0e1a2b3c\n---\n"+path+"\n")
		}
		c.sync()
	}
	for _, path := range slices.Concat(found...) {
		h := apptest.OK(history.List(c.ctx, c.a, history.ListRequest{Ref: path}))(t)
		if len(h.Items) != 1 || h.Items[0].Path != path {
			t.Errorf("the history of %s: %+v", path, h.Items)
		}
		if got := apptest.OK(read.Get(c.ctx, c.a, read.GetRequest{Ref: path}))(t); got.Version != 1 {
			t.Errorf("%s is in version %d", path, got.Version)
		}
	}
}

// By meaning, too: passages of then are embedded as they were then.
func TestQueryAsOf(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	c := newChronicle(t, meanings)
	ask := func() map[string]string {
		apptest.OK(embedding.Embed(c.ctx, c.a, embedding.Request{All: true}))(t)
		return c.questions(time.Time{})
	}
	c.sync()
	c.later(time.Hour, ask)
	apptest.OK(change.EditPage(c.ctx, c.a, change.EditRequest{Ref: "dog", Edits: []doc.Edit{doc.SetTruth{Text: "About cats and their sleep.\n"}}}))(t)
	apptest.OK(change.Put(c.ctx, c.a, change.PutRequest{Ref: "own:wolf", Text: []byte("Wolves teach their young to hunt.\n")}))(t)
	c.later(time.Hour, ask)
	apptest.OK(change.Delete(c.ctx, c.a, change.DeleteRequest{Ref: "money"}))(t)
	apptest.OK(change.Move(c.ctx, c.a, change.MoveRequest{Ref: "cooking", To: "kitchen/sauce"}))(t)
	c.later(time.Hour, ask)
	for i, m := range c.seen {
		for q, got := range c.questions(m.at) {
			if diff := cmp.Diff(m.answers[q], got); diff != "" {
				t.Errorf("moment %d, %s: %s", i, q, diff)
			}
		}
	}
}

func (c *chronicle) questions(asOf time.Time) map[string]string {
	c.t.Helper()
	out := map[string]string{}
	for _, q := range []string{"training a pet", "how do riches grow", "cats"} {
		req := retrieve.QueryRequest{SearchRequest: retrieve.SearchRequest{Query: q, All: true, Explain: true}}
		if !asOf.IsZero() {
			req.AsOf = asOf.Format(time.RFC3339Nano)
		}
		r := apptest.OK(read.Query(c.ctx, c.a, req))(c.t)
		r.AsOf, r.SyncedAt = nil, nil
		out[q] = text(c.t, r)
	}
	return out
}

// The first question by meaning of a memory may be about a time, also after a search about
// the same time.
func TestFirstQueryAsOf(t *testing.T) {
	t.Parallel()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	for _, searched := range []bool{false, true} {
		c := newChronicle(t, meanings)
		c.sync()
		at := c.clock.Last()
		c.later(time.Hour, func() map[string]string { return nil })
		apptest.OK(change.EditPage(c.ctx, c.a, change.EditRequest{Ref: "dog", Edits: []doc.Edit{doc.SetTruth{Text: "About cats and their sleep.\n"}}}))(t)
		req := retrieve.SearchRequest{Query: "training a pet", All: true, AsOf: at.Format(time.RFC3339Nano)}
		if searched {
			req.Mode = api.ModeWords
			apptest.OK(retrieve.SearchPast(c.ctx, c.a, req))(t)
		}
		for _, req.Mode = range []api.Mode{api.ModeVector, api.ModeHybrid} {
			out := apptest.OK(retrieve.SearchPast(c.ctx, c.a, req))(t)
			if len(out.Items) == 0 || out.Items[0].Slug != "dog" {
				t.Errorf("after a search %t, %s finds %+v", searched, req.Mode, out.Items)
			}
		}
	}
}
