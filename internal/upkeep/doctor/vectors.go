package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/search/vector"
	"github.com/cairn-kb/cairn/internal/store"
)

// passages compares the active model's vectors of a document with the passages of
// its pages.
func (v *validation) passages(ctx context.Context, tx store.Tx, have *store.Document, want *index.Derived) error {
	if v.model == nil {
		return nil
	}
	for i := range have.Pages {
		row := have.Pages[i].Page.Row
		p, err := tx.Vectors().Get(ctx, v.model.Model(), row)
		if kb.CodeOf(err) == kb.NotFound || err == nil && (p.Hash != have.Hash || p.Version != embedding.Version()) {
			continue // waiting to be embedded
		}
		if err != nil {
			return err
		}
		_, vectors, err := vector.Unpack(p.Info, p.Values)
		if err != nil {
			continue // reported separately
		}
		chunks, _, err := embedding.Cut(v.model, want.Document, i)
		if err != nil {
			return err
		}
		hashes := map[[vector.HashSize]byte]bool{}
		for _, c := range chunks {
			hashes[embedding.ShortHash(c)] = true
		}
		if slices.ContainsFunc(vectors, func(x vector.Vector) bool { return !hashes[x.Hash] }) {
			v.strange = append(v.strange, row)
		}
	}
	return nil
}

// vectors checks the stored vectors of every model.
func (v *validation) vectors(ctx context.Context, tx store.Tx) (api.Check, error) {
	c := api.Check{Name: "vectors", State: "ok"}
	models, err := tx.Models().All(ctx)
	if err != nil {
		return c, err
	}
	total := 0
	damaged := map[string][]int64{}
	for _, m := range models {
		bad, pages, err := embedding.Damaged(ctx, tx, m)
		if err != nil {
			return c, err
		}
		total += pages
		if v.model != nil && m.Name == v.model.Model() {
			bad = append(bad, v.strange...)
		}
		if len(bad) == 0 {
			continue
		}
		damaged[m.Name] = bad
		refs, err := tx.Pages().Get(ctx, bad)
		if err != nil {
			return c, err
		}
		for _, p := range refs {
			c.Items = append(c.Items, m.Name+": "+p.Ref())
		}
	}
	c.Reason = "with vectors of the dimensions, length and passages that they should have: " + api.Plural(total, "page")
	if len(damaged) == 0 {
		return c, nil
	}
	c.State, c.Reason = "error", fmt.Sprintf("the vectors of %s are not what they should be", api.Plural(len(c.Items), "page"))
	c.Items = c.Items[:min(len(c.Items), maxItems)]
	c.Remedy = "cairn doctor --deep --fix removes them, and the next cairn embed recomputes them"
	c.Fix = "remove the damaged vectors, so that the next cairn embed recomputes them"
	c.Mend = func(ctx context.Context) error {
		return v.health.DB.Update(ctx, func(tx store.Tx) error {
			for _, m := range models {
				if err := embedding.Requeue(ctx, tx, m, slices.Compact(slices.Sorted(slices.Values(damaged[m.Name])))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return c, nil
}
