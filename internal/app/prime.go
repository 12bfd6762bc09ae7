package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/config"
	"github.com/cairn-kb/cairn/internal/prime"
)

// Prime says what an agent needs at the start of a session; see
// prime.Engine.Prime.
func (a *App) Prime(ctx context.Context, req PrimeRequest) (Prime, error) {
	return a.prime.Prime(ctx, req)
}

// Primed notes that the caller has been told what Prime answered.
func (a *App) Primed(ctx context.Context, p Prime) error { return a.prime.Primed(ctx, p) }

// PrimeOverride returns the text that somebody wrote in place of what Prime
// says; see prime.PrimeOverride.
func PrimeOverride(ctx context.Context, o config.Place, budget int) (p Prime, found bool, err error) {
	return prime.PrimeOverride(ctx, o, budget)
}
