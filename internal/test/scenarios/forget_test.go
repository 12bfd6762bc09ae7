package scenarios_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
)

// wholeHistory is every version that the memory has.
func wholeHistory(t *testing.T, a *memory.Session) (out []kb.Version) {
	t.Helper()
	if err := a.DB.View(t.Context(), func(tx store.Tx) (err error) {
		out, _, err = tx.History().Versions(t.Context(), store.VersionFilter{}, 0, 0)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestForgottenSpaceReturns: nothing of a forgotten space is seen, and with it comes back
// all that the memory knew of it: pages, ids, links and history, of a directory and of a
// space in the database.
func TestForgottenSpaceReturns(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	root := b.Dir("garden", garden())
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "own"}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "own:Plan", Text: []byte("See [[garden:Home]].\n")}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "own:Plan", Text: []byte("See [[garden:Home]], still.\n"), Overwrite: true}))(t)
	only := dump(t, a)
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root, Name: "garden"}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "*"}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "garden:index", Text: []byte("# Home\n\nSee [[own:Plan]].\n"), Overwrite: true}))(t)
	pages, versions := dump(t, a), wholeHistory(t, a)

	for name, returns := range map[string]func() error{
		"garden by space restore": func() error { _, err := freshness.RestoreSpace(ctx, a, "garden", ""); return err },
		"garden by space add": func() error {
			s, err := gitsync.AddSpace(ctx, a, space.AddRequest{Root: root})
			if err == nil && (!s.Returned || *s.Pages == 0) {
				t.Errorf("added again: %+v", s)
			}
			return err
		},
		"own by space restore": func() error { _, err := freshness.RestoreSpace(ctx, a, "own", ""); return err },
	} {
		which, _, _ := strings.Cut(name, " ")
		apptest.OK(a.Spaces.Remove(ctx, space.RemoveRequest{Name: which}))(t)
		if which == "garden" {
			if diff := cmp.Diff(only, dump(t, a)); diff != "" {
				t.Errorf("%s: seen while it is forgotten:\n%s", name, diff)
			}
		}
		for _, v := range wholeHistory(t, a) {
			if (v.Path == "Plan.md") == (which == "own") {
				t.Errorf("%s: version of a forgotten space: %+v", name, v)
			}
		}
		if err := returns(); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(pages, dump(t, a)); diff != "" {
			t.Errorf("%s: the pages differ:\n%s", name, diff)
		}
		if diff := cmp.Diff(versions, wholeHistory(t, a)); diff != "" {
			t.Errorf("%s: the history differs:\n%s", name, diff)
		}
		if r := apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "garden"}))(t); r[0].Changes() != 0 {
			t.Errorf("%s: the sync after it: %+v", name, r[0])
		}
		if diff := cmp.Diff(versions, wholeHistory(t, a)); diff != "" {
			t.Errorf("%s: after a sync the history differs:\n%s", name, diff)
		}
	}
	undone := apptest.OK(change.Undo(ctx, a.In("garden"), history.UndoRequest{}))(t)
	if len(undone.Pages) != 1 || undone.Pages[0].Ref != "garden:index" {
		t.Errorf("undo: %+v", undone.Pages)
	}
}

// TestForgottenSpaceIsRemovedAfter30Days by maintain or by doctor --fix.
func TestForgottenSpaceIsRemovedAfter30Days(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), time.Millisecond)
	a := b.Open()
	forget := func(name string) {
		t.Helper()
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: name}))(t)
		apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: name + ":page", Text: []byte("Of " + name + ".\n")}))(t)
		apptest.OK(a.Spaces.Remove(ctx, space.RemoveRequest{Name: name}))(t)
	}
	kept := func() string {
		t.Helper()
		var names []string
		for _, s := range apptest.OK(a.Spaces.Forgotten(ctx))(t) {
			names = append(names, s.Name)
		}
		return strings.Join(names, " ")
	}
	expired := func() (mend func() error) {
		t.Helper()
		for _, c := range apptest.OK(doctor.Doctor(ctx, a, false))(t) {
			if c.Name == "forgotten spaces" {
				return func() error { return c.Mend(ctx) }
			}
		}
		return nil
	}
	forget("old")
	clock.Advance(10 * 24 * time.Hour)
	forget("new")
	clock.Advance(19 * 24 * time.Hour)
	if r := maintained(t, a, jobs.MaintainRequest{Jobs: []string{"retention"}, Force: true}); kept() != "new old" || expired() != nil {
		t.Errorf("after 29 days: %s is kept, %+v", kept(), r)
	}
	clock.Advance(24 * time.Hour)
	if r := maintained(t, a, jobs.MaintainRequest{Jobs: []string{"retention"}, Force: true, DryRun: true}); kept() != "new old" || !strings.Contains(r["retention"].Did, "1 forgotten space") {
		t.Errorf("a dry run after 30 days: %s is kept, %+v", kept(), r)
	}
	if r := maintained(t, a, jobs.MaintainRequest{Jobs: []string{"retention"}, Force: true}); kept() != "new" || !strings.Contains(r["retention"].Did, "1 forgotten space") {
		t.Errorf("after 30 days: %s is kept, %+v", kept(), r)
	}
	if _, err := freshness.RestoreSpace(ctx, a, "old", ""); kb.CodeOf(err) != kb.NotFound {
		t.Errorf("restored after 30 days: %v", err)
	}
	clock.Advance(10 * 24 * time.Hour)
	if mend := expired(); mend == nil {
		t.Error("doctor does not report what is kept too long")
	} else if err := mend(); err != nil || kept() != "" {
		t.Errorf("doctor --fix: %v, %s is kept", err, kept())
	}
	for _, c := range apptest.OK(doctor.Validate(ctx, a, true))(t) {
		if c.State != "ok" {
			t.Errorf("%+v", c)
		}
	}
}

// TestForgettingWhileTheClockIsBack keeps the history for 30 days from the last write, although
// the clock says that both were years ago.
func TestForgettingWhileTheClockIsBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	clock := b.Clock(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), time.Millisecond)
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Database: true, Name: "old"}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "old:page", Text: []byte("Of old.\n")}))(t)
	const years = 6 * 365 * 24 * time.Hour
	clock.Advance(-years)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "old:other", Text: []byte("Of old, too.\n")}))(t)
	apptest.OK(a.Spaces.Remove(ctx, space.RemoveRequest{Name: "old"}))(t)
	clock.Advance(years)
	for _, after := range []struct{ days, kept int }{{29, 1}, {2, 0}} {
		clock.Advance(time.Duration(after.days) * 24 * time.Hour)
		maintained(t, a, jobs.MaintainRequest{Jobs: []string{"retention"}, Force: true})
		if kept := apptest.OK(a.Spaces.Forgotten(ctx))(t); len(kept) != after.kept {
			t.Errorf("after %d days more %d are kept", after.days, len(kept))
		}
	}
}

// TestAgentsTakeUpNoForgottenSpace: what a person forgot comes back by a person only.
func TestAgentsTakeUpNoForgottenSpace(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	b := apptest.New(t)
	a := b.Open()
	root := filepath.Join(b.Home, "empty")
	if err := os.Mkdir(root, 0o700); err != nil {
		t.Fatal(err)
	}
	s := apptest.OK(a.Spaces.Attach(ctx, root))(t)
	apptest.OK(change.Put(ctx, a.In(s.Name), change.PutRequest{Ref: "page", Text: []byte("Text.\n")}))(t)
	apptest.OK(change.Delete(ctx, a.In(s.Name), change.DeleteRequest{Ref: "page"}))(t)
	apptest.OK(a.Spaces.Remove(ctx, space.RemoveRequest{Name: s.Name}))(t)
	robot := a.As(kb.AgentNamed("robot"))
	for _, req := range []space.RemoveRequest{{Name: s.Name, Purge: true}, {Name: string(s.ID), Purge: true, DryRun: true}} {
		if _, err := robot.Spaces.Remove(ctx, req); kb.CodeOf(err) != kb.Refused {
			t.Errorf("%+v by an agent: %v", req, err)
		}
	}
	if _, err := freshness.RestoreSpace(ctx, robot, s.Name, ""); kb.CodeOf(err) != kb.Refused {
		t.Errorf("restored by an agent: %v", err)
	}
	made := apptest.OK(gitsync.AddSpace(ctx, robot, space.AddRequest{Root: root}))(t)
	if made.ID == s.ID || made.Returned || len(wholeHistory(t, a)) != 0 {
		t.Errorf("an agent took up %+v", made)
	}
}
