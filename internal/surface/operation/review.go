package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/history"
	"github.com/cairn-kb/cairn/internal/memory/review"
)

type unreviewedInput struct {
	Since   string `json:"since,omitempty" jsonschema:"date or time (default: your mark, or a week)"`
	Decided bool   `json:"decided,omitempty" jsonschema:"also decided ones"`
	Limit   int    `json:"limit,omitempty" jsonschema:"default 20"`
	Offset  int    `json:"offset,omitempty"`
}

type unreviewedAnswer struct {
	api.WorkSessions
	Notes []string `json:"notes,omitempty"`
}

// maxChanges is how many pages of a session an answer names.
const maxChanges = 100

var listUnreviewed = define(Operation{
	Name: "unreviewed", Title: "What agents wrote", Group: reviewing, Route: Route{"GET", "/unreviewed"},
	Description: "What agents wrote since your mark, newest first: writes of one agent with pauses of at most half an hour, with their pages.",
	ReadOnly:    true, Idempotent: true,
	nothing: unreviewedAnswer{WorkSessions: api.WorkSessions{List: api.List[api.WorkSession]{Items: []api.WorkSession{}}}},
}, func(ctx context.Context, a *memory.Session, in unreviewedInput) (out unreviewedAnswer, err error) {
	out.WorkSessions, err = review.Sessions(ctx, a, review.SessionsRequest{
		Since: in.Since, Decided: in.Decided, Limit: cmp.Or(in.Limit, 20), Offset: in.Offset, Pages: maxChanges,
	})
	out.Notes = a.Notes()
	for _, s := range out.Items {
		if more := s.Changed - len(s.Pages); more > 0 {
			out.Notes = append(out.Notes, fmt.Sprintf("%d more pages were changed from write %d to %d", more, s.Write, s.Last))
		}
	}
	return out, err
}, Between("limit", 1, 1000), AtLeast("offset", 0))

type changeInput struct {
	Write  int64  `json:"write" jsonschema:"the first"`
	Last   int64  `json:"last,omitempty" jsonschema:"up to this one of its actor"`
	Ref    string `json:"ref,omitempty" jsonschema:"only this page"`
	Budget int    `json:"budget,omitempty" jsonschema:"tokens, about (default 4000)"`
	Offset int    `json:"offset,omitempty"`
}

type changeAnswer struct {
	api.Change
	Notes []string `json:"notes,omitempty"`
}

var showChange = define(Operation{
	Name: "change", Title: "What a write changed", Group: reviewing, Route: Route{"GET", "/change"},
	Description: "The differences that a write or a session made to all pages, in parts. Credentials are masked.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in changeInput) (out changeAnswer, err error) {
	out.Change, err = review.Change(ctx, a, review.ChangeRequest{
		Write: in.Write, Last: in.Last, Ref: in.Ref, Skip: in.Offset, Named: maxChanges, Budget: cmp.Or(in.Budget, defaultBudget) * bytesPerToken,
	})
	if until := in.Offset + len(out.Pages); until < out.Changed {
		out.Notes = []string{fmt.Sprintf("%d more pages were changed, from offset %d", out.Changed-until, until)}
	}
	return out, err
}, AtLeast("write", 1), AtLeast("last", 0), Between("budget", 1, maxBudget), AtLeast("offset", 0))

// decision is what one review does.
type decision string

const (
	keepIt    decision = "keep"
	dismissIt decision = "dismiss"
	seenIt    decision = "seen"
	reopenIt  decision = "reopen"
)

type reviewInput struct {
	Do      decision `json:"do"`
	Write   int64    `json:"write,omitempty" jsonschema:"keep, reopen: the first"`
	Last    int64    `json:"last,omitempty" jsonschema:"keep, reopen: up to this write"`
	Ref     string   `json:"ref,omitempty" jsonschema:"keep, reopen: only this page"`
	Item    string   `json:"item,omitempty" jsonschema:"dismiss, reopen: what it is about"`
	Note    string   `json:"note,omitempty" jsonschema:"dismiss: why"`
	Through int64    `json:"through,omitempty" jsonschema:"seen: through of unreviewed"`
}

var reviewChanges = define(Operation{
	Name: "review", Title: "Review changes", Group: reviewing, Route: Route{"POST", "/review"},
	Description: "Record a decision: keep changes, dismiss an item, seen up to a change, reopen. Pages stay as they are.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in reviewInput) (api.Review, error) {
	switch {
	case in.Do == seenIt:
		return review.Seen(ctx, a, in.Through)
	case in.Do == dismissIt:
		return review.Dismiss(ctx, a, in.Item, in.Note)
	case in.Do == reopenIt && in.Item != "":
		return review.Reopen(ctx, a, in.Item)
	}
	req := review.DecideRequest{Write: in.Write, Last: in.Last, Ref: in.Ref}
	if in.Do == keepIt {
		req.Decision = api.Kept
	}
	return review.Decide(ctx, a, req)
}, OneOf("do", keepIt, dismissIt, seenIt, reopenIt), AtLeast("write", 0), AtLeast("last", 0), AtLeast("through", 0))

var reviewed = define(Operation{
	Name: "reviewed", Title: "Your review", Group: reviewing, Route: Route{"GET", "/review"},
	Description: "Your mark, and the items that you dismissed.",
	ReadOnly:    true, Idempotent: true,
	nothing: api.Review{Dismissed: map[string]string{}},
}, func(ctx context.Context, a *memory.Session, _ struct{}) (api.Review, error) {
	return review.Read(ctx, a)
})

type takeBackInput struct {
	Write   int64  `json:"write" jsonschema:"the first"`
	Last    int64  `json:"last,omitempty" jsonschema:"up to this one of its actor"`
	Ref     string `json:"ref,omitempty" jsonschema:"only this page"`
	Hunk    int    `json:"hunk,omitempty" jsonschema:"with ref: only this part, from change"`
	Version int    `json:"version,omitempty" jsonschema:"with hunk: to_version, from change"`
	Message string `json:"message,omitempty" jsonschema:"why"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"only return the diff"`
}

var takeBack = define(Operation{
	Name: "take_back", Title: "Take changes back", Group: reviewing, Route: Route{"POST", "/take-back"},
	Description: "Take back a write, a session, one page of it or one part of a difference. Later changes by others stay; pages where they overlap are skipped.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in takeBackInput) (partly, error) {
	if in.Hunk != 0 && in.Ref == "" {
		return partly{}, misuse{"hunk", errors.New("hunk needs ref, the page")}
	}
	w, err := review.Undo(ctx, a, history.UndoRequest{
		WriteOptions: api.WriteOptions{DryRun: in.DryRun, Diff: in.DryRun, Message: in.Message},
		Write:        in.Write, Last: in.Last, Page: in.Ref, Hunk: in.Hunk, Version: in.Version, Force: true,
	})
	return wrotePartly(ctx, a, w, err, wait{})
}, AtLeast("write", 1), AtLeast("last", 0), AtLeast("hunk", 0), AtLeast("version", 0))

type blameInput struct {
	Ref     string `json:"ref"`
	Version int    `json:"version,omitempty" jsonschema:"an older version"`
}

var blamePage = define(Operation{
	Name: "blame", Title: "Author of each line", Group: reviewing, Route: Route{"GET", "/blame/{ref...}"},
	Description: "The version, actor and time that each line of a page is from.",
	ReadOnly:    true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in blameInput) (api.Blame, error) {
	return history.Blame(ctx, a, history.BlameRequest{Ref: in.Ref, Version: in.Version})
}, AtLeast("version", 0))

type activityInput struct {
	Since string `json:"since,omitempty" jsonschema:"date or time (default 30 days)"`
	Actor string `json:"actor,omitempty" jsonschema:"a name, or kind:name"`
	Space string `json:"space,omitempty" jsonschema:"* for all"`
}

var countActivity = define(Operation{
	Name: "activity", Title: "Activity by day", Group: reviewing, Route: Route{"GET", "/activity"},
	Description: "The number of changes and changed pages of each actor on each day.",
	ReadOnly:    true, Idempotent: true,
	nothing: api.ActivityList{Items: []api.ActivityDay{}},
}, func(ctx context.Context, a *memory.Session, in activityInput) (api.ActivityList, error) {
	all := in.Space == "*"
	if !all {
		a = a.In(in.Space)
	}
	return history.CountActivity(ctx, a, history.RecentRequest{Since: in.Since, Actor: in.Actor, All: all})
})
