package operation

import (
	"context"
	"fmt"
	"slices"

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

type syncAnswer struct {
	items[api.SyncReport]
	Notes []string `json:"notes,omitempty"`
}

// short names maxRefs files of each kind.
func (s syncAnswer) short() any {
	s.Items = slices.Clone(s.Items)
	for i := range s.Items {
		r := &s.Items[i]
		r.Added, r.Changed, r.Deleted = firstOf(&s, "new", r.Added), firstOf(&s, "changed", r.Changed), firstOf(&s, "gone", r.Deleted)
		r.Moved, r.Skipped, r.Failed = firstOf(&s, "moved", r.Moved), firstOf(&s, "skipped", r.Skipped), firstOf(&s, "failed", r.Failed)
		r.LeftOut, r.Sidecars = firstOf(&s, "left out", r.LeftOut), firstOf(&s, "not used", r.Sidecars)
		r.Twins, r.SharedIDs = firstOf(&s, "alike but for case", r.Twins), firstOf(&s, "with an id of others", r.SharedIDs)
	}
	return s
}

// firstOf is the beginning of a list of files, with a note of its length.
func firstOf[T any](s *syncAnswer, kind string, list []T) []T {
	if len(list) <= maxRefs {
		return list
	}
	s.Notes = append(s.Notes, fmt.Sprintf("%d files are %s; the first %d are listed", len(list), kind, maxRefs))
	return list[:maxRefs]
}

// syncFiles does not offer to go on when more than half of the pages are gone:
// that is for a person to decide.
var syncFiles = define(Operation{
	Name: "sync", Title: "Sync with the files", Group: more, Route: Route{"POST", "/sync"},
	Description: "Bring files that were changed outside cairn into the index.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in syncInput) (out syncAnswer, err error) {
	out.Items, err = gitsync.Sync(ctx, a, gitsync.SyncRequest{Space: in.Space, DryRun: in.DryRun, Full: in.Full})
	return out, err
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
