package index

import (
	"context"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// LeadValues returns, for each metadata value of pages of a space, the link that it
// would be, with or without brackets. Pages are by row. Empty values have no Name.
func LeadValues(ctx context.Context, tx store.Tx, space int64, pages map[int64]kb.Page, values []kb.Property) ([]kb.Link, error) {
	links, seen := make([]kb.Link, len(values)), make([]Seen, len(values))
	for i, v := range values {
		links[i] = link.Named(v.Text)
		links[i].From = v.Page
		seen[i] = Seen{&links[i], pages[v.Page].Path}
	}
	return links, LeadSeen(ctx, tx, space, seen)
}
