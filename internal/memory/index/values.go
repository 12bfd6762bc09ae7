package index

import (
	"context"

	"github.com/cairn-kb/cairn/internal/doc/link"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// LeadValues returns, for each value of the metadata of pages of a space, the link that
// it would be: to the page that it names, with or without brackets. Pages are by row.
// One that says nothing has no Name.
func LeadValues(ctx context.Context, tx store.Tx, space int64, pages map[int64]kb.Page, values []kb.Property) ([]kb.Link, error) {
	links, seen := make([]kb.Link, len(values)), make([]Seen, len(values))
	for i, v := range values {
		links[i] = link.Named(v.Text)
		links[i].From = v.Page
		seen[i] = Seen{&links[i], pages[v.Page].Path}
	}
	return links, LeadSeen(ctx, tx, space, seen)
}
