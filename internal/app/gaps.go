package app

import "context"

// Gaps lists the questions that the memory could not answer, oldest first.
func (a *App) Gaps(ctx context.Context, req GapsRequest) (List[Gap], error) {
	return a.gaps.List(ctx, req)
}

// GapLog notes that the memory could not answer a question; see gap.Tracker.Log.
func (a *App) GapLog(ctx context.Context, req GapLogRequest) (Gap, error) {
	return a.gaps.Log(ctx, req)
}

// GapNote replaces the context of a gap.
func (a *App) GapNote(ctx context.Context, req GapNoteRequest) (Gap, error) {
	return a.gaps.Note(ctx, req)
}

// GapApprove notes that somebody allowed the question of a gap to be kept; see
// gap.Tracker.Approve.
func (a *App) GapApprove(ctx context.Context, req GapApproveRequest) (Gap, error) {
	return a.gaps.Approve(ctx, req)
}

// GapResolve notes which page answers the question of a gap. It replaces the
// page that was noted before.
func (a *App) GapResolve(ctx context.Context, id int64, ref string) (Gap, error) {
	page, err := a.fresh.Page(ctx, ref)
	if err != nil {
		return Gap{}, err
	}
	return a.gaps.Resolve(ctx, id, page)
}

// GapRemove removes a gap with everything kept of it, and returns what it was.
func (a *App) GapRemove(ctx context.Context, id int64) (Gap, error) { return a.gaps.Remove(ctx, id) }
