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
	// Relations returns the links of pages that have a type of their own, by space, path
	// and place, as Claims.Relations does. Of a filter it takes Spaces, Pages and ObjectPage.
	Relations(ctx context.Context, f AssertionFilter) ([]kb.Link, error)
}

// AssertionFilter narrows assertions. Empty fields do not narrow; values within a field
// are alternatives, fields are all required.
type AssertionFilter struct {
	Spaces            []int64
	Pages             []int64  // the pages that they belong to
	Subjects, Objects []string // see kb.Assertion.SubjectKey
	Superseding       bool     // only those that replace another one
	ObjectPage        int64    // page to which a relation leads
}
