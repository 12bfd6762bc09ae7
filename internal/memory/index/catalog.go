package index

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// CatalogKey is the settings key for the Catalog of a space: the state of its pages
// that its index files list. Package write sets it.
func CatalogKey(space kb.ID) string { return store.WrittenSetting + string(space) }

// DropCatalog records that rows of pages may differ from the index files of a
// space. Code that changes rows without creating versions calls it in the same
// transaction.
func DropCatalog(ctx context.Context, tx store.Tx, space kb.ID) error {
	known, err := tx.Settings().Get(ctx, CatalogKey(space))
	if known == "" || err != nil {
		return err
	}
	return tx.Settings().Set(ctx, CatalogKey(space), "")
}
