package ageing

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"

	"github.com/cairn-kb/cairn/internal/memory"
)

// ChangeStatus sets a page's status.
func ChangeStatus(ctx context.Context, sess *memory.Session, req StatusRequest) (api.Written, error) {
	return SetStatus(ctx, sess, req.WriteOptions, req.Ref, req.Status)
}

// StatusRequest sets the status of a page.
type StatusRequest struct {
	api.WriteOptions
	Ref, Status string
}
