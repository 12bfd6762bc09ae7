// Package anchor finds links to headings and blocks that their pages do not have.
package anchor

import (
	"bytes"
	"context"
	"slices"
	"sync"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/store"
)

// checked caches which parts documents have, so that after a change only changed
// documents are read again. It is safe for concurrent use; the zero value is ready.
type checked struct {
	mu  sync.Mutex
	has map[part]bool
}

// maxChecked limits the number of parts in checked.
const maxChecked = 1 << 18

// part is a heading or block in a link's target, in a document with these bytes.
type part struct {
	hash             kb.Hash
	path, node, name string
}

// Missing returns the links of spaces to a page without the link's heading or
// block, sorted by row, with that page.
func Missing(ctx context.Context, sess *memory.Session, tx store.Tx, spaces []int64) ([]store.LinkEnd, error) {
	found, err := tx.Links().Anchored(ctx, spaces)
	if err != nil {
		return nil, err
	}
	return Among(ctx, sess, tx, found)
}

// Among is Missing for given links to a heading or block of a page, sorted by row.
func Among(ctx context.Context, sess *memory.Session, tx store.Tx, found []store.LinkRow) ([]store.LinkEnd, error) {
	if len(found) == 0 {
		return nil, nil
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
	known := memory.Keep[checked](sess)
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.has == nil || len(known.has) > maxChecked {
		known.has = map[part]bool{}
	}
	partOf := func(l store.LinkRow) part {
		p := pages[l.To]
		return part{hash: p.Hash, path: p.Path, node: p.Node, name: l.Heading}
	}
	var missing []int64
	var unknown []store.LinkRow
	for _, l := range found {
		if has, done := known.has[partOf(l)]; !done {
			unknown = append(unknown, l)
		} else if !has {
			missing = append(missing, l.Row)
		}
	}
	slices.SortFunc(unknown, func(a, b store.LinkRow) int { // one document after the other
		of, next := pages[a.To].Hash, pages[b.To].Hash
		return bytes.Compare(of[:], next[:])
	})
	var read kb.Hash
	var d *doc.Document // the document that was read last
	for _, l := range unknown {
		p := pages[l.To]
		if p.Hash != read {
			text, err := tx.History().Bytes(ctx, p.Hash)
			switch read = p.Hash; {
			case kb.CodeOf(err) == kb.NotFound: // pruned
				d = nil
			case err != nil:
				return nil, err
			default:
				d = doc.ForNote(sess.Codecs, p.Syntax, p.Path).Parse(p.Path, text)
			}
		}
		if d == nil {
			continue
		}
		has, done := known.has[partOf(l)]
		if !done {
			node, err := d.NodeIndex(p.Node)
			heading, block := l.Anchor()
			has = err != nil || d.HasPart(&d.Nodes[node], heading, block)
			known.has[partOf(l)] = has
		}
		if !has {
			missing = append(missing, l.Row)
		}
	}
	slices.Sort(missing)
	out, err := tx.Links().Get(ctx, missing)
	for i, l := range out {
		out[i].Page = pages[l.To]
	}
	return out, err
}
