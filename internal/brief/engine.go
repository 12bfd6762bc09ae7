package brief

import (
	"context"
	"strings"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/day"
	"github.com/cairn-kb/cairn/internal/calendar/routine"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// nothingWaits reports whether no work is pending.
func nothingWaits(w api.DueWork) bool { return len(w.Routines)+len(w.Records)+w.Inbox == 0 }

// dueLines formats pending work: how much there is, the command that lists it, then
// its names, quoted because files may have any name.
func dueLines(w api.DueWork) []string {
	var parts, names []string
	if n := len(w.Routines); n > 0 {
		parts, names = append(parts, api.Plural(n, "routine")+" (cairn routine due, tool routine)"), append(names, w.Routines...)
	}
	if n := len(w.Records); n > 0 {
		parts, names = append(parts, api.Plural(n, "page")+" to be written"), append(names, w.Records...)
	}
	if w.Inbox > 0 {
		parts = append(parts, api.Plural(w.Inbox, "page")+" to be sorted (cairn inbox, tool inbox)")
	}
	out := []string{"Due: " + strings.Join(parts, ", ") + "."}
	if len(names) > 0 {
		for i, name := range names {
			names[i] = primeName(name)
		}
		out = append(out, "> "+strings.Join(names, ", "))
	}
	return out
}

// waiting lists the pending work of a space.
func waiting(ctx context.Context, sess *memory.Session, space kb.Space) (out api.DueWork, err error) {
	s, err := sess.Spaces.OpenSpace(ctx, space)
	if err != nil {
		return out, err
	}
	if out.Routines, err = routine.Due(ctx, sess, s); err != nil {
		return out, err
	}
	if out.Records, err = day.Unrecorded(ctx, sess, s); err != nil || len(s.Policy.Inbox.Paths) == 0 {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		_, out.Inbox, err = tx.Pages().List(ctx, store.Filter{Spaces: []int64{s.Row}, Paths: s.Policy.Inbox.Paths}, store.BySlug, 1, 0)
		return err
	})
	return out, err
}
