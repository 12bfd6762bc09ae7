package app

import (
	"cmp"
	"context"
	"slices"

	"github.com/cairn-kb/cairn/internal/change"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/ref"
	"github.com/cairn-kb/cairn/internal/store"
	"github.com/cairn-kb/cairn/internal/write"
)

// EditRequest changes spans of a page.
type EditRequest struct {
	WriteOptions
	Ref   string
	Edits []doc.Edit
}

// Edit changes spans of a page; everything else stays byte for byte.
func (a *App) Edit(ctx context.Context, req EditRequest) (Written, error) {
	return a.edit(ctx, "edit", req.WriteOptions, req.Ref, req.Edits...)
}

func (a *App) edit(ctx context.Context, op string, opts WriteOptions, raw string, edits ...doc.Edit) (Written, error) {
	if len(edits) == 0 {
		return Written{}, kb.Errorf(kb.Usage, "there is nothing to edit").WithReason(kb.NothingToEdit)
	}
	named, space, err := a.writable(ctx, raw)
	if err != nil {
		return Written{}, err
	}
	page := named.Page
	edits = slices.Clone(edits)
	for i, e := range edits {
		if edits[i], err = doc.Within(named.Part, e); err != nil {
			return Written{}, err
		}
	}
	of := page.ID
	if page.Node != "" {
		of = "" // a heading, whose id is in the text itself
	}
	return a.apply(ctx, op, opts, []write.Change{{
		Space: space, Path: page.Path, Of: of, Expected: opts.Expected, Action: write.Edit{Node: page.Node, Edits: edits},
	}})
}

// writable resolves a ref to a page, or a part of one, and its open space.
func (a *App) writable(ctx context.Context, raw string) (named ref.Named, s *write.Space, err error) {
	named, home, err := a.fresh.FindToChange(ctx, raw)
	if err != nil {
		return named, nil, err
	}
	s, err = a.spaces.OpenSpace(ctx, home)
	return named, s, err
}

// EditTextRequest replaces the text of a page, or of a part of it, by what an
// editor made of it.
type EditTextRequest struct {
	WriteOptions
	Ref  string
	Part string // heading or "^block" that Text is, "" for the whole page
	Text []byte // UTF-8; stored in the document's encoding
}

// EditText stores the whole text of an existing page, or of a part of it.
func (a *App) EditText(ctx context.Context, req EditTextRequest) (Written, error) {
	named, space, err := a.writable(ctx, req.Ref)
	page := named.Page
	if err == nil && page.Node != "" {
		err = change.PartOf(page)
	}
	if err != nil {
		return Written{}, err
	}
	var old []byte
	err = a.db.View(ctx, func(tx store.Tx) error {
		old, err = tx.History().Bytes(ctx, page.Hash)
		return err
	})
	if err != nil {
		return Written{}, err
	}
	text := req.Text
	d := doc.ForNote(a.codecs, page.Syntax, page.Path).Parse(page.Path, old)
	if part := cmp.Or(req.Part, named.Part); part != "" {
		span, err := d.Part(&d.Nodes[0], part)
		if err != nil {
			return Written{}, err
		}
		text = d.Instead(span, text)
	}
	if d.Encoding != doc.Opaque {
		if text, err = doc.Encode(text, d.Encoding); err != nil {
			return Written{}, err
		}
	}
	return a.apply(ctx, "edit", req.WriteOptions, []write.Change{{
		Space: space, Path: page.Path, Of: page.ID, Expected: req.Expected, Action: write.Put{Bytes: text, Overwrite: true},
	}})
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
	return a.apply(ctx, change.Verb(req.Steps), req.WriteOptions, changes)
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
	return a.applyRequest(ctx, plan, req.Diff)
}
