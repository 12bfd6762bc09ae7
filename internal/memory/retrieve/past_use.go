package retrieve

import (
	"context"
	"errors"

	"github.com/cairn-kb/cairn/internal/memory"
)

// Past runs use over the memory as it was at a time, a time or date phrase, as the same
// caller saw it then. Its history is that of now.
func Past(ctx context.Context, sess *memory.Session, asOf string, all bool, use func(then *memory.Session) error) (err error) {
	p, err := openPast(ctx, sess, SearchRequest{AsOf: asOf, All: all})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.close(ctx, memory.Keep[Pasts](sess), sess.Now(), nil)) }()
	for space, n := range p.lost {
		if all || space == p.Session.Spaces.Asked {
			return p.unknown(space, n)
		}
	}
	return use(p.Session)
}
