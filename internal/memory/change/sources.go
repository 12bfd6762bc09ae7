package change

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// StoreRequest stores a source's data in the sidecar of a page.
type StoreRequest struct {
	api.WriteOptions
	Ref       string
	Source    string
	Data      []byte // one JSON value, stored verbatim
	Overwrite bool   // replace the source's earlier data
}

// StoreSource stores a source's data in the sidecar of a page, as a new version
// of the page.
func StoreSource(ctx context.Context, sess *memory.Session, req StoreRequest) (api.Written, error) {
	named, space, err := Writable(ctx, sess, req.Ref)
	if err != nil {
		return api.Written{}, err
	}
	return Apply(ctx, sess, "raw", req.WriteOptions, []write.Change{{
		Space: space, Path: named.Page.Path, Of: write.OfPage(named.Page), Expected: req.Expected,
		Action: write.EditSide{Edits: []sidecar.Edit{sidecar.SetSource{
			Name: req.Source, Data: req.Data, Fetched: sess.Now(), Overwrite: req.Overwrite,
		}}},
	}})
}
