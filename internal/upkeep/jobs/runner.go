package jobs

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/calendar/generated"
	"github.com/cairn-kb/cairn/internal/calendar/retention"
	"github.com/cairn-kb/cairn/internal/calendar/routine"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/compact"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/index"
	config "github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"

	"github.com/cairn-kb/cairn/internal/store"
)

// Runner does the jobs of a memory. It is safe for concurrent use.
type Runner struct {
	DB         store.Engine
	Index      *index.Index
	Spaces     *config.Registry
	Embedding  *embedding.Engine
	History    *history.Engine
	Health     *doctor.Checker
	Rotation   *day.Engine       // as the schedule
	Region     *generated.Engine // as the schedule
	Expiry     *retention.Engine // as the schedule
	Ageing     *ageing.Engine    // as the schedule
	Compaction *compact.Engine   // as the schedule
	Guard      *gitsync.Engine
	Routine    *routine.Engine
	Place      config.Place // whose configuration names the command for routines
	Now        func() time.Time

	// Hint words what to do about an error that a job has.
	Hint kb.Hinter
	// Sync brings the directory of a space into the index.
	Sync func(ctx context.Context, s kb.Space, dryRun bool, progress func(space, phase string, done, total int)) (api.SyncReport, error)
}
