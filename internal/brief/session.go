package brief

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
)

// Limits of the time that a session start spends on reading changed files; the
// first limit is for a directory that was never read. Files read by then are kept,
// the others follow later.
const (
	firstSync = 2 * time.Second
	laterSync = time.Second
)

// PrimeSession returns the text for the start of a session. It first checks for
// files that changed since the last one.
func PrimeSession(ctx context.Context, sess *memory.Session, req PrimeRequest) (api.Prime, error) {
	s, _, err := sess.Spaces.Chosen(ctx)
	switch {
	case err != nil || s.Row == 0:
	case s.Kind == kb.DirectorySpace:
		patience := laterSync
		if s.Synced.IsZero() {
			patience = firstSync
		}
		look, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if _, err := freshness.ToRead(look, sess, []kb.Space{s}, nil); err != nil && ctx.Err() != nil {
			return api.Prime{}, err
		}
	default:
		if _, err := sess.RunHooks(ctx, sess.Hooks.BeforeRead, s, false); err != nil {
			return api.Prime{}, err
		}
	}
	return composePrime(ctx, sess, req)
}

// Inject returns the pages that the policy of the current space injects into a
// flow.
func Inject(ctx context.Context, sess *memory.Session, flow string) (api.Injected, error) {
	if s, _, err := sess.Spaces.Chosen(ctx); err == nil && s.Row != 0 {
		if _, err := sess.RunHooks(ctx, sess.Hooks.BeforeRead, s, false); err != nil {
			return api.Injected{}, err
		}
	}
	return injectFlow(ctx, sess, flow)
}
