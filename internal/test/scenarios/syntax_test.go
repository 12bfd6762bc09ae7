package scenarios_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

const blockID = "65f1c2d3-1111-4222-8333-444455556666"

// graph is a vault as Logseq keeps it, and workspace one as Dendron does.
func graph() map[string]string {
	return map[string]string{
		"logseq/config.edn":     "{:meta/version 1}\n",
		"pages/work___web.md":   "alias:: the site\n\n- Ship it with [[Ada Lovelace]]\n  id:: " + blockID + "\n- part_of [[work]]\n",
		"pages/Ada Lovelace.md": "- See ((" + blockID + ")), {{embed [[work/web]]}} #[[front end]]\n",
		"pages/work.md":         "# Plan\n\n- [the page]([[work/web]])\n",
	}
}

func workspace() map[string]string {
	return map[string]string{
		"dendron.yml":         "workspace:\n  vaults:\n    - fsPath: vault\n",
		"vault/root.md":       "---\nid: root\ntitle: Root\n---\n[[The site|proj.web]]\n",
		"vault/proj.web.md":   "---\nid: hjk2l3m4n5o6\ntitle: Web\ncreated: 1612210000000\n---\n@ada on #topic.one\n",
		"vault/user.ada.md":   "---\nid: user1\ntitle: Ada\n---\n![[proj.web#x]] [[far|dendron://main/proj.web]]\n",
		"vault/tags.topic.md": "---\nid: tag1\ntitle: Topic\n---\n",
	}
}

// TestRebuildRuleOfSyntaxes: a memory that is made anew of files in a syntax of
// their own is the same, and so is one that learned the syntax later.
func TestRebuildRuleOfSyntaxes(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for syntax, tc := range map[string]struct {
		files map[string]string
		edit  func(*testing.T, *memory.Session)
	}{
		"logseq": {graph(), func(t *testing.T, a *memory.Session) {
			apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "work/api", Text: []byte("- [[work/web]] ((" + blockID + "))\n")}))(t)
			apptest.OK(change.Move(ctx, a, change.MoveRequest{Ref: "work/web", To: "pages/work___site"}))(t)
			apptest.OK(links.Add(ctx, a, api.LinkRequest{From: "work", Type: "child of", To: "work/api"}))(t)
			apptest.OK(change.Tag(ctx, a, change.TagRequest{Ref: "work", Add: []string{"done"}}))(t)
		}},
		"dendron": {workspace(), func(t *testing.T, a *memory.Session) {
			apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "proj.api", Text: []byte("@ada [[x|proj.web]]\n")}))(t)
			apptest.OK(change.Move(ctx, a, change.MoveRequest{Ref: "proj.web", To: "vault/proj.site"}))(t)
			apptest.OK(change.Move(ctx, a, change.MoveRequest{Ref: "user.ada", To: "vault/user.countess"}))(t)
			apptest.OK(change.EditPage(ctx, a, change.EditRequest{Ref: "hjk2l3m4n5o6", Edits: []doc.Edit{doc.Append{Text: "#more.topics\n"}}}))(t)
			apptest.OK(day.Note(ctx, a, day.NoteRequest{Text: "A day."}))(t)
			apptest.OK(change.Undo(ctx, a, history.UndoRequest{}))(t)
		}},
	} {
		t.Run(syntax, func(t *testing.T) {
			b := apptest.New(t)
			root := b.Dir("notes", tc.files)
			a := b.Open()
			apptest.OK(a.Spaces.Attach(ctx, root))(t)
			apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
			tc.edit(t, a)
			before := dump(t, a)

			b.Opts.DB = filepath.Join(b.Home, "second.db")
			c := b.Open()
			apptest.OK(c.Spaces.Attach(ctx, root))(t)
			apptest.OK(gitsync.Sync(ctx, c, gitsync.SyncRequest{}))(t)
			if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(dump(t, c), "\n")); diff != "" {
				t.Errorf("the rebuilt memory differs:\n%s", diff)
			}
			apptest.OK(c.Spaces.Set(ctx, space.SetRequest{Name: "notes", Key: "syntax", Unset: true}))(t)
			apptest.OK(gitsync.Sync(ctx, c, gitsync.SyncRequest{}))(t)
			if dump(t, c) == before {
				t.Error("without the syntax everything is the same")
			}
			apptest.OK(c.Spaces.Set(ctx, space.SetRequest{Name: "notes", Key: "syntax", Value: syntax}))(t)
			apptest.OK(gitsync.Sync(ctx, c, gitsync.SyncRequest{}))(t)
			if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(dump(t, c), "\n")); diff != "" {
				t.Errorf("a memory that learned the syntax later differs:\n%s", diff)
			}
			for _, check := range faulty(apptest.OK(doctor.Validate(ctx, c, true))(t)) {
				t.Errorf("%+v", check)
			}
		})
	}
}
