package app

import (
	"context"

	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/ref"
	"github.com/cairn-kb/cairn/internal/memory/write"
)

// Put stores a whole page. The text goes in as it is; title, type and tags,
// where given, are set in its metadata.
func (a *App) Put(ctx context.Context, req PutRequest) (Written, error) {
	return a.change.Put(ctx, req)
}

// ReadsAsText reports whether a ref is rather a text; see ref.ReadsAsText.
func ReadsAsText(raw string) bool { return ref.ReadsAsText(raw) }

// EditRequest changes spans of a page.
type EditRequest struct {
	WriteOptions
	Ref   string
	Edits []doc.Edit
}

// Edit changes spans of a page; everything else stays byte for byte.
func (a *App) Edit(ctx context.Context, req EditRequest) (Written, error) {
	return a.change.Edit(ctx, "edit", req.WriteOptions, req.Ref, req.Edits...)
}

// EditText stores the whole text of an existing page, or of a part of it.
func (a *App) EditText(ctx context.Context, req EditTextRequest) (Written, error) {
	return a.change.EditText(ctx, req)
}

// MoveRequest gives a page, or all pages of a directory, another path.
type MoveRequest struct {
	WriteOptions
	Ref, To   string       // To is a slug or path; one that ends in "/" keeps the name
	Where     *ListRequest // in the place of Ref: the pages of the current space that meet it all
	KeepLinks bool         // leave links to the page as they are
}

// Move gives a page another path and keeps the links to it working.
func (a *App) Move(ctx context.Context, req MoveRequest) (Written, error) {
	return a.Change(ctx, ChangeRequest{
		WriteOptions: req.WriteOptions, Refs: one(req.Ref), Where: req.Where,
		Steps: []Step{MoveStep{To: req.To, KeepLinks: req.KeepLinks}},
	})
}

// DeleteRequest removes a page, or all pages of a directory.
type DeleteRequest struct {
	WriteOptions
	Ref   string
	Where *ListRequest // in the place of Ref: the pages of the current space that meet it all
}

// Delete removes a page; its history stays, and restore brings it back.
func (a *App) Delete(ctx context.Context, req DeleteRequest) (Written, error) {
	return a.Change(ctx, ChangeRequest{WriteOptions: req.WriteOptions, Refs: one(req.Ref), Where: req.Where, Steps: []Step{DeleteStep{}}})
}

// one is a list of a ref, if there is one.
func one(raw string) []string {
	if raw == "" {
		return nil
	}
	return []string{raw}
}

// ChangeRequest does the same steps to each of several pages, in one write.
type ChangeRequest struct {
	WriteOptions
	Refs  []string     // pages; what only moves or deletes takes directories, too
	Where *ListRequest // in the place of Refs: the pages of the current space that meet it all
	Steps []Step
}

// Change does the same to several pages: to all of them or, where one refuses
// it, to none, and the error names those that refuse; see change.Engine.Plan.
func (a *App) Change(ctx context.Context, req ChangeRequest) (Written, error) {
	if len(req.Steps) == 1 && req.Where == nil {
		if step, ok := req.Steps[0].(RestoreStep); ok {
			return restoreAll(ctx, a, req, step.Version)
		}
	}
	plan := change.Request{Refs: req.Refs, Steps: req.Steps, Expected: req.Expected}
	if req.Where != nil {
		a.notices.Add(req.Where.Notes(a.opts.Now())...)
		f, err := req.Where.Filter(a.opts.Now())
		if err != nil {
			return Written{}, err
		}
		notes, err := a.Freshen(ctx, FreshenRequest{})
		if err != nil {
			return Written{}, err
		}
		a.notices.Add(notes...)
		plan.Where, plan.Below = &f, req.Where.Below(a.opts.Now())
	}
	changes, err := a.change.Plan(ctx, plan)
	if err != nil {
		return Written{}, err
	}
	return a.change.Apply(ctx, change.Verb(req.Steps), req.WriteOptions, changes)
}

// restoreAll brings back a version of each page, 0 being that of Restore.
func restoreAll(ctx context.Context, a *App, req ChangeRequest, version int) (Written, error) {
	var plan write.Request
	for _, raw := range req.Refs {
		d, err := a.Versions().page(ctx, raw)
		if err != nil {
			return Written{}, err
		}
		next, err := a.history.PlanRestore(ctx, d, version, req.WriteOptions)
		if err != nil {
			return Written{}, err
		}
		next.Changes = append(plan.Changes, next.Changes...)
		plan = next
	}
	return a.change.ApplyRequest(ctx, plan, req.Diff)
}
