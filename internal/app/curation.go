package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
)

// Curate says what of the current space is worth a look; see curate.Engine.List.
func (u Upkeep) Curate(ctx context.Context, req CurateRequest) (Curation, error) {
	return u.app.curate.List(ctx, req)
}

// CurationKinds are the kinds of what is worth a look.
func CurationKinds() []CurationKind { return api.CurationKinds() }
