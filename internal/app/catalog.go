package app

import "context"

// Catalog says which index files of the current space were out of date; see
// write.Writer.Catalog.
type Catalog struct {
	Space string   `json:"space"`
	Stale []string `json:"stale"` // paths of files that were missing, old, edited or too many
	Made  bool     `json:"made"`  // they are as they should be now
}

// Catalog makes the index files of the current space anew, or with check only says which
// are not up to date.
func (s Spaces) Catalog(ctx context.Context, check bool) (Catalog, error) {
	w, err := s.registry.OpenCurrent(ctx)
	if err != nil {
		return Catalog{}, err
	}
	stale, err := s.guard.Writer.Catalog(ctx, w, check)
	if stale == nil {
		stale = []string{}
	}
	return Catalog{Space: w.Name, Stale: stale, Made: !check}, err
}
