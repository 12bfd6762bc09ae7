package store

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Assertions reads assertions from sidecars, and relations. It does not resolve
// subjects and objects to pages.
type Assertions interface {
	// List returns the assertions of pages, by space, path and place in the sidecar.
	List(ctx context.Context, f AssertionFilter) ([]kb.Assertion, error)
	// Relations returns the links of pages with a type of their own, by space, path and
	// place, like Claims.Relations. It uses the fields Spaces, Pages and ObjectPage of the
	// filter.
	Relations(ctx context.Context, f AssertionFilter) ([]kb.Link, error)
}

// AssertionFilter narrows assertions. Empty fields do not narrow; values within a field
// are alternatives, fields are all required.
type AssertionFilter struct {
	Spaces            []int64
	Pages             []int64  // pages with the assertions
	Subjects, Objects []string // see kb.Assertion.SubjectKey
	Superseding       bool     // only those that replace another one
	ObjectPage        int64    // page that a relation links to
}
