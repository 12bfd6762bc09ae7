package scenarios_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
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
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

func dump(t *testing.T, a *memory.Session) string {
	t.Helper()
	var b bytes.Buffer
	receipt, err := doctor.Dump(context.Background(), a, &b)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprintf("%x", sha256.Sum256(b.Bytes())); got != receipt.SHA256 {
		t.Errorf("the receipt says %s, the dump is %s", receipt.SHA256, got)
	}
	if got := bytes.Count(b.Bytes(), []byte("\n")); got != receipt.Pages {
		t.Errorf("the receipt counts %d pages, the dump has %d", receipt.Pages, got)
	}
	return b.String()
}

// garden is a small vault with every kind of thing in it.
func garden() map[string]string {
	files := map[string]string{
		"index.md":          "---\ntitle: Home\naliases: [Start]\n---\n# Home\n\n> Where everything starts.\n\n[[people/ada]] and [notes](projects/engine.md#plan).\n",
		"people/ada.md":     "---\ntitle: Ada Lovelace\ntype: person\ntags: [math, pioneer]\n---\n# Ada\n\n## Observations\n\n- [fact] First programmer #history (1843)\n\n## Relations\n\n- knows [[Charles Babbage]] @1833.. (London)\n- works_on [[Engine]]\n\n---\n\n## Timeline\n\n- **1843-08-01** | letter — Notes on the engine\n",
		"people/charles.md": "---\ntitle: Charles Babbage\ntype: person\n---\nSee [[Ada Lovelace]].\n",
		"projects/engine.md": "---\ntitle: Engine\ntype: project\nid: 6d1b6dd4-6a3a-4cbb-9d4e-1f5b0e1a2b3c\nstatus: stale\n---\n" +
			"# Engine\n\n## Plan\n\n- [ ] build it\n\n日本語のメモ\n",
		"roam/lisp.org": ":PROPERTIES:\n:ID: 0f1e2d3c-4b5a-4978-8695-a4b3c2d1e0f9\n:SUMMARY: About Lisp.\n:END:\n#+title: Lisp\n#+filetags: :language:reference:\n\nSee [[id:aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee][macros]].\n\n* Macros\n:PROPERTIES:\n:ID: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee\n:END:\nCode that writes code.\n",
		"odd/1*.md":     "a star\n",
		"odd/latin1.md": "caf\xe9 au lait\n",
		"odd/empty.md":  "",
		"odd/broken.md": "---\ntitle: [unclosed\n---\nbody text stays searchable\n",
		"odd/crlf.md":   "---\r\ntitle: Windows\r\n---\r\nline\r\n",
	}
	for i := range 30 {
		files[fmt.Sprintf("journal/2026-01-%02d.md", i+1)] = fmt.Sprintf("- met [[ada]] on day %d\n- [[2026-01-%02d]]\n", i, i)
	}
	return files
}

// TestRebuildRule: delete the database, sync again, and everything derived is
// the same.
func TestRebuildRule(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("garden", garden())
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "garden"}))(t)
	edits(t, a)
	before, hits := dump(t, a), searches(t, a)

	b.Opts.DB = filepath.Join(b.Home, "second.db")
	c := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, c, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, c, gitsync.SyncRequest{Space: "garden"}))(t)
	if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(dump(t, c), "\n")); diff != "" {
		t.Errorf("the rebuilt memory differs:\n%s", diff)
	}
	if diff := cmp.Diff(hits, searches(t, c)); diff != "" {
		t.Errorf("the rebuilt memory finds other things:\n%s", diff)
	}
}

// TestReceiptOfTouchedFiles: the receipt is of what documents say, so a new time
// of a file does not change it, here or in a rebuilt memory; and both know the
// new time.
func TestReceiptOfTouchedFiles(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	files := garden()
	files["dated.md"] = "---\nupdated: 2020-02-02\n---\nSays when.\n"
	root := b.Dir("garden", files)
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	before := dump(t, a)
	later := time.Now().Add(time.Hour).Truncate(time.Second)
	for path := range files {
		if err := os.Chtimes(filepath.Join(root, path), later, later); err != nil {
			t.Fatal(err)
		}
	}
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	b.Opts.DB = filepath.Join(b.Home, "second.db")
	c := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, c, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, c, gitsync.SyncRequest{}))(t)
	if diff := cmp.Diff(before, dump(t, a)); diff != "" {
		t.Errorf("touching changed the dump:\n%s", diff)
	}
	if diff := cmp.Diff(before, dump(t, c)); diff != "" {
		t.Errorf("the rebuilt memory differs:\n%s", diff)
	}
	for _, m := range []*memory.Session{a, c} {
		own := 0
		for _, p := range apptest.OK(retrieve.Pages(ctx, m, retrieve.ListRequest{}))(t).Items {
			if !p.UpdatedAt.Equal(later) {
				own++
			}
		}
		if said := strings.Count(before, `"updated"`); own != 1 || said != 1 {
			t.Errorf("%d pages do not have the new time, %d say their own", own, said)
		}
	}
}

// edits makes fifty changes of every kind.
func edits(t *testing.T, a *memory.Session) {
	t.Helper()
	ctx := context.Background()
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "new/page", Title: "New Page", Tags: []string{"fresh"}, Text: []byte("Body with [[Engine]].\n")}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Title: "Made From Its Title", Text: []byte("x\n")}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "new/raw.md", Text: []byte("no metadata, [[people/ada|A.]]\n")}))(t)
	apptest.OK(change.Tag(ctx, a, change.TagRequest{Ref: "Ada Lovelace", Add: []string{"countess"}, Remove: []string{"pioneer"}}))(t)
	apptest.OK(links.Add(ctx, a, api.LinkRequest{From: "people/charles", Type: "works_on", To: "Engine", Since: "1834"}))(t)
	apptest.OK(links.Close(ctx, a, api.LinkRequest{From: "Ada Lovelace", Type: "knows", To: "people/charles", Until: "1852-11-27"}))(t)
	apptest.OK(links.Remove(ctx, a, api.LinkRequest{From: "Ada Lovelace", Type: "works_on", To: "Engine"}))(t)
	apptest.OK(links.Add(ctx, a, api.LinkRequest{From: "roam/lisp", Type: "inspires", To: "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"}))(t)
	apptest.OK(change.AddEntry(ctx, a, change.AddEntryRequest{Ref: "people/charles", Date: "1822-06-14", Source: "paper", Text: "Difference engine"}))(t)
	apptest.OK(change.AddEntry(ctx, a, change.AddEntryRequest{Ref: "roam/lisp", Date: "1958", Text: "Invented"}))(t)
	apptest.OK(ageing.ChangeStatus(ctx, a, ageing.StatusRequest{Ref: "Engine", Status: "active"}))(t)
	apptest.OK(ageing.ChangeStatus(ctx, a, ageing.StatusRequest{Ref: "roam/lisp", Status: "contested"}))(t)
	apptest.OK(change.Move(ctx, a, change.MoveRequest{Ref: "people/ada", To: "humans/lovelace"}))(t)
	apptest.OK(change.Move(ctx, a, change.MoveRequest{Ref: "projects/engine", To: "archive/"}))(t)
	apptest.OK(change.Move(ctx, a, change.MoveRequest{Ref: "journal/2026-01-05", To: "journal/five", KeepLinks: true}))(t)
	apptest.OK(change.Delete(ctx, a, change.DeleteRequest{Ref: "odd/empty"}))(t)
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "index", Edits: []doc.Edit{doc.SetTitle{Title: "Front Door"}}}))(t)
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "odd/latin1", Edits: []doc.Edit{doc.Append{Text: "et th\u00e9\n"}}}))(t)
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "odd/crlf", Edits: []doc.Edit{doc.AddTag{Tag: "dos"}, doc.Prepend{Text: "first\n"}}}))(t)
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "odd/1*", Edits: []doc.Edit{doc.Replace{Old: "star", New: "star, still"}}}))(t)
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "odd/broken", Edits: []doc.Edit{doc.Append{Text: "more\n"}}}))(t)
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "archive/engine", Edits: []doc.Edit{
		doc.ReplaceSection{Section: "Plan", Text: "- [x] built\n"}, doc.AddObservation{Category: "risk", Text: "never finished", Tags: []string{"late"}},
		doc.InsertAfter{Section: "Plan", Text: "## Costs\n\nMany.\n"}, doc.SetList{Key: "owners", Values: []string{"a", "b"}},
	}}))(t)

	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "people/charles", Edits: []doc.Edit{doc.SetTruth{Text: "Wholly new truth about [[Front Door]].\n"}}}))(t)
	for i := range 25 {
		apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: fmt.Sprintf("journal/2026-01-%02d", i+6), Edits: []doc.Edit{doc.Append{Text: fmt.Sprintf("edit %d\n", i)}}}))(t)
	}
	apptest.OK(change.Undo(ctx, a, history.UndoRequest{}))(t)
	apptest.OK(change.Restore(ctx, a, change.RestoreRequest{Ref: "odd/empty"}))(t)
}

func searches(t *testing.T, a *memory.Session) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for _, q := range []string{
		"engine", "ada", "met", "edit", "日本", "café", "tag:countess", "type:person", "status:contested", "\"first programmer\"",
		"lisp OR windows", "-engine day", "path:journal/ day", "difference eng*", "title:front", "nothing like this anywhere at all engine",
	} {
		r := apptest.OK(read.Search(context.Background(), a, retrieve.SearchRequest{Query: q, Limit: 50}))(t)
		for _, h := range r.Items {
			out[q] = append(out[q], fmt.Sprintf("%s %.6f %v %q", h.Ref, h.Score, h.Lines, h.Snippet))
		}
	}
	if len(out) < 12 {
		t.Errorf("only %d of the searches found anything", len(out))
	}
	return out
}

// TestAttachWritesNothing: --in leaves the directory as it is, to the byte
// and the modification time.
func TestAttachWritesNothing(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("garden", garden())
	before := listing(t, root)
	a := b.Open()
	ctx := context.Background()
	s := apptest.OK(a.Spaces.Attach(ctx, root))(t)
	if s.PolicyIn != "memory" {
		t.Errorf("the policy is in %s", s.PolicyIn)
	}
	r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "programmer", Sync: true}))(t)
	if len(r.Items) != 1 || r.Items[0].Path != "people/ada.md" || r.Items[0].Lines[0] != 10 {
		t.Errorf("found %+v", r.Items)
	}
	apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "ada"}))(t)
	apptest.OK(doctor.Doctor(ctx, a, false))(t)
	if diff := cmp.Diff(before, listing(t, root)); diff != "" {
		t.Error(diff)
	}
	again := apptest.OK(a.Spaces.Attach(ctx, root))(t)
	if again.ID != s.ID {
		t.Error("the same directory was attached twice")
	}
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	after := listing(t, root)
	var new []string
	for name := range after {
		if _, was := before[name]; !was {
			new = append(new, name)
		}
	}
	slices.Sort(new)
	if diff := cmp.Diff([]string{".cairn", ".cairn/space.toml"}, new); diff != "" {
		t.Error("space add must write its policy and nothing else: " + diff)
	}
	if shown := apptest.OK(a.Spaces.Show(ctx, s.Name))(t); shown.ID != s.ID || !strings.Contains(shown.Policy, string(s.ID)) {
		t.Errorf("the space changed its identity: %+v", shown)
	}
}

func listing(t *testing.T, root string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil || p == root {
			return err
		}
		rel, _ := filepath.Rel(root, p)
		if d.IsDir() {
			out[rel] = "directory"
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text, err := os.ReadFile(p)
		out[rel] = fmt.Sprintf("%s %s %x", info.Mode(), info.ModTime(), text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestRefs(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	root := b.Dir("garden", garden())
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	ada := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "people/ada"}))(t)
	for _, raw := range []string{
		"people/ada", "people/ada.md", "Ada Lovelace", "ada lovelace", "ada", "garden:people/ada", "garden:Ada Lovelace",
		string(ada.ID), strings.ToUpper(string(ada.ID)), ada.Short, "memory://people/ada", "memory://pages/people/ada",
		"ai-kb: Some Old Title (" + string(ada.ID) + ")", "ai-kb: Ada Lovelace (00000000-0000-4000-8000-000000000000)",
		filepath.Join(root, "people", "ada.md"),
	} {
		if got := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: raw}))(t); got.ID != ada.ID {
			t.Errorf("%s is %s", raw, got.Ref)
		}
	}
	if got := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "Macros"}))(t); got.Text != "* Macros\n:PROPERTIES:\n:ID: aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee\n:END:\nCode that writes code.\n" || got.Lines[0] != 10 {
		t.Errorf("a node is its subtree: %q %v", got.Text, got.Lines)
	}
	_, err := read.Get(ctx, a, read.GetRequest{Ref: "people/adda"})
	if kb.CodeOf(err) != kb.NotFound || !strings.Contains(kb.AsError(err).Hint, "people/ada") {
		t.Errorf("%v, hint %q", err, kb.AsError(err).Hint)
	}
	b.Dir("garden", map[string]string{"x/twin.md": "1\n", "y/twin.md": "2\n"})
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	_, err = read.Get(ctx, a, read.GetRequest{Ref: "twin"})
	if kb.CodeOf(err) != kb.Ambiguous {
		t.Errorf("%v", err)
	}
	// Names that look the same are told apart by their ids.
	b.Dir("garden", map[string]string{"e\u0301.md": "one\n", "\u00e9.md": "other\n"})
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	_, err = read.Get(ctx, a, read.GetRequest{Ref: "\u00e9"})
	named, _ := kb.AsError(err).Details["candidates"].([]string)
	if kb.CodeOf(err) != kb.Ambiguous || len(named) != 2 {
		t.Fatalf("%v %q", err, named)
	}
	texts := []string{apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: named[0]}))(t).Text, apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: named[1]}))(t).Text}
	if slices.Sort(texts); !slices.Equal(texts, []string{"one\n", "other\n"}) {
		t.Errorf("%q lead to %q", named, texts)
	}
}

func TestAsOfAndUndo(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC), time.Second)
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "m"}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "a", Text: []byte("one\n")}))(t)
	first := clock.Last()
	clock.Advance(48 * time.Hour)
	b.Opts.Actor = kb.Actor{Kind: kb.Agent, Name: "x"}
	agent := b.Open()
	apptest.OK(change.EditPage(ctx, agent, change.EditRequest{Ref: "a", Edits: []doc.Edit{doc.SetTruth{Text: "two\n"}}}))(t)
	apptest.OK(change.Put(ctx, agent, change.PutRequest{Ref: "b", Text: []byte("b\n")}))(t)
	apptest.OK(change.Put(ctx, agent, change.PutRequest{Ref: "c", Text: []byte("c\n")}))(t)
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "c", Edits: []doc.Edit{doc.Append{Text: "mine\n"}}}))(t)

	got := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "a", AsOf: first.Format(time.RFC3339)}))(t)
	if got.Text != "one\n" || got.Version != 1 {
		t.Errorf("as of then: %+v", got)
	}
	dry := apptest.OK(change.Undo(ctx, a, history.UndoRequest{WriteOptions: api.WriteOptions{DryRun: true}, Actor: "agent:x", Since: "today"}))(t)
	res := apptest.OK(change.Undo(ctx, a, history.UndoRequest{Actor: "agent:x", Since: "today"}))(t)
	if len(res.Pages) != 2 || len(res.Skipped) != 1 || res.Skipped[0].Path != "c.md" || len(dry.Pages) != 2 {
		t.Errorf("undo %+v", res)
	}
	if got := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "a"}))(t); got.Text != "one\n" {
		t.Errorf("a is %q", got.Text)
	}
	if _, err := read.Get(ctx, a, read.GetRequest{Ref: "b"}); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("b is still there: %v", err)
	}
	apptest.OK(change.Undo(ctx, a, history.UndoRequest{}))(t) // of the undo
	if got := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "b"}))(t); got.Text != "b\n" {
		t.Errorf("b is %q", got.Text)
	}
}

func TestSpaceOfTheWorkingDirectory(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	one := b.Dir("one", map[string]string{"a.md": "1\n", "deep/b.md": "2\n"})
	two := b.Dir("two", map[string]string{"a.md": "1\n"})
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: one}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: two}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "work"}))(t)
	apptest.OK(a.Spaces.Map(ctx, filepath.Join(b.Home, "src"), "work"))(t)
	apptest.OK(a.Spaces.Map(ctx, filepath.Join(b.Home, "src", "*", "docs"), "two"))(t)
	for dir, want := range map[string]string{
		"one": "one", "one/deep": "one", "two": "two", "src": "work", "src/x": "work", "src/x/docs/y": "two",
	} {
		b.Opts.Dir = filepath.Join(b.Home, filepath.FromSlash(dir))
		if got := apptest.OK(b.Open().Spaces.DescribeCurrent(ctx))(t); got.Name != want {
			t.Errorf("in %q the space is %s, want %s", dir, got.Name, want)
		}
	}
	// What a directory is called is not where it is.
	for name, to := range map[string]string{"via": one, "one/back": b.Home} {
		if err := os.Symlink(to, filepath.Join(b.Home, filepath.FromSlash(name))); err != nil {
			t.Skip(err) // on Windows not everybody may
		}
	}
	for _, dir := range []string{"via", "via/deep", "one/back"} {
		b.Opts.Dir = filepath.Join(b.Home, filepath.FromSlash(dir))
		if got := apptest.OK(b.Open().Spaces.DescribeCurrent(ctx))(t); got.Name != "one" {
			t.Errorf("in %q the space is %s, want one", dir, got.Name)
		}
	}
	for _, dir := range []string{"", "elsewhere"} {
		b.Opts.Dir = filepath.Join(b.Home, dir)
		undecided(t, b.Open())
	}
	apptest.OK(a.Spaces.Default(ctx, "work"))(t)
	b.Opts.Dir = b.Home
	if got := apptest.OK(b.Open().Spaces.DescribeCurrent(ctx))(t); got.Name != "work" {
		t.Errorf("the default is not used: %s", got.Name)
	}
	for _, glob := range []string{b.Home, "/", "/**"} {
		if _, err := a.Spaces.Map(ctx, glob, "work"); kb.CodeOf(err) != kb.Usage {
			t.Errorf("%s was mapped: %v", glob, err)
		}
	}
}

// undecided is what holds where several spaces have a page named a, and nothing
// says which is meant: questions are about all, what changes a page is refused.
func undecided(t *testing.T, a *memory.Session) {
	t.Helper()
	ctx := context.Background()
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	hits := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "1", Mode: api.ModeWords, Limit: 9}))(t)
	if hits.Total != 2 || !slices.Equal(hits.Spaces, []string{"one", "two", "work"}) {
		t.Errorf("found %d pages in %v", hits.Total, hits.Spaces)
	}
	if pages := apptest.OK(retrieve.Pages(ctx, a, retrieve.ListRequest{}))(t); pages.Total != 3 {
		t.Errorf("%d pages are listed, want those of all spaces", pages.Total)
	}
	for _, c := range []struct {
		prefix string
		typed  bool
		want   []string
	}{
		{"two", true, []string{"two:a"}}, {"two", false, []string{"two:a"}},
		{"a", true, nil}, {"A", false, []string{"one:a", "two:a"}},
		{"de", true, []string{"deep/b"}}, {"de", false, []string{"one:deep/b"}},
		{"De", true, nil}, {"De", false, []string{"one:deep/b"}}, {"one:De", false, []string{"one:deep/b"}},
		{"one:de", true, []string{"one:deep/b"}}, {"", true, []string{"one:a", "one:deep/b", "two:a"}},
	} {
		refs, total, err := a.Refs.Complete(ctx, c.prefix, 9, c.typed)
		if err != nil || total != len(c.want) || !slices.Equal(refs, c.want) {
			t.Errorf("%q, typed: %t, completed to %v of %d: %v", c.prefix, c.typed, refs, total, err)
		}
	}
	if name, err := a.Spaces.CurrentName(ctx); err != nil || name != "" {
		t.Errorf("the space is %q: %v", name, err)
	}
	for what, do := range map[string]func() error{
		"a directory": func() error { _, err := read.Dir(ctx, a, read.DirRequest{}); return err },
		"an edit": func() error {
			_, err := change.EditPage(ctx, a, change.EditRequest{Ref: "a", Edits: []doc.Edit{doc.Append{Text: "x"}}})
			return err
		},
		"a new page": func() error {
			_, err := change.Put(ctx, a, change.PutRequest{Ref: "new", Text: []byte("x")})
			return err
		},
	} {
		if err := do(); kb.CodeOf(err) != kb.Ambiguous {
			t.Errorf("%s in none of several spaces: %v", what, err)
		}
	}
}

func TestSearchingWithNoMemoryMakesNone(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	_, err := memory.Open(context.Background(), b.Opts, false)
	if kb.CodeOf(err) != kb.Damaged {
		t.Errorf("got %v", err)
	}
	path, err := space.DatabasePath(b.Opts.Place)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("an empty memory was made")
	}
}
