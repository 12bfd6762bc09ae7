package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/brief"
	"github.com/cairn-kb/cairn/internal/memory"
)

type showInput struct {
	Ref       string `json:"ref"`
	WithLinks bool   `json:"with_links,omitempty" jsonschema:"its links too, both ways"`
	Space     string `json:"space,omitempty"`
}

var showPage = define(Operation{
	Name: "show", Title: "Show a page with its state", Group: capturings, Route: Route{"GET", "/show/{ref...}"},
	Description: "A page's text with its status and the reason for it, the pages in conflict with it, and of a summary the pages that it sums up.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in showInput) (api.BriefPage, error) {
	return brief.Show(ctx, a.In(in.Space), in.Ref, in.WithLinks)
})
