package store

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Batches holds imported data as it was received. A batch is removed with its
// space; the pages made from it do not need it.
type Batches interface {
	// Add inserts a batch with its items and sets its Row. Items have Bytes if
	// their bytes are not stored yet.
	Add(ctx context.Context, b *kb.Batch, items []BatchItem) error
	// Append adds items to a batch.
	Append(ctx context.Context, row int64, items []BatchItem) error
	// SetPage sets the page that an item of a batch became.
	SetPage(ctx context.Context, row int64, path string, page kb.ID) error
	// Remove deletes a batch with its items; blobs that nothing else needs may stay until
	// bytes are pruned.
	Remove(ctx context.Context, row int64) error
	// Rename sets the Source of a batch, when the same data was imported again from
	// elsewhere.
	Rename(ctx context.Context, row int64, source string) error
	// List returns the batches of the spaces, newest first, and the number of all;
	// spaces empty is all.
	List(ctx context.Context, spaces []int64, limit, offset int) ([]kb.Batch, int, error)
	// ByID returns the batch with an id; kb.NotFound.
	ByID(ctx context.Context, id string) (kb.Batch, error)
	// Same returns the batches of a space and kind that have an item with these bytes,
	// newest first.
	Same(ctx context.Context, space int64, kind string, bytes kb.Hash) ([]kb.Batch, error)
	// Has reports whether a batch has an item with these bytes from which the page was made.
	Has(ctx context.Context, page kb.ID, bytes kb.Hash) (bool, error)
	// Items calls f with each item of a batch by path, without Bytes, until f fails.
	Items(ctx context.Context, row int64, f func(BatchItem) error) error
}

// BatchItem is one piece of a batch.
type BatchItem struct {
	Path  string
	Page  kb.ID // the page made from it; "" for none
	Hash  kb.Hash
	Bytes []byte
}
