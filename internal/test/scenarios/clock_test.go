package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// When the clock jumps back, what came later stays later: the order of versions
// and of writes does not depend on it, and no state is shown that never was.
func TestClockThatJumpsBack(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 3, 1, 8, 30, 0, 0, time.UTC), time.Second)
	root := b.Dir("notes", map[string]string{"a.md": "one\n", "b.md": "b\n"})
	human, ctx := b.Open(), context.Background()
	apptest.OK(gitsync.AddSpace(ctx, human, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, human, gitsync.SyncRequest{Space: "notes"}))(t)
	reader := human.For(memory.Caller{Space: "notes", Actor: kb.Actor{Kind: kb.Agent, Name: "reader"}})
	if err := brief.Primed(ctx, reader, apptest.OK(brief.PrimeSession(ctx, reader, brief.PrimeRequest{}))(t)); err != nil {
		t.Fatal(err)
	}
	agent := human.For(memory.Caller{Space: "notes", Actor: kb.Actor{Kind: kb.Agent, Name: "x"}})
	set := func(a *memory.Session, ref, text string) {
		t.Helper()
		apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: ref, Edits: []doc.Edit{doc.SetTruth{Text: text}}}))(t)
	}
	clock.Set(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	set(agent, "notes:a", "two\n")
	late := clock.Last()
	clock.Set(time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC))
	set(agent, "notes:a", "three\n")
	early := clock.Last()
	set(human, "notes:b", "b, two\n")

	if p := apptest.OK(brief.PrimeSession(ctx, reader, brief.PrimeRequest{}))(t); p.Changes != 3 {
		t.Errorf("%d changes since somebody was here, want 3", p.Changes)
	}
	var order []int
	for _, v := range apptest.OK(history.List(ctx, human, history.ListRequest{Ref: "notes:a"}))(t).Items {
		order = append(order, v.Version)
	}
	if diff := cmp.Diff([]int{3, 2, 1}, order); diff != "" {
		t.Errorf("versions: %s", diff)
	}
	var recent []string
	for _, v := range apptest.OK(history.Recent(ctx, human, history.RecentRequest{Since: "2026-03-01", All: true}))(t).Items {
		if v.Op == "edit" {
			recent = append(recent, v.Path)
		}
	}
	if diff := cmp.Diff([]string{"b.md", "a.md", "a.md"}, recent); diff != "" {
		t.Errorf("the newest writes are not first: %s", diff)
	}
	if got := apptest.OK(read.Get(ctx, human, read.GetRequest{Ref: "notes:a"}))(t); got.Text != "three\n" || got.Version != 3 {
		t.Errorf("a is %q in version %d", got.Text, got.Version)
	}
	// Between the two jumps several states were there at once; one of them is
	// shown, whole, and the same by every way of asking.
	for _, at := range []time.Time{early.Add(time.Microsecond), late.Add(time.Hour)} {
		asOf := at.Format(time.RFC3339Nano)
		if got := apptest.OK(read.Get(ctx, human, read.GetRequest{Ref: "notes:a", AsOf: asOf}))(t); got.Text != "three\n" {
			t.Errorf("as of %s a is %q", asOf, got.Text)
		}
		if found := apptest.OK(read.Search(ctx, human, retrieve.SearchRequest{Query: "three", AsOf: asOf}))(t); found.Total != 1 {
			t.Errorf("as of %s %d pages have it", asOf, found.Total)
		}
	}
	// A file that an editor saved by the clock as it is now is seen.
	file := filepath.Join(root, "b.md")
	if err := os.WriteFile(file, []byte("b, six\n"), 0o644); err != nil { // of the same length
		t.Fatal(err)
	}
	if err := os.Chtimes(file, clock.Last(), clock.Last()); err != nil {
		t.Fatal(err)
	}
	if r := apptest.OK(gitsync.Sync(ctx, human, gitsync.SyncRequest{Space: "notes"}))(t)[0]; len(r.Changed) != 1 {
		t.Errorf("a sync found %+v", r)
	}
	// The last write is the last one that was made.
	apptest.OK(change.Undo(ctx, human, history.UndoRequest{Force: true}))(t)
	// The actor's writes are taken back in the order in which they were made.
	res := apptest.OK(change.Undo(ctx, human, history.UndoRequest{Actor: "agent:x", Since: "2026-03-01T08:00:00Z"}))(t)
	if got := apptest.OK(read.Get(ctx, human, read.GetRequest{Ref: "notes:a"}))(t); len(res.Pages) != 1 || got.Text != "one\n" {
		t.Errorf("a is %q after %+v", got.Text, res)
	}
}
