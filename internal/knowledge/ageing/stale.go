package ageing

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// StaleRequest asks for stale pages, longest stale first.
type StaleRequest struct {
	All           bool // of every space
	Due           bool // active pages that will become stale instead, soonest first
	Limit, Offset int  // Limit 0 is all
	Pass          bool // make a due pass first
	DryRun        bool // and write nothing
}

// Stale lists the pages that are or will become stale.
func Stale(ctx context.Context, sess *memory.Session, req StaleRequest) (api.StaleList, error) {
	out := api.StaleList{List: api.List[api.StalePage]{Items: []api.StalePage{}}}
	turned := Turned{}
	if req.Pass && !req.Due {
		var spaces []kb.Space
		err := sess.DB.View(ctx, func(tx store.Tx) (err error) {
			spaces, err = scope(ctx, sess, tx, req.All)
			return err
		})
		if err == nil {
			turned, err = Ready(ctx, sess, ReadyRequest{Spaces: spaces, DryRun: req.DryRun})
		}
		if err != nil {
			return out, err
		}
	}
	read := newLook
	if !req.Due && len(turned) == 0 {
		read = partialLook
	}
	err := each(ctx, sess, req.All, read, func(tx store.Tx, l *look) error {
		if req.Due {
			due, err := l.due(ctx)
			if err != nil {
				return err
			}
			out.Items = append(out.Items, due...)
		} else {
			out.Items = append(out.Items, l.stale(turned)...)
		}
		out.Conflicts, out.Circles = append(out.Conflicts, l.conflicts()...), append(out.Circles, l.circles()...)
		return nil
	}, func(tx store.Tx) (err error) {
		slices.SortFunc(out.Items, func(a, b api.StalePage) int {
			return cmp.Or(cmp.Compare(a.Due, b.Due), cmp.Compare(a.StaleSince, b.StaleSince), cmp.Compare(a.Ref, b.Ref))
		})
		out.Total = len(out.Items)
		part := out.Items[min(max(req.Offset, 0), len(out.Items)):]
		if req.Limit > 0 {
			part = part[:min(req.Limit, len(part))]
		}
		out.Next = api.Next(req.Offset, len(part), out.Total)
		out.Items, err = described(ctx, tx, part)
		return err
	})
	return out, err
}

type looking = func(context.Context, *memory.Session, store.Tx, kb.Space, policy.Lifecycle) (*look, error)

// each reads the spaces of a request in one transaction, and calls last at the end.
func each(ctx context.Context, sess *memory.Session, all bool, read looking, do func(store.Tx, *look) error, last func(store.Tx) error) error {
	return sess.DB.View(ctx, func(tx store.Tx) error {
		spaces, err := scope(ctx, sess, tx, all)
		if err != nil {
			return err
		}
		for _, s := range spaces {
			pol, _, err := sess.Spaces.Policy(ctx, s, nil)
			if err != nil {
				return err
			}
			l, err := read(ctx, sess, tx, s, pol.Lifecycle)
			if err != nil {
				return err
			}
			if err := do(tx, l); err != nil {
				return err
			}
		}
		return last(tx)
	})
}

// scope returns the requested spaces, or all.
func scope(ctx context.Context, sess *memory.Session, tx store.Tx, all bool) ([]kb.Space, error) {
	if all {
		return tx.Spaces().All(ctx)
	}
	return sess.Spaces.MeantTx(ctx, tx)
}

// stale returns the pages of the space that are stale or become stale now. Only
// their refs are described.
func (l *look) stale(turned Turned) (out []api.StalePage) {
	for _, s := range l.subjects {
		switch {
		case s.Abroad || turned.Status(s.Page, s.Status) != kb.Stale:
		case s.Status != kb.Stale:
			out = append(out, l.page(s.Page, api.StalePage{StaleSince: l.rules.Today, Reason: turned[s.Page].Reason}))
		default:
			out = append(out, l.page(s.Page, api.StalePage{StaleSince: l.since[s.Page], Reason: s.Reason}))
		}
	}
	return out
}

// due returns the active pages that will become stale. Those that the next pass
// marks are due today, unless their day is past.
func (l *look) due(ctx context.Context) (out []api.StalePage, err error) {
	if err := l.exempt(ctx, func(s *lifecycle.Subject) bool { return s.Status == kb.Active }); err != nil {
		return nil, err
	}
	contested := map[int64]bool{}
	for _, c := range l.out.Conflicts {
		contested[c[0]], contested[c[1]] = true, true
	}
	for _, s := range l.subjects {
		if s.Abroad || s.Status != kb.Active || contested[s.Page] {
			continue
		}
		day, reason := l.rules.Due(s)
		if turn, turns := l.out.Turns[s.Page]; turns && lifecycle.IsSuperseded(turn.Reason) {
			day, reason = l.rules.Today, turn.Reason
		}
		if day != "" {
			out = append(out, l.page(s.Page, api.StalePage{Due: day, Reason: reason}))
		}
	}
	return out, nil
}

// page adds the page's name to an item.
func (l *look) page(row int64, item api.StalePage) api.StalePage {
	item.Row, item.Ref = row, l.ref(row)
	return item
}

// described adds the full descriptions of the pages, all at once.
func described(ctx context.Context, tx store.Tx, items []api.StalePage) ([]api.StalePage, error) {
	v, err := api.NewViewer(ctx, tx)
	if err != nil {
		return nil, err
	}
	rows := make([]int64, len(items))
	for i, x := range items {
		rows[i] = x.Row
	}
	pages, err := tx.Pages().Get(ctx, rows)
	if err != nil {
		return nil, err
	}
	shown, err := v.Pages(ctx, pages)
	if err != nil {
		return nil, err
	}
	at := make(map[int64]api.Page, len(pages))
	for i, p := range pages {
		at[p.Row] = shown[i]
	}
	out := make([]api.StalePage, 0, len(items))
	for _, x := range items {
		if p, there := at[x.Row]; there {
			x.Page = p
			out = append(out, x)
		}
	}
	return out, nil
}
