package store

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Items reads the lines of pages that can be found by themselves.
type Items interface {
	// List returns matching items of pages, and their total number: first those
	// that are due, then those that are scheduled, each by date, then the
	// others; ties are ordered by space, path and position.
	List(ctx context.Context, f ItemFilter, limit, offset int) (items []PageItem, total int, err error)
	// Entries returns timeline entries of pages that match, and how many there are
	// in all: the newest first, of one date by space, path and position.
	Entries(ctx context.Context, f EntryFilter, limit, offset int) (entries []PageEntry, total int, err error)
}

// EntryFilter narrows a set of timeline entries. Empty fields do not narrow.
type EntryFilter struct {
	Pages  Filter // of their pages
	After  string // this day, YYYY-MM-DD, or later; a date of less precision may be
	Before string // an earlier day
	Source string // without regard to case; one that goes on after a slash, too
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

// Where is a condition on the properties of a page: that one of the values under
// Key compares so. A key is that of kb.Property.
type Where struct {
	Key string
	Is  Comparison
	// Text is the value to compare with. A number is compared numerically with
	// numeric values, an ISO 8601 date with dates, at the coarser precision of
	// both; other text ignoring case.
	Text string
	// Texts are what OneOf and Between compare with, instead of Text.
	Texts []string
}

// Comparison is how a value compares with another.
type Comparison string

// The comparisons. Differs holds for pages without such a value, Present for
// those with any value. OneOf holds for a value equal to any of Texts, Between
// for one from the first of two Texts to the second, inclusive.
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
