package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/embedding"
)

// nothingYet is what answers say instead of an error while nothing was ever
// stored.
const nothingYet = "Nothing is stored yet. remember or write stores the first page."

// noAnswer is what an answer says where nothing was found.
const noAnswer = "Nothing was found. Ask in other words."

// briefPage has the fields of a page in short answers.
type briefPage struct {
	Ref     string    `json:"ref" jsonschema:"space:slug, names the page everywhere"`
	Title   string    `json:"title,omitempty" jsonschema:"absent: the last part of ref"`
	Type    string    `json:"type,omitempty"`
	Status  kb.Status `json:"status,omitempty" jsonschema:"when it is not active"`
	Tags    []string  `json:"tags,omitempty"`
	Version int       `json:"version"`
}

func briefly(p api.Page) briefPage {
	b := briefPage{Ref: p.Ref, Title: p.Title, Type: p.Type, Status: p.Status, Tags: p.Tags, Version: p.Version}
	if kb.IsActive(b.Status) {
		b.Status = ""
	}
	return b
}

// changed is a page after a write.
type changed struct {
	briefPage
	Space    string        `json:"space,omitempty" jsonschema:"absent: that of ref"`
	Change   kb.ChangeKind `json:"change,omitempty" jsonschema:"created, changed, moved or deleted; absent when unchanged"`
	Path     string        `json:"path,omitempty" jsonschema:"absent: the slug with .md"`
	From     string        `json:"from,omitempty" jsonschema:"path before a move"`
	Diff     string        `json:"diff,omitempty"`
	DiffCut  bool          `json:"diff_cut,omitempty" jsonschema:"the difference goes on"`
	Warnings []api.Warning `json:"warnings,omitempty"`
	Notes    []string      `json:"notes,omitempty" jsonschema:"what the write did of itself, such as metadata that is gone"`
}

// written is the answer of an operation that changes pages.
type written struct {
	Write   int64             `json:"write,omitempty" jsonschema:"number of the write, for undo"`
	DryRun  bool              `json:"dry_run,omitempty"`
	Pages   []changed         `json:"pages"`
	Opened  map[string]string `json:"opened,omitempty" jsonschema:"new contradictions by id"`
	Closed  map[string]string `json:"closed,omitempty" jsonschema:"settled contradictions by id"`
	Notes   []string          `json:"notes,omitempty"`
	Unfound string            `json:"not_found_by_meaning,omitempty" jsonschema:"why waiting did not help; the pages are written"`
}

// partly is the answer of an operation that leaves alone what it may not change.
type partly struct {
	written
	Count   int           `json:"count,omitempty" jsonschema:"of more than five pages; only those with a remark are in pages"`
	Refs    []string      `json:"refs,omitempty"`
	Skipped []api.Skipped `json:"skipped,omitempty"`
}

// wrotePartly is wrote for an operation that leaves pages alone.
func wrotePartly(ctx context.Context, a *memory.Session, w api.Written, err error, wait wait) (partly, error) {
	out, err := wrote(ctx, a, w, err, wait)
	return partly{written: out, Skipped: w.Skipped}, err
}

// wrote shortens what a write answered; the difference is shown when it was
// asked for, and in a dry run, which has nothing else to show. The differences
// of all pages have one budget, since one write can change many. Where the caller
// waits, it makes the pages embedded first. That this fails is said
// in the answer, since the pages are written.
func wrote(ctx context.Context, a *memory.Session, w api.Written, err error, wait wait) (written, error) {
	out := written{Write: w.Write, DryRun: w.DryRun, Pages: []changed{}, Opened: w.Opened, Closed: w.Closed, Notes: a.Notes()}
	left := defaultBudget * bytesPerToken
	for _, p := range w.Pages {
		c := changed{briefPage: briefly(p.Page), Space: p.Space, Change: p.Change, Path: p.Path, From: p.From, Warnings: p.Warnings, Notes: p.Notes}
		c.Diff, c.DiffCut = cutDiff(p.Diff, left)
		left -= len(c.Diff)
		out.Pages = append(out.Pages, c)
	}
	if refs := w.Changed(); err == nil && wait.Wait && len(refs) > 0 {
		if _, err := embedding.Embed(ctx, a, embedding.Request{Refs: refs}); err != nil {
			out.Unfound = kb.AsError(err).Error()
		}
	}
	return out, err
}

// writeOptions are the arguments that all writes share.
type writeOptions struct {
	api.WriteOptions
	wait
}

// wait is the argument of writes that return when pages are embedded.
type wait struct {
	Wait bool `json:"wait,omitempty" jsonschema:"for search by meaning"`
}
