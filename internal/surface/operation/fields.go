package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/app"
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
	nothing: app.FieldHits{List: app.List[app.FieldHit]{Items: []app.FieldHit{}}, Spaces: []string{}},
}, func(ctx context.Context, a *app.App, in fieldsInput) (app.FieldHits, error) {
	all := in.Space == "*"
	if !all {
		a = a.In(in.Space)
	}
	if _, err := a.Freshen(ctx, app.FreshenRequest{All: all}); err != nil {
		return app.FieldHits{}, err
	}
	return a.Spaces().Fields(ctx, app.FieldsRequest{Query: in.Query, Limit: in.Limit, Offset: in.Offset, Within: app.Within{Types: in.Type, Tags: in.Tags, Where: in.Where, All: all}})
}, between("limit", 1, 100), atLeast("offset", 0))
