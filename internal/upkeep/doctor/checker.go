package doctor

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"github.com/cairn-kb/cairn/internal/memory/space"

	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Checker checks a memory. It is safe for concurrent use.
type Checker struct {
	DB        store.Engine
	Index     *index.Index
	Spaces    *space.Registry
	Embedding *embedding.Engine
	Inspect   *lintpages.Engine
	Guard     func(context.Context, *write.Space) (*api.GitState, error) // how a guarded space stands
	Check     *contradiction.Engine
	Syncer    *reconcile.Syncer
	Follower  *reconcile.Follower // for Problems; nil where each look is a listing
	Codecs    []doc.Codec
	Place     space.Place
	Workers   int // goroutines that a model in this process may use; 0 is one per processor

	// Kept are findings about what is committed. It is shared.
	Kept *store.Kept

	// Hint words what to do about an error, for the remedies of checks.
	Hint kb.Hinter
	// Lock keeps others from writing to a space until it is unlocked.
	Lock func(context.Context, kb.Space) (unlock func() error, err error)
	// Regions lists what keeps parts of pages from being made from other pages.
	Regions func(context.Context, kb.Space) ([]string, error)
	// Notes lists the notes of a space that break a strict schema among its pages.
	Notes func(ctx context.Context, s kb.Space, limit int) (api.Conformity, error)
	// Maintenance is the check of what is done on a schedule.
	Maintenance func(context.Context, store.Tx) (api.Check, error)
}
