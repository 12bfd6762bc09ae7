package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

type fieldsInput struct {
	Query  string   `json:"query" jsonschema:"words"`
	Space  string   `json:"space,omitempty" jsonschema:"* for all"`
	Type   []string `json:"type,omitempty"`
	Tags   []string `json:"tags,omitempty"`
	Where  []string `json:"where,omitempty"`
	Limit  int      `json:"limit,omitempty" jsonschema:"default 10"`
	Offset int      `json:"offset,omitempty"`
}

var findByFields = define(Operation{
	Name: "fields", Title: "Find pages by their fields", Group: more, Route: Route{"GET", "/fields"},
	Description: "Pages that have words in a field, a line each: title counts most, then tag, project and status, summary, body. With id, summary, projects, status, day of the last change, and the fields that match.",
	ReadOnly:    true, Idempotent: true,
	nothing: api.FieldHits{List: api.List[api.FieldHit]{Items: []api.FieldHit{}}, Spaces: []string{}},
}, func(ctx context.Context, a *memory.Session, in fieldsInput) (api.FieldHits, error) {
	if err := checkWhere(in.Where); err != nil {
		return api.FieldHits{}, err
	}
	all := in.Space == "*"
	if !all {
		a = a.In(in.Space)
	}
	if _, err := read.Freshen(ctx, a, read.FreshenRequest{All: all}); err != nil {
		return api.FieldHits{}, err
	}
	return retrieve.Fields(ctx, a, retrieve.FieldsRequest{Query: in.Query, Limit: in.Limit, Offset: in.Offset, Within: retrieve.Within{Types: in.Type, Tags: in.Tags, Where: in.Where, All: all}})
}, Between("limit", 1, 100), AtLeast("offset", 0))
