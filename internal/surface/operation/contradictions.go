package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/change"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type checkInput struct {
	Ref       string   `json:"ref,omitempty" jsonschema:"only this page"`
	Type      []string `json:"type,omitempty"`
	Dismissed bool     `json:"dismissed,omitempty" jsonschema:"those that were dismissed instead"`
	Space     string   `json:"space,omitempty" jsonschema:"* for all"`
	Limit     int      `json:"limit,omitempty" jsonschema:"default 20"`
	Offset    int      `json:"offset,omitempty"`
}

type checkAnswer struct {
	api.Contradictions
	Notes []string `json:"notes,omitempty"`
}

var checkPages = define(Operation{
	Name: "check", Title: "Find contradictions", Group: more, Route: Route{"GET", "/check"},
	Description: "Statements that cannot both hold, with both sides quoted: certain ones first, then possible ones, which may be none.",
	ReadOnly:    true, Idempotent: true,
	nothing: checkAnswer{Contradictions: api.Contradictions{List: api.List[api.Contradiction]{Items: []api.Contradiction{}}}},
}, func(ctx context.Context, a *memory.Session, in checkInput) (out checkAnswer, err error) {
	req := contradiction.Request{Ref: in.Ref, All: in.Space == "*", Types: in.Type, Dismissed: in.Dismissed, Limit: in.Limit, Offset: in.Offset}
	if req.Limit == 0 {
		req.Limit = 20
	}
	if !req.All {
		a = a.In(in.Space)
	}
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: req.All || in.Ref != ""}); err != nil {
		return out, err
	}
	out.Contradictions, err = contradiction.List(ctx, a, req)
	return out, err
}, Between("limit", 1, 1000), AtLeast("offset", 0))

type resolveInput struct {
	ID    string `json:"id" jsonschema:"from check"`
	Keep  string `json:"keep" jsonschema:"the side that holds: a, b, or the page that states it"`
	Until string `json:"until,omitempty" jsonschema:"date to which the other held (default: the dates of the sides, else today)"`
	writeOptions
}

var resolve = define(Operation{
	Name: "resolve", Title: "Settle a contradiction", Group: more, Route: Route{"POST", "/check/resolve"},
	Description: "Keep one side of a contradiction: the relation, key or assertion of the other ends. A sentence and a stale truth are for edit.",
	Destructive: true,
}, func(ctx context.Context, a *memory.Session, in resolveInput) (written, error) {
	w, err := change.Resolve(ctx, a, contradiction.ResolveRequest{WriteOptions: in.WriteOptions, ID: in.ID, Keep: in.Keep, Until: in.Until})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0))

type dismissInput struct {
	ID   string `json:"id" jsonschema:"from check"`
	Note string `json:"note" jsonschema:"why it does not matter"`
}

var dismiss = define(Operation{
	Name: "dismiss", Title: "Dismiss a contradiction", Group: more, Route: Route{"POST", "/check/dismiss"},
	Description: "Say why a contradiction does not matter. It counts again when one of its sides changes.",
	Destructive: true, Idempotent: true,
}, func(ctx context.Context, a *memory.Session, in dismissInput) (api.Contradiction, error) {
	return contradiction.Dismiss(ctx, a, in.ID, in.Note)
})

type contestInput struct {
	A      string `json:"a" jsonschema:"ref"`
	B      string `json:"b" jsonschema:"ref"`
	Reason string `json:"reason" jsonschema:"why both cannot hold, in a line"`
	writeOptions
}

var contest = define(Operation{
	Name: "contest", Title: "Contest two pages", Group: more, Route: Route{"POST", "/check/contest"},
	Description: "Marks two pages that cannot both hold as contested and links each to the other, in one write. A person decides which one holds.",
}, func(ctx context.Context, a *memory.Session, in contestInput) (written, error) {
	w, err := change.Contest(ctx, a, change.ContestRequest{WriteOptions: in.WriteOptions, A: in.A, B: in.B, Reason: in.Reason})
	return wrote(ctx, a, w, err, in.wait)
}, AtLeast("expected_version", 0))
