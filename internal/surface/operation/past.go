package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/review"
)

type historyInput struct {
	Ref     string `json:"ref,omitempty" jsonschema:"page; absent: the pages of the space that are gone"`
	Deleted bool   `json:"deleted,omitempty" jsonschema:"list the pages that are gone"`
	Limit   int    `json:"limit,omitempty" jsonschema:"default 20"`
	Offset  int    `json:"offset,omitempty"`
}

var historyOperation = define(Operation{
	Name: "history", Title: "Versions of a page", Group: more, Route: Route{"GET", "/history/{ref...}"},
	Description: "The versions of a page, newest first, with actor, time and reason. Without ref, the deleted pages.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in historyInput) (listAnswer[api.Version], error) {
	if in.Limit == 0 {
		in.Limit = 20
	}
	list, err := history.List(ctx, a, history.ListRequest{
		Ref: in.Ref, Deleted: in.Deleted || in.Ref == "", Limit: in.Limit, Offset: in.Offset,
	})
	return listed(a, list, nil), err
}, Between("limit", 1, 1000), AtLeast("offset", 0))

type diffInput struct {
	Ref    string `json:"ref"`
	From   int    `json:"from,omitempty" jsonschema:"version (default the one before to)"`
	To     int    `json:"to,omitempty" jsonschema:"version (default the newest)"`
	Budget int    `json:"budget,omitempty" jsonschema:"tokens, about (default 4000)"`
}

type diffAnswer struct {
	api.DiffResult
	DiffCut bool     `json:"diff_cut,omitempty" jsonschema:"the difference goes on; a larger budget shows more"`
	Notes   []string `json:"notes,omitempty"`
}

var diffVersions = define(Operation{
	Name: "diff", Title: "Compare versions", Group: more, Route: Route{"GET", "/diff/{ref...}"},
	Description: "The difference between two versions of a page.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in diffInput) (diffAnswer, error) {
	d, err := history.Compare(ctx, a, history.DiffRequest{Ref: in.Ref, From: in.From, To: in.To})
	out := diffAnswer{DiffResult: d, Notes: a.Notes()}
	out.Diff, out.DiffCut = cutDiff(d.Diff, cmp.Or(in.Budget, defaultBudget)*bytesPerToken)
	return out, err
}, AtLeast("from", 0), AtLeast("to", 0), Between("budget", 1, maxBudget))

type restoreInput struct {
	Ref     string `json:"ref"`
	Version int    `json:"version,omitempty" jsonschema:"default the one before the newest; of a deleted page its last"`
	writeOptions
}

var restore = define(Operation{
	Name: "restore", Title: "Restore a version", Group: more, Route: Route{"POST", "/restore/{ref...}"},
	Description: "Bring back the text of an older version, or a deleted page. It becomes a new version.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in restoreInput) (written, error) {
	w, err := change.Restore(ctx, a, change.RestoreRequest{WriteOptions: in.WriteOptions, Ref: in.Ref, Version: in.Version})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("version", 0), AtLeast("expected_version", 0))

type undoInput struct {
	Write   int64  `json:"write,omitempty" jsonschema:"default: your newest in the space; again goes further back"`
	Space   string `json:"space,omitempty" jsonschema:"* for all"`
	Actor   string `json:"actor,omitempty" jsonschema:"all it wrote in the space since a time"`
	Since   string `json:"since,omitempty" jsonschema:"with actor: date or time"`
	Message string `json:"message,omitempty" jsonschema:"why"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"only return the diff"`
	Diff    bool   `json:"diff,omitempty"`
}

var undo = define(Operation{
	Name: "undo", Title: "Undo a write", Group: core, Route: Route{"POST", "/undo"},
	Description: "Undo a whole write, or all writes of an actor since a time. Pages changed since stay, and are listed as skipped.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in undoInput) (partly, error) {
	everywhere := in.Space == "*"
	if !everywhere {
		a = a.In(in.Space)
	}
	w, err := review.Undo(ctx, a, history.UndoRequest{
		WriteOptions: api.WriteOptions{DryRun: in.DryRun, Diff: in.Diff, Message: in.Message},
		Write:        in.Write, Own: true, Actor: in.Actor, Since: in.Since, All: everywhere,
	})
	return wrotePartly(ctx, a, w, err, wait{})
}, AtLeast("write", 0))

type redoInput struct {
	Space   string `json:"space,omitempty" jsonschema:"* for all"`
	Message string `json:"message,omitempty" jsonschema:"why, for the history"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"only return the diff"`
	Diff    bool   `json:"diff,omitempty" jsonschema:"return the diff"`
}

var redo = define(Operation{
	Name: "redo", Title: "Redo an undone write", Group: more, Route: Route{"POST", "/redo"},
	Description: "Bring back what your last undo took back; again for the one before it. Writing something else ends what can be redone.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in redoInput) (partly, error) {
	everywhere := in.Space == "*"
	if !everywhere {
		a = a.In(in.Space)
	}
	w, err := change.Redo(ctx, a, history.RedoRequest{
		WriteOptions: api.WriteOptions{DryRun: in.DryRun, Diff: in.Diff, Message: in.Message}, Own: true, All: everywhere,
	})
	return wrotePartly(ctx, a, w, err, wait{})
})
