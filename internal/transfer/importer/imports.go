package importer

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
)

// Imports lists the imports as a list of package api, see ListImports.
func Imports(ctx context.Context, sess *memory.Session, limit, offset int) (api.List[Imported], error) {
	items, total, err := ListImports(ctx, sess, limit, offset)
	return api.List[Imported]{Items: items, Total: total, Next: api.Next(offset, len(items), total)}, err
}
