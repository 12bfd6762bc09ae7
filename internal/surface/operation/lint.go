package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type faults struct {
	api.Faults
	Notes []string `json:"notes,omitempty"`
}

var lintPages = define(Operation{
	Name: "lint", Title: "Lint pages", Group: more, Route: Route{"POST", "/lint"},
	Reads:       []string{"refs", "changed", "index", "limit", "offset", "space"},
	Description: "Problems of pages as documents: drawers, ids, required properties, dead links, credentials. Fatal faults keep a page of a guarded space from being committed.",
	ReadOnly:    true, Idempotent: true,
	nothing: faults{Faults: api.Faults{List: api.List[api.Fault]{Items: []api.Fault{}}}},
}, func(ctx context.Context, a *memory.Session, in api.LintRequest) (out faults, err error) {
	a = a.In(in.Space)
	in.Limit = cmp.Or(in.Limit, 50)
	if in.Text != nil && *in.Text == "" {
		in.Text = nil
	}
	out.Faults, err = lintpages.Lint(ctx, a, in, func() (err error) {
		out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: len(in.Refs) > 0})
		return err
	})
	return out, err
}, Between("limit", 1, 1000), AtLeast("offset", 0))
