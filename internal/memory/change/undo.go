package change

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// RestoreRequest restores the text of a version.
type RestoreRequest struct {
	api.WriteOptions
	Ref     string
	Version int // 0: the last one of a deleted page, else the one before the newest
}

// Restore restores a page to a version, at its present path, or at its last path if
// it was deleted.
func Restore(ctx context.Context, sess *memory.Session, req RestoreRequest) (api.Written, error) {
	return restoreAll(ctx, sess, ChangeRequest{WriteOptions: req.WriteOptions, Refs: []string{req.Ref}}, req.Version)
}

// Undo undoes writes in one apply; see history.PlanUndo.
func Undo(ctx context.Context, sess *memory.Session, req history.UndoRequest) (api.Written, error) {
	return applyPlan(ctx, sess, req.Diff, func(ctx context.Context) (write.Request, []api.Skipped, error) {
		return history.PlanUndo(ctx, sess, req)
	})
}

// Redo reverts the last undo; see history.PlanRedo.
func Redo(ctx context.Context, sess *memory.Session, req history.RedoRequest) (api.Written, error) {
	return applyPlan(ctx, sess, req.Diff, func(ctx context.Context) (write.Request, []api.Skipped, error) {
		return history.PlanRedo(ctx, sess, req)
	})
}

// applyPlan applies the plan of an undo or a redo, unless it skips all pages. It
// makes a new plan when files turn out to be newer than the plan.
func applyPlan(ctx context.Context, sess *memory.Session, diff bool, makePlan func(context.Context) (write.Request, []api.Skipped, error)) (out api.Written, err error) {
	err = turn.In(ctx, sess.DB, func(ctx context.Context) error {
		plan, skipped, err := makePlan(ctx)
		if err != nil {
			return err
		}
		newer, err := freshness.SyncChanged(ctx, sess, plan.Changes)
		if err != nil {
			return err
		}
		if newer {
			if plan, skipped, err = makePlan(ctx); err != nil {
				return err
			}
		}
		if len(plan.Changes) == 0 {
			out = api.Written{DryRun: plan.DryRun, Pages: []api.WrittenPage{}, Skipped: skipped}
			return nil
		}
		out, err = ApplyRequest(ctx, sess, plan, diff)
		out.Skipped = skipped
		return err
	})
	return out, err
}
