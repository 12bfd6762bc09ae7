package change

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Apply runs a change set, named op in the history, and describes what came of it.
func (e *Engine) Apply(ctx context.Context, op string, opts api.WriteOptions, changes []write.Change) (api.Written, error) {
	return e.ApplyRequest(ctx, write.Request{
		Actor: e.Actor, Operation: op, Message: opts.Message, Changes: changes,
		DryRun: opts.DryRun, AllowSecrets: opts.AllowSecrets, RewriteTimeline: opts.RewriteTimeline,
	}, opts.Diff)
}

// mostTries bounds how often a change is made anew because others wrote meanwhile. Of
// those who meet, one gets through each time.
const mostTries = 16

// Retry makes a change that depends on what was read before, and makes it anew where
// others wrote in between, unless the caller expects a version.
func Retry(ctx context.Context, opts api.WriteOptions, do func() (api.Written, error)) (api.Written, error) {
	for n := 1; ; n++ {
		out, err := do()
		if opts.Expected != nil || n == mostTries || ctx.Err() != nil || !overtaken(err) {
			return out, err
		}
	}
}

// overtaken reports whether an error says that a page is not what it was when it was read.
func overtaken(err error) bool {
	if kb.CodeOf(err) != kb.Conflict {
		return false
	}
	details := kb.AsError(err).Details
	return details["current_version"] != nil || details["busy"] != nil
}

// ApplyRequest is Apply for a request that was planned elsewhere.
func (e *Engine) ApplyRequest(ctx context.Context, req write.Request, diff bool) (api.Written, error) {
	if e.Ask != nil && !req.DryRun {
		if err := eachSpace(ctx, req, e.Ask); err != nil {
			return api.Written{}, err
		}
	}
	if err := e.syncCatalogued(ctx, req); err != nil {
		return api.Written{}, err
	}
	if e.Turn != nil {
		for i, c := range req.Changes {
			if i == 0 || c.Space.Row != req.Changes[i-1].Space.Row {
				e.Turn(ctx, c.Space.Space)
			}
		}
	}
	if req.Project == "" && len(req.Changes) > 0 && req.Changes[0].Space.Policy.StampsProjects() {
		req.Project = e.Spaces.Project(req.Changes[0].Space.Space)
	}
	req, err := e.revised(ctx, req)
	if err != nil {
		return api.Written{}, err
	}
	var before []contradiction.Finding
	watched := e.watch(req)
	if len(watched.docs) > 0 && !req.DryRun {
		err := e.DB.View(ctx, func(tx store.Tx) (err error) {
			before, err = watched.findings(ctx, tx)
			return err
		})
		if err != nil {
			return api.Written{}, err
		}
	}
	res, err := e.Writer.Apply(ctx, req)
	if err != nil && kb.AsError(err).Reason == kb.GitBehind && e.CatchUp != nil && !req.DryRun {
		if err := eachSpace(ctx, req, e.CatchUp); err != nil {
			return api.Written{}, err
		}
		res, err = e.Writer.Apply(ctx, req)
	}
	if res == nil {
		return api.Written{}, sayWhatChanged(ctx, e.DB, req, err)
	}
	if res.Write.ID != 0 {
		ctx = context.WithoutCancel(ctx) // it has happened, and that is the answer
	}
	out := api.Written{Write: res.Write.ID, DryRun: res.DryRun, Pages: []api.WrittenPage{}}
	verr := e.DB.View(ctx, func(tx store.Tx) error {
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
		if res.Write.ID == 0 || len(watched.docs) == 0 {
			return nil
		}
		now, err := watched.findings(ctx, tx)
		out.Opened, out.Closed = contradiction.Opened(now, before), contradiction.Opened(before, now)
		return err
	})
	if err == nil && verr != nil && res.Write.ID != 0 {
		err = Unread(res.Write.ID, verr)
	} else if err == nil {
		err = verr
	}
	if err == nil && e.Told != nil && len(out.Changed()) > 0 {
		e.Told(out)
	}
	if e.Follow != nil && res.Write.ID != 0 {
		for i, c := range req.Changes {
			if i == 0 || c.Space.Row != req.Changes[i-1].Space.Row {
				e.Follow(ctx, c.Space.Space)
			}
		}
	}
	return out, err
}

// syncCatalogued syncs the spaces of a request that have index files: these name all
// pages, also those that another program has brought since the last look.
func (e *Engine) syncCatalogued(ctx context.Context, req write.Request) error {
	var in []write.Change
	for _, c := range req.Changes {
		if c.Space.Files != nil && c.Space.Policy.Index.File != "" {
			in = append(in, c)
		}
	}
	if req.DryRun || len(in) == 0 || e.Fresh == nil {
		return nil
	}
	_, err := e.Fresh.SyncChanged(ctx, in)
	return err
}

// eachSpace does something for each guarded space of a request.
func eachSpace(ctx context.Context, req write.Request, do func(context.Context, kb.Space) error) error {
	for i, c := range req.Changes {
		if (i == 0 || c.Space.Row != req.Changes[i-1].Space.Row) && c.Space.Guards() {
			if err := do(ctx, c.Space.Space); err != nil {
				return err
			}
		}
	}
	return nil
}

// Unread is the error of a write that was made and could not be read afterwards.
func Unread(write int64, err error) error {
	return kb.Errorf(kb.CodeOf(err), "the change is made, as write %d, but what it made could not be read: %w", write, err).
		WithHint("Nothing was lost: do not repeat it.").WithReason(kb.WrittenUnread)
}

func written(ctx context.Context, v *api.Viewer, p write.PageResult) (api.WrittenPage, error) {
	page, err := v.Page(ctx, p.Page)
	w := api.WrittenPage{Page: page, Change: p.Change, From: p.From, Notes: p.Notes}
	for _, x := range p.Warnings {
		path := ""
		if index.OfSidecar(x.Code) {
			path = vault.SidecarPath(page.Path)
		}
		w.Warnings = append(w.Warnings, api.Warning{Code: x.Code, Path: path, Text: x.Text, Line: x.Line})
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
