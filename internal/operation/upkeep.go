package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/app"
)

type spacesInput struct {
	Name string `json:"name,omitempty" jsonschema:"only this one, with its policy"`
}

type spacesAnswer struct {
	Items []app.Space `json:"items"`
}

func spaces() *Operation {
	return define(Operation{
		Name: "spaces", Title: "List the spaces", Set: More, Route: Route{"GET", "/spaces"},
		Description: "The spaces of the memory, or one of them with its policy.",
		ReadOnly:    true, Idempotent: true,
		nothing: spacesAnswer{Items: []app.Space{}},
	}, func(ctx context.Context, a *app.App, in spacesInput) (spacesAnswer, error) {
		if in.Name != "" {
			s, err := a.SpaceShow(ctx, in.Name)
			return spacesAnswer{Items: []app.Space{s}}, err
		}
		all, err := a.SpaceList(ctx)
		return spacesAnswer{Items: all}, err
	})
}

type syncInput struct {
	Space  string `json:"space,omitempty" jsonschema:"default the current one; * for all with a directory"`
	DryRun bool   `json:"dry_run,omitempty" jsonschema:"only say what would change"`
	Full   bool   `json:"full,omitempty" jsonschema:"read every file, also those that look unchanged"`
}

type syncAnswer struct {
	Items []app.SyncReport `json:"items"`
}

// syncFiles does not offer to go on when more than half of the pages are gone:
// that is for a person to decide.
func syncFiles() *Operation {
	return define(Operation{
		Name: "sync", Title: "Sync with the files", Set: More, Route: Route{"POST", "/sync"},
		Description: "Bring files that were changed outside cairn into the index.",
		Destructive: true, Idempotent: true,
	}, func(ctx context.Context, a *app.App, in syncInput) (syncAnswer, error) {
		all, err := a.Sync(ctx, app.SyncRequest{Space: in.Space, DryRun: in.DryRun, Full: in.Full})
		return syncAnswer{Items: all}, err
	})
}

type doctorInput struct {
	Deep bool `json:"deep,omitempty" jsonschema:"also compare every page with the index"`
}

type doctorAnswer struct {
	Items []app.Check `json:"items"`
}

func doctor() *Operation {
	return define(Operation{
		Name: "doctor", Title: "Check the memory", Set: More, Route: Route{"GET", "/doctor"},
		Description: "Look for what needs attention in the memory and its spaces. Changes nothing.",
		ReadOnly:    true, Idempotent: true,
		nothing: doctorAnswer{Items: []app.Check{}},
	}, func(ctx context.Context, a *app.App, in doctorInput) (doctorAnswer, error) {
		all, err := a.Doctor(ctx, in.Deep)
		return doctorAnswer{Items: all}, err
	})
}
