package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/embedding"
)

// NewTextEmbedder returns the built-in model, which needs no memory; see
// embedding.NewTextEmbedder.
func NewTextEmbedder(place config.Place) (TextEmbedder, error) {
	return embedding.NewTextEmbedder(place)
}

// Embed computes the vectors of pages that have none, or that changed since;
// see embedding.Engine.Embed.
func (a *App) Embed(ctx context.Context, req EmbedRequest) (EmbedReport, error) {
	return a.embedding.Embed(ctx, req)
}

// EmbedSoon embeds pages that were just written, if that is quick; see
// embedding.Engine.EmbedSoon.
func (a *App) EmbedSoon(ctx context.Context, refs []string) (EmbedReport, error) {
	return a.embedding.EmbedSoon(ctx, refs)
}

// ModelList returns the models that the memory may use, by name.
func (a *App) ModelList(ctx context.Context) ([]Model, error) { return a.embedding.ModelList(ctx) }

// ModelAdd registers a model that works; see embedding.Engine.ModelAdd.
func (a *App) ModelAdd(ctx context.Context, req ModelAdd) (Model, error) {
	return a.embedding.ModelAdd(ctx, req)
}

// ModelUse makes a model the one that queries and embed use.
func (a *App) ModelUse(ctx context.Context, name string) (Model, error) {
	return a.embedding.ModelUse(ctx, name)
}

// ModelRemove forgets a model and its vectors; see
// embedding.Engine.ModelRemove.
func (a *App) ModelRemove(ctx context.Context, name string) (Model, error) {
	return a.embedding.ModelRemove(ctx, name)
}

// ModelVerify opens the active model, has it embed a text, and reads all of its
// vectors.
func (a *App) ModelVerify(ctx context.Context) (Model, error) { return a.embedding.ModelVerify(ctx) }

// EmbedSynced first syncs the directories that the pages are in, and then is
// Embed. Progress is told of the sync.
func (a *App) EmbedSynced(ctx context.Context, req embedding.Request, progress func(space, phase string, done, total int)) (embedding.Report, error) {
	start := a.opts.Now()
	m, err := a.embedding.ActiveModel(ctx)
	if err != nil {
		return embedding.Report{}, err // before a sync that may take long
	}
	notes, err := a.fresh.Meant(ctx, req.Refs, req.All, progress)
	if err != nil {
		return embedding.Report{Model: m.Model(), Notes: notes}, err
	}
	r, err := a.embedding.Embed(ctx, req)
	r.Notes = append(notes, r.Notes...)
	if r.Millis > 0 {
		r.Millis = a.opts.Now().Sub(start).Milliseconds()
	}
	return r, err
}
