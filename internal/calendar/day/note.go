package day

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// DailyRequest asks for the note of a day.
type NoteRequest struct {
	api.WriteOptions
	Date string // YYYY-MM-DD, today, yesterday or tomorrow; "" for today
	Text string // to add to the note; "" to add nothing
}

// Note finds the note of a day in the current space, makes it where it is
// missing, and adds a text to its end. Its path and the text of a new one
// follow the programs that keep the directory; see daily.Pattern. Days are
// those of the clock's time zone.
func Note(ctx context.Context, sess *memory.Session, req NoteRequest) (api.Daily, error) {
	a := sess
	s, err := a.Spaces.OpenForNew(ctx, req.DryRun)
	if err != nil {
		return api.Daily{}, err
	}
	out, made, err := note(ctx, a, s, req)
	if made && req.Expected == nil && kb.CodeOf(err) == kb.Conflict {
		// An editor or another caller made it first, and now it is known.
		out, _, err = note(ctx, a, s, req)
	}
	return out, err
}

// dailyNote is Note once. It reports whether the note was missing, and so to be
// made.
func note(ctx context.Context, a *memory.Session, s *write.Space, req NoteRequest) (out api.Daily, missing bool, err error) {
	plan, err := PlanNote(ctx, a, s, change.Extension(a, s), a.Now(), Request{Date: req.Date, Text: req.Text, Expected: req.Expected})
	out = api.Daily{Written: api.Written{DryRun: req.DryRun, Pages: []api.WrittenPage{}}, Date: plan.Date}
	if err != nil {
		return out, false, err
	}
	if plan.Change != nil {
		if out.Written, err = change.Apply(ctx, a, "daily", req.WriteOptions, []write.Change{*plan.Change}); len(out.Pages) > 0 {
			out.Note = out.Pages[0].Page
		}
		return out, plan.Page.ID == "", err
	}
	err = a.DB.View(ctx, func(tx store.Tx) error {
		v, err := api.NewViewer(ctx, tx)
		if err != nil {
			return err
		}
		out.Note, err = v.Page(ctx, plan.Page)
		return err
	})
	return out, false, err
}

// TodayRequest asks for the page of the day, or for a line in it.
type TodayRequest struct {
	api.WriteOptions
	Kind string // of the line, as the space's policy calls it; "" to add nothing
	Text string
}

// Today finds the page of the day in the current space, which is the first that its
// policy turns over, and adds a line to the section that the policy has for its kind.
func AddToday(ctx context.Context, sess *memory.Session, req TodayRequest) (api.Daily, error) {
	out := api.Daily{Written: api.Written{DryRun: req.DryRun, Pages: []api.WrittenPage{}}}
	s, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return out, err
	}
	if _, err := sess.RunHooks(ctx, sess.Hooks.BeforeRead, s.Space, false); err != nil {
		return out, err
	}
	place, edit, err := Today(s, req.Kind, req.Text, sess.Now())
	if err != nil {
		return out, err
	}
	out.Date = place.Date
	if edit != nil {
		if out.Written, err = change.Edit(ctx, sess, "today", req.WriteOptions, place.Ref, edit); len(out.Pages) > 0 {
			out.Note = out.Pages[0].Page
		}
		return out, err
	}
	got, err := read.Get(ctx, sess, read.GetRequest{Ref: place.Ref})
	out.Note = got.Page
	return out, err
}
