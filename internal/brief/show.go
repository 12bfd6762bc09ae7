package brief

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
)

// Show shows the state of a page, with its links on request.
func Show(ctx context.Context, sess *memory.Session, name string, links bool) (api.BriefPage, error) {
	p, err := freshness.Page(ctx, sess, name)
	if err != nil {
		return api.BriefPage{}, err
	}
	return ShowPage(ctx, sess, p, links, freshness.TitleOnly(name, p))
}
