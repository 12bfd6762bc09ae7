package contradiction_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-kb/cairn/internal/kb"
	"github.com/cairn-kb/cairn/internal/memory/contradiction"
	"github.com/cairn-kb/cairn/internal/policy/lifecycle"
)

func TestOpened(t *testing.T) {
	t.Parallel()
	finding := func(id string, kind lifecycle.Kind, page kb.ID) contradiction.Finding {
		return contradiction.Finding{ID: id, Kind: kind, Page: kb.Page{ID: page}, Text: "text of " + id}
	}
	a, b := finding("a", lifecycle.CrossPage, "p"), finding("b", lifecycle.CrossPage, "p")
	old, newer := finding("s1", lifecycle.Stale, "p"), finding("s2", lifecycle.Stale, "p")
	elsewhere := finding("s3", lifecycle.Stale, "q")
	for name, tc := range map[string]struct {
		all, others []contradiction.Finding
		want        string
	}{
		"all of them":            {all: []contradiction.Finding{a, b}, want: "a b"},
		"those that others lack": {all: []contradiction.Finding{a, b}, others: []contradiction.Finding{b}, want: "a"},
		"of one page by id":      {all: []contradiction.Finding{a}, others: []contradiction.Finding{b}, want: "a"},
		"still stale":            {all: []contradiction.Finding{newer}, others: []contradiction.Finding{old}},
		"stale elsewhere":        {all: []contradiction.Finding{elsewhere}, others: []contradiction.Finding{old}, want: "s3"},
		"none":                   {others: []contradiction.Finding{a}},
	} {
		t.Run(name, func(t *testing.T) {
			got := contradiction.Opened(tc.all, tc.others)
			if ids := strings.Join(slices.Sorted(maps.Keys(got)), " "); ids != tc.want {
				t.Errorf("opened %q, want %q", ids, tc.want)
			}
			for id, text := range got {
				if text != "text of "+id {
					t.Errorf("%s is said to be %q", id, text)
				}
			}
		})
	}
}
