package scenarios_test

import (
	"testing"
	"time"

	"github.com/cairn-kb/cairn/internal/api"
	"github.com/cairn-kb/cairn/internal/knowledge/assertion"
	"github.com/cairn-kb/cairn/internal/test/apptest"
)

// What was believed at a time and what was true then are two questions, of assertions in
// sidecars and of those that pages say.
func TestAssertionsBelievedThen(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := newSided(t)
	w := apptest.OK(assertion.Add(ctx, s.a, api.AssertRequest{Subject: "ada", Predicate: "works_at", Object: "Brex", Since: "2017", Evidence: "Last."}))(t)
	s.edit("Last.", "- knows [[Bob]]")
	believed := s.Opts.Now().Format(time.RFC3339)
	apptest.OK(assertion.Close(ctx, s.a, api.AssertCloseRequest{ID: w.ID, Until: "2019"}))(t)
	s.edit("- knows [[Bob]]", "Last.")
	for _, test := range []struct {
		name     string
		req      api.AssertionsRequest
		id       int64
		lost     bool
		of, when int // how many, and how many of another status
	}{
		{"now", api.AssertionsRequest{}, 0, false, 0, 1},
		{"now, true then", api.AssertionsRequest{At: "2018"}, w.ID, false, 1, 0},
		{"believed then", api.AssertionsRequest{AsOf: believed}, w.ID, true, 2, 0},
		{"believed then of 2016", api.AssertionsRequest{AsOf: believed, At: "2016", Predicate: "works_at"}, 0, false, 0, 1},
		{"of the page", api.AssertionsRequest{AsOf: believed, On: "ada", Subject: "Ada", Object: "Brex"}, w.ID, true, 1, 0},
	} {
		got := apptest.OK(assertion.List(ctx, s.a, test.req))(t)
		if len(got.Items) != test.of || got.Hidden != test.when {
			t.Errorf("%s: %d of them and %d others, want %d and %d: %+v", test.name, len(got.Items), got.Hidden, test.of, test.when, got.Items)
		} else if test.of > 0 && (got.Items[0].ID != test.id || got.Items[0].Lost != test.lost) {
			t.Errorf("%s: %+v", test.name, got.Items[0])
		}
	}
}
