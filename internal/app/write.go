package app

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/history"
	"github.com/cairn-kb/cairn/internal/index"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/vault"
	"github.com/cairn-kb/cairn/internal/write"
)

// apply runs a change set and describes what came of it.
func (a *App) apply(ctx context.Context, op string, opts WriteOptions, changes []write.Change) (Written, error) {
	return a.applyRequest(ctx, write.Request{
		Actor: a.opts.Actor, Operation: op, Message: opts.Message, Changes: changes,
		DryRun: opts.DryRun, AllowSecrets: opts.AllowSecrets, RewriteTimeline: opts.RewriteTimeline,
	}, opts.Diff)
}

// applyRequest is apply for a request that was planned elsewhere.
func (a *App) applyRequest(ctx context.Context, req write.Request, diff bool) (Written, error) {
	res, err := a.writer.Apply(ctx, req)
	if res == nil {
		return Written{}, sayWhatChanged(ctx, a.db, req, err)
	}
	if res.Write.ID != 0 {
		ctx = context.WithoutCancel(ctx) // it has happened, and that is the answer
	}
	out := Written{Write: res.Write.ID, DryRun: res.DryRun, Pages: []WrittenPage{}}
	verr := a.db.View(ctx, func(tx store.Tx) error {
		v, err := api.NewViewer(ctx, tx)
		if err != nil {
			return err
		}
		for _, p := range res.Pages {
			w, err := written(ctx, v, p)
			if err != nil {
				return err
			}
			if diff || req.DryRun {
				w.Diff = unified(p)
			}
			out.Pages = append(out.Pages, w)
		}
		return nil
	})
	if err == nil && verr != nil && res.Write.ID != 0 {
		err = kb.Errorf(kb.CodeOf(verr), "the change is made, as write %d, but what it made could not be read: %w", res.Write.ID, verr).
			WithHint("Nothing was lost: do not repeat it.").WithReason(kb.WrittenUnread)
	} else if err == nil {
		err = verr
	}
	if err == nil && a.opts.Written != nil && len(out.Changed()) > 0 {
		a.opts.Written(out)
	}
	return out, err
}

func written(ctx context.Context, v *api.Viewer, p write.PageResult) (WrittenPage, error) {
	page, err := v.Page(ctx, p.Page)
	w := WrittenPage{Page: page, Change: p.Change, From: p.From, Notes: p.Notes}
	for _, x := range p.Warnings {
		path := ""
		if index.OfSidecar(x.Code) {
			path = vault.SidecarPath(page.Path)
		}
		w.Warnings = append(w.Warnings, Warning{Code: x.Code, Path: path, Text: x.Text, Line: x.Line})
	}
	return w, err
}

// unified shows a page's change as a unified diff with git's names.
func unified(p write.PageResult) string {
	from := history.State{Path: cmp.Or(p.From, p.Page.Path), Text: p.Old, Side: p.OldSide}
	out := from.Diff(history.State{Path: p.Page.Path, Text: p.New, Side: p.NewSide})
	if p.From != "" && bytes.Equal(p.Old, p.New) {
		out = fmt.Sprintf("rename from %s\nrename to %s\n", p.From, p.Page.Path) + out
	}
	return out
}
