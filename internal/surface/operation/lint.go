package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/app"
)

type lintInput struct {
	Refs    []string `json:"refs,omitempty" jsonschema:"only these pages"`
	Text    string   `json:"text,omitempty" jsonschema:"look at this text instead, as if it stood in the space"`
	Path    string   `json:"path,omitempty" jsonschema:"where the text would stand"`
	Changed bool     `json:"changed,omitempty" jsonschema:"only what is not committed"`
	Index   bool     `json:"index,omitempty" jsonschema:"only the index files"`
	Space   string   `json:"space,omitempty"`
	Limit   int      `json:"limit,omitempty" jsonschema:"default 50"`
	Offset  int      `json:"offset,omitempty"`
}

type faults struct {
	app.Faults
	Notes []string `json:"notes,omitempty"`
}

var lintPages = define(Operation{
	Name: "lint", Title: "Lint pages", Group: more, Route: Route{"POST", "/lint"},
	Description: "What is wrong with pages as documents: drawers, ids, required properties, dead links, credentials. Fatal faults keep a page of a guarded space from being committed.",
	ReadOnly:    true, Idempotent: true,
	nothing: faults{Faults: app.Faults{List: app.List[app.Fault]{Items: []app.Fault{}}}},
}, func(ctx context.Context, a *app.App, in lintInput) (out faults, err error) {
	a = a.In(in.Space)
	if out.Notes, err = a.Freshen(ctx, app.FreshenRequest{All: len(in.Refs) > 0}); err != nil {
		return out, err
	}
	req := app.LintRequest{Refs: in.Refs, Changed: in.Changed, Index: in.Index, Path: in.Path, Limit: cmp.Or(in.Limit, 50), Offset: in.Offset}
	if in.Text != "" {
		req.Text = []byte(in.Text)
	}
	out.Faults, err = a.Lint(ctx, req)
	return out, err
}, between("limit", 1, 1000), atLeast("offset", 0))
