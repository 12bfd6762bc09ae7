package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/knowledge/compact"
)

// Capture stores texts as they come up; see capture.Engine.Capture.
func (a *App) Capture(ctx context.Context, req CaptureRequest) (CaptureAnswer, error) {
	return a.capture.Capture(ctx, req)
}

// Context says what the caller's space knows now; see gist.Engine.Brief.
func (a *App) Context(ctx context.Context, req ContextRequest) (ContextBrief, error) {
	return a.gist.Brief(ctx, req)
}

// Compaction is what becomes of stale pages.
type Compaction struct{ *compact.Engine }

// Compaction returns what makes one page of several stale ones.
func (a *App) Compaction() Compaction { return Compaction{a.compaction} }

// ReadCompactPlan reads a plan of a compaction that somebody wrote.
func ReadCompactPlan(text []byte) (*CompactPlan, error) { return compact.ReadPlan(text) }
