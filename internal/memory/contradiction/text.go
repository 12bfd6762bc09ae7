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

// OfText returns the contradictions that a page would have with these relations
// instead of the indexed ones, while its text is being edited. Its other statements
// come from the index.
func OfText(ctx context.Context, sess *memory.Session, tx store.Tx, s kb.Space, pol *policy.Policy, page int64, relations []kb.Link) ([]Finding, error) {
	pages := []int64{page}
	if !claims(pol) {
		return Of(ctx, sess, tx, s, pol, pages)
	}
	f := findIn(sess, tx, s, pol)
	in := store.Claimants{Space: s.Row, Pages: pages, Today: f.rules.Today}
	if err := f.gather(ctx, in, pol); err != nil {
		return nil, err
	}
	f.facts = slices.DeleteFunc(f.facts, func(x lifecycle.Fact) bool { return x.Page == page && x.Source == lifecycle.Relation })
	f.all = slices.DeleteFunc(f.all, func(x lifecycle.Finding) bool { return x.A.Page == page || x.B.Page == page })
	known := f.facts
	f.facts = nil
	relations = slices.Clone(relations)
	for i := range relations {
		relations[i].From = page
	}
	f.relate(relations)
	if err := f.invert(ctx); err != nil {
		return nil, err
	}
	f.facts = append(f.facts, known...)
	f.all = append(f.all, f.rules.Contradictions(f.facts)...)
	f.concern(pages)
	if err := f.finish(ctx, in, pol, nil); err != nil {
		return nil, err
	}
	return f.counting(ctx)
}
