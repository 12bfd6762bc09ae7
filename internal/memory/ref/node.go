package ref

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// byNode finds a page within a document by its slug: the slug of the document, then
// # and the id of the heading.
func (v *Resolver) byNode(ctx context.Context, tx store.Tx, name string, in kb.Space) ([]kb.Page, error) {
	at := strings.LastIndexByte(name, '#')
	if at <= 0 || at == len(name)-1 {
		return nil, nil
	}
	found, err := v.byPath(ctx, tx, name[:at], in)
	if err == nil && len(found) == 0 {
		found, err = ByName(ctx, tx, name[:at], in)
	}
	if err != nil || len(found) == 0 {
		return nil, err
	}
	spaces, err := tx.Spaces().All(ctx)
	if err != nil {
		return nil, err
	}
	var out []kb.Page
	for _, file := range found {
		i := slices.IndexFunc(spaces, func(s kb.Space) bool { return s.ID == file.SpaceID })
		if file.Node != "" || i < 0 {
			continue
		}
		pages, err := tx.Pages().ByPath(ctx, spaces[i].Row, file.Path)
		if err != nil {
			return nil, err
		}
		for _, p := range pages {
			if p.Node != "" && strings.EqualFold(p.Node, name[at+1:]) {
				out = append(out, p)
			}
		}
	}
	return out, nil
}
