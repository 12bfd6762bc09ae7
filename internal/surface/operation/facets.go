package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

type facetsInput struct {
	Query  string   `json:"query,omitempty" jsonschema:"words, as in recall; absent: all that the filters let through"`
	Space  string   `json:"space,omitempty" jsonschema:"default: the current one; * for all"`
	Type   []string `json:"type,omitempty"`
	Tags   []string `json:"tags,omitempty" jsonschema:"all of these"`
	Status []string `json:"status,omitempty"`
	Where  []string `json:"where,omitempty" jsonschema:"conditions, as in recall"`
	After  string   `json:"after,omitempty"`
	Before string   `json:"before,omitempty"`
	AsOf   string   `json:"as_of,omitempty" jsonschema:"date or time: the pages of that state"`
}

type facetsAnswer struct {
	api.Facets
	Notes []string `json:"notes,omitempty"`
}

var countFacets = define(Operation{
	Name: "facets", Title: "Facets of a search", Group: more, Route: Route{"GET", "/facets"},
	Description: "What the pages have in common that a search by words finds: how many are in each space, and of each type, status, tag and month.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in facetsInput) (out facetsAnswer, err error) {
	if err := checkWhere(in.Where); err != nil {
		return out, err
	}
	req := retrieve.SearchRequest{
		Query: in.Query, All: in.Space == "*", Sync: true, AsOf: in.AsOf,
		Narrow: retrieve.Narrow{Types: in.Type, Tags: in.Tags, Statuses: in.Status, Where: in.Where, After: in.After, Before: in.Before},
	}
	if !req.All {
		a = a.In(in.Space)
	}
	out.Facets, err = read.Facets(ctx, a, req)
	out.Notes = a.Notes()
	return out, err
})
