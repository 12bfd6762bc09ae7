package store

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// LinkRow is a link with its row number.
type LinkRow struct {
	Row int64
	kb.Link
}

// LinkEnd is a link with the page at its other end, which is zero while the link is
// unresolved.
type LinkEnd struct {
	LinkRow
	Page kb.Page
}

// Resolution is the target of a link.
type Resolution struct {
	Row        int64 // LinkRow.Row
	To         int64 // page row, 0 for no or several matches
	Candidates int
}

// Links writes, reads and resolves links.
type Links interface {
	// Put inserts the links of stored documents that have none. It is called after
	// Documents.Put, since links can be resolved only once their target pages have rows.
	// Links keep their To and Candidates.
	Put(ctx context.Context, docs []*Document) error
	// From returns the links on the page, ordered by position.
	From(ctx context.Context, page int64) ([]LinkEnd, error)
	// To returns the links to the page, ordered by the linking page's slug.
	To(ctx context.Context, page int64) ([]LinkEnd, error)
	// SpacesTo returns the rows of the spaces with links to the page.
	SpacesTo(ctx context.Context, page int64) ([]int64, error)
	// EdgesFrom returns the resolved links on the pages, and EdgesTo the links to them,
	// ordered by row, with only From, To, Type and the interval.
	EdgesFrom(ctx context.Context, pages []int64) ([]kb.Link, error)
	EdgesTo(ctx context.Context, pages []int64) ([]kb.Link, error)
	// Joined returns the pages of the memory with a link to or from another page, in no
	// particular order; pages with both may be listed twice.
	Joined(ctx context.Context) ([]int64, error)
	// Dated returns the links with a type of their own on those pages of the space that have
	// a dated link, ordered by row.
	Dated(ctx context.Context, space int64) ([]kb.Link, error)
	// ByKeys returns the links with one of keys as their Key, resolved or not, with the path
	// of their document: those of the space, and those of other spaces with a slash or a
	// colon in their name, which may start with the name of a space.
	ByKeys(ctx context.Context, space int64, keys []string) ([]Candidate, error)
	// CrossSpace returns the links that may have a target in another space: those
	// with a slash or a colon in their name that resolve to another space or
	// not at all.
	CrossSpace(ctx context.Context) ([]Candidate, error)
	// TargetsByKeys returns the possible targets with one of keys.
	TargetsByKeys(ctx context.Context, space int64, keys []string) ([]Target, error)
	// Resolve stores the targets of links.
	Resolve(ctx context.Context, res []Resolution) error
	// MostLinked returns at most limit pages of the spaces, with the number of other pages
	// that link to them, highest first; ties are ordered by row.
	MostLinked(ctx context.Context, spaces []int64, limit int) ([]Linked, error)
	// Count counts the links of spaces; an empty spaces means all.
	Count(ctx context.Context, spaces []int64) (LinkCounts, error)
	// Anchored returns the links of the spaces to a heading or block of a page, ordered by
	// row, with only From, To and Heading.
	Anchored(ctx context.Context, spaces []int64) ([]LinkRow, error)
	// Get returns links by row, in the given order, without their target pages.
	Get(ctx context.Context, rows []int64) ([]LinkEnd, error)
	// Unresolved returns the broken and ambiguous links of the spaces, most frequent name
	// first.
	Unresolved(ctx context.Context, spaces []int64, limit, offset int) (links []LinkEnd, total int, err error)
}

// LinkCounts counts all links, the broken ones, and the ambiguous ones.
type LinkCounts struct {
	Links, Unresolved, Ambiguous int
}

// Linked is a page with the number of other pages that link to it.
type Linked struct {
	Page int64
	N    int
}

// Candidate is a link to resolve.
type Candidate struct {
	Row        int64
	Kind       string
	Name       string
	Key        string
	Space      int64 // of its document
	From       int64
	FromPath   string
	To         int64 // stored target
	Candidates int
}

// Target is a possible target of a link.
type Target struct {
	Page    int64
	ID      kb.ID
	Path    string
	Node    string
	Title   string
	Aliases []string
	Names   []string // its lookup keys
}
