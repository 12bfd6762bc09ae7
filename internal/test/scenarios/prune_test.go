package scenarios_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// TestPrune: old texts go as the policy says, and nothing that needs one of
// them is answered with another.
func TestPrune(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), time.Millisecond)
	policy := "preset = \"x\"\nformat = \"markdown\"\n[retention]\nsnapshot_days = 3\nsnapshot_weekly = 52\n"
	root := b.Dir("notes", map[string]string{"other.md": "Other.\n", ".cairn/space.toml": policy})
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Accept: true}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "forever"}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "notes"}))(t)
	var answers []string
	var times []time.Time
	ask := func(at time.Time) string {
		req := retrieve.SearchRequest{Query: "day"}
		if !at.IsZero() {
			req.AsOf = at.Format(time.RFC3339Nano)
		}
		r, err := read.Search(ctx, a.In("notes"), req)
		if err != nil {
			return string(kb.CodeOf(err))
		}
		r.AsOf, r.SyncedAt = nil, nil
		return text(t, r)
	}
	const days = 20
	filler := strings.Repeat("More of the same, in many words. ", 400)
	for i := range days {
		body := fmt.Sprintf("On day %d.\n%s%d\n", i, filler, i*i)
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "notes:diary", Text: []byte(body), Overwrite: true}))(t)
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "forever:diary", Text: []byte(body + "kept\n"), Overwrite: true}))(t)
		times, answers = append(times, clock.Last()), append(answers, ask(time.Time{}))
		clock.Advance(24 * time.Hour)
	}
	apptest.OK(change.Delete(ctx, a, change.DeleteRequest{Ref: "notes:diary"}))(t)
	last := apptest.OK(history.Recent(ctx, a, history.RecentRequest{}))(t).Items[0].Write
	apptest.OK(change.Undo(ctx, a, history.UndoRequest{Write: last}))(t)

	dry := apptest.OK(history.PruneAndCompact(ctx, a, true))(t)
	if again := apptest.OK(history.PruneAndCompact(ctx, a, true))(t); again.Freed != dry.Freed || len(again.Items) != len(dry.Items) || dry.Freed == 0 {
		t.Fatalf("a dry run changed something, or found nothing: %+v", dry)
	}
	spare := func() (n int) {
		b.Plant(func(tx store.Tx) error {
			return tx.Vectors().Spare(ctx, "m", func(int64, []byte) error { n++; return nil })
		})
		return n
	}
	b.Plant(func(tx store.Tx) error {
		if err := tx.Models().Put(ctx, store.Model{Name: "m", Dims: 2}); err != nil {
			return err
		}
		pages, err := tx.Pages().Rows(ctx, store.Filter{})
		if err != nil {
			return err
		}
		none, _, err := vector.Pack(2, nil)
		if err != nil {
			return err
		}
		return tx.Vectors().Put(ctx, []store.PageVectors{{Page: pages[0], Model: "m", Info: none, SpareInfo: none, SpareValues: []byte{1}}})
	})
	if apptest.OK(history.PruneAndCompact(ctx, a, true))(t); spare() != 1 {
		t.Errorf("a dry run forgot the vectors of passages that are gone")
	}
	// What was there then is kept for a while, but not beyond its texts.
	if ask(times[0]) != answers[0] {
		t.Error("the first day is not known any more before anything is pruned")
	}
	got := apptest.OK(history.PruneAndCompact(ctx, a, false))(t)
	if spare() != 0 {
		t.Errorf("vectors are left of passages that were let go")
	}
	if got.Freed != dry.Freed || len(got.Items) != len(dry.Items) || got.After >= got.Before {
		t.Errorf("pruned %d versions, %d bytes, %d to %d", len(got.Items), got.Freed, got.Before, got.After)
	}
	for _, s := range got.Spaces {
		if want := s.Space == "forever"; s.Forever != want || want && s.Pruned != 0 {
			t.Errorf("%+v", s)
		}
	}
	if checks := apptest.OK(doctor.Validate(ctx, a, true))(t); checks[0].State != "ok" || len(checks) != 13 {
		t.Errorf("%+v", checks)
	}

	if ask(times[0]) != string(kb.NotFound) {
		t.Error("the first day is answered though its text was pruned")
	}
	// What is asked of then is answered as then, or refused.
	kept, refused := 0, 0
	for i, at := range times {
		switch got := ask(at); got {
		case answers[i]:
			kept++
		case string(kb.NotFound):
			refused++
		default:
			t.Errorf("day %d: %s\nwas %s", i, got, answers[i])
		}
	}
	if kept < 5 || refused < 10 {
		t.Errorf("%d days are answered and %d refused", kept, refused)
	}
	other, err := read.Search(ctx, a.In("forever"), retrieve.SearchRequest{Query: "day", AsOf: times[0].Format(time.RFC3339Nano)})
	if err != nil || len(other.Items) != 1 || len(other.Notes) != 1 || !strings.Contains(other.Notes[0], "scores may differ") {
		t.Errorf("a space that keeps everything: %+v, %v", other, err)
	}
	v := got.Items[0]
	for what, err := range map[string]error{
		"get":     errOf(read.Get(ctx, a, read.GetRequest{Ref: "notes:diary", Version: v.Version})),
		"as of":   errOf(read.Get(ctx, a, read.GetRequest{Ref: "notes:diary", AsOf: v.At.Format(time.RFC3339Nano)})),
		"diff":    errOf(history.Compare(ctx, a, history.DiffRequest{Ref: "notes:diary", From: v.Version, To: days})),
		"restore": errOf(change.Restore(ctx, a, change.RestoreRequest{Ref: "notes:diary", Version: v.Version})),
	} {
		if kb.CodeOf(err) != kb.NotFound || !strings.Contains(err.Error(), "has been pruned") {
			t.Errorf("%s of version %d: %v", what, v.Version, err)
		}
	}
	undone := apptest.OK(change.Undo(ctx, a, history.UndoRequest{Write: apptest.OK(history.List(ctx, a, history.ListRequest{Ref: "notes:diary"}))(t).Items[days-1].Write, Force: true}))(t)
	if len(undone.Skipped) != 1 {
		t.Errorf("undo of a write whose texts are gone: %+v", undone)
	}
	pruned := 0
	for _, h := range apptest.OK(history.List(ctx, a, history.ListRequest{Ref: "notes:diary"}))(t).Items {
		if h.Pruned {
			pruned++
		}
	}
	if pruned != len(got.Items) {
		t.Errorf("history shows %d versions without text, %d are", pruned, len(got.Items))
	}
	if again := apptest.OK(history.PruneAndCompact(ctx, a, false))(t); again.Freed != 0 || len(again.Items) != 0 {
		t.Errorf("a second prune found %+v", again)
	}
}

func errOf[T any](_ T, err error) error { return err }

// TestPruneKeeps: what is there, what a deleted page is restored from, what an
// undo within the kept days needs, and what another space keeps, stays.
func TestPruneKeeps(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC), time.Millisecond)
	root := b.Dir("notes", map[string]string{".cairn/space.toml": "[retention]\nsnapshot_days = 3\n"})
	broken := b.Dir("broken", map[string]string{".cairn/space.toml": "[retention]\nsnapshot_days = 3\n"})
	a := b.Open()
	ctx := context.Background()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Accept: true}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: broken, Accept: true}))(t)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "forever"}))(t)
	put := func(ref, text string) {
		t.Helper()
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: ref, Text: []byte(text), Overwrite: true}))(t)
	}
	get := func(ref string, version int) string {
		t.Helper()
		return apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: ref, Version: version}))(t).Text
	}
	put("notes:once", "Written once.\n")
	put("notes:deleted", "First.\n")
	put("notes:deleted", "Second.\n")
	apptest.OK(change.Delete(ctx, a, change.DeleteRequest{Ref: "notes:deleted"}))(t)
	put("notes:shared", "In two spaces.\n")
	put("notes:shared", "In one.\n")
	put("forever:shared", "In two spaces.\n")
	put("broken:page", "Old.\n")
	put("broken:page", "New.\n")
	put("notes:again", "As it was.\n")
	apptest.OK(change.Delete(ctx, a, change.DeleteRequest{Ref: "notes:again"}))(t)
	put("notes:again", "Otherwise.\n")
	put("notes:again", "As it was.\n")
	put("notes:page", "Old.\nand gone\n")
	put("notes:page", "Before.\n")
	clock.Advance(50 * 24 * time.Hour)
	put("notes:page", "After.\n")
	b.Dir("broken", map[string]string{".cairn/space.toml": "[retention]\nsnapshot_days = -1\n"})

	got := apptest.OK(history.PruneAndCompact(ctx, a, false))(t)
	var gone []string
	for _, v := range got.Items {
		gone = append(gone, fmt.Sprintf("%s %d", v.Ref, v.Version))
	}
	if want := []string{"notes:deleted 1", "notes:again 3", "notes:page 1"}; !slices.Equal(gone, want) {
		t.Errorf("gone are %v", gone)
	}
	b.Dir("broken", map[string]string{".cairn/space.toml": "[retention]\nsnapshot_days = 3\n"})
	if len(got.Failed) != 1 || got.Failed[0].Path != "broken" {
		t.Errorf("the space whose policy cannot be read: %+v", got.Failed)
	}
	for _, s := range got.Spaces {
		if s.Forever != (s.Space == "forever") {
			t.Errorf("%+v", s)
		}
	}
	for _, c := range apptest.OK(doctor.Validate(ctx, a, true))(t) {
		if c.State != "ok" {
			t.Errorf("%+v", c)
		}
	}
	for ref, want := range map[string]string{"notes:once": "Written once.\n", "notes:again": "As it was.\n", "notes:page": "After.\n", "broken:page": "New.\n"} {
		if got := get(ref, 0); got != want {
			t.Errorf("%s is %q", ref, got)
		}
	}
	if got := get("notes:shared", 1); got != "In two spaces.\n" {
		t.Errorf("the text that another space keeps: %q", got)
	}
	last := apptest.OK(history.List(ctx, a, history.ListRequest{Ref: "notes:page"}))(t).Items[0].Write
	if undone := apptest.OK(change.Undo(ctx, a, history.UndoRequest{Write: last}))(t); len(undone.Skipped) > 0 || get("notes:page", 0) != "Before.\n" {
		t.Errorf("undo within the kept days: %+v", undone)
	}
	apptest.OK(change.Restore(ctx, a, change.RestoreRequest{Ref: "notes:deleted"}))(t)
	if got := get("notes:deleted", 0); got != "Second.\n" {
		t.Errorf("the deleted page came back as %q", got)
	}
}
