package jobs

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/ageing"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/compaction"
	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/embedding"
	"github.com/cairn-kb/cairn/internal/expiry"
	"github.com/cairn-kb/cairn/internal/guard"
	"github.com/cairn-kb/cairn/internal/health"
	"github.com/cairn-kb/cairn/internal/history"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/region"
	"github.com/cairn-kb/cairn/internal/rotation"
	"github.com/cairn-kb/cairn/internal/routine"
	"github.com/cairn-kb/cairn/internal/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Runner does the jobs of a memory. It is safe for concurrent use.
type Runner struct {
	DB         store.Engine
	Index      *index.Index
	Spaces     *space.Registry
	Embedding  *embedding.Engine
	History    *history.Engine
	Health     *health.Checker
	Rotation   *rotation.Engine   // as the schedule
	Region     *region.Engine     // as the schedule
	Expiry     *expiry.Engine     // as the schedule
	Ageing     *ageing.Engine     // as the schedule
	Compaction *compaction.Engine // as the schedule
	Guard      *guard.Engine
	Routine    *routine.Engine
	Place      config.Place // whose configuration names the command for routines
	Now        func() time.Time

	// Hint words what to do about an error that a job has.
	Hint kb.Hinter
	// Sync brings the directory of a space into the index.
	Sync func(ctx context.Context, s kb.Space, dryRun bool, progress func(space, phase string, done, total int)) (api.SyncReport, error)
}
