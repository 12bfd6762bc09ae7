package gap

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
)

// ResolveWith records which page answers the question of a gap. It replaces the
// page recorded before.
func ResolveWith(ctx context.Context, sess *memory.Session, id int64, ref string) (api.Gap, error) {
	page, err := freshness.Page(ctx, sess, ref)
	if err != nil {
		return api.Gap{}, err
	}
	return Resolve(ctx, sess, id, page)
}
