package day

import (
	"context"
	"strings"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/kb/dates"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/store"
)

// NoteRequest asks for the note of a day.
type NoteRequest struct {
	api.WriteOptions
	Date string // YYYY-MM-DD, today, yesterday or tomorrow; "" for today
	Text string // to add to the note; "" to add nothing
}

// Note finds the note of a day in the current space, creates it if missing, and
// appends a text. Its path and the text of a new note follow the programs that keep
// the directory; see Pattern. Days are those of the space's time zone, else of the
// clock's.
func Note(ctx context.Context, sess *memory.Session, req NoteRequest) (api.Daily, error) {
	a := sess
	s, err := a.Spaces.OpenForNew(ctx, req.DryRun)
	if err != nil {
		return api.Daily{}, err
	}
	out, made, err := note(ctx, a, s, req)
	if made && req.Expected == nil && kb.CodeOf(err) == kb.Conflict {
		// An editor or a concurrent call created the note first. The second attempt
		// finds it.
		out, _, err = note(ctx, a, s, req)
	}
	return out, err
}

// note makes one attempt at Note. It reports whether the note was missing and had
// to be created.
func note(ctx context.Context, a *memory.Session, s *write.Space, req NoteRequest) (out api.Daily, missing bool, err error) {
	if place, edit, err := ofDay(s, req, a.Now()); err != nil || place.Ref != "" {
		if err != nil {
			return api.Daily{}, false, err
		}
		return pageOfDay(ctx, a, s, req, place, edit)
	}
	plan, err := PlanNote(ctx, a, s, change.Extension(a, s), here(s, a.Now()), Request{Date: req.Date, Text: req.Text, Expected: req.Expected})
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

// here converts a time to the zone of a space.
func here(s *write.Space, now time.Time) time.Time {
	return now.In(s.Policy.Calendar(now.Location()).Zone)
}

// ofDay returns the page for a day by the policy of a space: the rotating page for
// today, the record for another day. The place is zero when the policy has no such
// page.
func ofDay(s *write.Space, req NoteRequest, now time.Time) (Place, doc.Edit, error) {
	if len(s.Policy.Rotate) == 0 {
		return Place{}, nil, nil
	}
	r, days := s.Policy.Rotate[0], s.Policy.Calendar(now.Location())
	day, err := dayOf(req.Date, days.Of(now).Time().Add(12*time.Hour))
	if err != nil {
		return Place{}, nil, err
	}
	out := Place{Ref: s.Name + ":" + r.Page, Date: day.Format(time.DateOnly)}
	if date, _ := dates.ParseDate(out.Date); date != days.Of(now) {
		if r.Record == "" {
			return Place{}, nil, nil
		}
		out.Ref = s.Name + ":" + r.Record.Of(date)
	}
	if strings.TrimSpace(req.Text) == "" {
		return out, nil, nil
	}
	return out, doc.Append{Text: strings.TrimSpace(req.Text)}, nil
}

// pageOfDay is note for a page defined by the policy.
func pageOfDay(ctx context.Context, sess *memory.Session, s *write.Space, req NoteRequest, place Place, edit doc.Edit) (out api.Daily, missing bool, err error) {
	out = api.Daily{Written: api.Written{DryRun: req.DryRun, Pages: []api.WrittenPage{}}, Date: place.Date}
	if _, err := sess.RunHooks(ctx, sess.Hooks.BeforeRead, s.Space, false); err != nil {
		return out, false, err
	}
	if edit == nil {
		got, err := read.Get(ctx, sess, read.GetRequest{Ref: place.Ref})
		out.Note = got.Page
		return out, false, err
	}
	out.Written, err = change.Edit(ctx, sess, "daily", req.WriteOptions, place.Ref, edit)
	if kb.CodeOf(err) == kb.NotFound {
		err = kb.Errorf(kb.NotFound, "%s has no page %s yet, so the text was not written", place.Date, place.Ref).
			WithHint("Write that page first, then repeat this.")
	}
	if len(out.Pages) > 0 {
		out.Note = out.Pages[0].Page
	}
	return out, false, err
}

// lineOf returns a text as the line to append to the note of a day, in a space that
// defines no kinds of lines.
func lineOf(kind, text string, now time.Time) (string, error) {
	a := policy.Addition{Name: kind}
	switch kind {
	case "":
		return "", nil
	case "log":
		a.Line = "- {time} {text}"
	case "task":
		a.Line = "- [ ] {text}"
	case "note":
		a.Line = "{text}"
	default:
		return "", kb.Errorf(kb.Usage, "unknown kind %q of line", kind).WithHint("It takes log, task and note.").WithReason(kb.NoSuchLine)
	}
	if strings.TrimSpace(text) == "" {
		return "", kb.Errorf(kb.Usage, "there is no text to add as %s", kind)
	}
	return a.Of(text, now), nil
}

// TodayRequest asks for the page of the day, or adds a line to it.
type TodayRequest struct {
	api.WriteOptions
	Kind string // of the line, a name from the space's policy; "" to add nothing
	Text string
}

// AddToday finds the page of the day in the current space, the first one that its
// policy rotates, and adds a line to the section for its kind. In a space without
// rotating pages it uses the note of the day.
func AddToday(ctx context.Context, sess *memory.Session, req TodayRequest) (api.Daily, error) {
	out := api.Daily{Written: api.Written{DryRun: req.DryRun, Pages: []api.WrittenPage{}}}
	s, err := sess.Spaces.OpenForNew(ctx, req.DryRun)
	if err != nil {
		return out, err
	}
	if len(s.Policy.Rotate) == 0 {
		text, err := lineOf(req.Kind, req.Text, here(s, sess.Now()))
		if err != nil {
			return out, err
		}
		return Note(ctx, sess, NoteRequest{WriteOptions: req.WriteOptions, Text: text})
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
