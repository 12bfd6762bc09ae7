package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/app"
)

type linkInput struct {
	Do      linking `json:"do,omitempty" jsonschema:"default add"`
	From    string  `json:"from" jsonschema:"ref"`
	To      string  `json:"to" jsonschema:"ref"`
	Type    string  `json:"type,omitempty" jsonschema:"relation, such as works_at (default relates_to)"`
	Since   string  `json:"since,omitempty" jsonschema:"date from which it holds"`
	Until   string  `json:"until,omitempty" jsonschema:"date to which it held (close: default today)"`
	Context string  `json:"context,omitempty"`
	writeOptions
}

// linking is what to do with a relation.
type linking string

const (
	addLink    linking = "add"
	closeLink  linking = "close"
	removeLink linking = "remove"
)

var linkPages = define(Operation{
	Name: "link", Title: "Link two pages", Group: more, Route: Route{"POST", "/links"},
	Description: "Add a typed relation between two pages, close it (it held until a date), or remove it.",
	Destructive: true,
}, func(ctx context.Context, a *app.App, in linkInput) (written, error) {
	req := app.LinkRequest{
		WriteOptions: in.options(), From: in.From, To: in.To, Type: cmp.Or(in.Type, "relates_to"),
		Since: in.Since, Until: in.Until, Context: in.Context,
	}
	do := a.Links().Add
	switch in.Do {
	case closeLink:
		do = a.Links().Close
	case removeLink:
		do = a.Links().Remove
	}
	w, err := do(ctx, req)
	return wrote(ctx, a, w, err, in.writeOptions)
}, oneOf("do", addLink, closeLink, removeLink), atLeast("expected_version", 0))
