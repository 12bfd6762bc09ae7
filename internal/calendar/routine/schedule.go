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

// announcedKey is where the memory keeps the routines that were told of and are due still.
// Losing it tells of them once more.
const announcedKey = "routines"

// kept is what the memory keeps of one.
type kept struct {
	In kb.ID `json:"in"` // the space, which may get another name
	api.Announced
}

// same reports whether it was told of a routine for the moment since which it is due.
func (k kept) same(in kb.ID, r api.Routine) bool {
	return k.In == in && k.Page == r.Page && k.Since != nil && r.Since != nil && k.Since.Equal(*r.Since)
}

// Pending lists the routines of these spaces that are due and that nobody was told of, and
// says when the next routine of them is due; zero for none. A space that cannot be read
// keeps no other from being looked at: failed, if there is one, is told of it.
func Pending(ctx context.Context, sess *memory.Session, spaces []kb.Space, failed func(error, string)) (out []api.Announced, next time.Time, err error) {
	_, pending, next, err := look(ctx, sess, spaces, failed)
	for _, p := range pending {
		out = append(out, p.Announced)
	}
	return out, next, err
}

// Announce runs the command for each pending routine of these spaces, and notes that it
// was told of. One whose command fails stays pending, and keeps no other from being run.
func Announce(ctx context.Context, sess *memory.Session, spaces []kb.Space, command Command, failed func(error, string)) (out []api.Announced, err error) {
	told, pending, _, err := look(ctx, sess, spaces, failed)
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
		// At once: what was run is not run again, whatever happens to this process.
		told = append(told, p)
		if err := keep(context.WithoutCancel(ctx), sess, told); err != nil {
			return out, err
		}
		out = append(out, p.Announced)
	}
	return out, nil
}

// Announced lists the routines that were told of, and of which nobody said since that they
// are done, in the spaces that the caller may see.
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

// look tells the routines that are due apart: those that were told of, and the others. Of a
// space that cannot be read now, what was told of stays so.
func look(ctx context.Context, sess *memory.Session, spaces []kb.Space, failed func(error, string)) (told, pending []kept, next time.Time, err error) {
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
				told = append(told, had[i])
			} else {
				pending = append(pending, kept{s.ID, api.Announced{Space: s.Name, Routine: r}})
			}
		}
	}
	for _, k := range had {
		if !read[k.In] && slices.ContainsFunc(known, func(s kb.Space) bool { return s.ID == k.In }) {
			told = append(told, k)
		}
	}
	return told, pending, next, nil
}

// kept reads what was told of. What cannot be read is forgotten.
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

func keep(ctx context.Context, sess *memory.Session, told []kept) error {
	text, err := json.Marshal(told)
	if err != nil {
		return err
	}
	return sess.DB.Update(ctx, func(tx store.Tx) error { return tx.Settings().Set(ctx, announcedKey, string(text)) })
}
