package store

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Facts reads the facts of many pages at once. Results are in order of page and
// position; unknown pages are left out.
type Facts interface {
	// Observations returns the observations of pages.
	Observations(ctx context.Context, pages []int64) ([]kb.Observation, error)
	// Properties returns the values of the properties of pages.
	Properties(ctx context.Context, pages []int64) ([]kb.Property, error)
	// Links returns the links on pages, with From, To, Type, Name, Context and Line only; if
	// typed is set, only links with a type of their own.
	Links(ctx context.Context, pages []int64, typed bool) ([]kb.Link, error)
	// Types returns the types of pages.
	Types(ctx context.Context, pages []int64) (map[int64]string, error)
	// Values returns the first value of a property for each page that has one.
	Values(ctx context.Context, key string, pages []int64) (map[int64]string, error)
}
