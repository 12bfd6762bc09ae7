package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/calendar/tables"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
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
	Tables []api.Table `json:"tables"`
}

var tableOperation = define(Operation{
	Name: "table", Title: "Tables", Group: vaults, Route: Route{"POST", "/table"},
	Reads: []string{"table", "space"}, Dry: "dry_run",
	Description: "Tables that the space names on its pages, such as managed tasks: their rows, and the lines that cannot be read. With row, changes one; the page keeps all else.",
	Destructive: true, first: true,
}, func(ctx context.Context, a *memory.Session, in tableInput) (out tableAnswer, err error) {
	a = a.In(in.Space)
	out.Pages, out.Tables = []changed{}, []api.Table{}
	notes, err := read.Freshen(ctx, a, read.FreshenRequest{})
	if err != nil {
		return out, err
	}
	if in.Row != "" || in.Remove || len(in.Values) > 0 {
		req := tables.Request{WriteOptions: in.WriteOptions, Table: in.Table, Key: in.Row, Values: in.Values}
		do := tables.Tables{Session: a}.Set
		if in.Remove {
			do = tables.Tables{Session: a}.Remove
		}
		w, err := do(ctx, req)
		if out.written, err = wrote(ctx, a, w, err, in.wait); err != nil {
			return out, err
		}
	}
	out.Notes = append(notes, out.Notes...)
	out.Tables, err = tables.Tables{Session: a}.List(ctx, in.Table)
	return out, err
}, AtLeast("expected_version", 0))
