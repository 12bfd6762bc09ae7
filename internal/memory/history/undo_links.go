package history

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// A move or rename rewrites the links to a page in the same write. If the page
// keeps its new name, the links must keep it, too: after an undo they would point
// to its old path.

// keepLinks skips the pages with links to a skipped page that was renamed.
func (p *undoPlan) keepLinks(ctx context.Context, tx store.Tx) error {
	for todo := slices.Clone(p.pages); len(todo) > 0; {
		page := todo[0]
		todo = todo[1:]
		if page.left == nil || !there(page.now) {
			continue
		}
		writes, err := page.renamedBy(ctx, tx)
		if err != nil {
			return err
		}
		linking, err := page.linking(ctx, tx)
		if err != nil {
			return err
		}
		for _, other := range p.pages {
			if other.left == nil && linking[document{other.space.ID, other.now.Path}] && other.touchedBy(writes) {
				other.skip("its links to %s follow that page, which stays there", page.now.Path)
				todo = append(todo, other)
			}
		}
	}
	return nil
}

// renamedBy returns the writes that changed the page's path or title.
func (u *pageUndo) renamedBy(ctx context.Context, tx store.Tx) (map[int64]bool, error) {
	writes := map[int64]bool{}
	for _, v := range u.versions {
		if v.Version == 1 || !there(v) {
			continue
		}
		before, err := tx.History().Version(ctx, v.Space, v.Page, v.Version-1)
		if err != nil {
			return nil, err
		}
		if v.Change == kb.Moved || there(before) && before.Title != v.Title {
			writes[v.Write] = true
		}
	}
	return writes, nil
}

// document identifies a document of a space.
type document struct {
	space kb.ID
	path  string
}

// linking returns the documents with links to the page.
func (u *pageUndo) linking(ctx context.Context, tx store.Tx) (map[document]bool, error) {
	pages, err := tx.Pages().ByPath(ctx, u.space.Row, u.now.Path)
	if err != nil {
		return nil, err
	}
	found := map[document]bool{}
	for _, page := range pages {
		links, err := tx.Links().To(ctx, page.Row)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			found[document{l.Page.SpaceID, l.Page.Path}] = true
		}
	}
	return found, nil
}

// touchedBy reports whether one of the writes is among those to be undone.
func (u *pageUndo) touchedBy(writes map[int64]bool) bool {
	return slices.ContainsFunc(u.versions, func(v kb.Version) bool { return writes[v.Write] })
}
