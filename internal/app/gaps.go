package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
)

// Gaps are the questions that a memory could not answer.
type Gaps struct {
	tracker *gap.Tracker
	fresh   *freshness.Engine
}

// Gaps returns the questions that the memory could not answer.
func (a *App) Gaps() Gaps { return Gaps{a.gaps, a.fresh} }

// List lists them, oldest first.
func (g Gaps) List(ctx context.Context, req GapsRequest) (List[Gap], error) {
	return g.tracker.List(ctx, req)
}

// Log notes that the memory could not answer a question; see gap.Tracker.Log.
func (g Gaps) Log(ctx context.Context, req GapLogRequest) (Gap, error) {
	return g.tracker.Log(ctx, req)
}

// Note replaces the context of a gap.
func (g Gaps) Note(ctx context.Context, req GapNoteRequest) (Gap, error) {
	return g.tracker.Note(ctx, req)
}

// Approve notes that somebody allowed the question of a gap to be kept; see
// gap.Tracker.Approve.
func (g Gaps) Approve(ctx context.Context, req GapApproveRequest) (Gap, error) {
	return g.tracker.Approve(ctx, req)
}

// Resolve notes which page answers the question of a gap. It replaces the
// page that was noted before.
func (g Gaps) Resolve(ctx context.Context, id int64, ref string) (Gap, error) {
	page, err := g.fresh.Page(ctx, ref)
	if err != nil {
		return Gap{}, err
	}
	return g.tracker.Resolve(ctx, id, page)
}

// Remove removes a gap with everything kept of it, and returns what it was.
func (g Gaps) Remove(ctx context.Context, id int64) (Gap, error) { return g.tracker.Remove(ctx, id) }
