package change

import (
	"context"
	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/doc"
	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
	"github.com/cairn-kb/cairn/internal/memory/turn"
	"github.com/cairn-kb/cairn/internal/memory/write"
	"github.com/cairn-kb/cairn/internal/store"
	"slices"
	"strings"
)

// EditPage changes spans of a page; everything else stays byte for byte.
func EditPage(ctx context.Context, sess *memory.Session, req EditRequest) (api.Written, error) {
	return Edit(ctx, sess, "edit", req.WriteOptions, req.Ref, req.Edits...)
}

// EditRequest changes spans of a page.
type EditRequest struct {
	api.WriteOptions
	Ref   string
	Edits []doc.Edit
}

// Move moves a page to another path and updates the links to it.
func Move(ctx context.Context, sess *memory.Session, req MoveRequest) (api.Written, error) {
	return Change(ctx, sess, ChangeRequest{
		WriteOptions: req.WriteOptions, Refs: one(req.Ref), Where: req.Where,
		Steps: []Step{MoveStep{To: req.To, KeepLinks: req.KeepLinks}},
	})
}

// MoveRequest moves a page, or all pages of a directory, to another path.
type MoveRequest struct {
	api.WriteOptions
	Ref, To   string                // To is a slug or path; one that ends in "/" keeps the name
	Where     *retrieve.ListRequest // instead of Ref: the matching pages of the current space
	KeepLinks bool                  // do not update links to the page
}

// Delete removes a page; its history is kept, and restore brings it back.
func Delete(ctx context.Context, sess *memory.Session, req DeleteRequest) (api.Written, error) {
	return Change(ctx, sess, ChangeRequest{WriteOptions: req.WriteOptions, Refs: one(req.Ref), Where: req.Where, Steps: []Step{DeleteStep{}}})
}

// DeleteRequest removes a page, or all pages of a directory.
type DeleteRequest struct {
	api.WriteOptions
	Ref   string
	Where *retrieve.ListRequest // instead of Ref: the matching pages of the current space
}

// one returns a list of a ref, empty for no ref.
func one(raw string) []string {
	if raw == "" {
		return nil
	}
	return []string{raw}
}

// Change applies the same steps to several pages: to all of them or, if one of them
// fails, to none, and the error lists those that failed; see Plan.
func Change(ctx context.Context, sess *memory.Session, req ChangeRequest) (api.Written, error) {
	if len(req.Steps) == 1 && req.Where == nil {
		if step, ok := req.Steps[0].(RestoreStep); ok {
			return restoreAll(ctx, sess, req, step.Version)
		}
	}
	if req.Tagged {
		return renameTags(ctx, sess, req)
	}
	plan := Request{Refs: req.Refs, Steps: req.Steps, Expected: req.Expected}
	if req.Where != nil {
		sess.Notices.Add(req.Where.Notes(sess.Now())...)
		f, err := req.Where.Filter(sess.Now())
		if err != nil {
			return api.Written{}, err
		}
		notes, err := read.Freshen(ctx, sess, read.FreshenRequest{})
		if err != nil {
			return api.Written{}, err
		}
		sess.Notices.Add(notes...)
		plan.Where, plan.Below = &f, req.Where.Below(sess.Now())
	}
	changes, err := Plan(ctx, sess, plan)
	if err != nil {
		return api.Written{}, err
	}
	notes, err := dangling(ctx, sess, changes)
	if err != nil {
		return api.Written{}, err
	}
	out, err := Apply(ctx, sess, Verb(req.Steps), req.WriteOptions, changes)
	for i, p := range out.Pages {
		if note := notes[p.ID]; note != "" {
			out.Pages[i].Notes = append(slices.Clip(p.Notes), note)
		}
	}
	return out, err
}

// ChangeRequest applies the same steps to each of several pages, in one write.
type ChangeRequest struct {
	api.WriteOptions
	Refs  []string              // pages; requests with only moves and deletions accept directories, too
	Where *retrieve.ListRequest // instead of Refs: the matching pages of the current space
	Steps []Step

	// Tagged is for steps that rename tags, instead of Refs and Where: all pages of
	// the current space with these tags.
	Tagged bool
}

// renameTags renames tags in all pages that have them.
func renameTags(ctx context.Context, sess *memory.Session, req ChangeRequest) (api.Written, error) {
	notes, err := read.Freshen(ctx, sess, read.FreshenRequest{})
	if err != nil {
		return api.Written{}, err
	}
	sess.Notices.Add(notes...)
	all, err := read.Tags(ctx, sess, read.TagsRequest{})
	if err != nil {
		return api.Written{}, err
	}
	tags := make([]string, len(all.Items)) // after the preceding steps
	for i, t := range all.Items {
		tags[i] = t.Value
	}
	var f store.Filter
	for _, s := range req.Steps {
		rename, ok := renamesTag(s)
		if !ok {
			return api.Written{}, kb.Errorf(kb.Usage, "name the pages, or say which")
		}
		found := false
		for i, t := range all.Items {
			if !rename.Has(tags[i]) {
				continue
			}
			tags[i], found = rename.Renamed(tags[i]), true
			if !slices.Contains(f.Tags, t.Value) {
				f.Tags = append(f.Tags, t.Value)
			}
		}
		if !found {
			return api.Written{}, kb.Errorf(kb.NotFound, "no page has the tag %q", rename.Old)
		}
	}
	changes, err := Plan(ctx, sess, Request{Where: &f, Steps: req.Steps, Expected: req.Expected})
	if err != nil {
		return api.Written{}, err
	}
	return Apply(ctx, sess, Verb(req.Steps), req.WriteOptions, changes)
}

// renamesTag returns the renaming of a tag in a step.
func renamesTag(s Step) (rename doc.RenameTag, ok bool) {
	if e, is := s.(EditStep); is {
		rename, ok = e.Edit.(doc.RenameTag)
	}
	return rename, ok
}

// restoreAll restores a version of each page, 0 being the default of Restore.
func restoreAll(ctx context.Context, a *memory.Session, req ChangeRequest, version int) (api.Written, error) {
	return Retry(ctx, req.WriteOptions, func() (out api.Written, err error) {
		err = turn.In(ctx, a.DB, func(ctx context.Context) error {
			var plan write.Request
			for _, raw := range req.Refs {
				d, err := history.Find(ctx, a, raw)
				if err != nil {
					return err
				}
				next, err := history.PlanRestore(ctx, a, d, version, req.WriteOptions)
				if err != nil {
					return err
				}
				next.Changes = append(plan.Changes, next.Changes...)
				plan = next
			}
			out, err = ApplyRequest(ctx, a, plan, req.Diff)
			return err
		})
		return out, err
	})
}

// Tag adds and removes tags of one or more pages.
func Tag(ctx context.Context, sess *memory.Session, req TagRequest) (api.Written, error) {
	var steps []Step
	for _, t := range req.Add {
		steps = append(steps, EditStep{Edit: doc.AddTag{Tag: t}})
	}
	for _, t := range req.Remove {
		steps = append(steps, EditStep{Edit: doc.RemoveTag{Tag: t}})
	}
	return Change(ctx, sess, ChangeRequest{WriteOptions: req.WriteOptions, Refs: one(req.Ref), Where: req.Where, Steps: steps})
}

// TagRequest adds and removes tags.
type TagRequest struct {
	api.WriteOptions
	Ref         string
	Where       *retrieve.ListRequest // instead of Ref: the matching pages of the current space
	Add, Remove []string
}

// AddEntry adds an entry to a page's timeline, newest first.
func AddEntry(ctx context.Context, sess *memory.Session, req AddEntryRequest) (api.Written, error) {
	if strings.TrimSpace(req.Text) == "" {
		return api.Written{}, kb.Errorf(kb.Usage, "the timeline entry has no text")
	}
	if req.Date == "" {
		req.Date = "today"
	}
	date, err := Date(req.Date, sess.Now())
	if err != nil {
		return api.Written{}, err
	}
	return Edit(ctx, sess, "timeline-add", req.WriteOptions, req.Ref, doc.AddEntry{Date: date, Source: req.Source, Text: req.Text, Detail: req.More})
}

// AddEntryRequest adds a timeline entry.
type AddEntryRequest struct {
	api.WriteOptions
	Ref                string
	Date               string // "" is today
	Source, Text, More string
}
