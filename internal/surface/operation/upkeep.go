package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/upkeep/doctor"
	"github.com/cairn-kb/cairn/internal/upkeep/gitsync"
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
	nothing: items[api.Space]{Items: []api.Space{}},
}, func(ctx context.Context, a *memory.Session, in spacesInput) (items[api.Space], error) {
	if in.Name != "" {
		s, err := a.Spaces.Show(ctx, in.Name)
		return items[api.Space]{Items: []api.Space{s}}, err
	}
	all, err := a.Spaces.List(ctx)
	return items[api.Space]{Items: all}, err
})

type syncInput struct {
	Space  string `json:"space,omitempty" jsonschema:"default the current one; * for all with a directory"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only show the changes"`
	Full   bool   `json:"full,omitempty" jsonschema:"read every file, also those that look unchanged"`
}

// syncFiles does not offer to go on when more than half of the pages are gone:
// that is for a person to decide.
var syncFiles = define(Operation{
	Name: "sync", Title: "Sync with the files", Group: more, Route: Route{"POST", "/sync"},
	Description: "Bring files that were changed outside cairn into the index.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in syncInput) (items[api.SyncReport], error) {
	all, err := gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: in.Space, DryRun: in.DryRun, Full: in.Full})
	return items[api.SyncReport]{Items: all}, err
})

type doctorInput struct {
	Deep bool `json:"deep,omitempty" jsonschema:"also compare every page with the index"`
}

var doctorOperation = define(Operation{
	Name: "doctor", Title: "Check the memory", Group: more, Route: Route{"GET", "/doctor"},
	Description: "Look for what needs attention in the memory and its spaces. Changes nothing.",
	ReadOnly:    true, Idempotent: true,
	nothing: items[api.Check]{Items: []api.Check{}},
}, func(ctx context.Context, a *memory.Session, in doctorInput) (items[api.Check], error) {
	all, err := doctor.Doctor(ctx, a, in.Deep)
	return items[api.Check]{Items: all}, err
})
