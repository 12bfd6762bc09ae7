// Package anchor finds links to headings and blocks that their pages do not have.
package anchor

import (
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Missing returns the links of spaces that lead to a page without the heading or block that
// they name, in order of row, with that page.
func Missing(ctx context.Context, tx store.Tx, codecs []doc.Codec, spaces []int64) ([]store.LinkEnd, error) {
	found, err := tx.Links().Anchored(ctx, spaces)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	rows := make([]int64, len(found))
	for i, l := range found {
		rows[i] = l.To
	}
	slices.Sort(rows)
	pages, err := store.PagesByRow(ctx, tx, slices.Compact(rows))
	if err != nil {
		return nil, err
	}
	docs := map[kb.Hash]*doc.Document{}
	var missing []store.LinkEnd
	for _, l := range found {
		p := pages[l.To]
		d, known := docs[p.Hash]
		if !known {
			text, err := tx.History().Bytes(ctx, p.Hash)
			switch {
			case kb.CodeOf(err) == kb.NotFound: // pruned
			case err != nil:
				return nil, err
			default:
				d = doc.ForNote(codecs, p.Syntax, p.Path).Parse(p.Path, text)
			}
			docs[p.Hash] = d
		}
		if d == nil {
			continue
		}
		node, err := d.NodeIndex(p.Node)
		if err != nil {
			continue
		}
		if heading, block := l.Anchor(); !d.HasPart(&d.Nodes[node], heading, block) {
			l.Page = p
			missing = append(missing, l)
		}
	}
	return missing, nil
}
