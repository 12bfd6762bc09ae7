package presets

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

// Rewrite replaces the policy of a space; see space.Rewrite. An upgrade also
// updates the pages of the preset; see Upgrade.
func Rewrite(ctx context.Context, sess *memory.Session, req space.RewriteRequest) (api.RewrittenPolicy, error) {
	out, err := space.Rewrite(ctx, sess.Spaces, req)
	if err == nil && req.Upgrade {
		out.Pages, err = Upgrade(ctx, sess, out.Space, req.DryRun)
	}
	return out, err
}
