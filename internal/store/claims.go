package store

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Claims reads what pages claim of the world, as far as one claim may contradict
// another, and keeps which contradictions somebody dismissed. It says nothing of what
// is a contradiction.
type Claims interface {
	// Relations returns the links with a type of their own of pages. Of a whole space they
	// are those of pages on which one may contradict something: another one of its type,
	// of the same kb.NameKey, that leads to the same or holds on the same day, an ending, or
	// a property with one of keys. In order of row, without what else says where they lead: Kind, Key,
	// Heading and Text.
	Relations(ctx context.Context, in Claimants, keys []string) ([]kb.Link, error)
	// Typed returns the links whose type has one of names as its kb.NameKey: those that
	// the pages of a space hold, with Inbound those of other spaces that lead to them, too;
	// or those that pages hold and that lead to them. In order of row, as Relations does.
	Typed(ctx context.Context, in Claimants, names map[string]bool) ([]kb.Link, error)
	// Endings returns the sentences by which something is over, in order of row, each
	// with the link that it is about.
	Endings(ctx context.Context, in Claimants) ([]EndedLink, error)
	// Properties returns the values of properties with one of keys, in order of row. A key
	// that ends in "." stands for all those of the map before it.
	Properties(ctx context.Context, in Claimants, keys []string) ([]kb.Property, error)
	// Values returns the values of properties with one of keys in a space, each with the
	// places of the properties that have it, in order. It costs far less than Properties
	// where few values are on many pages.
	Values(ctx context.Context, space int64, keys []string) ([]PropertyValue, error)
	// Behind returns the pages whose truth is older than their timeline by at least
	// this, in order of row.
	Behind(ctx context.Context, in Claimants, by time.Duration) ([]int64, error)

	// Dismiss notes that a contradiction is none that matters. It replaces the note that
	// is there.
	Dismiss(ctx context.Context, d kb.Dismissal) error
	// Dismissed returns the dismissals of a space, in order of id.
	Dismissed(ctx context.Context, space int64) ([]kb.Dismissal, error)
}

// Claimants are the pages of a space; Pages nil is all of them.
type Claimants struct {
	Space   int64
	Pages   []int64
	Inbound bool // see Claims.Typed

	// Also are pages of a whole space whose relations are all wanted.
	Also []int64
	// Of the relations of a whole space those that ended before the year of Today, and
	// those of the types Many, by kb.NameKey, contradict none that leads elsewhere.
	Today string
	Many  map[string]bool
}

// PropertyValue is a value that properties with a key have.
type PropertyValue struct {
	Key, Text string
	At        []PropertyPlace
}

// PropertyPlace is where a property stands: on which page, and after how many others there.
type PropertyPlace struct {
	Page     int64
	Position int
}

// EndedLink is an ending with its link.
type EndedLink struct {
	kb.Ending
	On kb.Link
}
