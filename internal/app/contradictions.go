package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
)

// Contradictions are statements of a memory that cannot all hold.
type Contradictions struct{ *contradiction.Engine }

// Contradictions returns the statements that cannot all hold.
func (a *App) Contradictions() Contradictions { return Contradictions{a.check} }

// Resolve ends the side of a contradiction that is not kept. Until may be a date phrase.
func (c Contradictions) Resolve(ctx context.Context, req ResolveRequest) (out Written, err error) {
	if req.Until, err = change.Date(req.Until, c.Now()); err != nil {
		return out, err
	}
	return c.Engine.Resolve(ctx, req)
}

// Contest marks two pages as contested; see change.Engine.Contest.
func (l Links) Contest(ctx context.Context, req ContestRequest) (Written, error) {
	return l.app.change.Contest(ctx, req)
}

// Briefing says what needs attention.
func (a *App) Briefing(ctx context.Context, req BriefingRequest) (Briefing, error) {
	return a.briefing.Compile(ctx, req)
}

// Ageing is what time does to pages.
type Ageing struct{ *ageing.Engine }

// Ageing returns what time does to pages.
func (a *App) Ageing() Ageing { return Ageing{a.ageing} }

// Assertions are what somebody says holds.
type Assertions struct{ *assertion.Engine }

// Assertions returns what somebody says holds.
func (a *App) Assertions() Assertions { return Assertions{a.assertion} }
