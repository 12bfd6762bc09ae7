package httpapi

import (
	"mime"
	"net/http"

	"github.com/cairn-kb/cairn/internal/calendar/tables"
	"github.com/cairn-kb/cairn/internal/surface/operation"
)

// readTable answers with a table, or with a row of it, as JSON.
func readTable(x *exchange) error {
	found, err := x.tables.List(x.Context(), x.at.Table)
	if err != nil {
		return err
	}
	if x.at.Row == "" {
		found[0].Items, found[0].Next = partOf(found[0].Items, x.part)
		respondVersion(x, x.Request, found[0].Version, found[0])
		return nil
	}
	row, err := tables.FindRow(found[0], x.at.Row)
	if err == nil {
		respondVersion(x, x.Request, found[0].Version, row)
	}
	return err
}

// setRow creates or changes a row. With whole, the row has only the fields
// sent; otherwise it must exist, and keeps the other fields.
func setRow(x *exchange, whole bool) error {
	if kind, _, _ := mime.ParseMediaType(x.Request.Header.Get("Content-Type")); kind != "application/json" {
		return badRequest{wrongKind(x.Request.Header, []string{"application/json"}), http.StatusUnsupportedMediaType}
	}
	page := operation.ReadChange
	if whole {
		page = operation.ReadWhole
	}
	in, err := x.read(operation.ReadRow, page)
	if err != nil {
		return err
	}
	return x.wrote(x.tables.Set(x.Context(), tables.Request{
		WriteOptions: x.options(in), Table: x.at.Table, Key: x.at.Row, Values: in.Values, Whole: whole, Only: !whole,
	}))
}
