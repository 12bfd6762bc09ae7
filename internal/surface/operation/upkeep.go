package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/app"
)

type spacesInput struct {
	Name string `json:"name,omitempty" jsonschema:"only this one, with its policy"`
}

// items is the answer of an operation that lists all there is.
type items[T any] struct {
	Items []T `json:"items"`
}

var spaces = define(Operation{
	Name: "spaces", Title: "List the spaces", Group: more, Route: Route{"GET", "/spaces"},
	Description: "The spaces of the memory, or one of them with its policy.",
	ReadOnly:    true, Idempotent: true,
	nothing: items[app.Space]{Items: []app.Space{}},
}, func(ctx context.Context, a *app.App, in spacesInput) (items[app.Space], error) {
	if in.Name != "" {
		s, err := a.Spaces().Show(ctx, in.Name)
		return items[app.Space]{Items: []app.Space{s}}, err
	}
	all, err := a.Spaces().List(ctx)
	return items[app.Space]{Items: all}, err
})

type syncInput struct {
	Space  string `json:"space,omitempty" jsonschema:"default the current one; * for all with a directory"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only say what would change"`
	Full   bool   `json:"full,omitempty" jsonschema:"read every file, also those that look unchanged"`
}

// syncFiles does not offer to go on when more than half of the pages are gone:
// that is for a person to decide.
var syncFiles = define(Operation{
	Name: "sync", Title: "Sync with the files", Group: more, Route: Route{"POST", "/sync"},
	Description: "Bring files that were changed outside cairn into the index.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *app.App, in syncInput) (items[app.SyncReport], error) {
	all, err := a.Sync(ctx, app.SyncRequest{Space: in.Space, DryRun: in.DryRun, Full: in.Full})
	return items[app.SyncReport]{Items: all}, err
})

type doctorInput struct {
	Deep bool `json:"deep,omitempty" jsonschema:"also compare every page with the index"`
}

var doctor = define(Operation{
	Name: "doctor", Title: "Check the memory", Group: more, Route: Route{"GET", "/doctor"},
	Description: "Look for what needs attention in the memory and its spaces. Changes nothing.",
	ReadOnly:    true, Idempotent: true,
	nothing: items[app.Check]{Items: []app.Check{}},
}, func(ctx context.Context, a *app.App, in doctorInput) (items[app.Check], error) {
	all, err := a.Upkeep().Doctor(ctx, in.Deep)
	return items[app.Check]{Items: all}, err
})
