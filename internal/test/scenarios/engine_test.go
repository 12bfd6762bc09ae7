package scenarios_test

import (
	"github.com/cairn-kb/cairn/internal/memory"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/backup"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
	"github.com/cairn-kb/cairn/internal/upkeep/jobs"
	"github.com/cairn-kb/cairn/internal/upkeep/state"
)

// bareEngine is a database that does no more than every engine does.
type bareEngine struct{ store.Engine }

// Nothing needs the memory to be a file, but for what is done to the file.
func TestMemoryThatIsNoFile(t *testing.T) {
	t.Parallel()
	b := apptest.New(t)
	b.Opts.WrapFiles, b.Opts.WrapDatabase = func(d *fsys.Dir) fsys.FS { return d }, func(db store.Engine) store.Engine { return bareEngine{db} }
	a, ctx := b.Open(), t.Context()
	root := b.Dir("garden", garden())
	apptest.OK(a.Spaces.Attach(ctx, root))(t)
	apptest.OK(gitsync.Sync(ctx, a, gitsync.SyncRequest{}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "new", Text: []byte("New.\n")}))(t)
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "new", AsOf: "2030-01-01"}))(t)
	apptest.OK(state.Describe(ctx, a))(t)
	apptest.OK(history.PruneAndCompact(ctx, a, false))(t)
	apptest.OK(jobs.Maintain(ctx, a, jobs.MaintainRequest{Force: true}))(t)
	a.Rest(ctx)
	for _, deep := range []bool{false, true} {
		for _, c := range apptest.OK(doctor.Doctor(ctx, a, deep))(t) {
			if c.State == "error" || c.Name == "permissions" || c.Name == "disk of the memory" {
				t.Errorf("%+v", c)
			}
		}
	}
	if _, err := backup.Backup(ctx, a, "backup.db"); kb.CodeOf(err) != kb.Usage {
		t.Errorf("backup: %v", err)
	}
	if _, err := backup.Compact(ctx, a); kb.CodeOf(err) != kb.Usage {
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
	if _, err := memory.Open(t.Context(), b.Opts, true); kb.CodeOf(err) != kb.Usage {
		t.Errorf("opened: %v", err)
	}
}
