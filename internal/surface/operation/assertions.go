package operation

import (
	"cmp"
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type assertInput struct {
	api.AssertRequest
	wait
}

// asserted is the answer of what writes an assertion.
type asserted struct {
	ID int64 `json:"id" jsonschema:"of the assertion, for assert_close"`
	written
}

// wroteAssertion is wrote with the number of the assertion.
func wroteAssertion(ctx context.Context, a *memory.Session, w api.Written, err error, wait wait) (asserted, error) {
	out, err := wrote(ctx, a, w, err, wait)
	return asserted{w.ID, out}, err
}

var assert = define(Operation{
	Name: "assert", Title: "Assert that something holds", Group: more, Route: Route{"POST", "/assertions"},
	Description: "Store an assertion about a page: subject, predicate, object, with its start, its source and a quote from the page as evidence. Pages may be given by any name.",
}, func(ctx context.Context, a *memory.Session, in assertInput) (asserted, error) {
	w, err := assertion.Add(ctx, a, in.AssertRequest)
	return wroteAssertion(ctx, a, w, err, in.wait)
}, Between("confidence", 0, 1), AtLeast("supersedes", 1), AtLeast("expected_version", 0))

type assertCloseInput struct {
	api.AssertCloseRequest
	wait
}

var assertClose = define(Operation{
	Name: "assert_close", Title: "End an assertion", Group: more, Route: Route{"POST", "/assertions/close"},
	Description: "End the assertion with an id: it held until a date.",
}, func(ctx context.Context, a *memory.Session, in assertCloseInput) (asserted, error) {
	w, err := assertion.Close(ctx, a, in.AssertCloseRequest)
	return wroteAssertion(ctx, a, w, err, in.wait)
}, AtLeast("id", 1), AtLeast("expected_version", 0))

type assertionsAnswer struct {
	api.Assertions
	Notes []string `json:"notes,omitempty"`
}

var assertions = define(Operation{
	Name: "assertions", Title: "List assertions", Group: more, Route: Route{"GET", "/assertions"},
	Description: "Assertions, with their times, their sources and the lines of their evidence.",
	ReadOnly:    true, Idempotent: true,
	nothing: assertionsAnswer{Assertions: api.Assertions{List: api.List[api.Assertion]{Items: []api.Assertion{}}}},
}, func(ctx context.Context, a *memory.Session, in api.AssertionsRequest) (out assertionsAnswer, err error) {
	in.Limit = cmp.Or(in.Limit, 20)
	if !in.All() {
		a = a.In(in.Space)
	}
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: in.All() || in.On != ""}); err != nil {
		return out, err
	}
	out.Assertions, err = assertion.List(ctx, a, in)
	return out, err
}, OneOf("status", assertion.Statuses()...), Between("limit", 1, 1000), AtLeast("offset", 0))
