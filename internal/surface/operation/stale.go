package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/ageing"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type staleInput struct {
	Due    bool   `json:"due,omitempty" jsonschema:"the active pages instead that will be stale, the next first"`
	Space  string `json:"space,omitempty" jsonschema:"* for all"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int    `json:"offset,omitempty"`
}

type staleAnswer struct {
	api.StaleList
	Notes []string `json:"notes,omitempty"`
}

var stalePages = define(Operation{
	Name: "stale", Title: "List the stale pages", Group: capturings, Route: Route{"GET", "/stale"},
	Description: "Pages that are stale, with since when and why, and active pages that contradict each other.",
	ReadOnly:    true, Idempotent: true,
	nothing: staleAnswer{StaleList: api.StaleList{List: api.List[api.StalePage]{Items: []api.StalePage{}}}},
}, func(ctx context.Context, a *memory.Session, in staleInput) (out staleAnswer, err error) {
	req := ageing.StaleRequest{All: in.Space == "*", Due: in.Due, Limit: in.Limit, Offset: in.Offset, Pass: true, DryRun: true}
	if req.Limit == 0 {
		req.Limit = 20
	}
	if !req.All {
		a = a.In(in.Space)
	}
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: req.All}); err != nil {
		return out, err
	}
	out.StaleList, err = ageing.Stale(ctx, a, req)
	return out, err
}, Between("limit", 1, 1000), AtLeast("offset", 0))

type staleApplyInput struct {
	Space  string `json:"space,omitempty" jsonschema:"* for all"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only show the changes"`
}

// staleApply does not mark most pages of a space: that is for a person to decide.
var staleApply = define(Operation{
	Name: "stale_apply", Title: "Mark stale pages", Group: capturings, Route: Route{"POST", "/stale"},
	Description: "Make pages stale that are replaced, old or unlinked by the rules of their space, and active again without a present reason. Marks none if it would be most pages of a space.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in staleApplyInput) (api.AgeingPass, error) {
	all := in.Space == "*"
	if !all {
		a = a.In(in.Space)
	}
	if _, err := read.Freshen(ctx, a, read.FreshenRequest{All: all}); err != nil {
		return api.AgeingPass{}, err
	}
	return ageing.Pass(ctx, a, ageing.PassRequest{All: all, DryRun: in.DryRun})
})
