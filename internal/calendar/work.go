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
	Failed    string                    // what could not be done, after the name of the page
	Wants     func(*policy.Policy) bool // whether a policy asks for it
	Plan      func(context.Context, *memory.Session, *write.Space, time.Time) iter.Seq[Step[R]]
}

// Step is one write that a plan wants, with its reports. A plan goes on after a step
// with an error.
type Step[R any] struct {
	Page    string // that errors name
	Message string // of the write
	Changes []write.Change
	Do      func(context.Context) error // instead of Changes, to a file that is not a page
	Reports []R
	Wrote   func(reports []R, id int64) // notes the write in the reports
	Err     error

	// Where others write at the same moment, Again plans the step again. Without it, the
	// pages are left to the next run.
	Again func(context.Context) Step[R]
	// Parts are performed instead of a step that fails. Its reports stay.
	Parts []Step[R]
}

// maxAttempts bounds how often a step is planned because others wrote in between.
const maxAttempts = 5

// Run does what a space's policy asks for, each step in a write of its own: one that
// fails prevents no other. A dry run reports what it would do.
func (w Work[R]) Run(ctx context.Context, sess *memory.Session, s kb.Space, dryRun bool) ([]R, error) {
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil || !w.Wants(space.Policy) {
		return nil, err
	}
	out, _, err := w.RunIn(ctx, sess, space, w.Plan(ctx, sess, space, sess.Now()), dryRun)
	return out, err
}

// RunIn performs the steps of a plan in an open space. It reports whether none was left
// to the next run.
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

// overtaken reports whether others wrote the page at that moment.
func overtaken(err error) bool { return kb.CodeOf(err) == kb.Conflict && !store.IsBusy(err) }

// about names the page of an error.
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
