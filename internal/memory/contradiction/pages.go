package contradiction

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// MarksPages reports whether pages of a space are marked with their contradictions:
// its policy has rules for that.
func MarksPages(pol *policy.Policy) bool {
	return claims(pol) || len(pol.Lifecycle.Relations(policy.Conflicts)) > 0
}

// claims reports whether a policy has rules about statements of pages.
func claims(pol *policy.Policy) bool {
	p := pol.Predicates
	return len(p.Single)+len(p.Exclusive)+len(p.Lasting)+len(p.Keys)+len(p.Inverse) > 0 || pol.Lifecycle.BehindDays > 0
}

// markedTypes are the types marked on pages, nil for all of them.
func markedTypes(pol *policy.Policy) []string {
	if claims(pol) {
		return nil
	}
	return []string{string(lifecycle.Stated)}
}

// Finding is a certain contradiction of a page that is not dismissed, in one line.
type Finding struct {
	ID    string
	Kind  lifecycle.Kind
	Page  kb.Page // of the first side
	Pages []int64 // pages involved: those of both sides, and those that they mention
	Sides [2]int64
	Lines [2]int // of the sides in the documents of their pages, 0 for none
	Text  string
}

// Of returns the counted contradictions of pages of a space.
func Of(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space, pol *policy.Policy, pages []int64) (out []Finding, err error) {
	if len(pages) == 0 {
		return nil, nil
	}
	f, err := look(ctx, sess, tx, s, pol, pages, markedTypes(pol))
	if err != nil {
		return nil, err
	}
	return f.counting(ctx)
}

// Ahead makes the reads of Of for pages that were just written; see store.Foresee.
func Ahead(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space, pol *policy.Policy, pages []kb.Page) {
	f := findIn(sess, tx, s, pol)
	rows := make([]int64, len(pages))
	for i, p := range pages {
		rows[i], f.pages[p.Row] = p.Row, p
	}
	_, _ = tx.Pages().Get(ctx, rows)
	_ = f.look(ctx, pol, rows, markedTypes(pol))
}

// counting returns the findings that count.
func (f *found) counting(ctx context.Context) (out []Finding, err error) {
	certain, _, _, err := f.split(ctx)
	if err != nil {
		return nil, err
	}
	ids, err := f.settle(ctx, certain)
	if err != nil {
		return nil, err
	}
	for i, x := range certain {
		p := f.pages[x.A.Page]
		_, ref := f.about(x)
		out = append(out, Finding{ids[i], x.Kind, p, concerned(x), [2]int64{x.A.Page, x.B.Page}, [2]int{x.A.Line, x.B.Line}, fmt.Sprintf("%s in %s: %s", x.Kind, cmp.Or(ref, p.Ref()), f.said(x))})
	}
	return out, nil
}

// Mark marks contested and stale pages of an answer, in the form in which they are
// shown, and ended relations.
func Mark(ctx context.Context, sess *memory.Session, tx store.Tx, pages []kb.Page, shown []api.Page) error {
	if err := markEnded(ctx, sess, tx, pages, shown); err != nil {
		return err
	}
	at := map[int64]int{} // by row
	for i, p := range pages {
		at[p.Row] = i
	}
	return each(ctx, sess, tx, pages, func(x Finding) {
		for _, row := range x.Pages {
			i, ok := at[row]
			if !ok {
				continue
			}
			p := &shown[i]
			p.Stale = p.Stale || x.Kind == lifecycle.Stale
			p.Contested = p.Contested || x.Kind != lifecycle.Stale
		}
	})
}

// Opposed maps the rows of pages to the pages that contradict them.
func Opposed(ctx context.Context, sess *memory.Session, tx store.Tx, pages []kb.Page) (map[int64][]int64, error) {
	out := map[int64][]int64{}
	err := each(ctx, sess, tx, pages, func(x Finding) {
		if a, b := x.Sides[0], x.Sides[1]; x.Kind != lifecycle.Stale && a != b && a != 0 && b != 0 {
			out[a], out[b] = append(out[a], b), append(out[b], a)
		}
	})
	return out, err
}

// each calls do with the counted contradictions of pages. A space with an
// unreadable policy has none; doctor reports it.
func each(ctx context.Context, sess *memory.Session, tx store.Tx, pages []kb.Page, do func(Finding)) error {
	in := map[kb.ID][]int64{} // by space
	for _, p := range pages {
		in[p.SpaceID] = append(in[p.SpaceID], p.Row)
	}
	if len(in) == 0 {
		return nil
	}
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return err
	}
	for _, s := range spaces {
		rows := in[s.ID]
		if rows == nil {
			continue
		}
		pol, _, err := sess.Spaces.Policy(ctx, s, nil)
		if err != nil || !MarksPages(pol) {
			continue
		}
		slices.Sort(rows)
		found, err := Of(ctx, sess, tx, s, pol, slices.Compact(rows))
		if err != nil {
			return err
		}
		for _, x := range found {
			do(x)
		}
	}
	return nil
}

// markEnded adds to pages the lines with ended relations.
func markEnded(ctx context.Context, sess *memory.Session, tx store.Tx, pages []kb.Page, shown []api.Page) error {
	rows, at := []int64{}, make(map[int64]int, len(pages))
	for i, p := range pages {
		rows, at[p.Row] = append(rows, p.Row), i
	}
	relations, err := tx.Claims().Relations(ctx, store.Claimants{Pages: rows}, nil)
	if err != nil {
		return err
	}
	today := sess.Now().Format(time.DateOnly)
	for _, l := range relations {
		if p := &shown[at[l.From]]; l.Interval().Ended(today) && !slices.Contains(p.Ended, l.Line) {
			p.Ended = append(p.Ended, l.Line)
		}
	}
	for _, i := range at {
		slices.Sort(shown[i].Ended)
	}
	return nil
}

// Count counts the certain, open contradictions of spaces, given by row; none is
// all spaces.
func Count(ctx context.Context, sess *memory.Session, tx store.Tx, rows []int64) (n int, err error) {
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return 0, err
	}
	for _, s := range spaces {
		if rows != nil && !slices.Contains(rows, s.Row) {
			continue
		}
		pol, _, err := sess.Spaces.Policy(ctx, s, nil)
		if err != nil || !MarksPages(pol) {
			continue
		}
		f, err := look(ctx, sess, tx, s, pol, nil, markedTypes(pol))
		if err != nil {
			return 0, err
		}
		certain, _, _, err := f.split(ctx)
		if err != nil {
			return 0, err
		}
		n += len(certain)
	}
	return n, nil
}

// Opened returns the texts, by id, of the contradictions in all that are not in
// others. A stale truth remains the same finding with a newer entry.
func Opened(all, others []Finding) map[string]string {
	out := map[string]string{}
	for _, x := range all {
		same := func(o Finding) bool {
			return o.ID == x.ID || x.Kind == lifecycle.Stale && o.Kind == x.Kind && o.Page.ID == x.Page.ID
		}
		if !slices.ContainsFunc(others, same) {
			out[x.ID] = x.Text
		}
	}
	return out
}
