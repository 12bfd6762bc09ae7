package contradiction

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/policy"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
	"github.com/cairn-kb/cairn/internal/store"
)

// Conflict is a pair of current pages; A states that it contradicts B.
type Conflict struct {
	A, B kb.Page
	Why  string // reason in the relation
}

// Conflicts returns the conflicts of a space, or of pages of it, without dismissed
// ones, by page and line, even when one side is in another space. It performs no
// other checks.
func Conflicts(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space, pol *policy.Policy, pages []int64) (out []Conflict, err error) {
	if len(pol.Lifecycle.Relations(policy.Conflicts)) == 0 {
		return nil, nil
	}
	f := findIn(sess, tx, s, pol)
	if err := f.stated(ctx, store.Claimants{Space: s.Row, Pages: pages, Inbound: true}, pol); err != nil {
		return nil, err
	}
	lifecycle.Sort(f.all)
	if err := f.dismissed(ctx); err != nil {
		return nil, err
	}
	certain, _, _, err := f.split(ctx)
	for _, x := range certain {
		out = append(out, Conflict{f.pages[x.A.Page], f.pages[x.B.Page], x.A.Said})
	}
	return out, err
}

// stated finds the current pages that state that they contradict another current
// page.
func (f *found) stated(ctx context.Context, in store.Claimants, pol *policy.Policy) error {
	names := pol.Lifecycle.Relations(policy.Conflicts)
	if len(names) == 0 {
		return nil
	}
	links, err := f.tx.Claims().Typed(ctx, in, names)
	if err != nil {
		return err
	}
	links = slices.DeleteFunc(links, func(l kb.Link) bool {
		return l.To == 0 || l.To == l.From || !l.Interval().Holds(f.rules.Today)
	})
	rows := make([]int64, 0, 2*len(links))
	for _, l := range links {
		rows = append(rows, l.From, l.To)
	}
	if err := f.load(ctx, rows); err != nil {
		return err
	}
	said := map[[2]int64]bool{}
	for _, l := range links {
		pair := [2]int64{min(l.From, l.To), max(l.From, l.To)}
		if said[pair] || !kb.Holds(f.pages[l.From].Status) || !kb.Holds(f.pages[l.To].Status) {
			continue
		}
		said[pair] = true
		f.all = append(f.all, lifecycle.Finding{
			Kind: lifecycle.Stated, Certain: true, A: relation(l), B: lifecycle.Fact{Page: l.To, Subject: l.To, Source: lifecycle.Truth},
		})
	}
	return nil
}
