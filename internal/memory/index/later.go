package index

import (
	"context"
	"maps"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// Later holds the links of documents from several batches of a transaction, until
// SettleLater. In a first sync, links often point to documents of later batches:
// they would be written without targets and then found and changed.
type Later struct {
	names map[string]bool // as in changes
	docs  []*store.Document
	links int
}

// NewLater returns a Later without links.
func NewLater() *Later { return &Later{names: map[string]bool{}} }

// Len returns the number of links held.
func (l *Later) Len() int { return l.links }

// take stores the data of documents that settleLinks reads.
func (l *Later) take(names map[string]bool, docs []*store.Document) {
	maps.Copy(l.names, names)
	for _, d := range docs {
		kept := &store.Document{Path: d.Path}
		for i := range d.Pages {
			if p := &d.Pages[i]; len(p.Links) > 0 {
				kept.Pages = append(kept.Pages, store.PageRecord{Page: kb.Page{Row: p.Page.Row}, Links: p.Links})
				l.links += len(p.Links)
			}
		}
		if kept.Pages != nil {
			l.docs = append(l.docs, kept)
		}
	}
}

// SettleLater writes the links of documents of a space that were put in this
// transaction, and resolves other documents' links to one of their names.
func (ix *Index) SettleLater(ctx context.Context, tx store.Tx, space kb.Space, l *Later) error {
	ch := newChanges(space)
	ch.names = l.names
	return ch.settleLinks(ctx, tx, l.docs)
}
