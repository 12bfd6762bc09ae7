package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// Versions are the states that the documents of a memory were in, and the writes
// that led from one to the next.
type Versions struct{ app *App }

// Versions returns the history of the memory.
func (a *App) Versions() Versions { return Versions{a} }

// HistoryRequest asks for the versions of a page, or with Deleted and no ref
// for the pages that are gone.
type HistoryRequest struct {
	Ref           string
	Deleted       bool
	Limit, Offset int // Limit 0 is all
}

// List lists versions, newest first.
func (v Versions) List(ctx context.Context, req HistoryRequest) (List[Version], error) {
	if req.Deleted {
		return v.app.history.Deleted(ctx, req.Limit, req.Offset)
	}
	d, err := v.page(ctx, req.Ref)
	if err != nil {
		return List[Version]{}, err
	}
	return v.app.history.Versions(ctx, d, req.Limit, req.Offset)
}

// page finds a page that is there, or one that was deleted.
func (v Versions) page(ctx context.Context, raw string) (history.Document, error) {
	p, missing := v.app.fresh.Page(ctx, raw)
	return v.app.history.PastPage(ctx, raw, p, missing)
}

// Recent lists changes, newest first.
func (v Versions) Recent(ctx context.Context, req RecentRequest) (List[Version], error) {
	return v.app.history.Recent(ctx, req)
}

// Changes lists what changed in any space since the change that was counted
// as number after, newest first, and the number of all of it.
func (v Versions) Changes(ctx context.Context, after int64, limit int) (List[Version], error) {
	return v.app.history.Changes(ctx, after, limit)
}

// DiffRequest compares two versions of a page.
type DiffRequest struct {
	Ref      string
	From, To int // 0: the version before To, and the newest
}

// Diff compares two versions of a page; version 0 of a page is its absence.
func (v Versions) Diff(ctx context.Context, req DiffRequest) (DiffResult, error) {
	d, err := v.page(ctx, req.Ref)
	if err != nil {
		return DiffResult{}, err
	}
	return v.app.history.Diff(ctx, d, req.From, req.To)
}

// RestoreRequest brings back the text of a version.
type RestoreRequest struct {
	WriteOptions
	Ref     string
	Version int // 0: of a deleted page the last one it had, else the one before the newest
}

// Restore makes a page what it was in a version, at the path that it has now,
// or that it had when it was deleted.
func (v Versions) Restore(ctx context.Context, req RestoreRequest) (Written, error) {
	d, err := v.page(ctx, req.Ref)
	if err != nil {
		return Written{}, err
	}
	plan, err := v.app.history.PlanRestore(ctx, d, req.Version, req.WriteOptions)
	if err != nil {
		return Written{}, err
	}
	return v.app.change.ApplyRequest(ctx, plan, req.Diff)
}

// Undo takes writes back in one apply; see history.Engine.PlanUndo.
func (v Versions) Undo(ctx context.Context, req UndoRequest) (Written, error) {
	return v.apply(ctx, req.Diff, func() (write.Request, []Skipped, error) { return v.app.history.PlanUndo(ctx, req) })
}

// Redo brings back what the last undo took back; see history.Engine.PlanRedo.
func (v Versions) Redo(ctx context.Context, req RedoRequest) (Written, error) {
	return v.apply(ctx, req.Diff, func() (write.Request, []Skipped, error) { return v.app.history.PlanRedo(ctx, req) })
}

// apply applies what an undo or a redo plans, unless all pages are left. It
// plans again where files turn out to be newer than what the plan was made from.
func (v Versions) apply(ctx context.Context, diff bool, makePlan func() (write.Request, []Skipped, error)) (Written, error) {
	plan, skipped, err := makePlan()
	if err != nil {
		return Written{}, err
	}
	newer, err := v.app.fresh.SyncChanged(ctx, plan.Changes)
	if err != nil {
		return Written{}, err
	}
	if newer {
		if plan, skipped, err = makePlan(); err != nil {
			return Written{}, err
		}
	}
	if len(plan.Changes) == 0 {
		return Written{DryRun: plan.DryRun, Pages: []WrittenPage{}, Skipped: skipped}, nil
	}
	out, err := v.app.change.ApplyRequest(ctx, plan, diff)
	out.Skipped = skipped
	return out, err
}

// Prune deletes the texts of old versions as the retention of their space says,
// and gives the space back; see history.Engine.PruneAndCompact.
func (v Versions) Prune(ctx context.Context, dryRun bool) (PruneResult, error) {
	return v.app.history.PruneAndCompact(ctx, dryRun)
}
