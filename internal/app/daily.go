package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/kb"

	"github.com/cairn-kb/cairn/internal/calendar/routine"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// DailyRequest asks for the note of a day.
type DailyRequest struct {
	WriteOptions
	Date string // YYYY-MM-DD, today, yesterday or tomorrow; "" for today
	Text string // to add to the note; "" to add nothing
}

// Daily is the note of a day, and what was written for it.
type Daily struct {
	Written
	Date string `json:"date"` // YYYY-MM-DD
	Note Page   `json:"note"`
}

// Days are what is of a day: the note of one, and pages that turn over.
type Days struct{ app *App }

// Days returns what is of a day.
func (a *App) Days() Days { return Days{a} }

// Note finds the note of a day in the current space, makes it where it is
// missing, and adds a text to its end. Where it is and what is in a new one
// follows the programs that keep the directory; see daily.Pattern. Days are those
// of the clock's time zone.
func (d Days) Note(ctx context.Context, req DailyRequest) (Daily, error) {
	a := d.app
	s, err := a.spaces.OpenForNew(ctx, req.DryRun)
	if err != nil {
		return Daily{}, err
	}
	out, made, err := dailyNote(ctx, a, s, req)
	if made && req.Expected == nil && kb.CodeOf(err) == kb.Conflict {
		// An editor or another caller made it first, and now it is known.
		out, _, err = dailyNote(ctx, a, s, req)
	}
	return out, err
}

// dailyNote is Note once. It reports whether the note was missing, and so to be
// made.
func dailyNote(ctx context.Context, a *App, s *write.Space, req DailyRequest) (out Daily, missing bool, err error) {
	planner := day.Planner{DB: a.db, Codecs: a.codecs}
	plan, err := planner.Plan(ctx, s, a.change.Extension(s), a.opts.Now(), day.Request{Date: req.Date, Text: req.Text, Expected: req.Expected})
	out = Daily{Written: Written{DryRun: req.DryRun, Pages: []WrittenPage{}}, Date: plan.Date}
	if err != nil {
		return out, false, err
	}
	if plan.Change != nil {
		if out.Written, err = a.change.Apply(ctx, "daily", req.WriteOptions, []write.Change{*plan.Change}); len(out.Pages) > 0 {
			out.Note = out.Pages[0].Page
		}
		return out, plan.Page.ID == "", err
	}
	err = a.db.View(ctx, func(tx store.Tx) error {
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
	WriteOptions
	Kind string // of the line, as the space's policy calls it; "" to add nothing
	Text string
}

// Today finds the page of the day in the current space, which is the first that its
// policy turns over, and adds a line to the section that the policy has for its kind.
func (d Days) Today(ctx context.Context, req TodayRequest) (Daily, error) {
	out := Daily{Written: Written{DryRun: req.DryRun, Pages: []WrittenPage{}}}
	s, err := d.app.spaces.OpenCurrent(ctx)
	if err != nil {
		return out, err
	}
	d.turn(ctx, s.Space)
	place, edit, err := day.Today(s, req.Kind, req.Text, d.app.opts.Now())
	if err != nil {
		return out, err
	}
	out.Date = place.Date
	if edit != nil {
		if out.Written, err = d.app.change.Edit(ctx, "today", req.WriteOptions, place.Ref, edit); len(out.Pages) > 0 {
			out.Note = out.Pages[0].Page
		}
		return out, err
	}
	got, err := d.app.Get(ctx, GetRequest{Ref: place.Ref})
	out.Note = got.Page
	return out, err
}

// Routines lists the routines of the current space, with those that are due.
func (d Days) Routines(ctx context.Context) ([]Routine, error) {
	s, err := d.app.spaces.OpenCurrent(ctx)
	if err != nil {
		return nil, err
	}
	return d.routine().List(ctx, s)
}

// Routine returns one routine of the current space.
func (d Days) Routine(ctx context.Context, name string) (Routine, error) {
	s, err := d.app.spaces.OpenCurrent(ctx)
	if err != nil {
		return Routine{}, err
	}
	return d.routine().Find(ctx, s, name)
}

// Announced lists the routines that became due, as the schedule told of them.
func (d Days) Announced(ctx context.Context) ([]routine.Announced, error) {
	return d.routine().Announced(ctx)
}

// RoutineRequest says that a routine was done.
type RoutineRequest struct {
	WriteOptions
	Name string
	Text string // what came of it
}

// RoutineDone notes that a routine of the current space was done.
func (d Days) RoutineDone(ctx context.Context, req RoutineRequest) (Written, error) {
	s, err := d.app.spaces.OpenCurrent(ctx)
	if err != nil {
		return Written{}, err
	}
	return d.routine().Done(ctx, s, req.Name, req.Text, req.WriteOptions)
}

// waiting says what waits to be done in a space.
func (d Days) waiting(ctx context.Context, space kb.Space) (out brief.Waiting, err error) {
	s, err := d.app.spaces.OpenSpace(ctx, space)
	if err != nil {
		return out, err
	}
	if out.Routines, err = d.routine().Due(ctx, s); err != nil {
		return out, err
	}
	if out.Records, err = d.app.rotation.Unrecorded(ctx, s); err != nil || len(s.Policy.Inbox.Paths) == 0 {
		return out, err
	}
	err = d.app.db.View(ctx, func(tx store.Tx) error {
		_, out.Inbox, err = tx.Pages().List(ctx, store.Filter{Spaces: []int64{s.Row}, Paths: s.Policy.Inbox.Paths}, store.BySlug, 1, 0)
		return err
	})
	return out, err
}

func (d Days) routine() *routine.Engine {
	return &routine.Engine{Change: d.app.change, Now: d.app.opts.Now}
}
