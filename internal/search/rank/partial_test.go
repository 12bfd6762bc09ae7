package rank

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPartial(t *testing.T) {
	t.Parallel()
	known := []int64{1, 3, 4}
	p := Partial{List: 1, Other: 0, Ratio: 1.5, Pool: 100, Knows: func(id int64) bool { return slices.Contains(known, id) }}
	fused := func() []Fused {
		return []Fused{
			{1, 0.7, []Vote{{0, 2, 8, 0.2, 0}, {1, 2, 8, 0.5, 0}}},
			{4, 0.6, []Vote{{1, 1, 9, 0.6, 0}}},
			{2, 0.4, []Vote{{0, 1, 9, 0.4, 0}}},
			{3, 0.1, []Vote{{0, 3, 7, 0.1, 0}}},
		}
	}
	for name, tt := range map[string]struct {
		share float64
		want  []Fused
	}{
		"all are known": {1, fused()},
		// 4 is the best of a tenth, as the tenth of all would be: half of the way.
		"a tenth": {0.1, []Fused{
			{2, 1, []Vote{{0, 1, 9, 1, 0}}},
			{1, 0.7, []Vote{{0, 2, 8, 0.2, 0}, {1, 2, 8, 0.5, 0}}},
			{4, 0.3, []Vote{{1, 1, 9, 0.3, 0}}},
			{3, 0.1, []Vote{{0, 3, 7, 0.1, 0}}},
		}},
		"next to nothing": {0.001, []Fused{
			{2, 1, []Vote{{0, 1, 9, 1, 0}}},
			{1, 0.7, []Vote{{0, 2, 8, 0.2, 0}, {1, 2, 8, 0.5, 0}}},
			{3, 0.1, []Vote{{0, 3, 7, 0.1, 0}}},
			{4, 0.006, []Vote{{1, 1, 9, 0.006, 0}}},
		}},
		"nothing": {0, []Fused{
			{2, 1, []Vote{{0, 1, 9, 1, 0}}},
			{1, 0.7, []Vote{{0, 2, 8, 0.2, 0}, {1, 2, 8, 0.5, 0}}},
			{3, 0.1, []Vote{{0, 3, 7, 0.1, 0}}},
			{4, 0.006, []Vote{{1, 1, 9, 0.006, 0}}},
		}},
	} {
		p.Share = tt.share
		given := fused()
		if diff := cmp.Diff(tt.want, p.Even(given), near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(fused(), given); diff != "" {
			t.Errorf("%s: what was given is changed: %s", name, diff)
		}
	}
}
