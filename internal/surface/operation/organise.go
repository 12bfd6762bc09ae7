package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/read"
	"github.com/cairn-kb/cairn/internal/memory/retrieve"
)

type moveInput struct {
	Ref       string `json:"ref"`
	To        string `json:"to" jsonschema:"slug or path; one that ends in / keeps the name"`
	KeepLinks bool   `json:"keep_links,omitempty" jsonschema:"leave links to the page as they are"`
	writeOptions
}

var movePage = define(Operation{
	Name: "move", Title: "Move a page", Group: more, Route: Route{"POST", "/move/{ref...}"},
	Description: "Give a page another path, and rewrite the links to it.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in moveInput) (written, error) {
	w, err := change.Move(ctx, a, change.MoveRequest{WriteOptions: in.WriteOptions, Ref: in.Ref, To: in.To, KeepLinks: in.KeepLinks})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0))

type deleteInput struct {
	Ref string `json:"ref"`
	writeOptions
}

var deletePage = define(Operation{
	Name: "delete", Title: "Delete a page", Group: more, Route: Route{"DELETE", "/pages/{ref...}"},
	Description: "Delete a page. Its history stays, and undo or restore brings it back.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in deleteInput) (written, error) {
	w, err := change.Delete(ctx, a, change.DeleteRequest{WriteOptions: in.WriteOptions, Ref: in.Ref})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0))

type tagInput struct {
	Ref    string   `json:"ref"`
	Add    []string `json:"add,omitempty"`
	Remove []string `json:"remove,omitempty"`
	writeOptions
}

var tagPage = define(Operation{
	Name: "tag", Title: "Tag a page", Group: more, Route: Route{"POST", "/tags/{ref...}"},
	Description: "Add tags to a page and remove tags from it.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in tagInput) (written, error) {
	w, err := change.Tag(ctx, a, change.TagRequest{WriteOptions: in.WriteOptions, Ref: in.Ref, Add: in.Add, Remove: in.Remove})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0))

type timelineInput struct {
	Ref    string   `json:"ref,omitempty" jsonschema:"page; without it the newest entries of all pages"`
	After  string   `json:"after,omitempty" jsonschema:"date"`
	Before string   `json:"before,omitempty" jsonschema:"date"`
	Source string   `json:"source,omitempty" jsonschema:"of the entries, such as meeting"`
	Path   string   `json:"path,omitempty" jsonschema:"of the pages: below it, or a glob"`
	Tags   []string `json:"tags,omitempty" jsonschema:"of the pages"`
	Type   []string `json:"type,omitempty" jsonschema:"of the pages"`
	Where  []string `json:"where,omitempty" jsonschema:"conditions on the pages, such as status=open or wing:ada"`
	Space  string   `json:"space,omitempty" jsonschema:"* for all"`
	AsOf   string   `json:"as_of,omitempty" jsonschema:"date or time: the entries of that state"`
	Limit  int      `json:"limit,omitempty" jsonschema:"default 20"`
	Offset int      `json:"offset,omitempty"`
}

var timeline = define(Operation{
	Name: "timeline", Title: "Read a timeline", Group: more, Route: Route{"GET", "/timeline/{ref...}"},
	Description: "The dated entries of a page's timeline, or those of all pages, the newest first.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in timelineInput) (listAnswer[api.Entry], error) {
	if err := checkWhere(in.Where); err != nil {
		return listAnswer[api.Entry]{}, err
	}
	req := retrieve.TimelineRequest{
		Ref: in.Ref, Source: in.Source, Limit: in.Limit, Offset: in.Offset,
		Within: retrieve.Within{Types: in.Type, Tags: in.Tags, Where: in.Where, After: in.After, Before: in.Before, All: in.Space == "*"},
	}
	if in.Path != "" {
		req.Paths = []string{in.Path}
	}
	if req.Limit == 0 {
		req.Limit = 20
	}
	if !req.All {
		a = a.In(in.Space)
	}
	var notes []string
	if in.Ref == "" {
		var err error
		if notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: req.All}); err != nil {
			return listAnswer[api.Entry]{}, err
		}
	}
	list, err := read.Timeline(ctx, a, req, in.AsOf)
	return listed(a, list, notes), err
}, Between("limit", 1, 1000), AtLeast("offset", 0))

type timelineAddInput struct {
	Ref    string `json:"ref"`
	Text   string `json:"text" jsonschema:"what happened, in one line"`
	Date   string `json:"date,omitempty" jsonschema:"default today"`
	Source string `json:"source,omitempty" jsonschema:"how it is known"`
	Detail string `json:"detail,omitempty" jsonschema:"more lines"`
	writeOptions
}

var timelineAdd = define(Operation{
	Name: "timeline_add", Title: "Add to a timeline", Group: more, Route: Route{"POST", "/timeline/{ref...}"},
	Description: "Add a dated entry to a page's timeline.",
}, func(ctx context.Context, a *memory.Session, in timelineAddInput) (written, error) {
	w, err := change.AddEntry(ctx, a, change.AddEntryRequest{
		WriteOptions: in.WriteOptions, Ref: in.Ref, Date: in.Date, Source: in.Source, Text: in.Text, More: in.Detail,
	})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0))

// listAnswer is a list, and what could not be looked at for it.
type listAnswer[T any] struct {
	api.List[T]
	Notes []string `json:"notes,omitempty"`
}

// listed answers a list with the notes that the caller has not received yet.
func listed[T any](a *memory.Session, list api.List[T], notes []string) listAnswer[T] {
	return listAnswer[T]{list, append(notes, a.Notes()...)}
}
