package store

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Model is an embedding model as the memory knows it.
type Model struct {
	Name    string // compared exactly
	Source  string // where it is loaded from; opaque here
	Dims    int    // of its vectors
	Active  bool   // whether queries and writes use it
	Created time.Time
	Config  string // opaque JSON
}

// Models is the registry of embedding models. At most one is active. Vectors
// are kept per model, so to activate another one and to go back are both one
// row changed, in one transaction.
type Models interface {
	// All returns the models by name.
	All(ctx context.Context) ([]Model, error)
	// Put inserts a model that is not active, or replaces Source, Dims and
	// Config of the one with this name; it does not read Active. kb.Invalid
	// without a name or dimensions; kb.Conflict when a model that has vectors
	// would get other dimensions.
	Put(ctx context.Context, m Model) error
	// Activate makes the model the one that is active; "" leaves none active.
	// kb.NotFound changes nothing.
	Activate(ctx context.Context, name string) error
	// Remove deletes a model with its vectors; kb.NotFound, or kb.Conflict
	// when it is active.
	Remove(ctx context.Context, name string) error
}

// PageVectors are the embeddings of one page by one model.
type PageVectors struct {
	Page    int64 // row
	Model   string
	Hash    kb.Hash // of the document that they were made from
	Version string  // of how they were made from it; any text
	Chunks  int     // how many vectors Blob holds; a page may have none
	Blob    []byte  // opaque
	Seq     int64   // set by Put: greater than any that was committed before
}

// Vectors holds the embeddings of pages. Which pages wait to be embedded is
// derived: a page is stale for a model unless it has vectors made from the
// bytes that its document has now, in the version asked for. Vectors go with
// their page, and stay with one that moves. All methods fail with
// kb.NotFound when there is no such model.
//
// A reader that keeps vectors follows a model by the greatest Seq it has seen:
// in one View it takes what Changed gives, and when it then holds more pages
// than Changed counted, it forgets those that Pages does not list. That is
// exact whatever happened in between, the removal of the model included.
type Vectors interface {
	// Stale returns at most limit stale pages of the spaces with rows greater
	// than after, ascending. Spaces empty is all; a limit of 0 or less is none.
	Stale(ctx context.Context, model, version string, spaces []int64, after int64, limit int) ([]int64, error)
	// Counts returns how many pages of the spaces are stale, and how many not.
	Counts(ctx context.Context, model, version string, spaces []int64) (fresh, stale int, err error)
	// Put inserts or replaces vectors. Those of a page that is gone are left
	// out without an error, since pages are embedded outside of transactions;
	// those made from bytes that the page no longer has are kept, and stale.
	Put(ctx context.Context, list []PageVectors) error
	// Get returns the vectors of a page, stale or not; kb.NotFound.
	Get(ctx context.Context, model string, page int64) (PageVectors, error)
	// Each calls f with the vectors of all pages, ascending. f may keep Blob.
	Each(ctx context.Context, model string, f func(PageVectors) error) error
	// Changed is Each for vectors with a greater Seq than since, ascending by
	// Seq, and counts the pages that have vectors now.
	Changed(ctx context.Context, model string, since int64, f func(PageVectors) error) (pages int, err error)
	// Pages returns the rows of the pages that have vectors, ascending.
	Pages(ctx context.Context, model string) ([]int64, error)
	// Drop deletes all vectors of a model and keeps the model.
	Drop(ctx context.Context, model string) error
}
