package change_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A file in the middle of a merge leaves its page as it was, and everyone says
// so, until the merge is finished.
func TestUnfinishedMergeKeepsThePage(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const before = "# Plan\n\nApples.\n"
	const merge = "# Plan\n\n<<<<<<< HEAD\nPears.\n=======\nQuinces.\n>>>>>>> theirs\n"
	b := apptest.New(t)
	root := b.Dir("notes", map[string]string{"plan.md": before, "other.md": "See [[plan]].\n"})
	a := b.Open()
	apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	file := filepath.Join(root, "plan.md")
	set := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	set(merge)
	for range 4 {
		r := apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)[0]
		if len(r.Failed) != 1 || !strings.Contains(r.Failed[0].Reason, "merge conflict markers from line 3") || r.Changes() != 0 || len(r.LeftOut) != 0 {
			t.Fatalf("sync: %+v", r)
		}
	}
	text := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "plan"}))(t)
	if text.Text != before || text.Version != 1 || len(text.Warnings) != 1 || text.Warnings[0].Code != freshness.WarnUnmerged {
		t.Errorf("got %q in version %d, %+v", text.Text, text.Version, text.Warnings)
	}
	for word, want := range map[string]int{"apples": 1, "pears": 0, "quinces": 0, "theirs": 0} {
		if r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: word, Sync: true}))(t); r.Total != want {
			t.Errorf("%s: %d hits", word, r.Total)
		}
	}
	said := false
	for _, c := range apptest.OK(doctor.Doctor(ctx, a, false))(t) {
		said = said || c.State == "warning" && strings.Contains(strings.Join(c.Items, " "), "plan.md: merge conflict markers")
	}
	if !said {
		t.Error("doctor says nothing")
	}
	// No edit is made in it, and none of a rename elsewhere.
	_, err := change.EditPage(ctx, a, change.EditRequest{Ref: "plan", Edits: []doc.Edit{doc.Append{Text: "More.\n"}}})
	if kb.CodeOf(err) != kb.Conflict || !strings.Contains(err.Error(), "conflict markers") {
		t.Errorf("an edit: %v", err)
	}
	if now, _ := os.ReadFile(file); string(now) != merge {
		t.Errorf("the file is %q", now)
	}
	// The merge is finished in an editor.
	set("# Plan\n\nPears and quinces.\n")
	if text := apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "plan"}))(t); text.Version != 2 || len(text.Warnings) != 0 {
		t.Errorf("version %d, %+v", text.Version, text.Warnings)
	}
	// Or by putting the page whole; the markers are in the version before.
	set(merge)
	w := apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "plan", Text: []byte("# Plan\n\nBoth.\n"), Overwrite: true}))(t)
	if w.Pages[0].Version != 4 {
		t.Errorf("version %d", w.Pages[0].Version)
	}
	if r := apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)[0]; len(r.Failed) != 0 {
		t.Errorf("sync: %+v", r)
	}
	// Of a page that was not known, nothing is known that it was.
	if err := os.WriteFile(filepath.Join(root, "new.md"), []byte(merge), 0o644); err != nil {
		t.Fatal(err)
	}
	if r := apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)[0]; len(r.Added) != 1 || r.Warnings != 1 {
		t.Errorf("sync: %+v", r)
	}
	text = apptest.OK(read.Get(ctx, a, read.GetRequest{Ref: "new"}))(t)
	if text.Text != merge || len(text.Warnings) != 1 || text.Warnings[0].Code != freshness.WarnUnmerged {
		t.Errorf("got %q, %+v", text.Text, text.Warnings)
	}
}
