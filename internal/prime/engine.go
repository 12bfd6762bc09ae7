package prime

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/gist"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Engine primes the sessions of one caller. It is safe for concurrent use.
type Engine struct {
	DB     store.Engine
	Spaces *space.Registry
	Codecs []doc.Codec
	Place  config.Place
	Now    func() time.Time
	Actor  kb.Actor
	Gist   *gist.Engine // what a space knows, where its policy says how much of it is told

	// Repository tells how the repository of a guarded space stands; nil for any other.
	Repository func(ctx context.Context, s kb.Space) (*api.GitState, error)
	// Disputes counts the contradictions of spaces that count.
	Disputes func(ctx context.Context, tx store.Tx, spaces []int64) (int, error)
}
