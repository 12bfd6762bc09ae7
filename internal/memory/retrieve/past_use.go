package retrieve

import (
	"context"
	"errors"
	"time"

	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/store"
)

// Past runs use over the memory as it was at a time, a time or date phrase, as the same
// caller saw it then. Its history is that of now.
func (e *Engine) Past(ctx context.Context, asOf string, all bool, use func(store.Memory, *space.Registry, func() time.Time) error) (err error) {
	p, err := e.openPast(ctx, SearchRequest{AsOf: asOf, All: all})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close(ctx, e.Pasts, e.Now(), nil)) }()
	for space, n := range p.lost {
		if all || space == p.Spaces.Asked {
			return p.unknown(space, n)
		}
	}
	return use(p.DB, p.Spaces, p.Now)
}
