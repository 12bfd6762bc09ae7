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
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/store/postgres/pgtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// A memory on a standby answers questions, also while a write waits to be finished on the primary
// server and a directory has changed, and each answer of a server says how far behind it is.
func TestMemoryOnAStandby(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	primary, err := pgtest.New("-c", "fsync=off")
	pgtest.Need(t, err)
	t.Cleanup(func() { _ = primary.Close() })
	b := apptest.New(t)
	b.Opts.Place.DB = primary.URL("team")
	a := b.Open()
	root := filepath.Join(b.Home, "notes")
	file := filepath.Join(root, "tea.md")
	if err := os.MkdirAll(root, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("# Tea\n\nAda prefers tea.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Root: root}))(t)
	apptest.OK(a.Spaces.Add(ctx, space.AddRequest{Name: "team", Database: true}))(t)
	apptest.OK(change.Put(ctx, a, change.PutRequest{Ref: "team:bob", Text: []byte("# Bob\n\nBob prefers coffee.\n")}))(t)
	apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "tea", All: true, Sync: true}))(t)
	if err := a.DB.Update(ctx, func(tx store.Tx) error {
		_, err := tx.Journal().Append(ctx, []byte(`{"version":1}`))
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("# Tea\n\nAda prefers milk.\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	o := b.Opts
	o.Place.DB, o.Watch = primary.Standby(t).URL("team"), true
	s, err := memory.Open(ctx, o, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if s.Writable() {
		t.Error("it seems to be writable")
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, words := range []string{"tea", "coffee"} {
		found := apptest.OK(read.Search(ctx, s, retrieve.SearchRequest{Query: words, All: true, Sync: true}))(t)
		if found.Total != 1 || !strings.Contains(strings.Join(found.Notes, "\n"), "is a standby, ") {
			t.Errorf("%s: %d hits, notes %q", words, found.Total, found.Notes)
		}
	}
	if got := apptest.OK(read.Get(ctx, s, read.GetRequest{Ref: "team:bob"}))(t); !strings.Contains(got.Text, "coffee") {
		t.Errorf("%q", got.Text)
	}
	if _, err := change.Put(ctx, s, change.PutRequest{Ref: "team:eve", Text: []byte("x")}); kb.AsError(err).Reason != kb.DatabaseReadOnly {
		t.Errorf("a write: %v", err)
	}
}
