package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type briefingInput struct {
	Since  string `json:"since,omitempty" jsonschema:"date or phrase; default a day ago"`
	Budget int    `json:"budget,omitempty" jsonschema:"tokens, default 2000"`
	Space  string `json:"space,omitempty" jsonschema:"* for all"`
}

type briefingAnswer struct {
	api.Briefing
	Notes []string `json:"notes,omitempty"`
}

var makeBriefing = define(Operation{
	Name: "briefing", Title: "Brief on what needs attention", Group: more, Route: Route{"GET", "/briefing"},
	Description: "What needs attention today: meetings, deals, commitments due, actions, what shifted, tasks due, contradictions, gaps, changes, people, stale pages. Sections with nothing are left out; each says how much found no room.",
	ReadOnly:    true, Idempotent: true,
	nothing: briefingAnswer{Briefing: api.Briefing{Sections: []api.BriefingSection{}}},
}, func(ctx context.Context, a *memory.Session, in briefingInput) (out briefingAnswer, err error) {
	req := brief.Request{Since: in.Since, Budget: in.Budget, All: in.Space == "*"}
	if !req.All {
		a = a.In(in.Space)
	}
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: req.All}); err != nil {
		return out, err
	}
	out.Briefing, err = brief.CompileBriefing(ctx, a, req)
	return out, err
}, Between("budget", 1, 100_000))
