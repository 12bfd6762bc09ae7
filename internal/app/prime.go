package app

import (
	"context"
	"time"

	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/space"
)

// firstLook is how long a session waits at its start for a directory that nobody
// asked about yet. What was read by then is kept, and what was not comes later.
const firstLook = 2 * time.Second

// Prime says what an agent needs at the start of a session; see
// prime.Engine.Prime. Of a directory that was just added it would know nothing, so
// that this reads it first.
func (a *App) Prime(ctx context.Context, req PrimeRequest) (Prime, error) {
	s, _, err := a.spaces.Chosen(ctx)
	if err == nil && s.Row != 0 {
		a.Days().turn(ctx, s)
	}
	if err == nil && s.Kind == kb.DirectorySpace && s.Synced.IsZero() {
		look, cancel := context.WithTimeout(ctx, firstLook)
		defer cancel()
		if _, err := a.fresh.ToRead(look, []kb.Space{s}, nil); err != nil && ctx.Err() != nil {
			return Prime{}, err
		}
	}
	return a.prime.Prime(ctx, req)
}

// Inject returns the pages that the policy of the current space gives to a flow; see
// prime.Engine.Inject.
func (a *App) Inject(ctx context.Context, flow string) (Injected, error) {
	if s, _, err := a.spaces.Chosen(ctx); err == nil && s.Row != 0 {
		a.Days().turn(ctx, s)
	}
	return a.prime.Inject(ctx, flow)
}

// Primed notes that the caller has been told what Prime answered.
func (a *App) Primed(ctx context.Context, p Prime) error { return a.prime.Primed(ctx, p) }

// Reminder returns what a person is reminded of at the end of a session; see
// prime.Engine.Reminder.
func (a *App) Reminder(ctx context.Context) (string, error) { return a.prime.Reminder(ctx) }

// PrimeOverride returns the text that somebody wrote in place of what Prime
// says; see prime.PrimeOverride.
func PrimeOverride(ctx context.Context, o space.Place, budget int) (p Prime, found bool, err error) {
	return brief.PrimeOverride(ctx, o, budget)
}
