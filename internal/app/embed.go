package app

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	config "github.com/cairn-kb/cairn/internal/memory/space"
)

// NewTextEmbedder returns the built-in model, which needs no memory; see
// embedding.NewTextEmbedder.
func NewTextEmbedder(place config.Place) (TextEmbedder, error) {
	return embedding.NewTextEmbedder(place)
}

// Models are the embedding models of a memory, and make its vectors.
type Models struct {
	engine *embedding.Engine
	fresh  *freshness.Engine
	now    func() time.Time
}

// Models returns the embedding models of the memory.
func (a *App) Models() Models { return Models{a.embedding, a.fresh, a.opts.Now} }

// Embed computes the vectors of pages that have none, or that changed since;
// see embedding.Engine.Embed.
func (m Models) Embed(ctx context.Context, req EmbedRequest) (EmbedReport, error) {
	return m.engine.Embed(ctx, req)
}

// EmbedSoon embeds pages that were just written, if that is quick; see
// embedding.Engine.EmbedSoon.
func (m Models) EmbedSoon(ctx context.Context, refs []string) (EmbedReport, error) {
	return m.engine.EmbedSoon(ctx, refs)
}

// List returns the models that the memory may use, by name.
func (m Models) List(ctx context.Context) ([]Model, error) { return m.engine.ModelList(ctx) }

// Add registers a model that works; see embedding.Engine.ModelAdd.
func (m Models) Add(ctx context.Context, req ModelAdd) (Model, error) {
	return m.engine.ModelAdd(ctx, req)
}

// Use makes a model the one that queries and embed use.
func (m Models) Use(ctx context.Context, name string) (Model, error) {
	return m.engine.ModelUse(ctx, name)
}

// Remove forgets a model and its vectors; see
// embedding.Engine.ModelRemove.
func (m Models) Remove(ctx context.Context, name string) (Model, error) {
	return m.engine.ModelRemove(ctx, name)
}

// Verify opens the active model, has it embed a text, and reads all of its
// vectors.
func (m Models) Verify(ctx context.Context) (Model, error) { return m.engine.ModelVerify(ctx) }

// EmbedSynced first syncs the directories that the pages are in, and then is
// Embed. Progress is told of the sync.
func (m Models) EmbedSynced(ctx context.Context, req embedding.Request, progress func(space, phase string, done, total int)) (embedding.Report, error) {
	start := m.now()
	active, err := m.engine.ActiveModel(ctx)
	if err != nil {
		return embedding.Report{}, err // before a sync that may take long
	}
	notes, err := m.fresh.Meant(ctx, req.Refs, req.All, progress)
	if err != nil {
		return embedding.Report{Model: active.Model(), Notes: notes}, err
	}
	r, err := m.engine.Embed(ctx, req)
	r.Notes = append(notes, r.Notes...)
	if r.Millis > 0 {
		r.Millis = m.now().Sub(start).Milliseconds()
	}
	return r, err
}
