package store

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Items reads the parts of pages that can be found individually.
type Items interface {
	// List returns the matching items of pages, and their total number: due items first,
	// then scheduled ones, each by date, then the others; ties are ordered by space, path
	// and position.
	List(ctx context.Context, f ItemFilter, limit, offset int) (items []PageItem, total int, err error)
	// Entries returns the matching timeline entries of pages, and their total number: newest
	// first; those of one date are ordered by space, path and position.
	Entries(ctx context.Context, f EntryFilter, limit, offset int) (entries []PageEntry, total int, err error)
}

// EntryFilter narrows a set of timeline entries. Empty fields do not narrow.
type EntryFilter struct {
	Pages  Filter // of the pages
	After  string // on this day, YYYY-MM-DD, or later; a less precise date matches if it may be
	Before string // before this day
	Source string // ignoring case; also sources that continue with a slash
}

// PageEntry is a timeline entry with its page.
type PageEntry struct {
	kb.Entry
	Page kb.Page
}

// PageItem is an item with its page.
type PageItem struct {
	kb.Item
	Page kb.Page
}

// ItemFilter narrows a set of items. Empty fields do not narrow.
type ItemFilter struct {
	Pages  Filter // of their pages
	Kind   string
	Done   *bool
	DueEnd string // due before this day, YYYY-MM-DD
}

// Where is a condition on the properties of a page: that one of the values under Key
// satisfies the comparison. A key is that of kb.Property.
type Where struct {
	Key string
	Is  Comparison
	// Text is the value to compare with. A number is compared numerically with numeric
	// values, an ISO 8601 date with dates, at the coarser precision of the two, and other
	// text ignoring case.
	Text string
	// Texts are the values for OneOf and Between, instead of Text.
	Texts []string
}

// Comparison is a comparison of a value with Text or Texts.
type Comparison string

// The comparisons. Differs matches pages without such a value, Present those with any value.
// OneOf matches a value equal to any of Texts, Between one in the range of the two Texts,
// inclusive.
const (
	Present Comparison = ""
	Equals  Comparison = "="
	Differs Comparison = "!="
	Less    Comparison = "<"
	AtMost  Comparison = "<="
	Greater Comparison = ">"
	AtLeast Comparison = ">="
	OneOf   Comparison = "$in"
	Between Comparison = "$between"
)
