package index

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
)

// CatalogKey is the key of the setting with the Catalog of a space: of which state of its
// pages its index files are. Package write sets it.
func CatalogKey(space kb.ID) string { return store.WrittenSetting + string(space) }

// DropCatalog records that rows of pages may differ from the index files of a space. Whatever
// changes rows without making versions calls it in the same transaction.
func DropCatalog(ctx context.Context, tx store.Tx, space kb.ID) error {
	known, err := tx.Settings().Get(ctx, CatalogKey(space))
	if known == "" || err != nil {
		return err
	}
	return tx.Settings().Set(ctx, CatalogKey(space), "")
}
