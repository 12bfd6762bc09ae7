package ageing

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// Turned maps the rows of pages that a pass would change to their new status.
type Turned map[int64]lifecycle.Turn

// Status is the status of a page after the pass.
func (t Turned) Status(row int64, was kb.Status) kb.Status {
	if turn, turns := t[row]; turns {
		return turn.To
	}
	return was
}

// ReadyRequest asks for a pass before a read that depends on it.
type ReadyRequest struct {
	Spaces []kb.Space
	DryRun bool // write nothing
	Writes bool // the caller changes pages anyway
	Daily  bool // once a day is enough
}

// Ready makes a pass over spaces, so that results are current even when no schedule
// runs. Where it may not write, it returns the changes that a pass would make: in a
// dry run, in a read-only memory, for a read-only agent, and in a guarded space,
// where changes are commits. A space with an unreadable policy is left out; doctor
// reports it. A failed pass becomes a notice.
func Ready(ctx context.Context, sess *memory.Session, req ReadyRequest) (Turned, error) {
	out := Turned{}
	for _, s := range req.Spaces {
		if err := out.add(ctx, sess, s, req); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// maxLooked is the maximum number of pages of a space for which a read waits for a
// pass that writes nothing.
const maxLooked = 3000

func (t Turned) add(ctx context.Context, sess *memory.Session, s kb.Space, req ReadyRequest) error {
	pol, _, err := sess.Spaces.Policy(ctx, s, nil)
	if err != nil || !pol.Lifecycle.Ages() {
		return ctx.Err()
	}
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil {
		return ctx.Err() // an unavailable directory
	}
	writes := !req.DryRun && sess.Writable() && (req.Writes || sess.Actor.Kind == kb.Human && !space.Guards())
	key, today := agedKey(s), sess.Now().Format(time.DateOnly)
	turned := Turned{}
	held, active, last := 0, 0, ""
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		var err error
		if last, err = tx.Settings().Get(ctx, key); err != nil {
			return err
		}
		if req.Daily {
			if writes && last == today {
				return nil
			}
			large, err := tooLarge(ctx, tx, s)
			if err != nil || !writes && large {
				return err
			}
		}
		l, err := newLook(ctx, sess, tx, s, pol.Lifecycle)
		if err == nil {
			turned, held, active = l.turned(sess, space)
		}
		return err
	})
	if err != nil {
		return err
	}
	if held > 0 && !req.Daily {
		sess.Notices.Add(fmt.Sprintf("%s: %d of %d active pages are due and were left as they are: %s", s.Name, held, active, heldBack))
	}
	if !writes {
		maps.Copy(t, turned)
		return nil
	}
	if len(turned) > 0 {
		by := sess
		if !req.Writes {
			by = sess.Scheduled()
		}
		patient := ctx
		if !req.Writes { // readers do not wait for writers
			patient = store.WithPatience(ctx, store.Patience(ctx, store.ReadPatience))
		}
		_, err = pass(patient, by, s, pol, PassRequest{})
		if err == nil { // changes that the pass may not make, or failed to make, are pending all the same
			err = sess.DB.View(ctx, func(tx store.Tx) error {
				l, err := newLook(ctx, sess, tx, s, pol.Lifecycle)
				if err == nil {
					turned, _, _ = l.turned(sess, space)
				}
				return err
			})
			maps.Copy(t, turned)
		}
	}
	if err == nil && last != today {
		err = sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, key, today) })
	}
	if err != nil && ctx.Err() == nil {
		if !store.IsBusy(err) || req.Writes {
			sess.Notices.Add(s.Name + ": pages could not be aged: " + kb.AsError(err).Message)
		}
		err = nil
		maps.Copy(t, turned)
	}
	return err
}

// agedKey is the settings key for the day of the last pass that Ready made over a
// space.
func agedKey(s kb.Space) string { return "aged." + string(s.ID) }

// Never returns the names of spaces with ageing rules that existed before a given
// time and for which Ready never made a pass.
func Never(ctx context.Context, sess *memory.Session, tx store.Tx, before time.Time) (names []string, err error) {
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range spaces {
		last, err := tx.Settings().Get(ctx, agedKey(s))
		if err != nil {
			return nil, err
		}
		if last != "" || s.Created.IsZero() || !s.Created.Before(before) {
			continue
		}
		if pol, _, bad := sess.Spaces.Policy(ctx, s, nil); bad == nil && pol.Lifecycle.AgesUnused() {
			names = append(names, s.Name)
		}
	}
	return names, nil
}

func tooLarge(ctx context.Context, tx store.Tx, s kb.Space) (bool, error) {
	counts, err := tx.Pages().Statuses(ctx, []int64{s.Row})
	n := 0
	for _, c := range counts {
		n += c.N
	}
	return n > maxLooked, err
}

// turned returns the pages that a pass changes, and how many of the active ones it
// would hold back because of the limit.
func (l *look) turned(sess *memory.Session, space *write.Space) (out Turned, held, active int) {
	out = Turned{}
	rows := allowed(sess, l, space)
	active = l.active()
	for _, row := range rows {
		out[row] = l.out.Turns[row]
		if l.pages[row].Status == kb.Active {
			held++
		}
	}
	if !lifecycle.TooMany(held, active) {
		return out, 0, active
	}
	for _, row := range rows {
		if l.pages[row].Status == kb.Active {
			delete(out, row)
		}
	}
	return out, held, active
}
