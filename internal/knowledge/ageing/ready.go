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

// Turned are the pages that a pass would change, by row, with their new standing.
type Turned map[int64]lifecycle.Turn

// Status is the status of a page after the pass.
func (t Turned) Status(row int64, was kb.Status) kb.Status {
	if turn, turns := t[row]; turns {
		return turn.To
	}
	return was
}

// ReadyRequest asks for a pass before an answer that depends on it.
type ReadyRequest struct {
	Spaces []kb.Space
	DryRun bool // write nothing
	Writes bool // the caller changes pages anyway
	Daily  bool // once a day is enough
}

// Ready makes a pass over spaces, so that an answer is right although no
// schedule runs. Where nothing may be written it returns what the pass would
// change: in a dry run, in a memory that is read only, for an agent that only
// reads, and in a guarded space, where changes are commits. A space with a
// policy that cannot be read is left out; doctor reports it. A pass that fails
// is a notice.
func Ready(ctx context.Context, sess *memory.Session, req ReadyRequest) (Turned, error) {
	out := Turned{}
	for _, s := range req.Spaces {
		if err := out.add(ctx, sess, s, req); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// mostLooked is how many pages a space may have for an answer to wait for a pass that
// writes nothing.
const mostLooked = 3000

func (t Turned) add(ctx context.Context, sess *memory.Session, s kb.Space, req ReadyRequest) error {
	pol, _, err := sess.Spaces.Policy(ctx, s, nil)
	if err != nil || !pol.Lifecycle.Ages() {
		return ctx.Err()
	}
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil {
		return ctx.Err() // a directory that is away
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
		if err == nil { // what the pass may not change or could not is due all the same
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

// agedKey is the setting with the day of the last pass over a space that Ready made.
func agedKey(s kb.Space) string { return "aged." + string(s.ID) }

// Never returns the names of spaces with rules for ageing that Ready never made
// a pass over, and that existed before a time.
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
	return n > mostLooked, err
}

// turned returns the pages that a pass changes, and how many of the active ones it
// would hold back because they are too many.
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
