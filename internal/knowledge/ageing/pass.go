package ageing

import (
	"context"
	"maps"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// PassRequest asks for a pass: an update of the status of pages.
type PassRequest struct {
	All    bool // of every space
	DryRun bool // report without changing
	// Anyway ignores the limit on how many pages of a space a pass marks.
	Anyway bool
	// Failed receives a space with a failed pass, unless its policy is unreadable.
	// With nil, Pass returns the first error.
	Failed func(space string, err error)
}

// heldBack explains why a pass marked no page.
const heldBack = "more than half of the active pages would become stale at once: check the date, or apply it by hand"

// Pass sets the status of pages by the rules of their spaces, each space in one
// write.
func Pass(ctx context.Context, sess *memory.Session, req PassRequest) (api.AgeingPass, error) {
	out := api.AgeingPass{DryRun: req.DryRun, Spaces: []api.SpacePass{}}
	var spaces []kb.Space
	err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
		spaces, err = scope(ctx, sess, tx, req.All)
		return err
	})
	if err != nil {
		return out, err
	}
	for _, s := range spaces {
		pol, _, err := sess.Spaces.Policy(ctx, s, nil)
		if err == nil && !pol.Lifecycle.Ages() || err != nil && req.Failed != nil && ctx.Err() == nil {
			continue // the jobs that need an unreadable policy report it
		}
		var p api.SpacePass
		if err == nil {
			p, err = pass(ctx, sess, s, pol, req)
		}
		if ctx.Err() != nil || err != nil && req.Failed == nil {
			return out, err
		}
		if err != nil {
			req.Failed(s.Name, err)
			continue
		}
		out.Spaces = append(out.Spaces, p)
	}
	return out, nil
}

// pass is Pass for one space.
func pass(ctx context.Context, sess *memory.Session, s kb.Space, pol *policy.Policy, req PassRequest) (out api.SpacePass, err error) {
	var (
		changes []write.Change
		items   = map[string][]api.StalePage{} // by path
		back    = map[string]bool{}            // refs of pages that became active again
	)
	space, err := sess.Spaces.OpenSpace(ctx, s)
	if err != nil {
		return out, err
	}
	err = sess.DB.View(ctx, func(tx store.Tx) error {
		l, err := newLook(ctx, sess, tx, s, pol.Lifecycle)
		if err != nil {
			return err
		}
		out = api.SpacePass{Space: s.Name, Active: l.active(), Stale: []api.StalePage{}, Again: []api.StalePage{}, Conflicts: l.conflicts(), Circles: l.circles()}
		turns := allowed(sess, l, space)
		marked := 0
		for _, row := range turns {
			if l.pages[row].Status == kb.Active {
				marked++
			}
		}
		if !req.Anyway && lifecycle.TooMany(marked, out.Active) {
			out.Held, out.Reason = marked, heldBack
		}
		for _, row := range turns {
			p, turn := l.pages[row], l.out.Turns[row]
			if out.Held > 0 && p.Status == kb.Active {
				continue
			}
			was := lifecycle.Standing{Status: p.Status}
			changes = append(changes, write.Change{
				Space: space, Path: p.Path, Of: write.OfPage(p), Expected: new(p.Version),
				Action: write.Edit{Node: p.Node, Edits: write.Restate(was, turn, l.rules.Today)},
			})
			item := api.StalePage{Reason: turn.Reason}
			if turn.To == kb.Stale {
				if item.StaleSince = l.since[row]; p.Status != kb.Stale {
					item.StaleSince = l.rules.Today
				}
			}
			back[p.Ref()] = turn.To != kb.Stale
			items[p.Path] = append(items[p.Path], l.page(row, item))
		}
		return nil
	})
	if err != nil {
		return out, err
	}
	if !req.DryRun {
		if changes, err = writeChanges(ctx, sess, changes, &out); err != nil {
			return out, err
		}
	}
	err = report(ctx, sess, changes, items, back, &out)
	return out, err
}

// allowed returns the changing pages sorted by path, within the limit of the
// policy.
func allowed(sess *memory.Session, l *look, space *write.Space) []int64 {
	rows := slices.DeleteFunc(slices.Collect(maps.Keys(l.out.Turns)), func(row int64) bool {
		p := l.pages[row]
		return l.life.MayBecome(p.Status, l.out.Turns[row].To) != nil ||
			space.Check(policy.Request{Actor: sess.Actor, Operation: policy.OpEdit, Path: p.Path}) != nil
	})
	slices.SortFunc(rows, func(a, b int64) int {
		return slices.Compare([]string{l.pages[a].Path, l.pages[a].Node}, []string{l.pages[b].Path, l.pages[b].Node})
	})
	return rows
}

// writeChanges applies changes and returns those that it made. A document that
// changed in the meantime, or cannot be changed, is left for the next pass.
func writeChanges(ctx context.Context, sess *memory.Session, changes []write.Change, out *api.SpacePass) ([]write.Change, error) {
	for len(changes) > 0 {
		w, err := change.Apply(ctx, sess, "staleness", api.WriteOptions{}, changes)
		if err == nil {
			out.Write = w.Write
			return changes, nil
		}
		left := write.RefusedPaths(err)
		if code := kb.CodeOf(err); len(changes) == 1 && !store.IsBusy(err) && (code == kb.Conflict || code == kb.Invalid || code == kb.Refused) {
			left = []string{changes[0].Path}
		}
		if len(left) == 0 {
			return nil, err
		}
		out.Left = append(out.Left, left...)
		changes = slices.DeleteFunc(changes, func(c write.Change) bool { return slices.Contains(left, c.Path) })
	}
	return nil, nil
}

// report describes the changed pages.
func report(ctx context.Context, sess *memory.Session, changes []write.Change, items map[string][]api.StalePage, back map[string]bool, out *api.SpacePass) error {
	return sess.DB.View(ctx, func(tx store.Tx) error {
		var done []api.StalePage
		last := ""
		for _, c := range changes {
			if c.Path != last { // a document may have several pages
				done = append(done, items[c.Path]...)
			}
			last = c.Path
		}
		pages, err := described(ctx, tx, done)
		for _, p := range pages {
			if back[p.Ref] {
				out.Again = append(out.Again, p)
			} else {
				out.Stale = append(out.Stale, p)
			}
		}
		return err
	})
}
