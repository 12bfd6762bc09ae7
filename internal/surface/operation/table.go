package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/app"
)

type tableInput struct {
	Table  string            `json:"table,omitempty" jsonschema:"name; without it all are returned"`
	Row    string            `json:"row,omitempty" jsonschema:"key of the row to change or remove"`
	Values map[string]string `json:"values,omitempty" jsonschema:"cells of the row, by column; it is added if missing"`
	Remove bool              `json:"remove,omitempty" jsonschema:"take the row away"`
	Space  string            `json:"space,omitempty"`
	writeOptions
}

type tableAnswer struct {
	written
	Tables []app.Table `json:"tables"`
}

var tables = define(Operation{
	Name: "table", Title: "Tables", Group: vaults, Route: Route{"POST", "/table"},
	Description: "Tables that the space names on its pages, such as managed tasks: their rows, and the lines that cannot be read. With row, changes one; the page keeps all else.",
	Destructive: true, first: true,
}, func(ctx context.Context, a *app.App, in tableInput) (out tableAnswer, err error) {
	a = a.In(in.Space)
	out.Pages, out.Tables = []changed{}, []app.Table{}
	notes, err := a.Freshen(ctx, app.FreshenRequest{})
	if err != nil {
		return out, err
	}
	if in.Row != "" || in.Remove || len(in.Values) > 0 {
		req := app.TableRequest{WriteOptions: in.options(), Table: in.Table, Key: in.Row, Values: in.Values}
		do := a.Spaces().Tables().Set
		if in.Remove {
			do = a.Spaces().Tables().Remove
		}
		w, err := do(ctx, req)
		if out.written, err = wrote(ctx, a, w, err, in.writeOptions); err != nil {
			return out, err
		}
	}
	out.Notes = append(notes, out.Notes...)
	out.Tables, err = a.Spaces().Tables().List(ctx, in.Table)
	return out, err
}, atLeast("expected_version", 0))
