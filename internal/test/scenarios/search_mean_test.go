package scenarios_test

import (
	"math"
	"testing"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/search/embed/bge"
	"github.com/cairn-kb/cairn/internal/test/apptest"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// canines is a memory of two pages: one that words find, one that meaning does.
func canines(t *testing.T, env map[string]string) *memory.Session {
	t.Helper()
	if !bge.Available() {
		t.Skip("this build has no embedding model (tag slim)")
	}
	b := apptest.New(t)
	b.Opts.Place.Env = func(name string) string { return env[name] }
	a := b.Open()
	apptest.OK(gitsync.AddSpace(t.Context(), a, space.AddRequest{Name: "notes", Root: b.Dir("notes", map[string]string{
		"canine.md": "# Canine behavior\n\nPuppies learn to sit and to stay when they are rewarded with treats.\n",
		"trains.md": "# Train timetable\n\nThe training of conductors for the night train begins in March.\n",
		"soup.md":   "# Soup\n\nBoil the carrots with salt.\n",
	})}))(t)
	apptest.OK(gitsync.Sync(t.Context(), a, gitsync.SyncRequest{Space: "*"}))(t)
	apptest.OK(embedding.Embed(t.Context(), a, embedding.Request{All: true}))(t)
	return a
}

// Tests "Vector semantic search" and "Hybrid search scoring" of section 13.3 of the
// specification of Markdown graphs.
func TestSection13_3VectorAndHybrid(t *testing.T) {
	t.Parallel()
	a := canines(t, nil)
	least := 0.55
	r := apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "dog training", Mode: api.ModeSemantic, MinSimilarity: &least, Explain: true}))(t)
	if len(r.Items) == 0 || r.Items[0].Slug != "canine" || r.Items[0].Score <= 0.55 || r.Items[0].Score != r.Items[0].Why.Meaning.Score {
		t.Fatalf("vector: %+v", r.Items)
	}
	r = apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "dog training", Mode: api.ModeHybrid, Fusion: retrieve.Mean, MinSimilarity: &least, Explain: true}))(t)
	slugs := map[string]bool{}
	for _, h := range r.Items {
		slugs[h.Slug] = true
		want := 0.0
		if h.Why.Words != nil {
			want = 0.5 // the one page with words is the best of them
		}
		if h.Why.Meaning != nil {
			want += h.Why.Meaning.Score / 2
		}
		if math.Abs(h.Score-want) > 1e-9 || h.Why.Names != nil || h.Why.Whole != nil {
			t.Errorf("%s scores %v, want %v", h.Slug, h.Score, want)
		}
	}
	if !slugs["canine"] || !slugs["trains"] {
		t.Errorf("hybrid finds %v", slugs)
	}
}

// What is near, and how many are, is for the settings to say, and for the request.
func TestSettingsOfMeaning(t *testing.T) {
	t.Parallel()
	ask := func(a *memory.Session, least *float64) int {
		return apptest.OK(read.Search(t.Context(), a, retrieve.SearchRequest{Query: "dog training", Mode: api.ModeVector, MinSimilarity: least}))(t).Total
	}
	a := canines(t, map[string]string{"CAIRN_VECTOR_K": "2"})
	if n := ask(a, nil); n != 2 {
		t.Errorf("with vector_k = 2 it finds %d", n)
	}
	a, all := canines(t, map[string]string{"CAIRN_MIN_SIMILARITY": "0.99"}), 0.0
	if n := ask(a, nil); n != 0 {
		t.Errorf("with min_similarity = .99 it finds %d", n)
	}
	if n := ask(a, &all); n != 3 {
		t.Errorf("asked for all it finds %d", n)
	}
	wrong := 1.5
	if _, err := read.Search(t.Context(), a, retrieve.SearchRequest{Query: "x", MinSimilarity: &wrong}); kb.CodeOf(err) != kb.Usage {
		t.Error(err)
	}
}
