package app_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cairn-kb/cairn/internal/app"
	"github.com/cairn-kb/cairn/internal/embed/embedtest"
)

// rename renames a file of the space notes as a person does, and syncs.
func (b *bed) rename(a *app.App, from, to string) {
	b.t.Helper()
	root := filepath.Join(b.home, "notes")
	to = filepath.Join(root, to)
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(root, from), to); err != nil {
		b.t.Fatal(err)
	}
	ok[[]app.SyncReport](b.t)(a.Sync(context.Background(), app.SyncRequest{}))
}

// A title that comes from the file's name is part of what is embedded: where
// it changes, and nothing else does, the page is embedded again.
func TestEmbedFollowsTheFileName(t *testing.T) {
	b, a := modelBed(t, nil)
	ctx := context.Background()
	ok[app.EmbedReport](t)(a.Embed(ctx, app.EmbedRequest{}))
	if r := ok[app.SearchResult](t)(a.Search(ctx, app.SearchRequest{Query: "basil", Mode: app.ModeVector})); r.Left != 0 {
		t.Fatalf("%d are left", r.Left)
	}

	b.rename(a, "cooking.md", "more/cooking.md")
	if r := ok[app.EmbedReport](t)(a.Embed(ctx, app.EmbedRequest{})); r.Pages != 0 || r.Left != 0 {
		t.Errorf("moved under its title: %+v", r)
	}
	b.rename(a, "more/cooking.md", "volcano eruptions in Iceland.md")
	if r := ok[app.SearchResult](t)(a.Search(ctx, app.SearchRequest{Query: "x", Mode: app.ModeVector})); r.Left != 1 {
		t.Errorf("retitled: %d are left", r.Left)
	}
	if r := ok[app.EmbedReport](t)(a.Embed(ctx, app.EmbedRequest{})); r.Pages != 1 || r.Chunks != 1 || r.Reused != 0 || r.Left != 0 {
		t.Errorf("retitled: %+v", r)
	}
	if path, _ := first(t, a, "lava"); path != "volcano eruptions in Iceland.md" {
		t.Errorf("found %s", path)
	}
}

// The same where the file is renamed while its page is embedded.
func TestRenamedWhileEmbedded(t *testing.T) {
	b, a := modelBed(t, nil)
	ctx := context.Background()
	server := embedtest.Ollama(t, 640, "")
	const name = "ollama/some-model"
	ok[app.Model](t)(a.ModelAdd(ctx, app.ModelAdd{Name: name, URL: server.URL}))
	ok[app.Model](t)(a.ModelUse(ctx, name))
	other := b.open()
	var once sync.Once
	server.Before = func([]string) int {
		once.Do(func() { b.rename(other, "cooking.md", "volcano.md") })
		return 0
	}
	if r := ok[app.EmbedReport](t)(a.Embed(ctx, app.EmbedRequest{})); r.Left != 1 {
		t.Errorf("while renamed: %+v", r)
	}
	if r := ok[app.EmbedReport](t)(a.Embed(ctx, app.EmbedRequest{})); r.Pages != 1 || r.Chunks != 1 || r.Left != 0 {
		t.Errorf("after that: %+v", r)
	}
}
