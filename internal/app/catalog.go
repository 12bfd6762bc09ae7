package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/kb"
)

// Catalog says which index files of the current space were out of date; see
// write.Writer.Catalog.
type Catalog struct {
	Space string   `json:"space"`
	Stale []string `json:"stale"` // paths of files that were missing, old, edited or too many
	Made  bool     `json:"made"`  // they are as they should be now
}

// MakeCatalog makes the index files of the current space anew, or with check only says
// which are not up to date.
func MakeCatalog(ctx context.Context, a *App, check bool) (Catalog, error) {
	s, err := a.spaces.OpenCurrent(ctx)
	if err != nil {
		return Catalog{}, err
	}
	stale, err := a.writer.Catalog(ctx, s, check)
	if stale == nil {
		stale = []string{}
	}
	return Catalog{Space: s.Name, Stale: stale, Made: !check}, err
}

// recatalog brings the index files of a space up to date, where it has some. A file of
// somebody else's in their place stays, and cairn index says so.
func recatalog(ctx context.Context, a *App, s kb.Space) error {
	w, err := a.spaces.OpenSpace(ctx, s)
	if err != nil || w.Policy.Index.File == "" {
		return err
	}
	if _, err = a.writer.Catalog(ctx, w, false); kb.CodeOf(err) == kb.Conflict {
		return nil
	}
	return err
}
