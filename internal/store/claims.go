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
	// Relations returns the typed links of pages. Of a whole space they are
	// those of pages with a possible contradiction: two relations of one type,
	// by kb.NameKey, with the same target or on the same day, an ending, or a
	// property with one of keys. Links are in order of row, without the fields
	// that describe their target: Kind, Key, Heading and Text.
	Relations(ctx context.Context, in Claimants, keys []string) ([]kb.Link, error)
	// Typed returns the links with one of names as the kb.NameKey of their
	// type: those of the pages of a space, and with Inbound those of other
	// spaces to them; or those from and to pages. They are in order of row,
	// with the fields of Relations.
	Typed(ctx context.Context, in Claimants, names map[string]bool) ([]kb.Link, error)
	// Endings returns the statements that something is over, in order of row, each with
	// the links that it is about: those of pages, and those of other pages of which they
	// are the subject.
	Endings(ctx context.Context, in Claimants) ([]EndedLink, error)
	// Properties returns the values of properties with one of keys, in order of
	// row. A key that ends in "." matches all keys of that map.
	Properties(ctx context.Context, in Claimants, keys []string) ([]kb.Property, error)
	// Values returns the values of properties with one of keys in a space, each with the
	// places of the properties that have it, in order. It costs far less than Properties
	// where few values are on many pages.
	Values(ctx context.Context, space int64, keys []string) ([]PropertyValue, error)
	// Texts returns the different values of properties with a key, in all spaces and in no
	// order. Its cost is that of the different values, not of the pages.
	Texts(ctx context.Context, key string) ([]string, error)
	// Behind returns the pages with a truth that is older than the timeline by at least
	// this, in order of row. A truth that says as of when it holds is compared with the
	// newest entry up to Today.
	Behind(ctx context.Context, in Claimants, by time.Duration) ([]int64, error)

	// Dismiss records that a contradiction does not matter. It replaces an
	// existing note.
	Dismiss(ctx context.Context, d kb.Dismissal) error
	// Dismissed returns the dismissals of a space, in order of id.
	Dismissed(ctx context.Context, space int64) ([]kb.Dismissal, error)
}

// Claimants are the pages of a space; Pages nil is all of them.
type Claimants struct {
	Space   int64
	Pages   []int64
	Inbound bool // see Claims.Typed

	// Also are pages of a whole space with all their relations included.
	Also []int64
	// Relations that ended before the year of Today, an ISO date, and those of the
	// types Many, by kb.NameKey, contradict no relation with another target.
	Today string
	Many  map[string]bool
}

// PropertyValue is a value that properties with a key have.
type PropertyValue struct {
	Key, Text string
	At        []PropertyPlace
}

// PropertyPlace is the place of a property: its page, and the number of
// properties before it there.
type PropertyPlace struct {
	Page     int64
	Position int
}

// EndedLink is an ending with the links to its subject and object, zero for none.
type EndedLink struct {
	kb.Ending
	By, To kb.Link
}
