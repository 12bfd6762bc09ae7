package operation

import (
	"context"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/memory"
	"github.com/cairn-kb/cairn/internal/memory/read"
)

type assertInput struct {
	Subject    string   `json:"subject" jsonschema:"page or text"`
	Predicate  string   `json:"predicate" jsonschema:"such as is_ceo_of"`
	Object     string   `json:"object" jsonschema:"page or text"`
	On         string   `json:"on,omitempty" jsonschema:"ref of the page that keeps it (default the subject's)"`
	Since      string   `json:"since,omitempty" jsonschema:"date from which it holds"`
	Until      string   `json:"until,omitempty" jsonschema:"date to which it held"`
	Source     string   `json:"source,omitempty" jsonschema:"where it is known from"`
	Evidence   string   `json:"evidence,omitempty" jsonschema:"words of the page as evidence"`
	Confidence *float64 `json:"confidence,omitempty" jsonschema:"default 1"`
	Supersedes int64    `json:"supersedes,omitempty" jsonschema:"id of an assertion that ends with this"`
	writeOptions
}

// asserted is the answer of what writes an assertion.
type asserted struct {
	ID int64 `json:"id" jsonschema:"of the assertion, for assert_close"`
	written
}

// wroteAssertion is wrote with the number of the assertion.
func wroteAssertion(ctx context.Context, a *memory.Session, w api.Written, err error, opts writeOptions) (asserted, error) {
	out, err := wrote(ctx, a, w, err, opts)
	return asserted{w.ID, out}, err
}

var assert = define(Operation{
	Name: "assert", Title: "Assert that something holds", Group: more, Route: Route{"POST", "/assertions"},
	Description: "Store an assertion about a page: subject, predicate, object, with its start, its source and a quote from the page as evidence. Pages may be given by any name.",
}, func(ctx context.Context, a *memory.Session, in assertInput) (asserted, error) {
	w, err := assertion.Add(ctx, a, assertion.AddRequest{
		WriteOptions: in.options(), On: in.On, Subject: in.Subject, Predicate: in.Predicate, Object: in.Object,
		Since: in.Since, Until: in.Until, Source: in.Source, Evidence: in.Evidence, Confidence: in.Confidence, Supersedes: in.Supersedes,
	})
	return wroteAssertion(ctx, a, w, err, in.writeOptions)
}, between("confidence", 0, 1), atLeast("supersedes", 1), atLeast("expected_version", 0))

type assertCloseInput struct {
	ID    int64  `json:"id" jsonschema:"of the assertion, from assertions"`
	Until string `json:"until,omitempty" jsonschema:"date to which it held (default today)"`
	writeOptions
}

var assertClose = define(Operation{
	Name: "assert_close", Title: "End an assertion", Group: more, Route: Route{"POST", "/assertions/close"},
	Description: "End the assertion with an id: it held until a date.",
}, func(ctx context.Context, a *memory.Session, in assertCloseInput) (asserted, error) {
	w, err := assertion.Close(ctx, a, assertion.CloseRequest{WriteOptions: in.options(), ID: in.ID, Until: in.Until})
	return wroteAssertion(ctx, a, w, err, in.writeOptions)
}, atLeast("id", 1), atLeast("expected_version", 0))

type assertionsInput struct {
	On        string              `json:"on,omitempty" jsonschema:"ref of the page that keeps them"`
	Subject   string              `json:"subject,omitempty" jsonschema:"page by any name, or text"`
	Predicate string              `json:"predicate,omitempty"`
	Object    string              `json:"object,omitempty" jsonschema:"page by any name, or text"`
	Status    api.AssertionStatus `json:"status,omitempty" jsonschema:"default current"`
	At        string              `json:"at,omitempty" jsonschema:"true on this date (default today)"`
	AsOf      string              `json:"as_of,omitempty" jsonschema:"believed at this time"`
	Space     string              `json:"space,omitempty" jsonschema:"* for all"`
	Limit     int                 `json:"limit,omitempty" jsonschema:"default 20"`
	Offset    int                 `json:"offset,omitempty"`
}

type assertionsAnswer struct {
	api.Assertions
	Notes []string `json:"notes,omitempty"`
}

var assertions = define(Operation{
	Name: "assertions", Title: "List assertions", Group: more, Route: Route{"GET", "/assertions"},
	Description: "Assertions, with their times, their sources and the lines of their evidence.",
	ReadOnly:    true, Idempotent: true,
	nothing: assertionsAnswer{Assertions: api.Assertions{List: api.List[api.Assertion]{Items: []api.Assertion{}}}},
}, func(ctx context.Context, a *memory.Session, in assertionsInput) (out assertionsAnswer, err error) {
	req := assertion.ListRequest{
		Ref: in.On, Everywhere: in.Space == "*", Subject: in.Subject, Predicate: in.Predicate, Object: in.Object,
		Status: in.Status, At: in.At, AsOf: in.AsOf, Limit: in.Limit, Offset: in.Offset,
	}
	if req.Limit == 0 {
		req.Limit = 20
	}
	if !req.Everywhere {
		a = a.In(in.Space)
	}
	if out.Notes, err = read.Freshen(ctx, a, read.FreshenRequest{All: req.Everywhere || in.On != ""}); err != nil {
		return out, err
	}
	out.Assertions, err = assertion.List(ctx, a, req)
	return out, err
}, oneOf("status", assertion.Statuses()...), between("limit", 1, 1000), atLeast("offset", 0))
