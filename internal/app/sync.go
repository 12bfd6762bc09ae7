package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/reconcile"
	"github.com/cairn-kb/cairn/internal/store"
)

// SyncRequest asks for directories to be brought into the index.
type SyncRequest struct {
	Space    string // "" is the current one, "*" every directory space
	DryRun   bool
	Full     bool // rehash every file, whatever size and time say
	Yes      bool // also when more than half of the documents are gone
	Progress func(space, phase string, done, total int)

	toRead bool // for a question, see reconcile.Options
}

// Sync makes the index agree with directories.
func (a *App) Sync(ctx context.Context, req SyncRequest) ([]SyncReport, error) {
	var spaces []kb.Space
	var err error
	switch req.Space {
	case "":
		if spaces, err = a.spaces.Meant(ctx); err != nil {
			return nil, err
		}
	case "*":
		if spaces, err = a.spaces.Directories(ctx); err != nil {
			return nil, err
		}
	default:
		s, err := a.spaces.ByName(ctx, req.Space)
		if err != nil {
			return nil, err
		}
		spaces = []kb.Space{s}
	}
	out := []SyncReport{}
	for _, s := range spaces {
		r, err := a.fresh.sync(ctx, s, req)
		if err != nil {
			return out, err
		}
		out = append(out, r)
	}
	return out, nil
}

func syncReport(name string, r *reconcile.Report) SyncReport {
	out := SyncReport{
		Space: name, DryRun: r.DryRun, Unchanged: r.Plan.Unchanged, Warnings: r.Warnings, Millis: r.Took.Milliseconds(),
		Added: list(r.Plan.Added), Changed: list(r.Plan.Changed), Deleted: list(r.Plan.Deleted), Moved: []Moved{},
	}
	for _, m := range r.Plan.Moved {
		out.Moved = append(out.Moved, Moved{From: m.From, To: m.To})
	}
	for _, s := range r.Listing.Skipped {
		out.Skipped = append(out.Skipped, Skipped{Path: s.Path, Reason: s.Reason.String()})
	}
	for _, t := range r.Listing.Twins() {
		out.Twins = append(out.Twins, Twin{Path: t.Path, Other: t.Other})
	}
	for _, s := range r.Shared {
		out.SharedIDs = append(out.SharedIDs, api.SharedID{ID: s.ID, Has: s.Has, Others: s.Others, Text: s.String()})
	}
	out.Failed, out.LeftOut = failures(r.Failed), failures(r.Plan.LeftOut)
	return out
}

func failures(in []store.Failure) []Skipped {
	var out []Skipped
	for _, f := range in {
		out = append(out, Skipped{Path: f.Path, Reason: f.Reason})
	}
	return out
}

// list makes an empty list of none, as JSON shows it.
func list(in []string) []string {
	if in == nil {
		return []string{}
	}
	return in
}
