package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/curate"
)

// Curate says what of the current space is worth a look; see curate.Engine.List.
func (u Upkeep) Curate(ctx context.Context, req CurateRequest) (Curation, error) {
	return u.app.curate.List(ctx, req)
}

// CurationKinds are the kinds of what is worth a look.
func CurationKinds() []CurationKind { return api.CurationKinds() }

// Decide does what a person decided of pages; see curate.Engine.Decide.
func (u Upkeep) Decide(ctx context.Context, d CurationDecision) (Written, error) {
	return u.app.curate.Decide(ctx, d)
}

// CurationVerbs are what is done of decisions.
func CurationVerbs() []CurationVerb { return curate.Verbs() }
