package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/lintpages"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type lintInput struct {
	Refs    []string `json:"refs,omitempty" jsonschema:"only these pages"`
	Text    string   `json:"text,omitempty" jsonschema:"check this text instead, as if it were in the space"`
	Path    string   `json:"path,omitempty" jsonschema:"path of the text"`
	Changed bool     `json:"changed,omitempty" jsonschema:"only uncommitted files"`
	Index   bool     `json:"index,omitempty" jsonschema:"only the index files"`
	Space   string   `json:"space,omitempty"`
	Limit   int      `json:"limit,omitempty" jsonschema:"default 50"`
	Offset  int      `json:"offset,omitempty"`
}

type faults struct {
	api.Faults
	Notes []string `json:"notes,omitempty"`
}

var lintPages = define(Operation{
	Name: "lint", Title: "Lint pages", Group: more, Route: Route{"POST", "/lint"},
	Description: "Problems of pages as documents: drawers, ids, required properties, dead links, credentials. Fatal faults keep a page of a guarded space from being committed.",
	ReadOnly:    true, Idempotent: true,
	nothing: faults{Faults: api.Faults{List: api.List[api.Fault]{Items: []api.Fault{}}}},
}, func(ctx context.Context, a *memory.Session, in lintInput) (out faults, err error) {
	a = a.In(in.Space)
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: len(in.Refs) > 0}); err != nil {
		return out, err
	}
	req := lintpages.Request{Refs: in.Refs, Changed: in.Changed, Index: in.Index, Path: in.Path, Limit: cmp.Or(in.Limit, 50), Offset: in.Offset}
	if in.Text != "" {
		req.Text = []byte(in.Text)
	}
	out.Faults, err = lintpages.Lint(ctx, a, req)
	return out, err
}, between("limit", 1, 1000), atLeast("offset", 0))
