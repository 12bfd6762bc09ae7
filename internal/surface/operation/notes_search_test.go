package operation

import (
	"strings"
	"testing"
)

// A result says in words, too, that another page took its place or contradicts it.
func TestSearchResultsSayWhatHolds(t *testing.T) {
	t.Parallel()
	r := searchResults{Total: 1, Results: []searchResult{{Type: "entity", Title: "Old", Ref: "m:old", SupersededBy: "m:new", Contested: true}}}
	for _, want := range []string{"- superseded by: m:new\n", "- contested: "} {
		if got := r.words(); !strings.Contains(got, want) {
			t.Errorf("%q without %q", got, want)
		}
	}
}
