package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// A call that finds nothing and looks at the disk sees what another call of the process has
// indexed by then, although it has nothing left to do itself.
func TestFoundByAnotherCallMeanwhile(t *testing.T) {
	t.Parallel()
	for engine, where := range map[string]func(*testing.T) string{
		"SQLite":     func(*testing.T) string { return "" },
		"PostgreSQL": func(t *testing.T) string { return pgtest.URL(t) },
	} {
		for _, c := range []struct {
			what, file, text string
			do               func(context.Context, *memory.Session) error
			want             kb.Code
		}{
			{"get", "new.md", "# New\n", func(ctx context.Context, a *memory.Session) error {
				got, err := read.Get(ctx, a, read.GetRequest{Ref: "notes:new"})
				if err == nil && !strings.Contains(got.Text, "# New") {
					t.Errorf("got %q", got.Text)
				}
				return err
			}, ""},
			{"get of a part", "new.md", "# New\n\n## Part\n", func(ctx context.Context, a *memory.Session) error {
				_, err := read.Get(ctx, a, read.GetRequest{Ref: "notes:new#Part"})
				return err
			}, ""},
			{"put", "odd.md", "---\ntitle: Fancy title\n---\n", func(ctx context.Context, a *memory.Session) error {
				_, err := change.Put(ctx, a, change.PutRequest{Title: "Fancy title", Text: []byte("Another text.\n")})
				return err
			}, kb.Conflict},
		} {
			t.Run(engine+"/"+c.what, func(t *testing.T) {
				t.Parallel()
				b := apptest.New(t)
				b.Opts.Place.DB, b.Opts.Watch = where(t), true
				root := b.Dir("notes", map[string]string{"a.md": "# A\n"})
				meanwhile := func(context.Context, *memory.Session, kb.Space) error { return nil }
				b.Opts.Hooks.BeforeSync = append(b.Opts.Hooks.BeforeSync, memory.Hook{
					Name: "meanwhile",
					Run: func(ctx context.Context, a *memory.Session, s kb.Space) (bool, error) {
						return false, meanwhile(ctx, a, s)
					},
				})
				a, ctx := b.Open(), t.Context()
				apptest.OK(gitsync.AddSpace(ctx, a, space.AddRequest{Root: root}))(t)
				apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
				_, _ = read.Get(ctx, a, read.GetRequest{Ref: "notes:none"}) // from now on it is watched
				came := 0
				meanwhile = func(ctx context.Context, a *memory.Session, s kb.Space) error {
					if came++; came > 1 {
						return nil
					}
					ctx = store.Apart(ctx)
					open, err := a.Spaces.OpenSpace(ctx, s)
					if err == nil {
						_, err = a.Follower.Sync(ctx, open, reconcile.Options{ToRead: true})
					}
					return err
				}
				if err := os.WriteFile(filepath.Join(root, c.file), []byte(c.text), 0o644); err != nil {
					t.Fatal(err)
				}
				if err := c.do(ctx, a); kb.CodeOf(err) != c.want || came == 0 {
					t.Errorf("%v, after %d looks", err, came)
				}
			})
		}
	}
}

// While what follows a write runs, the memory on a server has no transaction open for it.
func TestNoTransactionDuringHooks(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	where := pgtest.URL(t)
	_, name, _ := strings.Cut(where, "&memory=")
	b.Opts.Place.DB = where + "&application_name=" + name
	after := 0
	b.Opts.Hooks.AfterWrite = append(b.Opts.Hooks.AfterWrite, memory.Hook{
		Name: "slow",
		Run: func(ctx context.Context, a *memory.Session, _ kb.Space) (bool, error) {
			after++
			for deadline := time.Now().Add(10 * time.Second); pgtest.Shared(t).Idle(t, name) != "0"; {
				if time.Now().After(deadline) {
					t.Error("a transaction stays open")
					break
				}
			}
			_, err := a.Spaces.All(ctx)
			return false, err
		},
	})
	a, ctx := b.Open(), t.Context()
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "notes", Database: true}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "notes:page", Text: []byte("# Page\n")}))(t)
	if after == 0 {
		t.Error("the hook did not run")
	}
}
