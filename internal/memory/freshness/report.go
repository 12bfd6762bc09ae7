package freshness

import (
	"context"
	"fmt"
	"github.com/cairn-kb/cairn/internal/memory/reconcile"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory/index"

	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// report formats the result of a sync for surfaces.
func report(name string, r *reconcile.Report) api.SyncReport {
	out := api.SyncReport{
		Space: name, DryRun: r.DryRun, Unchanged: r.Plan.Unchanged, Warnings: r.Warnings, Millis: r.Took.Milliseconds(),
		Added: list(r.Plan.Added), Changed: list(r.Plan.Changed), Deleted: list(r.Plan.Deleted), Moved: []api.Moved{},
	}
	for _, m := range r.Plan.Moved {
		out.Moved = append(out.Moved, api.Moved{From: m.From, To: m.To})
	}
	for _, s := range r.Listing.Skipped {
		out.Skipped = append(out.Skipped, api.Skipped{Path: s.Path, Reason: s.Reason.String(), Elsewhere: s.Reason == vault.LinkInside || s.Reason == vault.DirAsNote})
	}
	for _, s := range r.Shared {
		out.SharedIDs = append(out.SharedIDs, api.SharedID{ID: s.ID, Has: s.Has, Others: s.Others, Text: s.String()})
	}
	out.Failed, out.LeftOut = failures(r.Failed), failures(r.Plan.LeftOut)
	return out
}

// sidecars lists ignored sidecars. It searches for broken ones only if there are
// sidecars.
func sidecars(ctx context.Context, sess *memory.Session, s *write.Space, l *vault.Listing) ([]api.Skipped, error) {
	var out []api.Skipped
	for _, x := range l.Sidecars {
		out = append(out, api.Skipped{Path: x.Path, Reason: x.Reason.String()})
	}
	if !slices.ContainsFunc(l.Files, func(x vault.File) bool { return x.Side != (vault.Side{}) }) {
		return out, nil
	}
	for _, at := range vault.UnreadableSidecars(s.Files, l.Files) {
		out = append(out, api.Skipped{Path: at, Reason: vault.Unreadable.String()})
	}
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		broken, err := index.BrokenSidecars(ctx, tx, s.Row)
		for _, b := range broken {
			out = append(out, api.Skipped{Path: vault.SidecarPath(b.Path), Reason: fmt.Sprintf("line %d: %s", b.Line, b.Text)})
		}
		return err
	})
	return out, err
}

// twins lists files with the same id for a caller of sync: queries do not need it.
func twins(l *vault.Listing) []api.Twin {
	var out []api.Twin
	for _, t := range l.Twins() {
		out = append(out, api.Twin{Path: t.Path, Other: t.Other})
	}
	return out
}

func failures(in []store.Failure) []api.Skipped {
	var out []api.Skipped
	for _, f := range in {
		out = append(out, api.Skipped{Path: f.Path, Reason: f.Reason})
	}
	return out
}

// list replaces nil by an empty list, for JSON.
func list(in []string) []string {
	if in == nil {
		return []string{}
	}
	return in
}
