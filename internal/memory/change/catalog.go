package change

import (
	"context"
	"github.com/cairn-kb/cairn/internal/memory"
)

// Catalog makes the index files of the current space anew, or with check only says which
// are not up to date.
func UpdateIndexFiles(ctx context.Context, sess *memory.Session, check bool) (IndexFiles, error) {
	w, err := sess.Spaces.OpenCurrent(ctx)
	if err != nil {
		return IndexFiles{}, err
	}
	stale, err := sess.Writer.Catalog(ctx, w, check)
	if stale == nil {
		stale = []string{}
	}
	return IndexFiles{Space: w.Name, Stale: stale, Made: !check}, err
}

// Catalog says which index files of the current space were out of date; see
// write.Writer.Catalog.
type IndexFiles struct {
	Space string   `json:"space"`
	Stale []string `json:"stale"` // paths of files that were missing, old, edited or too many
	Made  bool     `json:"made"`  // they are as they should be now
}
