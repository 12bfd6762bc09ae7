package brief

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
)

// firstSync bounds the sync of a directory that was never read when a session starts.
// Files read by then are kept; the others come later.
const firstSync = 2 * time.Second

// PrimeSession returns what an agent needs at the start of a session. A directory that
// was just added is synced first.
func PrimeSession(ctx context.Context, sess *memory.Session, req PrimeRequest) (api.Prime, error) {
	s, _, err := sess.Spaces.Chosen(ctx)
	if err == nil && s.Row != 0 {
		if _, err := sess.RunHooks(ctx, sess.Hooks.BeforeRead, s, false); err != nil {
			return api.Prime{}, err
		}
	}
	if err == nil && s.Kind == kb.DirectorySpace && s.Synced.IsZero() {
		first, cancel := context.WithTimeout(ctx, firstSync)
		defer cancel()
		if _, err := freshness.ToRead(first, sess, []kb.Space{s}, nil); err != nil && ctx.Err() != nil {
			return api.Prime{}, err
		}
	}
	return composePrime(ctx, sess, req)
}

// Inject returns the pages that the policy of the current space gives to a flow.
func Inject(ctx context.Context, sess *memory.Session, flow string) (api.Injected, error) {
	if s, _, err := sess.Spaces.Chosen(ctx); err == nil && s.Row != 0 {
		if _, err := sess.RunHooks(ctx, sess.Hooks.BeforeRead, s, false); err != nil {
			return api.Injected{}, err
		}
	}
	return injectFlow(ctx, sess, flow)
}
