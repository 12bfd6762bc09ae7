package routine

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// announcedKey is the setting with the routines that were announced and are
// still due. If it is lost, they are announced again.
const announcedKey = "routines"

// kept is the stored record of an announcement.
type kept struct {
	In kb.ID `json:"in"` // the space; a name may change
	api.Announced
}

// same reports whether this is the announcement of a routine for its present
// due time.
func (k kept) same(in kb.ID, r api.Routine) bool {
	return k.In == in && k.Page == r.Page && k.Since != nil && r.Since != nil && k.Since.Equal(*r.Since)
}

// Pending lists the routines of these spaces that are due and not announced, and
// returns when their next routine is due; zero for none. An unreadable space does
// not affect the others: its error is passed to failed, unless failed is nil.
func Pending(ctx context.Context, sess *memory.Session, spaces []kb.Space, failed func(error, string)) (out []api.Announced, next time.Time, err error) {
	_, pending, next, err := look(ctx, sess, spaces, failed)
	for _, p := range pending {
		out = append(out, p.Announced)
	}
	return out, next, err
}

// Announce runs the command for each pending routine of these spaces, and records
// its announcement. A routine with a failing command stays pending, and does not
// stop the others.
func Announce(ctx context.Context, sess *memory.Session, spaces []kb.Space, command Command, failed func(error, string)) (out []api.Announced, err error) {
	announced, pending, _, err := look(ctx, sess, spaces, failed)
	if err != nil {
		return nil, err
	}
	for _, p := range pending {
		p.Ran, err = command.run(ctx, p.Announced)
		switch {
		case err != nil && ctx.Err() != nil:
			return out, ctx.Err()
		case err != nil:
			failed(err, p.Space+": "+p.Name)
			continue
		}
		// Record it at once: a command is not run again, even if this process dies.
		announced = append(announced, p)
		if err := keep(context.WithoutCancel(ctx), sess, announced); err != nil {
			return out, err
		}
		out = append(out, p.Announced)
	}
	return out, nil
}

// ListAnnounced lists the routines that were announced and are not marked done
// since, in the spaces that the caller may see.
func ListAnnounced(ctx context.Context, sess *memory.Session) (out []api.Announced, err error) {
	all, err := readKept(ctx, sess)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	rows, err := sess.Spaces.Scope(ctx, true)
	if err != nil {
		return nil, err
	}
	spaces, err := sess.Spaces.All(ctx)
	for _, k := range all {
		if slices.ContainsFunc(spaces, func(s kb.Space) bool {
			return s.ID == k.In && (rows == nil || slices.Contains(rows, s.Row))
		}) {
			out = append(out, k.Announced)
		}
	}
	return out, err
}

// look divides the due routines into announced and pending ones. For a space that
// cannot be read now, announced routines stay announced.
func look(ctx context.Context, sess *memory.Session, spaces []kb.Space, failed func(error, string)) (announced, pending []kept, next time.Time, err error) {
	had, err := readKept(ctx, sess)
	if err != nil {
		return nil, nil, next, err
	}
	known, err := sess.Spaces.All(ctx)
	if err != nil {
		return nil, nil, next, err
	}
	read := map[kb.ID]bool{}
	for _, s := range spaces {
		space, err := sess.Spaces.OpenSpace(ctx, s)
		var all []api.Routine
		if err == nil {
			all, err = List(ctx, sess, space)
		}
		switch {
		case ctx.Err() != nil:
			return nil, nil, next, ctx.Err()
		case err != nil && failed != nil:
			failed(err, s.Name)
		}
		read[s.ID] = err == nil
		for _, r := range all {
			if r.Next != nil && (next.IsZero() || r.Next.Before(next)) {
				next = *r.Next
			}
			if !r.Due {
				continue
			}
			if i := slices.IndexFunc(had, func(k kept) bool { return k.same(s.ID, r) }); i >= 0 {
				announced = append(announced, had[i])
			} else {
				pending = append(pending, kept{s.ID, api.Announced{Space: s.Name, Routine: r}})
			}
		}
	}
	for _, k := range had {
		if !read[k.In] && slices.ContainsFunc(known, func(s kb.Space) bool { return s.ID == k.In }) {
			announced = append(announced, k)
		}
	}
	return announced, pending, next, nil
}

// readKept reads the announced routines. Unreadable entries are dropped.
func readKept(ctx context.Context, sess *memory.Session) (out []kept, err error) {
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		text, err := tx.Settings().Get(ctx, announcedKey)
		if err == nil && text != "" && json.Unmarshal([]byte(text), &out) != nil {
			out = nil
		}
		return err
	})
	return out, err
}

func keep(ctx context.Context, sess *memory.Session, announced []kept) error {
	text, err := json.Marshal(announced)
	if err != nil {
		return err
	}
	return sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, announcedKey, string(text)) })
}
