package calendar

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// Work is one kind of work that dates trigger in the pages of a space. Its plan
// decides; Run applies the plan. R is the report about a page.
type Work[R any] struct {
	Operation string                    // of its writes
	Failed    string                    // action that failed, after the name of the page
	Wants     func(*policy.Policy) bool // whether a policy enables it
	Plan      func(context.Context, *memory.Session, *write.Space, time.Time) iter.Seq[Step[R]]
}

// Step is one write of a plan, with its reports. A plan continues after a step that
// fails.
type Step[R any] struct {
	Page    string // named in errors
	Message string // of the write
	Changes []write.Change
	Do      func(context.Context) error // instead of Changes, to a file that is not a page
	Reports []R
	Wrote   func(reports []R, id int64) // adds the write to the reports
	Err     error

	// Again plans the step again when another writer changed its pages in the
	// meantime. Without it, these pages are left to the next run.
	Again func(context.Context) Step[R]
	// Parts are performed instead of a step that fails. The step's reports are
	// kept.
	Parts []Step[R]
}

// maxAttempts bounds how often a step is planned again because of concurrent
// writes.
const maxAttempts = 5

// Run does the work that a space's policy enables, each step in its own write: a
// step that fails does not prevent the others. A dry run reports what it would do.
func (w Work[R]) Run(ctx context.Context, sess *memory.Session, s kb.Space, dryRun bool) ([]R, error) {
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || !w.Wants(space.Policy) {
		return nil, err
	}
	out, _, err := w.RunIn(ctx, sess, space, w.Plan(ctx, sess, space, sess.Now()), dryRun)
	return out, err
}

// RunIn performs the steps of a plan in an open space. It reports whether all of
// them are done, with none left to the next run.
func (w Work[R]) RunIn(ctx context.Context, sess *memory.Session, space *write.Space, plan iter.Seq[Step[R]], dryRun bool) (out []R, whole bool, err error) {
	if err := space.Present(); err != nil {
		return nil, false, err
	}
	whole = true
	var failed []error
	missed := func(page string, again bool, err error) {
		whole = whole && err == nil
		if err != nil && (again || !overtaken(err)) {
			failed = append(failed, w.about(page, err))
		}
	}
	for step := range plan {
		done, err := w.perform(ctx, sess, step, dryRun)
		for _, part := range step.Parts {
			if err == nil {
				break
			}
			why := err
			if len(step.Parts) > 1 {
				_, why = w.perform(ctx, sess, part, dryRun)
			}
			missed(part.Page, false, why)
		}
		if len(step.Parts) == 0 {
			missed(step.Page, step.Again != nil, err)
		}
		if ctx.Err() != nil {
			return out, false, ctx.Err()
		}
		if err == nil || len(step.Parts) > 0 {
			out = append(out, done.Reports...)
		}
	}
	return out, whole, errors.Join(failed...)
}

// perform applies a step.
func (w Work[R]) perform(ctx context.Context, sess *memory.Session, step Step[R], dryRun bool) (Step[R], error) {
	if step.Do != nil && step.Err == nil && !dryRun {
		return step, step.Do(ctx)
	}
	for n := 1; ; n++ {
		if step.Err != nil || len(step.Changes) == 0 {
			return step, step.Err
		}
		written, err := change.Apply(ctx, sess, w.Operation, api.WriteOptions{DryRun: dryRun, Message: step.Message}, step.Changes)
		if err == nil {
			step.Wrote(step.Reports, written.Write)
			return step, nil
		}
		if step.Again == nil || n == maxAttempts || !overtaken(err) {
			return step, err
		}
		step = step.Again(ctx)
	}
}

// overtaken reports whether the page was changed by a concurrent write.
func overtaken(err error) bool { return kb.CodeOf(err) == kb.Conflict && !store.IsBusy(err) }

// about prefixes an error with the page's name.
func (w Work[R]) about(page string, err error) error {
	switch {
	case page == "":
		return err
	case w.Failed == "":
		return fmt.Errorf("%s: %w", page, err)
	}
	e := *kb.AsError(err)
	e.Message = page + " " + w.Failed + ": " + e.Message
	return &e
}
