package upkeep

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/calendar/generated"
	"github.com/cairn-kb/cairn/internal/files/fsys"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/gap"
	"github.com/cairn-kb/cairn/internal/knowledge/sessions"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/transfer/foreign"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
)

// Hooks lists all work around reads and writes, in order. This is the only such
// list; docs/architecture.md shows it.
func Hooks() memory.Hooks {
	rotate := memory.Hook{Name: memory.HookRotate, Run: rotateDue}
	generate := memory.Hook{Name: memory.HookGenerate, Run: refreshGenerated}
	return memory.Hooks{
		BeforeRead: []memory.Hook{rotate},
		BeforeSync: []memory.Hook{{Name: memory.HookSessions, Run: refreshSessions}},
		AfterSync:  []memory.Hook{{Name: memory.HookRotate, Run: rotateChanged}, generate},
		BeforeWrite: []memory.Hook{
			{Name: memory.HookFetch, Guarded: true, Run: func(ctx context.Context, sess *memory.Session, s kb.Space) (bool, error) {
				return false, gitsync.FetchRemote(ctx, sess, s)
			}},
			rotate,
		},
		Behind: []memory.Hook{
			{Name: memory.HookPull, Guarded: true, Run: func(ctx context.Context, sess *memory.Session, s kb.Space) (bool, error) {
				return false, gitsync.PullRemote(ctx, sess, s)
			}},
		},
		AfterWrite:  []memory.Hook{generate},
		AfterAnswer: []memory.AnswerHook{{Name: memory.HookGap, Run: recordGap}},
		AfterRead:   []memory.ReadHook{{Name: memory.HookUse, Run: recordUse}},
	}
}

// rotateDue rotates the pages of a space with a past day, whether or not a schedule
// runs. A failure becomes a notice: the caller's own work continues.
func rotateDue(ctx context.Context, sess *memory.Session, s kb.Space) (changed bool, err error) {
	return rotate(ctx, sess, s, day.RotateDue)
}

// rotateChanged is rotateDue for when an editor saved the page of a past day.
func rotateChanged(ctx context.Context, sess *memory.Session, s kb.Space) (changed bool, err error) {
	return rotate(ctx, sess, s, day.RotateChanged)
}

func rotate(ctx context.Context, sess *memory.Session, s kb.Space, run func(context.Context, *memory.Session, kb.Space) ([]api.RotationReport, error)) (changed bool, err error) {
	done, err := run(store.WithPatience(ctx, store.Patience(ctx, store.ReadPatience)), sess.Scheduled(), s)
	for _, r := range done {
		sess.Notices.Add(s.Name + ": " + r.String())
	}
	noteSideEffectError(ctx, sess, s, err)
	return len(done) > 0, nil
}

// refreshSessions writes the pages of past sessions with changed transcripts. A
// failure becomes a notice.
func refreshSessions(ctx context.Context, sess *memory.Session, s kb.Space) (changed bool, err error) {
	changed, err = sessions.Refresh(ctx, sess, s, func(ctx context.Context, file string) (sessions.Database, error) {
		return foreign.OpenOpenCode(ctx, file)
	})
	noteSideEffectError(ctx, sess, s, err)
	return changed, ctx.Err()
}

// refreshGenerated refreshes the parts of pages that are generated from changed
// pages. A failure becomes a notice.
func refreshGenerated(ctx context.Context, sess *memory.Session, s kb.Space) (changed bool, err error) {
	done, err := generated.RefreshDue(store.WithPatience(ctx, store.Patience(ctx, store.ReadPatience)), sess.Scheduled(), s)
	noteSideEffectError(ctx, sess, s, err)
	return len(done) > 0, nil
}

// noteSideEffectError records a failed side effect as a notice.
func noteSideEffectError(ctx context.Context, sess *memory.Session, s kb.Space, err error) {
	if err != nil && ctx.Err() == nil && !fsys.Unwritable(err) && !store.IsBusy(err) && !errors.Is(err, context.Canceled) {
		sess.Notices.Add(s.Name + ": " + api.Note(kb.AsError(err), sess.Hint))
	}
}

// recordUse records that pages were used today. A failure becomes a notice.
func recordUse(ctx context.Context, sess *memory.Session, pages []api.Page) {
	if len(pages) == 0 || !sess.Writable() || sess.Actor.Kind == kb.Schedule {
		return
	}
	sess.Later(ctx, func(ctx context.Context) error {
		err := ageing.Use(ctx, sess, pages)
		if err != nil && !store.IsBusy(err) {
			sess.Notices.Add("that pages were used could not be noted: " + kb.AsError(err).Message)
		}
		return err
	})
}

// recordGap records a question without a good answer, according to the policy of
// its space. A failure becomes a notice.
func recordGap(ctx context.Context, sess *memory.Session, question string, spaces []kb.Space, r api.SearchResult) {
	if r.Confidence == nil || !sess.Writable() {
		return
	}
	q := gap.Asked{Spaces: spaces, Question: question, Confidence: *r.Confidence}
	for _, s := range spaces {
		if len(r.Items) > 0 && s.Name == r.Items[0].Space {
			q.Best, q.In = r.Items[0].ID, s
		}
	}
	sess.Later(ctx, func(ctx context.Context) error {
		err := gap.NoteQuestion(ctx, sess, q)
		if err != nil {
			sess.Notices.Add("whether the question is a gap could not be noted: " + kb.AsError(err).Message)
		}
		return err
	})
}
