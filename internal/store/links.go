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

// LinkEnd is a link as seen from one of its pages, with the page at the
// other end (zero while unresolved).
type LinkEnd struct {
	LinkRow
	Page kb.Page
}

// Resolution is the target of a link.
type Resolution struct {
	Row        int64 // LinkRow.Row
	To         int64 // page row, 0 when nothing or too much matches
	Candidates int
}

// Links writes, reads and resolves the edges.
type Links interface {
	// Put inserts the links of stored documents without links: after
	// Documents.Put, since targets can be resolved only once their pages have
	// rows. Links keep their To and Candidates.
	Put(ctx context.Context, docs []*Document) error
	// From returns the links that the page holds, in order of position.
	From(ctx context.Context, page int64) ([]LinkEnd, error)
	// To returns the links that lead to the page, by the linking page's slug.
	To(ctx context.Context, page int64) ([]LinkEnd, error)
	// SpacesTo returns the rows of the spaces that hold links to the page.
	SpacesTo(ctx context.Context, page int64) ([]int64, error)
	// EdgesFrom returns the resolved links of the pages, and EdgesTo those to
	// one of the pages, in order of row, with only From, To, Type and the
	// interval.
	EdgesFrom(ctx context.Context, pages []int64) ([]kb.Link, error)
	EdgesTo(ctx context.Context, pages []int64) ([]kb.Link, error)
	// Joined returns the pages of the memory that link to another page or that another page
	// links to, in no order; those that do both may be there twice.
	Joined(ctx context.Context) ([]int64, error)
	// Dated returns the links with a type of their own of those pages of the space
	// that hold one with a date, in order of row.
	Dated(ctx context.Context, space int64) ([]kb.Link, error)
	// ByKeys returns the links with one of keys as their Key, resolved or not,
	// with the path of their document: those of the space, and those of other
	// spaces with a slash or a colon in their name, since it may begin with the
	// name of a space.
	ByKeys(ctx context.Context, space int64, keys []string) ([]Candidate, error)
	// CrossSpace returns the links that may have a target in another space: those
	// with a slash or a colon in their name that resolve to another space or
	// not at all.
	CrossSpace(ctx context.Context) ([]Candidate, error)
	// TargetsByKeys returns the possible targets that carry one of keys.
	TargetsByKeys(ctx context.Context, space int64, keys []string) ([]Target, error)
	// Resolve stores where links lead.
	Resolve(ctx context.Context, res []Resolution) error
	// MostLinked returns at most limit pages of the spaces with the number of
	// other pages that link to them, the most first; ties are ordered by row.
	MostLinked(ctx context.Context, spaces []int64, limit int) ([]Linked, error)
	// Count counts the links of spaces; spaces empty is all.
	Count(ctx context.Context, spaces []int64) (LinkCounts, error)
	// Anchored returns the links of the spaces that lead to a heading or block of a page, in
	// order of row, with only From, To and Heading.
	Anchored(ctx context.Context, spaces []int64) ([]LinkRow, error)
	// Get returns links by their rows, in that order, without the pages they lead to.
	Get(ctx context.Context, rows []int64) ([]LinkEnd, error)
	// Unresolved returns links of the spaces that lead nowhere or to several
	// pages, most wanted name first.
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

// Candidate is a link to be resolved.
type Candidate struct {
	Row        int64
	Kind       string
	Name       string
	Key        string
	Space      int64 // of the document that holds it
	From       int64
	FromPath   string
	To         int64 // as stored
	Candidates int
}

// Target is a page that a link may lead to.
type Target struct {
	Page    int64
	ID      kb.ID
	Path    string
	Node    string
	Title   string
	Aliases []string
	Names   []string // its keys
}
