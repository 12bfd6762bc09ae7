package ref

import (
	"context"
	"slices"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Exact finds the page with a ref's id or with exactly its slug or path. Looser
// matches would let a new page replace one with a similar name.
func (v *Resolver) Exact(ctx context.Context, tx store.Tx, r Ref, all []kb.Space) (kb.Page, bool, error) {
	home := v.Home(ctx, tx, all, r.Space)
	if r.ID != "" || r.Prefix != "" || r.Row != 0 {
		found, err := v.candidates(ctx, tx, r, kb.Space{})
		if err != nil || len(found) == 0 {
			return kb.Page{}, false, err
		}
		if len(found) > 1 {
			return kb.Page{}, false, ambiguous(r.raw, found)
		}
		return found[0], true, nil
	}
	found, err := v.byPath(ctx, tx, r.Name, home)
	if err == nil && len(found) == 0 && home.Row != 0 {
		if found, err = ByName(ctx, tx, r.Name, home); err == nil {
			slug := norm.NFC.String(r.Name)
			found = slices.DeleteFunc(found, func(p kb.Page) bool { return p.Slug != slug })
		}
	}
	if err != nil || len(found) == 0 {
		return kb.Page{}, false, err
	}
	if len(found) > 1 {
		return kb.Page{}, false, ambiguous(r.raw, found)
	}
	return found[0], true, nil
}
