package scenarios_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/links"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// vaults are real note collections, named by CAIRN_VAULTS as PATH lists
// directories. They are copied before they are touched.
func vaults(t *testing.T) []string {
	t.Helper()
	list := os.Getenv("CAIRN_VAULTS")
	if list == "" {
		t.Skip("CAIRN_VAULTS names no note collections")
	}
	return filepath.SplitList(list)
}

// TestRebuildRuleOnRealVaults makes fifty edits of every kind in a copy of
// each vault, then rebuilds the memory from the files alone.
func TestRebuildRuleOnRealVaults(t *testing.T) {
	t.Parallel()
	for _, vault := range vaults(t) {
		t.Run(filepath.Base(vault), func(t *testing.T) {
			b := apptest.New(t)
			root := filepath.Join(b.Home, "vault")
			if err := os.CopyFS(root, os.DirFS(vault)); err != nil {
				t.Fatal(err)
			}
			ctx := context.Background()
			a := b.Open()
			apptest.OK(a.Spaces.Attach(ctx, root))(t)
			first := apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)[0]
			if len(first.Failed) > 0 || len(first.Added) == 0 {
				t.Fatalf("%d added, failed: %v", len(first.Added), first.Failed)
			}
			editVault(t, a)
			before := dump(t, a)

			b.Opts.DB = filepath.Join(b.Home, "second.db")
			c := b.Open()
			apptest.OK(c.Spaces.Attach(ctx, root))(t)
			apptest.OK(gitsync.Sync(ctx, c, gitsync.SyncRequest{}))(t)
			if diff := cmp.Diff(strings.Split(before, "\n"), strings.Split(dump(t, c), "\n")); diff != "" {
				t.Errorf("the rebuilt memory differs:\n%s", diff)
			}
			for _, q := range []string{"memory", "list OR page", "the edit of a vault", "\"edit number\"", "new*"} {
				one := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: q, Limit: 30}))(t)
				two := apptest.OK(read.Search(ctx, c, retrieve.SearchRequest{Query: q, Limit: 30}))(t)
				if diff := cmp.Diff(refsOf(one), refsOf(two)); diff != "" {
					t.Errorf("%s: %s", q, diff)
				}
			}
		})
	}
}

func refsOf(r api.SearchResult) (out []string) {
	for _, h := range r.Items {
		out = append(out, fmt.Sprintf("%s %.5f", h.Ref, h.Score))
	}
	return out
}

// editVault changes fifty pages chosen at random, the same ones each time. An
// edit that a page's form does not allow is left out, and few may be.
func editVault(t *testing.T, a *memory.Session) {
	t.Helper()
	ctx := context.Background()
	all := apptest.OK(retrieve.Pages(ctx, a, retrieve.ListRequest{}))(t)
	rng := rand.New(rand.NewPCG(7, 7))
	refused := 0
	for i := range 50 {
		p := all.Items[rng.IntN(len(all.Items))]
		other := all.Items[rng.IntN(len(all.Items))]
		var err error
		switch i % 10 {
		case 0:
			_, err = change.EditPage(ctx, a, change.EditRequest{Ref: p.Short, Edits: []doc.Edit{doc.Append{Text: fmt.Sprintf("edit number %d\n", i)}}})
		case 1:
			_, err = change.Tag(ctx, a, change.TagRequest{Ref: p.Short, Add: []string{"edited", fmt.Sprintf("n%d", i)}})
		case 2:
			_, err = links.Add(ctx, a, api.LinkRequest{From: p.Short, Type: "related_to", To: other.Short, Since: "2026"})
		case 3:
			_, err = change.AddEntry(ctx, a, change.AddEntryRequest{Ref: p.Short, Date: "2026-03-01", Source: "test", Text: "something happened"})
		case 4:
			_, err = ageing.ChangeStatus(ctx, a, ageing.StatusRequest{Ref: p.Short, Status: "stale"})
		case 5:
			_, err = change.Move(ctx, a, change.MoveRequest{Ref: p.Short, To: fmt.Sprintf("moved/%d/%d", i, i)})
		case 6:
			_, err = change.Delete(ctx, a, change.DeleteRequest{Ref: p.Short})
		case 7:
			_, err = change.Put(ctx, a, change.PutRequest{Ref: fmt.Sprintf("new/page-%d", i), Title: fmt.Sprintf("New %d", i), Text: []byte("Of the vault: [[" + other.Title + "]]\n")})
		case 8:
			_, err = change.EditPage(ctx, a, change.EditRequest{Ref: p.Short, Edits: []doc.Edit{doc.SetTitle{Title: fmt.Sprintf("Renamed %d", i)}}})
		case 9:
			_, err = change.EditPage(ctx, a, change.EditRequest{Ref: p.Short, Edits: []doc.Edit{doc.AddObservation{Category: "fact", Text: fmt.Sprintf("observed %d", i)}}})
		}
		switch kb.CodeOf(err) {
		case "":
		case kb.Invalid, kb.NotFound: // a form that takes no such edit; a page deleted before
			refused++
		default:
			t.Fatalf("edit %d of %s: %v", i, p.Ref, err)
		}
	}
	if refused > 5 {
		t.Errorf("%d of 50 edits were refused", refused)
	}
}
