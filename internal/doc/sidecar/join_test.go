package sidecar_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/sidecar"
)

func TestJoin(t *testing.T) {
	t.Parallel()
	const (
		works = `{"subject": "Ada", "predicate": "works_at", "object": "Brex", "evidence_text": "She does.", "created_at": "2026-01-01T00:00:00Z"}`
		again = `{"subject": "Ada", "predicate": "works_at", "object": "Brex", "evidence_text": "She does.", "created_at": "2026-02-01T00:00:00Z"}`
		other = `{"subject": "Ada", "predicate": "works_at", "object": "Brex", "evidence_text": "Another one says so."}`
		knows = `{"subject": "Ada", "predicate": "knows", "object": "Bob", "mine": 1}`
	)
	assertions := func(all ...string) string { return `{"assertions": [` + strings.Join(all, ", ") + `]}` }
	for _, tc := range []struct {
		name, into, from string
		want             []string // what the result has, in order
		left             []string // what stays has, in order
		stays            []string
		at               []int
	}{
		{name: "beside one alone", from: assertions(works, knows), want: []string{works, knows}, at: []int{0, 1}},
		{name: "an assertion each", into: assertions(works), from: assertions(knows), want: []string{works, knows}, at: []int{1}},
		{name: "said twice, at two times", into: assertions(knows, works), from: assertions(again), want: []string{knows, works}, at: []int{1}},
		{name: "other evidence", into: assertions(works), from: assertions(other), want: []string{works, other}, at: []int{1}},
		{name: "what is no assertion", into: assertions(`{"x": 1}`), from: assertions(`{"x":1}`, `{"y": 1}`), want: []string{`{"x": 1}`, `{"y": 1}`}, at: []int{0, 1}},
		{
			name: "sources", into: `{"sources": {"a": 1, "b": 1}, "fetched": {"a": "2026-01-01", "b": "2026-01-01"}}`,
			from: `{"sources": {"a": 2, "b": 1, "c": 3}, "fetched": {"a": "2026-02-02", "b": "2026-02-02", "c": "2026-02-02"}}`,
			want: []string{`"a": 1`, `"b": 1`, `"c": 3`, `"a": "2026-01-01"`, `"b": "2026-01-01"`, `"c": "2026-02-02"`},
			left: []string{`"sources"`, `"a": 2`, `"fetched"`, `"a": "2026-02-02"`}, stays: []string{"a"},
		},
		{
			name: "a source that says no time here", into: `{"sources": {"a": 1}}`, from: `{"sources": {"a": 2}, "fetched": {"a": "2026-02-02"}}`,
			want: []string{`"a": 1`}, left: []string{`"a": 2`, `"a": "2026-02-02"`}, stays: []string{"a"},
		},
		{name: "other keys", into: `{"k": 1, "l": 1}`, from: `{"k": 1, "l": 2, "m": 3}`, want: []string{`"k": 1`, `"l": 1`, `"m": 3`}, left: []string{`"l": 2`}, stays: []string{"l"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var into []byte
			if tc.into != "" {
				into = []byte(tc.into)
			}
			got, err := sidecar.Join(into, []byte(tc.from))
			if err != nil {
				t.Fatal(err)
			}
			has := func(text []byte, parts []string) {
				t.Helper()
				rest := string(text)
				for _, part := range parts {
					_, after, found := strings.Cut(rest, part)
					if !found {
						t.Fatalf("%q is not where it should be in\n%s", part, text)
					}
					rest = after
				}
			}
			has(got.Text, tc.want)
			has(got.Left, tc.left)
			if tc.left == nil && got.Left != nil || !slices.Equal(got.Stays, tc.stays) || !slices.Equal(got.At, tc.at) {
				t.Errorf("left %q, stays %q, at %v", got.Left, got.Stays, got.At)
			}
			if strings.Contains(string(got.Text), "2026-02-02") && tc.name == "a source that says no time here" {
				t.Errorf("the time of other data is told in\n%s", got.Text)
			}
			if _, err := sidecar.Parse(got.Text); err != nil {
				t.Errorf("%v in\n%s", err, got.Text)
			}
		})
	}
}
