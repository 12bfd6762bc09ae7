package change

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
)

// UpdateIndexFiles regenerates the index files of the current space, or with
// check only lists those that are out of date.
func UpdateIndexFiles(ctx context.Context, sess *memory.Session, check bool) (api.IndexFiles, error) {
	w, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return api.IndexFiles{}, err
	}
	stale, err := sess.Writer.Catalog(ctx, w, check)
	if stale == nil {
		stale = []string{}
	}
	return api.IndexFiles{Space: w.Name, Stale: stale, Made: !check}, err
}
