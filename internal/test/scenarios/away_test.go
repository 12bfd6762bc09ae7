package scenarios_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
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

// A directory that is gone, or empty as one is whose disk is not mounted, takes
// no page out of the index, whatever is asked for; and when it is back all is
// as it was.
func TestDirectoryThatIsAway(t *testing.T) {
	t.Parallel()
	for name, leaveEmpty := range map[string]bool{"gone": false, "empty": true} {
		for _, attached := range []bool{false, true} {
			for _, notes := range []int{1, 20} { // few pages are lost as little as many
				t.Run(fmt.Sprintf("%s, attached %t, %d", name, attached, notes), func(t *testing.T) {
					away(t, leaveEmpty, attached, notes)
				})
			}
		}
	}
}

func away(t *testing.T, leaveEmpty, attached bool, notes int) {
	b := apptest.New(t)
	files := map[string]string{}
	for i := range notes {
		files[fmt.Sprintf("n%d.md", i)] = fmt.Sprintf("# N %d\n\nfindable [[n%d]]\n", i, (i+1)%notes)
	}
	root := b.Dir("notes", files)
	a, ctx := b.Open(), context.Background()
	if attached {
		apptest.OK(a.Spaces.Attach(ctx, root))(t)
	} else {
		apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
	}
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "notes"}))(t)
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "n0", Edits: []doc.Edit{doc.Append{Text: "more\n"}}}))(t)
	before, foundHistory := dump(t, a), versions(t, a)

	if err := os.Rename(root, root+".away"); err != nil {
		t.Fatal(err)
	}
	if leaveEmpty {
		if err := os.Mkdir(root, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, a := range []*memory.Session{a, b.Open()} { // one that has it open, and the next one
		for what, do := range map[string]func() error{
			"sync":  func() error { return written(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "notes"})) },
			"plan":  func() error { return written(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "notes", DryRun: true})) },
			"get":   func() error { return written(read.Get(ctx, a, read.GetRequest{Ref: "notes:n0"})) },
			"links": func() error { return written(links.List(ctx, a, api.LinksRequest{Ref: "notes:n0"})) },
			"edit": func() error {
				return written(change.EditPage(ctx, a, change.EditRequest{Ref: "notes:n0", Edits: []doc.Edit{doc.Append{Text: "lost\n"}}}))
			},
			"put": func() error {
				return written(change.Put(ctx, a, change.PutRequest{Ref: "notes:n0", Text: []byte("lost\n"), Overwrite: true}))
			},
			"mv":      func() error { return written(change.Move(ctx, a, change.MoveRequest{Ref: "notes:n0", To: "lost"})) },
			"rm":      func() error { return written(change.Delete(ctx, a, change.DeleteRequest{Ref: "notes:n0"})) },
			"undo":    func() error { return written(change.Undo(ctx, a, history.UndoRequest{})) },
			"restore": func() error { return written(change.Restore(ctx, a, change.RestoreRequest{Ref: "notes:n0"})) },
		} {
			e := kb.AsError(do())
			if e == nil || e.Code != kb.Refused || !strings.HasPrefix(e.Hint, "Nothing was changed") || !strings.Contains(e.Message, root) {
				t.Errorf("%s was told %v, hint %q", what, e, e.Hint)
			}
		}
		// What the memory knows is still found, and it is said why it may be old.
		found := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "findable space:notes", Sync: true, Limit: 50}))(t)
		if found.Total != notes || len(found.Notes) == 0 {
			t.Errorf("%d found, with the notes %q", found.Total, found.Notes)
		}
		problem := false
		for _, c := range apptest.OK(doctor.Doctor(ctx, a, false))(t) {
			problem = problem || c.State != "ok" && strings.Contains(c.Reason, root)
		}
		if !problem {
			t.Error("doctor has nothing to say")
		}
	}
	if diff := cmp.Diff(before, dump(t, a)); diff != "" {
		t.Errorf("the index has changed:\n%s", diff)
	}

	if leaveEmpty {
		if err := os.Remove(root); err != nil {
			t.Errorf("something was written to where the disk will be: %v", err)
		}
	}
	if err := os.Rename(root+".away", root); err != nil {
		t.Fatal(err)
	}
	r := apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "notes", Full: true}))(t)[0]
	if n := r.Changes(); n > 0 || r.Unchanged != notes {
		t.Errorf("a sync found %+v", r)
	}
	if now := versions(t, a); now != foundHistory {
		t.Errorf("%d versions, were %d", now, foundHistory)
	}
	apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "notes:n0", Edits: []doc.Edit{doc.Append{Text: "works\n"}}}))(t)

	// What is meant to be gone goes when that is said.
	if notes > 1 || !attached {
		return
	}
	if err := os.Remove(filepath.Join(root, "n0.md")); err != nil {
		t.Fatal(err)
	}
	r = apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: "notes", Yes: true}))(t)[0]
	if len(r.Deleted) != 1 {
		t.Errorf("a sync found %+v", r)
	}
}

// versions counts what the history holds.
func versions(t *testing.T, a *memory.Session) int {
	t.Helper()
	return apptest.OK(history.Recent(context.Background(), a, history.RecentRequest{Since: "2020-01-01", All: true}))(t).Total
}
