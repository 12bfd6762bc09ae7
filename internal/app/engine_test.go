package app_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// bareEngine is a database that does no more than every engine does.
type bareEngine struct{ store.Engine }

// Nothing needs the memory to be a file, but for what is done to the file.
func TestMemoryThatIsNoFile(t *testing.T) {
	b := newBed(t)
	b.opts.Wrap(func(d *fsys.Dir) fsys.FS { return d }, func(db app.Database) app.Database { return bareEngine{db} })
	a, ctx := b.open(), t.Context()
	root := b.dir("garden", garden())
	ok[app.Space](t)(a.Attach(ctx, root))
	ok[[]app.SyncReport](t)(a.Sync(ctx, app.SyncRequest{}))
	ok[app.Written](t)(a.Put(ctx, app.PutRequest{Ref: "new", Text: []byte("New.\n")}))
	ok[app.EmbedReport](t)(a.Embed(ctx, app.EmbedRequest{}))
	ok[app.SearchResult](t)(a.Search(ctx, app.SearchRequest{Query: "new", AsOf: "2030-01-01"}))
	ok[app.State](t)(a.State(ctx))
	ok[app.PruneResult](t)(a.Prune(ctx, false))
	ok[app.MaintainResult](t)(a.Maintain(ctx, app.MaintainRequest{Force: true}))
	a.Rest(ctx)
	for _, deep := range []bool{false, true} {
		for _, c := range ok[[]app.Check](t)(a.Doctor(ctx, deep)) {
			if c.State == "error" || c.Name == "permissions" || c.Name == "disk of the memory" {
				t.Errorf("%+v", c)
			}
		}
	}
	if _, err := a.Backup(ctx, "backup.db"); kb.CodeOf(err) != kb.Usage {
		t.Errorf("backup: %v", err)
	}
	if _, err := a.Compact(ctx); kb.CodeOf(err) != kb.Usage {
		t.Errorf("compact: %v", err)
	}
}

// A URL is no path: nothing is made of it in the working directory.
func TestMemoryAtAURL(t *testing.T) {
	b := newBed(t)
	b.opts.DB = "nosuch://host/db"
	if got := ok[string](t)(config.DatabasePath(b.opts.Place)); got != b.opts.DB {
		t.Errorf("location %s", got)
	}
	if token := ok[string](t)(config.TokenPath(b.opts.Place)); !filepath.IsAbs(token) || strings.Contains(token, "host") {
		t.Errorf("token %s", token)
	}
	if _, err := app.Open(t.Context(), b.opts, true); kb.CodeOf(err) != kb.Usage {
		t.Errorf("opened: %v", err)
	}
}
