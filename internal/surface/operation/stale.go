package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/app"
)

type staleInput struct {
	Due    bool   `json:"due,omitempty" jsonschema:"the active pages instead that will be stale, the next first"`
	Space  string `json:"space,omitempty" jsonschema:"* for all"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int    `json:"offset,omitempty"`
}

type staleAnswer struct {
	app.StaleList
	Notes []string `json:"notes,omitempty"`
}

var stalePages = define(Operation{
	Name: "stale", Title: "List the stale pages", Group: capturings, Route: Route{"GET", "/stale"},
	Description: "Pages that are stale, with since when and why, and active pages that contradict each other.",
	ReadOnly:    true, Idempotent: true,
	nothing: staleAnswer{StaleList: app.StaleList{List: app.List[app.StalePage]{Items: []app.StalePage{}}}},
}, func(ctx context.Context, a *app.App, in staleInput) (out staleAnswer, err error) {
	req := app.StaleRequest{All: in.Space == "*", Due: in.Due, Limit: in.Limit, Offset: in.Offset}
	if req.Limit == 0 {
		req.Limit = 20
	}
	if !req.All {
		a = a.In(in.Space)
	}
	if out.Notes, err = a.Freshen(ctx, app.FreshenRequest{All: req.All}); err != nil {
		return out, err
	}
	out.StaleList, err = a.Ageing().Stale(ctx, req)
	return out, err
}, between("limit", 1, 1000), atLeast("offset", 0))

type staleApplyInput struct {
	Space  string `json:"space,omitempty" jsonschema:"* for all"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only say what would change"`
}

// staleApply does not mark most pages of a space: that is for a person to decide.
var staleApply = define(Operation{
	Name: "stale_apply", Title: "Mark stale pages", Group: capturings, Route: Route{"POST", "/stale"},
	Description: "Make pages stale that are replaced, old or unlinked by the rules of their space, and active again whose reason does not hold any more. Marks none where it would be most pages of a space.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *app.App, in staleApplyInput) (app.Passed, error) {
	all := in.Space == "*"
	if !all {
		a = a.In(in.Space)
	}
	if _, err := a.Freshen(ctx, app.FreshenRequest{All: all}); err != nil {
		return app.Passed{}, err
	}
	return a.Ageing().Pass(ctx, app.PassRequest{All: all, DryRun: in.DryRun})
})
