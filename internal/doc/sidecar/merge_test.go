package sidecar_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/doc/sidecar"
	"github.com/cairn-kb/cairn/internal/kb"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	const (
		works = `{"subject": "Ada", "predicate": "works_at", "object": "Brex", "valid_from": "2017"}`
		ended = `{"subject": "Ada", "predicate": "works_at", "object": "Brex", "valid_from": "2017", "valid_until": "2026"}`
		sure  = `{"subject": "Ada", "predicate": "works_at", "object": "Brex", "valid_from": "2017", "confidence": 0.5}`
		later = `{"subject": "Ada", "predicate": "works_at", "object": "Brex", "valid_from": "2017", "valid_until": "2027"}`
		knows = `{"subject": "Ada", "predicate": "knows", "object": "Bob"}`
		likes = `{"subject": "Ada", "predicate": "likes", "object": "tea"}`
	)
	assertions := func(all ...string) string { return `{"assertions": [` + strings.Join(all, ", ") + `]}` }
	source := func(parts string) string { return `{"sources": {` + parts + `}}` }
	fetched := func(data, time string) string {
		return `{"sources": {"a": ` + data + `}, "fetched": {"a": "` + time + `"}}`
	}
	for _, tc := range []struct {
		name, base, ours, theirs string
		want                     []string // what the result has, in order
		without                  string
		conflicts                []string
	}{
		{name: "a source each, where there was none", ours: source(`"a": 1`), theirs: source(`"b": 2`), want: []string{`"b": 2`, `"a": 1`}},
		{name: "a source each", base: source(`"x": 0`), ours: source(`"x": 0, "a": 1.0`), theirs: source(`"x": 0, "b": [2, 3]`), want: []string{`"x": 0`, `"b": [2, 3]`, `"a": 1.0`}},
		{name: "one source, two ways", base: source(`"a": 0`), ours: source(`"a": 1`), theirs: source(`"a": 2`), conflicts: []string{"the data of a"}},
		{name: "one source added, two ways", ours: source(`"a": 1`), theirs: source(`"a": 2`), conflicts: []string{"the data of a"}},
		{name: "the same source, set out in another way", base: source(`"a": {"b": 1}, "c": 1`), ours: source(`"a": {"b":2}, "c": 1`), theirs: source(`"a": { "b": 2 }, "c": 3`), want: []string{`{ "b": 2 }`, `"c": 3`}},
		{name: "a source taken away here, another one changed there", base: source(`"a": 0, "b": 0`), ours: source(`"b": 0`), theirs: source(`"a": 0, "b": 1`), want: []string{`"b": 1`}, without: `"a"`},
		{name: "a source taken away here, changed there", base: source(`"a": 0`), ours: source(``), theirs: source(`"a": 1`), conflicts: []string{"the data of a"}},
		{name: "fetched alike, at two times", base: fetched("0", "2026-01-01T00:00:00Z"), ours: fetched("1", "2026-03-01T00:00:00Z"), theirs: fetched("1", "2026-02-01T00:00:00Z"), want: []string{"2026-03-01"}},
		{name: "changed here, and fetched again there", base: fetched("0", "2026-01-01T00:00:00Z"), ours: fetched("1", "2026-02-01T00:00:00Z"), theirs: fetched("0", "2026-03-01T00:00:00Z"), want: []string{`"a": 1`, "2026-02-01"}},
		{name: "an assertion each", base: assertions(works), ours: assertions(works, knows), theirs: assertions(works, likes), want: []string{"Brex", "tea", "Bob"}},
		{name: "the same assertion", base: assertions(works), ours: assertions(works, knows), theirs: assertions(works, knows, likes), want: []string{"Brex", "Bob", "tea"}},
		{name: "the end here, the confidence there", base: assertions(works), ours: assertions(ended), theirs: assertions(sure), want: []string{`"confidence": 0.5, "valid_until": "2026"}`}},
		{name: "two ends", base: assertions(works), ours: assertions(ended), theirs: assertions(later), conflicts: []string{`the assertion {"subject":"Ada","predicate":"works_at","object":"Brex","valid_from":"2017"}`}},
		{name: "an end here, taken away there", base: assertions(works), ours: assertions(ended), theirs: assertions(), conflicts: []string{`the assertion {"subject":"Ada","predicate":"works_at","object":"Brex","valid_from":"2017"}`}},
		{name: "taken away here, another one added there", base: assertions(works), ours: assertions(), theirs: assertions(works, likes), want: []string{"tea"}, without: "Brex"},
		{name: "what is no assertion", base: assertions(`{"x": 1}`), ours: assertions(`{"x": 1}`, `{"y": 1}`), theirs: assertions(`{"x": 1}`, `{"z": 1}`), want: []string{`{"x": 1}`, `{"z": 1}`, `{"y": 1}`}},
		{name: "other keys", base: `{"k": 1, "l": 1}`, ours: `{"k": 2, "l": 1, "m": 1}`, theirs: `{"k": 1, "l": 2}`, want: []string{`"k": 2`, `"l": 2`, `"m": 1`}},
		{name: "another key, two ways", base: `{"k": 1}`, ours: `{"k": 2}`, theirs: `{"k": 3}`, conflicts: []string{"k"}},
		{name: "broken here", base: `{}`, ours: `{`, theirs: `{"k": 3}`, conflicts: []string{"a sidecar that cannot be read"}},
		{name: "broken there, as it was here", base: `{`, ours: `{`, theirs: `{"k": 3}`, want: []string{`{"k": 3}`}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bytes := func(text string) []byte {
				if text == "" {
					return nil
				}
				return []byte(text)
			}
			merged, conflicts := sidecar.Merge(bytes(tc.base), bytes(tc.ours), bytes(tc.theirs))
			if !slices.Equal(conflicts, tc.conflicts) || (merged == nil) != (tc.conflicts != nil) {
				t.Fatalf("%q, conflicts %q, want %q", merged, conflicts, tc.conflicts)
			}
			rest := string(merged)
			for _, want := range tc.want {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Fatalf("%q is not in, or not behind the others:\n%s", want, merged)
				}
				rest = after
			}
			if tc.without != "" && strings.Contains(string(merged), tc.without) {
				t.Errorf("%q is still in:\n%s", tc.without, merged)
			}
		})
	}
}

// What is merged is a sidecar to which edits can be made as to any other.
func TestMergedSidecarIsSetOutAsEditsDo(t *testing.T) {
	t.Parallel()
	base, err := sidecar.Apply(nil, sidecar.SetSource{Name: "crm", Data: []byte(`{"a": 1}`)})
	if err != nil {
		t.Fatal(err)
	}
	add := func(text []byte, object string) []byte {
		t.Helper()
		out, err := sidecar.Apply(text, sidecar.AddAssertion{Assertion: sidecar.Assertion{Statement: kb.Statement{Subject: "Ada", Predicate: "likes", Object: object}}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	merged, conflicts := sidecar.Merge(base, add(base, "tea"), add(base, "cake"))
	if conflicts != nil {
		t.Fatal(conflicts)
	}
	if want := add(add(base, "cake"), "tea"); string(merged) != string(want) {
		t.Errorf("%s, want as if both had been added one after the other:\n%s", merged, want)
	}
}
