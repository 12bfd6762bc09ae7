package scenarios_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/search/embed/embedtest"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// rename renames a file of the space notes as a person does, and syncs.
func rename(b *apptest.Bed, a *memory.Session, from, to string) {
	b.T.Helper()
	root := filepath.Join(b.Home, "notes")
	to = filepath.Join(root, to)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		b.T.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, from), to); err != nil {
		b.T.Fatal(err)
	}
	apptest.OK(gitsync.Sync(context.Background(), a, gitsync.SyncRequest{}))(b.T)
}

// A title that comes from the file's name is part of what is embedded: where
// it changes, and nothing else does, the page is embedded again.
func TestEmbedFollowsTheFileName(t *testing.T) {
	t.Parallel()
	b, a := modelBed(t, nil)
	ctx := context.Background()
	apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t)
	if r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "basil", Mode: api.ModeVector}))(t); r.Left != 0 {
		t.Fatalf("%d are left", r.Left)
	}

	rename(b, a, "cooking.md", "more/cooking.md")
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Pages != 0 || r.Left != 0 {
		t.Errorf("moved under its title: %+v", r)
	}
	rename(b, a, "more/cooking.md", "volcano eruptions in Iceland.md")
	if r := apptest.OK(read.Search(ctx, a, retrieve.SearchRequest{Query: "x", Mode: api.ModeVector}))(t); r.Left != 1 {
		t.Errorf("retitled: %d are left", r.Left)
	}
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Pages != 1 || r.Chunks != 1 || r.Reused != 0 || r.Left != 0 {
		t.Errorf("retitled: %+v", r)
	}
	if path, _ := first(t, a, "lava"); path != "volcano eruptions in Iceland.md" {
		t.Errorf("found %s", path)
	}
}

// The same where the file is renamed while its page is embedded.
func TestRenamedWhileEmbedded(t *testing.T) {
	t.Parallel()
	b, a := modelBed(t, nil)
	ctx := context.Background()
	server := embedtest.Ollama(t, 640, "")
	const name = "ollama/some-model"
	apptest.OK(embedding.AddModel(ctx, a, embedding.ModelAdd{Name: name, URL: server.URL}))(t)
	apptest.OK(embedding.UseModel(ctx, a, name))(t)
	other := b.Open()
	var once sync.Once
	server.Before = func([]string) int {
		once.Do(func() { rename(b, other, "cooking.md", "volcano.md") })
		return 0
	}
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Left != 1 {
		t.Errorf("while renamed: %+v", r)
	}
	if r := apptest.OK(embedding.Embed(ctx, a, embedding.Request{}))(t); r.Pages != 1 || r.Chunks != 1 || r.Left != 0 {
		t.Errorf("after that: %+v", r)
	}
}
