package app_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// bareEngine is a database that does no more than every engine does.
type bareEngine struct{ store.Engine }

// Nothing needs the memory to be a file, but for what is done to the file.
func TestMemoryThatIsNoFile(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	b.Opts.Wrap(func(d *fsys.Dir) fsys.FS { return d }, func(db app.Database) app.Database { return bareEngine{db} })
	a, ctx := b.Open(), t.Context()
	root := b.Dir("garden", garden())
	apptest.OK(a.Spaces().Attach(ctx, root))(t)
	apptest.OK(a.Sync(ctx, app.SyncRequest{}))(t)
	apptest.OK(a.Put(ctx, app.PutRequest{Ref: "new", Text: []byte("New.\n")}))(t)
	apptest.OK(a.Models().Embed(ctx, app.EmbedRequest{}))(t)
	apptest.OK(a.Search(ctx, app.SearchRequest{Query: "new", AsOf: "2030-01-01"}))(t)
	apptest.OK(a.State(ctx))(t)
	apptest.OK(a.Versions().Prune(ctx, false))(t)
	apptest.OK(a.Upkeep().Maintain(ctx, app.MaintainRequest{Force: true}))(t)
	a.Rest(ctx)
	for _, deep := range []bool{false, true} {
		for _, c := range apptest.OK(a.Upkeep().Doctor(ctx, deep))(t) {
			if c.State == "error" || c.Name == "permissions" || c.Name == "disk of the memory" {
				t.Errorf("%+v", c)
			}
		}
	}
	if _, err := a.Upkeep().Backup(ctx, "backup.db"); kb.CodeOf(err) != kb.Usage {
		t.Errorf("backup: %v", err)
	}
	if _, err := a.Upkeep().Compact(ctx); kb.CodeOf(err) != kb.Usage {
		t.Errorf("compact: %v", err)
	}
}

// A URL is no path: nothing is made of it in the working directory.
func TestMemoryAtAURL(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	b.Opts.DB = "nosuch://host/db"
	if got := apptest.OK(space.DatabasePath(b.Opts.Place))(t); got != b.Opts.DB {
		t.Errorf("location %s", got)
	}
	if token := apptest.OK(space.TokenPath(b.Opts.Place))(t); !filepath.IsAbs(token) || strings.Contains(token, "host") {
		t.Errorf("token %s", token)
	}
	if _, err := app.Open(t.Context(), b.Opts, true); kb.CodeOf(err) != kb.Usage {
		t.Errorf("opened: %v", err)
	}
}
