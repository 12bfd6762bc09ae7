package store

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Claims reads the statements of pages that may contradict each other, and
// stores which contradictions were dismissed. It does not decide what is a
// contradiction.
type Claims interface {
	// Relations returns the typed links of pages. For a whole space it returns those of
	// pages with a possible contradiction: two relations of one type (by kb.NameKey) with
	// the same target or on the same day, an ending, or a property with one of keys. Links
	// are ordered by row, and lack the fields that describe their target: Kind, Key, Heading
	// and Text.
	Relations(ctx context.Context, in Claimants, keys []string) ([]kb.Link, error)
	// Typed returns the links with a type (by kb.NameKey) among names: those of the pages of
	// a space, with Inbound also those of other spaces to them; or those from and to single
	// pages. They are ordered by row, with the fields of Relations.
	Typed(ctx context.Context, in Claimants, names map[string]bool) ([]kb.Link, error)
	// Endings returns the statements that something has ended, ordered by row, each with the
	// links that it is about: statements on pages, and those on other pages with one of
	// pages as the subject.
	Endings(ctx context.Context, in Claimants) ([]EndedLink, error)
	// Properties returns the values of properties with one of keys, ordered by row. A key
	// that ends in "." matches all keys of that map.
	Properties(ctx context.Context, in Claimants, keys []string) ([]kb.Property, error)
	// Values returns the values of properties with one of keys in a space, each with the
	// places where it occurs, in order. It is much cheaper than Properties if many pages
	// share few values.
	Values(ctx context.Context, space int64, keys []string) ([]PropertyValue, error)
	// Texts returns the distinct values of properties with a key, in all spaces and in no
	// particular order. Its cost grows with the distinct values, not with the pages.
	Texts(ctx context.Context, key string) ([]string, error)
	// Behind returns the pages with a truth that is at least this much older than the
	// timeline, ordered by row. A truth with an "as of" date is compared with the newest
	// entry up to Today.
	Behind(ctx context.Context, in Claimants, by time.Duration) ([]int64, error)

	// Dismiss records that a contradiction does not matter. It replaces an
	// existing note.
	Dismiss(ctx context.Context, d kb.Dismissal) error
	// Dismissed returns the dismissals of a space, ordered by id.
	Dismissed(ctx context.Context, space int64) ([]kb.Dismissal, error)
}

// Claimants are the pages of a space; Pages nil is all of them.
type Claimants struct {
	Space   int64
	Pages   []int64
	Inbound bool // see Claims.Typed

	// Also lists pages of the whole space for which all relations are included.
	Also []int64
	// Relations that ended before the year of Today (an ISO date), and those with a type in
	// Many (by kb.NameKey), do not contradict a relation with another target.
	Today string
	Many  map[string]bool
}

// PropertyValue is a value of a property, with its places.
type PropertyValue struct {
	Key, Text string
	At        []PropertyPlace
}

// PropertyPlace is the place of a property: its page, and its position there.
type PropertyPlace struct {
	Page     int64
	Position int
}

// EndedLink is an ending with the links to its subject and object; zero if there is none.
type EndedLink struct {
	kb.Ending
	By, To kb.Link
}
