package store

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Model is an embedding model as registered in the memory.
type Model struct {
	Name    string // compared exactly
	Source  string // where it is loaded from; opaque to the store
	Dims    int    // dimensions of its vectors
	Active  bool   // whether queries and writes use it
	Created time.Time
	Config  string // opaque JSON
}

// Models is the registry of embedding models. At most one is active. Vectors are kept per
// model, so activating another one and going back only changes one row each, in one
// transaction.
type Models interface {
	// All returns the models by name.
	All(ctx context.Context) ([]Model, error)
	// Put inserts a model that is not active, or replaces Source, Dims and Config of the one
	// with this name; it ignores Active. kb.Invalid without a name or dimensions;
	// kb.Conflict if a model with vectors would get other dimensions.
	Put(ctx context.Context, m Model) error
	// Activate makes the model the active one; "" deactivates all. kb.NotFound changes
	// nothing.
	Activate(ctx context.Context, name string) error
	// Remove deletes a model with its vectors; kb.NotFound, or kb.Conflict
	// when it is active.
	Remove(ctx context.Context, name string) error
}

// PageVectors are the embeddings of one page by one model.
type PageVectors struct {
	Page    int64 // row
	Model   string
	Hash    kb.Hash // of the document from which they were made; zero matches no document, so it is stale
	Version string  // version of the way in which they were made; any text
	Chunks  int     // number of vectors, possibly 0
	// Info and Values are the vectors: both are opaque and must not be changed. Info is
	// never empty.
	Info, Values []byte
	// SpareInfo and SpareValues are replaced vectors of passages that may come back; nil for
	// none. They are not read back with a page.
	SpareInfo, SpareValues []byte
}

// SpareBytes limits the total size of vectors without a page: about 20,000 vectors of 384
// dimensions. That is small compared to a memory, and sufficient for the differences between
// two branches of a repository.
const SpareBytes = 8 << 20

// StalePage is a page to be embedded, with its share of the bytes of its document as a
// measure of the work.
type StalePage struct {
	Row, Bytes int64
	Changed    bool // the bytes of the document have changed
}

// Bundle holds a model's vectors of several pages, stored together, so that reading all
// vectors of a model is mostly copying.
type Bundle struct {
	Number int64
	Pages  []BundlePage // ascending
	Values []byte       // of all the pages, in their order
}

// BundlePage is the part of a bundle for one page; see PageVectors.
type BundlePage struct {
	Page int64
	Info []byte
	Size int // of its part of Values
}

// Vectors stores the embeddings of pages. The set of pages to embed is derived: a page is
// stale for a model unless it has vectors made from the current bytes of its document, in
// the requested version, and neither its title nor the document's file name or format has
// changed since, which is possible without a change of bytes. Vectors are removed with their
// page, and stay with one that moves. All methods about a model fail with kb.NotFound if it
// does not exist.
//
// A reader with cached bundles updates them from the change number of its last update: in
// one View it takes the results of Changed, and if it then has more bundles than Changed
// counted, it drops those that Bundles does not list. The result is exact after any changes,
// including the removal of the model.
type Vectors interface {
	// Stale returns the stale pages of the spaces, by ascending rows. An empty spaces means
	// all.
	Stale(ctx context.Context, model, version string, spaces []int64) ([]StalePage, error)
	// Counts returns how many pages of the spaces are fresh, and how many are stale.
	Counts(ctx context.Context, model, version string, spaces []int64) (fresh, stale int, err error)
	// Put inserts or replaces vectors. Those of a removed page are skipped without an error,
	// since pages are embedded outside of transactions; those made from bytes that the page
	// no longer has are kept, but stale. kb.Invalid without Info.
	Put(ctx context.Context, list []PageVectors) error
	// Get returns the vectors of a page, stale or not; kb.NotFound.
	Get(ctx context.Context, model string, page int64) (PageVectors, error)
	// Long returns the pages with at least this many vectors, stale or not, ascending.
	Long(ctx context.Context, model string, chunks int) ([]int64, error)
	// Each calls f with the vectors of all pages, ascending.
	Each(ctx context.Context, model string, f func(PageVectors) error) error
	// Changed calls f with every bundle with a page that changed since the change number
	// since, in no particular order; since 0 means all bundles. It returns the current
	// number and counts all bundles. now is less than since if the transaction began before
	// the one that returned since. f may keep its argument.
	Changed(ctx context.Context, model string, since int64, f func(Bundle) error) (now int64, bundles int, err error)
	// Bundles returns the numbers of the existing bundles, ascending.
	Bundles(ctx context.Context, model string) ([]int64, error)
	// Spare calls f with the infos of vectors without a page, newest first: those of removed
	// pages, and those passed to Put as spare. The oldest are removed beyond SpareBytes, for
	// all models together.
	Spare(ctx context.Context, model string, f func(key int64, info []byte) error) error
	// SpareValues returns the values for an info of Spare, in the same transaction;
	// kb.NotFound.
	SpareValues(ctx context.Context, key int64) ([]byte, error)
	// ForgetSpare deletes the spare vectors of all models.
	ForgetSpare(ctx context.Context) error
	// Drop deletes all vectors of a model and keeps the model.
	Drop(ctx context.Context, model string) error
}
