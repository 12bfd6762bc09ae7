package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

type rowsInput struct {
	Columns []string `json:"columns,omitempty" jsonschema:"properties (default: those that most of the pages have)"`
	Type    []string `json:"type,omitempty"`
	Tags    []string `json:"tags,omitempty" jsonschema:"pages must have all"`
	Status  []string `json:"status,omitempty"`
	Where   []string `json:"where,omitempty" jsonschema:"conditions, as in recall"`
	Path    string   `json:"path,omitempty" jsonschema:"below it, or a glob"`
	Sort    string   `json:"sort,omitempty" jsonschema:"slug (default), title, updated, created, or a property"`
	Reverse bool     `json:"reverse,omitempty" jsonschema:"the last of the order first"`
	Space   string   `json:"space,omitempty" jsonschema:"* for all"`
	AsOf    string   `json:"as_of,omitempty" jsonschema:"date or time: the pages of that state"`
	Limit   int      `json:"limit,omitempty" jsonschema:"default 20"`
	Offset  int      `json:"offset,omitempty"`
}

type rowsAnswer struct {
	api.PageRows
	Notes []string `json:"notes,omitempty"`
}

var pageRows = define(Operation{
	Name: "rows", Title: "Pages as a table", Group: more, Route: Route{"GET", "/rows"},
	Description: "Pages of a type, tag or condition as rows, with their properties as columns, sorted by any of them.",
	ReadOnly:    true, Idempotent: true,
	nothing: rowsAnswer{PageRows: api.PageRows{List: api.List[api.PageRow]{Items: []api.PageRow{}}, Columns: []string{}}},
}, func(ctx context.Context, a *memory.Session, in rowsInput) (out rowsAnswer, err error) {
	if err := checkWhere(in.Where); err != nil {
		return out, err
	}
	req := retrieve.RowsRequest{
		ListRequest: retrieve.ListRequest{
			Within: retrieve.Within{Types: in.Type, Tags: in.Tags, Statuses: in.Status, Where: in.Where, Paths: some(in.Path), All: in.Space == "*"},
			Sort:   in.Sort, Limit: in.Limit, Offset: in.Offset,
		},
		Columns: in.Columns, Reverse: in.Reverse, AsOf: in.AsOf,
	}
	if req.Limit == 0 {
		req.Limit = 20
	}
	if !req.All {
		a = a.In(in.Space)
	}
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: req.All}); err != nil {
		return out, err
	}
	out.PageRows, err = retrieve.Rows(ctx, a, req)
	out.Notes = append(out.Notes, a.Notes()...)
	return out, err
}, Between("limit", 1, 1000), AtLeast("offset", 0))
