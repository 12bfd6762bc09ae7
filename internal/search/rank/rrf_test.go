package rank

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRRF(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		k     float64
		lists []List
		want  []Fused
	}{
		"agreement wins": {
			60,
			[]List{{Items: scored(1, 9, 2, 8), Weight: 1}, {Items: scored(3, 1, 2, 0.5), Weight: 1}},
			[]Fused{
				{2, 2.0 / 62, []Vote{{0, 2, 8, 1.0 / 62, 0}, {1, 2, 0.5, 1.0 / 62, 0}}},
				{1, 1.0 / 61, []Vote{{0, 1, 9, 1.0 / 61, 0}}},
				{3, 1.0 / 61, []Vote{{1, 1, 1, 1.0 / 61, 0}}},
			},
		},
		"weights": {
			0,
			[]List{{Items: scored(1, 9), Weight: 0.5}, {Items: scored(2, 1), Weight: 2}},
			[]Fused{{2, 2, []Vote{{1, 1, 1, 2, 0}}}, {1, 0.5, []Vote{{0, 1, 9, 0.5, 0}}}},
		},
		"loose lists have half a vote": {
			0,
			[]List{{Items: scored(1, 9), Weight: 1, Loose: true}, {Items: scored(3, 5, 2, 1), Weight: 1}},
			[]Fused{{3, 1, []Vote{{1, 1, 5, 1, 0}}}, {1, 0.5, []Vote{{0, 1, 9, 0.5, 0}}}, {2, 0.5, []Vote{{1, 2, 1, 0.5, 0}}}},
		},
		"a constant below 0 is 0": {
			-1,
			[]List{{Items: scored(1, 9), Weight: 1}},
			[]Fused{{1, 1, []Vote{{0, 1, 9, 1, 0}}}},
		},
	} {
		if diff := cmp.Diff(tt.want, RRF(tt.k, tt.lists...), near); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
