package change

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/files/vault"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/freshness"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/index"
	"github.com/cairn-kb/cairn/internal/memory/space"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
)

// Apply runs a change set, with op as its operation in the history, and describes
// the result.
func Apply(ctx context.Context, sess *memory.Session, op string, opts api.WriteOptions, changes []write.Change) (api.Written, error) {
	return ApplySynced(ctx, sess, op, opts, changes, kb.Space{})
}

// ApplySynced is Apply for a caller that has just synced a space in full; that
// space is not synced again.
func ApplySynced(ctx context.Context, sess *memory.Session, op string, opts api.WriteOptions, changes []write.Change, synced kb.Space) (api.Written, error) {
	return applyRequest(ctx, sess, requestOf(sess, op, opts, changes), opts.Diff, synced)
}

func requestOf(sess *memory.Session, op string, opts api.WriteOptions, changes []write.Change) write.Request {
	return write.Request{
		Actor: sess.Actor, Operation: op, Message: opts.Message, Changes: changes,
		DryRun: opts.DryRun, AllowSecrets: opts.AllowSecrets, RewriteTimeline: opts.RewriteTimeline,
	}
}

// maxAttempts limits the retries of a change because of concurrent writes. Each
// time one of the competing writers succeeds.
const maxAttempts = 16

// Retry makes a change that depends on an earlier read, and retries it after
// concurrent writes, unless the caller expects a version.
func Retry(ctx context.Context, opts api.WriteOptions, do func() (api.Written, error)) (api.Written, error) {
	for n := 1; ; n++ {
		out, err := do()
		if opts.Expected != nil || n == maxAttempts || ctx.Err() != nil || !overtaken(err) {
			return out, err
		}
	}
}

// overtaken reports whether an error means that a page changed since it was read.
func overtaken(err error) bool {
	if kb.CodeOf(err) != kb.Conflict {
		return false
	}
	details := kb.AsError(err).Details
	return details["current_version"] != nil || details["busy"] != nil
}

// ApplyRequest is Apply for an existing request. It has the steps around
// write.Writer.Apply, in order.
func ApplyRequest(ctx context.Context, sess *memory.Session, req write.Request, diff bool) (api.Written, error) {
	return applyRequest(ctx, sess, req, diff, kb.Space{})
}

func applyRequest(ctx context.Context, sess *memory.Session, req write.Request, diff bool, synced kb.Space) (api.Written, error) {
	if sess.Temporary {
		return api.Written{}, kb.Errorf(kb.Refused, "the directory is not attached, so its files are only read").WithHint("Nothing was changed.")
	}
	if err := runHooks(ctx, sess, sess.Hooks.BeforeWrite, req); err != nil {
		return api.Written{}, err
	}
	ctx, over, err := turn.Alone(ctx, sess.DB, req.Size())
	if err != nil {
		return api.Written{}, err
	}
	defer over()
	if err := syncCatalogued(ctx, sess, req, synced); err != nil {
		return api.Written{}, err
	}
	if err := syncLinking(ctx, sess, req); err != nil {
		return api.Written{}, err
	}
	if !slices.ContainsFunc(req.Changes, func(c write.Change) bool { return c.Space.Files != nil }) {
		var leave func()
		ctx, leave = store.Join(ctx, sess.DB)
		defer leave()
	}
	req = stampProject(sess, req)
	if req, err = revised(ctx, sess, req); err != nil {
		return api.Written{}, err
	}
	seen := watch(sess, req)
	if err := store.ForeseeViews(ctx, sess.DB, func() { readAhead(ctx, sess, req) }); err != nil {
		return api.Written{}, err
	}
	before, err := contradictionsBefore(ctx, sess, seen, req)
	if err != nil {
		return api.Written{}, err
	}
	res, err := applyAfterRemote(ctx, sess, req)
	if res == nil {
		return api.Written{}, sayWhatChanged(ctx, sess.DB, req, err)
	}
	if res.Write.ID != 0 {
		ctx = context.WithoutCancel(ctx) // the write has happened: report it even if ctx is done
	}
	out, unread := describe(ctx, sess, req, res, seen, before, diff)
	res.Pages = nil
	store.Part(ctx, sess.DB) // hooks may take long
	over()
	turn.End(ctx)
	if err == nil {
		err = unread
	}
	if err == nil && sess.OnWritten != nil && len(out.Changed()) > 0 {
		sess.OnWritten(out)
	}
	if res.Write.ID != 0 {
		err = errors.Join(err, runHooks(ctx, sess, sess.Hooks.AfterWrite, req))
	}
	return out, err
}

// runHooks runs hooks for each space of a request, one hook after the other.
func runHooks(ctx context.Context, sess *memory.Session, hooks []memory.Hook, req write.Request) error {
	for _, h := range hooks {
		for i, c := range req.Changes {
			if i > 0 && c.Space.Row == req.Changes[i-1].Space.Row {
				continue
			}
			if _, err := sess.RunHooks(ctx, []memory.Hook{h}, c.Space.Space, c.Space.Guards() && !req.DryRun); err != nil {
				return err
			}
		}
	}
	return nil
}

// syncCatalogued syncs the spaces of a request that have index files: these list
// all pages, including those that another program has added since the last scan. It
// skips the space that the caller has synced.
func syncCatalogued(ctx context.Context, sess *memory.Session, req write.Request, synced kb.Space) error {
	var in []write.Change
	for _, c := range req.Changes {
		if c.Space.Files != nil && c.Space.Policy.Index.File != "" && c.Space.Row != synced.Row {
			in = append(in, c)
		}
	}
	if req.DryRun || len(in) == 0 {
		return nil
	}
	_, err := freshness.SyncChanged(ctx, sess, in)
	return err
}

// syncLinking syncs all directories before the path or title of a page changes:
// another program may have written links to it since the last scan.
func syncLinking(ctx context.Context, sess *memory.Session, req write.Request) error {
	if !slices.ContainsFunc(req.Changes, func(c write.Change) bool { return write.MayRename(c.Action) }) {
		return nil
	}
	all, err := sess.Spaces.All(ctx)
	if err != nil {
		return err
	}
	_, err = freshness.LookAt(ctx, sess, slices.DeleteFunc(slices.Clone(all), func(s kb.Space) bool { return s.Kind != kb.DirectorySpace }))
	return err
}

// stampProject fills in the project of the caller's directory if the policy stamps
// pages with it.
func stampProject(sess *memory.Session, req write.Request) write.Request {
	if req.Project == "" && len(req.Changes) > 0 && req.Changes[0].Space.Policy.StampsProjects() {
		req.Project = sess.Spaces.Project(req.Changes[0].Space.Space)
	}
	return req
}

// readAhead makes the reads of a request, for store.ForeseeViews.
func readAhead(ctx context.Context, sess *memory.Session, req write.Request) {
	_, _ = contradictionsBefore(ctx, sess, watch(sess, req), req)
	sess.Writer.Ahead(ctx, req)
}

// contradictionsBefore finds the contradictions of the watched pages before they change.
func contradictionsBefore(ctx context.Context, sess *memory.Session, seen watched, req write.Request) (before []contradiction.Finding, err error) {
	if len(seen.docs) == 0 || req.DryRun {
		return nil, nil
	}
	err = sess.DB.View(ctx, func(tx store.Tx) (err error) {
		if err := store.Foresee(ctx, tx, func() { _, _ = seen.findings(ctx, tx) }); err != nil {
			return err
		}
		before, err = seen.findings(ctx, tx)
		return err
	})
	return before, err
}

// applyAfterRemote writes, and retries once after pulling commits of the remote if
// the write must follow them. If unsaved edits in Emacs of another file prevent the
// pull, the write continues without it, and the branches diverge until the next
// pull.
func applyAfterRemote(ctx context.Context, sess *memory.Session, req write.Request) (*write.Result, error) {
	res, err := sess.Writer.Apply(ctx, req)
	if err == nil || len(sess.Hooks.Behind) == 0 || req.DryRun {
		return res, err
	}
	if reason := kb.AsError(err).Reason; reason != kb.GitBehind && reason != kb.GitDiverged {
		return res, err
	}
	if err := runHooks(ctx, sess, sess.Hooks.Behind, req); err != nil {
		if kb.AsError(err).Reason != kb.UnsavedEdits {
			return nil, err
		}
		sess.Notices.Add("commits of the remote wait: " + kb.AsError(err).Message)
		req.Unlevel = true
	}
	return sess.Writer.Apply(ctx, req)
}

// describe reads the written pages, and compares their contradictions with the
// previous ones.
func describe(ctx context.Context, sess *memory.Session, req write.Request, res *write.Result, seen watched, before []contradiction.Finding, diff bool) (api.Written, error) {
	out := api.Written{Write: res.Write.ID, DryRun: res.DryRun, Pages: []api.WrittenPage{}}
	err := sess.DB.View(ctx, func(tx store.Tx) error {
		if err := store.Foresee(ctx, tx, func() {
			if v, err := api.NewViewer(ctx, tx); err == nil {
				for _, p := range res.Pages {
					_, _ = written(ctx, v, p)
					// The next write of the page needs the row of its document first.
					if s, err := space.OfPage(ctx, tx, p.Page); err == nil && s.Kind == kb.DatabaseSpace {
						_, _ = tx.Documents().ByPath(ctx, s.Row, p.Page.Path)
					}
				}
			}
			if res.Write.ID != 0 {
				seen.ahead(ctx, tx, res.Pages)
			}
		}); err != nil {
			return err
		}
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
				if p.Was != (kb.Hash{}) {
					if p.Old, err = tx.History().Bytes(ctx, p.Was); err != nil {
						return err
					}
				}
				w.Diff = unified(p)
			}
			out.Pages = append(out.Pages, w)
		}
		if res.Write.ID == 0 || len(seen.docs) == 0 {
			return nil
		}
		now, err := seen.findings(ctx, tx)
		out.Opened, out.Closed = contradiction.Opened(now, before), contradiction.Opened(before, now)
		return err
	})
	if err != nil && res.Write.ID != 0 {
		err = ReadbackError(res.Write.ID, err)
	}
	return out, err
}

// ReadbackError is the error of a successful write that could not be read back.
func ReadbackError(write int64, err error) error {
	return kb.Errorf(kb.CodeOf(err), "the change is made, as write %d, but what it made could not be read: %w", write, err).
		WithHint("Nothing was lost: do not repeat it.").WithReason(kb.WrittenUnread)
}

func written(ctx context.Context, v *api.Viewer, p write.PageResult) (api.WrittenPage, error) {
	page, err := v.Page(ctx, p.Page)
	if p.Page.Row == 0 { // nothing was written
		page.Status = api.OwnStatus(page.Status, p.Status)
	}
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

// unified formats a page's change as a unified diff with git's names.
func unified(p write.PageResult) string {
	from := history.State{Path: cmp.Or(p.From, p.Page.Path), Text: p.Old, Side: p.OldSide}
	out := from.Diff(history.State{Path: p.Page.Path, Text: p.New, Side: p.NewSide})
	if p.From != "" && bytes.Equal(p.Old, p.New) {
		out = fmt.Sprintf("rename from %s\nrename to %s\n", p.From, p.Page.Path) + out
	}
	return out
}
